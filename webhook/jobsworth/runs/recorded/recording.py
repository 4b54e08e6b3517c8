"""A recorded run: all that is known of a Job at a time, from a cluster, files or a simulation.

Times are seconds since 1970; None if unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from jobsworth.controller.jobs import Job
from jobsworth.controller.pods import Pod
from jobsworth.runs.recorded.pod_facts import NO_FACTS, PodFacts
from jobsworth.runs.virtual_time import SECOND, clock

FactKind = Literal["created", "started", "restarted", "deleted", "ended"]


class RecordedEvent(NamedTuple):
    """A Kubernetes Event.

    Attributes:
        at: when it happened last.
        times: how often it happened.
        first: when it happened first; None if unknown.
    """

    at: int | None
    kind: str
    name: str
    type: str
    reason: str
    message: str
    times: int
    first: int | None = None


@dataclass(frozen=True, slots=True)
class LogTail:
    """The last lines of the log of a container.

    Attributes:
        lines: without line ends; not escaped.
        problem: why the log cannot be read; empty if it was.
    """

    pod: str
    container: str
    lines: tuple[str, ...] = ()
    problem: str = ""


class EndedContainer(NamedTuple):
    """A container that has ended and is not restarted."""

    name: str
    exit_code: int
    reason: str


@dataclass(frozen=True, slots=True)
class RecordedPod:
    """A Pod of a recording.

    Attributes:
        view: its last recorded version, as the planner reads it.
        started: its first container started.
        restarted: a container started again in place, for the last time.
        deleted: its deletion was requested.
        ended: it became Succeeded or Failed.
        containers: those that have ended, app containers first.
        reason: the reason of its status, such as ``Evicted``.
        disruption: the reason of its condition DisruptionTarget; empty without one.
        scaled_down: the Job controller deleted it because it was surplus, so that it does not count.
        facts: what the planner does not need.
        gone: it no longer exists: Events say that the Job deleted it when it ended.
    """

    view: Pod
    created: int
    scheduled: int | None = None
    started: int | None = None
    restarted: int | None = None
    deleted: int | None = None
    ended: int | None = None
    containers: tuple[EndedContainer, ...] = ()
    reason: str = ""
    disruption: str = ""
    scaled_down: bool = False
    facts: PodFacts = NO_FACTS
    gone: bool = False

    @property
    def name(self) -> str:
        """Its name."""
        return self.view.name

    @property
    def index(self) -> int | None:
        """Its completion index; None without one."""
        return self.view.index if self.view.index >= 0 else None

    @property
    def last(self) -> int:
        """The last time that the recording knows of it."""
        times = (
            self.created,
            self.scheduled,
            self.started,
            self.restarted,
            self.deleted,
            self.ended,
        )
        return max(time for time in times if time is not None)


@dataclass(frozen=True, slots=True)
class UnseenPod:
    """A Pod that only Events name: it was deleted before the recording.

    Attributes:
        created: by the Event about its creation.
        events: those about the Pod itself.
    """

    name: str
    created: int | None
    events: tuple[RecordedEvent, ...] = ()


class QueueFacts(NamedTuple):
    """What a queue or a gang scheduler says of a Job that it has not admitted.

    Attributes:
        kind, name: the object that says it: a ``Workload`` or a ``PodGroup``.
        queue: the LocalQueue; empty if unknown.
        lacks: its words; may be empty.
    """

    kind: str
    name: str
    queue: str
    since: int | None
    lacks: str


class RecordedEnd(NamedTuple):
    """The end of a Job by its conditions.

    Attributes:
        decided: when the controller decided it: the time of FailureTarget or SuccessCriteriaMet.
        finished: when it got the condition Complete or Failed; None while Pods terminate.
    """

    decided: int
    finished: int | None
    success: bool
    reason: str
    message: str


class RecordedFact(NamedTuple):
    """A change of a Pod at a time."""

    at: int
    kind: FactKind
    pod: RecordedPod


@dataclass(frozen=True, slots=True)
class Recording:
    """A Job with all that is known of it.

    Attributes:
        manifest: the Job with defaults.
        job: the Job as the planner reads it, with its recorded status.
        created: when the Job was created.
        until: the last time that anything is known of.
        pods: in the order of creation; with those that Events say the Job deleted when it ended.
        unseen: other Pods that only Events name.
        events: about the Job.
        file: its file, or the cluster.
        line: at which it begins; 0 in a cluster.
        pod_events: Events about its Pods, by name of the Pod, also of Pods that are gone.
        logs: the ends of the logs of its containers.
        partial: Pods may exist that were not read.
        denied: the kinds of objects that could not be listed: ``Pods``, ``Events``.
        now: the time of the recording; without another one, its last known time.
        queue: what its queue says of it; None if it is admitted, or nothing is known.
    """

    manifest: Mapping[str, Any]
    job: Job
    created: int
    until: int
    pods: tuple[RecordedPod, ...]
    unseen: tuple[UnseenPod, ...]
    events: tuple[RecordedEvent, ...]
    end: RecordedEnd | None
    file: str
    line: int
    pod_events: Mapping[str, Sequence[RecordedEvent]] = field(default_factory=dict)
    logs: tuple[LogTail, ...] = ()
    partial: bool = False
    denied: frozenset[str] = frozenset()
    now: int = 0
    queue: QueueFacts | None = None

    def events_of(self, name: str) -> Sequence[RecordedEvent]:
        """Return the Events about one of its Pods."""
        return self.pod_events.get(name, ())

    def time(self, at: int) -> int:
        """Return a time as the milliseconds since the creation of the Job."""
        return max(0, at - self.created) * SECOND

    def since(self, at: int | None) -> str:
        """Return a time since the creation of the Job as text; "-" if unknown."""
        return "-" if at is None else clock((at - self.created) * SECOND)

    def stopped_by_end(self, pod: RecordedPod) -> bool:
        """Return True for a Pod that was deleted because the Job had ended."""
        end = self.end
        return end is not None and pod.deleted is not None and pod.deleted >= end.decided

    def facts(self) -> list[RecordedFact]:
        """Return the changes of all Pods in the order of time.

        Changes that the end of the Job caused are left out: under another policy they might not happen.
        """
        found = [fact for pod in self.pods for fact in self._facts(pod)]
        return sorted(found, key=lambda fact: (fact.at, _ORDER[fact.kind], fact.pod.name))

    def _facts(self, pod: RecordedPod) -> Iterator[RecordedFact]:
        decided = None if self.end is None else self.end.decided
        stopped = self.stopped_by_end(pod)
        times: tuple[tuple[FactKind, int | None], ...] = (
            ("created", pod.created),
            ("started", pod.started),
            ("restarted", pod.restarted),
            ("deleted", None if stopped else pod.deleted),
            ("ended", None if stopped else pod.ended),
        )
        for kind, at in times:
            if at is not None and (decided is None or at <= decided):
                yield RecordedFact(max(at, pod.created), kind, pod)


_ORDER: dict[str, int] = {"created": 0, "started": 1, "restarted": 2, "deleted": 3, "ended": 4}
