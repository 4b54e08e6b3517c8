"""Read the facts of a Pod beside the values that the planner needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jobsworth.controller.times import read_time

Object = dict[str, Any]

MAX_MESSAGE = 600
"""Characters of a message that are kept: the kubelet and the scheduler write up to some thousand."""

WHOLE_POD = ""
_TRACKING = "/job-tracking"
START_REASONS = ("StartError", "ContainerCannotRun", "RunContainerError", "CreateContainerError")
"""Reasons of a container that ended without having been started."""
CRASH_LOOP = "CrashLoopBackOff"
"""The reason of a container that failed again and again, and waits for its next start."""


class WaitingContainer(NamedTuple):
    """A container that does not run now, and why.

    Attributes:
        restarts: how often it was started again.
    """

    name: str
    image: str
    reason: str
    message: str
    restarts: int


class LastRun(NamedTuple):
    """The last run of a container that was started again in the same Pod; `at` in seconds since 1970.

    Attributes:
        message: what the container runtime or the container wrote; may be empty.
    """

    container: str
    exit_code: int
    reason: str
    restarts: int
    at: int | None
    message: str = ""

    @property
    def never_ran(self) -> bool:
        """True if the container could not be started: it has no log."""
        return self.reason in START_REASONS


class AppContainer(NamedTuple):
    """A container of a Pod that runs, crashes again and again, or has ended; `at` in seconds since 1970.

    Attributes:
        ended: it has ended, and is not started again.
        exit_code: 0 for one that runs.
        reason: with which it ended, or CRASH_LOOP.
        at: when it ended, or last started; None if unknown.
        serves: it has ports or probes, as a server has.
    """

    name: str
    image: str
    ended: bool
    exit_code: int
    reason: str
    at: int | None
    serves: bool


class KeptPod(NamedTuple):
    """A running Pod of which a container has ended for good, and others run on.

    Attributes:
        done: the container whose end decides: one that failed, else the last that ended.
        limit: its memory limit; empty without one.
        keeping: the names of those that run on.
        decided: the work is over: a container failed, or only helpers run on. Else they may do work.
        helpers: those of `keeping` that do no work of their own: proxies, agents, servers.
    """

    done: AppContainer
    limit: str
    keeping: tuple[str, ...]
    decided: bool
    helpers: frozenset[str]

    @property
    def how(self) -> str:
        """The end of the container, as a clause."""
        text = f"{self.done.name} ended with exit code {self.done.exit_code}"
        if self.done.reason in ("", "Error", "Completed"):
            return text
        limited = ""
        if self.done.reason == "OOMKilled":
            limited = f", limit {self.limit}" if self.limit else ", no memory limit"
        return f"{text} ({self.done.reason}{limited})"


@dataclass(frozen=True, slots=True)
class PodFacts:
    """Facts of one Pod; messages are shortened to :data:`MAX_MESSAGE` characters.

    Attributes:
        message: of its status, such as the reason of an eviction.
        disruption: the message of its condition DisruptionTarget.
        unscheduled: reason and message of the condition PodScheduled while it is False.
        awaited_scheduler: the scheduler that has not reported on it yet; empty for another Pod.
        claims: names of the PersistentVolumeClaims that it uses.
        gates: names of its scheduling gates.
        prepared: its volumes are mounted and its network is ready.
        waiting: its containers that do not run.
        last_runs: of containers that were started again.
        termination_messages: what ended containers wrote, by container.
        memory_limits: by container, as written; that of the Pod as a whole under WHOLE_POD (KEP-2837).
        finalizers: those that are not of a Job controller.
        tracked: a Job controller has not removed its finalizer: it has not recorded the end of the Pod.
        init_containers: names of its init containers, without sidecars.
        sidecars: names of its init containers with restartPolicy Always (KEP-753), which do not fail a
            Pod.
        initializing: the init container that runs while the others wait; empty without one.
        unstarted_sidecar: the sidecar whose startup probe has not succeeded yet, so that the others wait.
        initializing_since: when one of these started; None if unknown.
        containers: its app containers that run, crash again and again, or have ended.
    """

    name: str
    node: str = ""
    message: str = ""
    disruption: str = ""
    unscheduled: tuple[str, str] = ("", "")
    awaited_scheduler: str = ""
    claims: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()
    prepared: bool = False
    waiting: tuple[WaitingContainer, ...] = ()
    last_runs: tuple[LastRun, ...] = ()
    termination_messages: Mapping[str, str] = field(default_factory=dict)
    memory_limits: Mapping[str, str] = field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    tracked: bool = False
    init_containers: tuple[str, ...] = ()
    sidecars: tuple[str, ...] = ()
    initializing: str = ""
    unstarted_sidecar: str = ""
    initializing_since: int | None = None
    containers: tuple[AppContainer, ...] = ()


NO_FACTS = PodFacts("")
"""The facts of a Pod of which none is known."""


def read_pod_facts(pod: Object) -> PodFacts:
    """Read the facts of a Pod whose shape was checked."""
    meta, spec, status = pod["metadata"], pod.get("spec") or {}, pod.get("status") or {}
    conditions: dict[str, Object] = {
        each.get("type") or "": each for each in status.get("conditions") or ()
    }
    scheduled = conditions.get("PodScheduled") or {}
    unscheduled = scheduled if scheduled.get("status") == "False" else {}
    awaited = "" if scheduled or spec.get("nodeName") else spec.get("schedulerName") or ""
    of_init = status.get("initContainerStatuses") or ()
    statuses = [*(status.get("containerStatuses") or ()), *of_init]
    init = {
        each.get("name") or "": each.get("restartPolicy") == "Always"
        for each in spec.get("initContainers") or ()
    }
    finalizers = meta.get("finalizers") or ()
    pending = status.get("phase") == "Pending"
    begun = {
        each.get("name") or "": each
        for each in of_init
        if pending and (each.get("state") or {}).get("running") is not None
    }
    initializing = [name for name in begun if not init.get(name, False)]
    unstarted = [name for name in begun if init.get(name) and begun[name].get("started") is False]
    first = begun[(initializing or unstarted)[-1]] if initializing or unstarted else {}
    return PodFacts(
        name=meta.get("name") or "",
        node=spec.get("nodeName") or "",
        message=short(status.get("message")),
        disruption=short((conditions.get("DisruptionTarget") or {}).get("message")),
        unscheduled=(unscheduled.get("reason") or "", short(unscheduled.get("message"))),
        awaited_scheduler=awaited,
        claims=tuple(_claims(meta.get("name") or "", spec)),
        gates=tuple(each.get("name") or "" for each in spec.get("schedulingGates") or ()),
        prepared=(conditions.get("PodReadyToStartContainers") or {}).get("status") == "True",
        waiting=tuple(_waiting(statuses)),
        last_runs=tuple(_last_runs(statuses)),
        termination_messages={
            each.get("name") or "": short(written)
            for each in statuses
            if (written := _terminated(each.get("state")).get("message"))
        },
        memory_limits=dict(_memory_limits(spec)),
        finalizers=tuple(each for each in finalizers if not each.endswith(_TRACKING)),
        tracked=any(each.endswith(_TRACKING) for each in finalizers),
        init_containers=tuple(name for name, sidecar in init.items() if not sidecar),
        sidecars=tuple(name for name, sidecar in init.items() if sidecar),
        initializing=initializing[-1] if initializing else "",
        initializing_since=read_time(
            ((first.get("state") or {}).get("running") or {}).get("startedAt")
        ),
        unstarted_sidecar=unstarted[-1] if unstarted else "",
        containers=tuple(_app_containers(spec, status.get("containerStatuses") or ())),
    )


def _claims(pod: str, spec: Object) -> Iterator[str]:
    """Yield the claims of a Pod: those that its volumes name, and those of its ephemeral volumes."""
    for each in spec.get("volumes") or ():
        if each.get("ephemeral") is not None:
            yield f"{pod}-{each.get('name') or ''}"
        elif name := (each.get("persistentVolumeClaim") or {}).get("claimName"):
            yield name


def short(text: str | None, most: int = MAX_MESSAGE) -> str:
    """Return a text in one line, shortened in its middle to a number of characters.

    The end of a message often has its cause: "... 401 Unauthorized", "... not found".
    """
    text = text or ""
    if len(text) > 8 * most:
        text = f"{text[: 4 * most]} {text[-4 * most :]}"
    line, begin = " ".join(text.split()), most // 2
    return line if len(line) <= most else f"{line[:begin]}…{line[begin + 1 - most :]}"


def _app_containers(spec: Object, statuses: Iterable[Object]) -> Iterator[AppContainer]:
    """Yield the app containers, without those that have yet to start."""
    written = {each.get("name"): each for each in spec.get("containers") or ()}
    for each in statuses:
        state, container = each.get("state") or {}, written.get(each.get("name")) or {}
        ended, running = _terminated(state), state.get("running")
        crashing = (state.get("waiting") or {}).get("reason") == CRASH_LOOP
        if not (ended or crashing) and running is None:
            continue
        policy = container.get("restartPolicy") or spec.get("restartPolicy")
        code = ended.get("exitCode") or 0
        yield AppContainer(
            each.get("name") or "",
            each.get("image") or container.get("image") or "",
            bool(ended) and (not code or policy != "OnFailure") and policy != "Always",
            code,
            CRASH_LOOP if crashing else ended.get("reason") or "",
            read_time(ended.get("finishedAt") or (running or {}).get("startedAt")),
            any(container.get(key) for key in ("ports", *_PROBES)),
        )


_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def _waiting(statuses: list[Object]) -> Iterator[WaitingContainer]:
    for each in statuses:
        waiting = (each.get("state") or {}).get("waiting")
        if waiting is not None:
            yield WaitingContainer(
                each.get("name") or "",
                each.get("image") or "",
                waiting.get("reason") or "",
                short(waiting.get("message")),
                each.get("restartCount") or 0,
            )


def _last_runs(statuses: list[Object]) -> Iterator[LastRun]:
    for each in statuses:
        restarts, last = each.get("restartCount") or 0, _terminated(each.get("lastState"))
        if restarts or last:
            yield LastRun(
                each.get("name") or "",
                last.get("exitCode") or 0,
                last.get("reason") or "",
                restarts,
                read_time(last.get("finishedAt")),
                short(last.get("message")),
            )


def _terminated(state: Object | None) -> Object:
    return (state or {}).get("terminated") or {}


def _memory_limits(spec: Object) -> Iterator[tuple[str, str]]:
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    for name, each in [(WHOLE_POD, spec), *((each.get("name") or "", each) for each in containers)]:
        limit = ((each.get("resources") or {}).get("limits") or {}).get("memory")
        if limit is not None:
            yield name, str(limit)
