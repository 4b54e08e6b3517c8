"""All that is known of a Job at a time: what the API server, or a recording, has of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jobsworth.whatif.replay.recorded_events import events_near
from jobsworth.whatif.replay.recording_reader import read_recording
from jobsworth.whatif.why.pods.pod_facts import PodFacts, read_pod_facts

if TYPE_CHECKING:
    from jobsworth.whatif.replay.recording import RecordedEvent, RecordedPod, Recording

    Object = dict[str, Any]


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


@dataclass(frozen=True, slots=True)
class JobSnapshot:
    """A Job, its Pods, its Events and the ends of logs.

    Attributes:
        facts: of each Pod, by UID, or by name without one.
        pod_events: Events about its Pods, by name of the Pod, also of Pods that are gone.
        partial: Pods may exist that were not read.
        denied: the kinds of objects that could not be listed: ``Pods``, ``Events``.
        now: the time of the snapshot, in seconds since 1970; for a recording, its last known time.
    """

    recording: Recording
    facts: Mapping[str, PodFacts] = field(default_factory=dict)
    pod_events: Mapping[str, Sequence[RecordedEvent]] = field(default_factory=dict)
    logs: tuple[LogTail, ...] = ()
    partial: bool = False
    denied: frozenset[str] = frozenset()
    now: int = 0

    def facts_of(self, pod: RecordedPod) -> PodFacts:
        """Return the facts of one of its Pods."""
        return self.facts[_key(pod.view.uid, pod.name)]

    def events_of(self, name: str) -> Sequence[RecordedEvent]:
        """Return the Events about one of its Pods."""
        return self.pod_events.get(name, ())


def read_snapshot(
    manifest: Object,
    pods: Iterable[Object],
    events: Sequence[Object],
    *,
    logs: Iterable[LogTail] = (),
    file: str = "",
    line: int = 0,
    now: int | None = None,
    partial: bool = False,
    denied: Iterable[str] = (),
) -> JobSnapshot:
    """Read a snapshot from objects.

    Args:
        manifest: the Job with defaults, and with its status.
        pods: its Pods; those of other Jobs are left out.
        events: Events, also about other objects.
        now: the time of the snapshot; None for the last time that the objects know of.
        partial: there may be more Pods than these.
        denied: the kinds of objects that could not be listed.

    Raises:
        BadRecording: the Job was never created, or a time is missing.
    """
    listed = list(pods)
    recording = read_recording(manifest, listed, events, file=file, line=line, now=now)
    facts = {}
    for each in listed:
        meta = each["metadata"]
        facts[_key(meta.get("uid") or "", meta.get("name") or "")] = read_pod_facts(each)
    names = {pod.name for pod in recording.pods} | {pod.name for pod in recording.unseen}
    by_name: dict[str, list[RecordedEvent]] = {}
    for event in events_near(events, "Job", manifest["metadata"]):
        if event.kind == "Pod" and event.name in names:
            by_name.setdefault(event.name, []).append(event)
    return JobSnapshot(
        recording,
        facts,
        by_name,
        tuple(logs),
        partial,
        frozenset(denied),
        recording.until if now is None else now,
    )


def _key(uid: str, name: str) -> str:
    return uid or name
