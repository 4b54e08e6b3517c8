"""Read the facts of a Pod beside the values that the planner needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from jobsworth.controller.times import read_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Object = dict[str, Any]

MAX_MESSAGE = 300
"""Characters of a message that are kept: the kubelet and the scheduler write up to some thousand."""

WHOLE_POD = ""


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
    """The last run of a container that was started again in the same Pod; `at` in seconds since 1970."""

    container: str
    exit_code: int
    reason: str
    restarts: int
    at: int | None


@dataclass(frozen=True, slots=True)
class PodFacts:
    """Facts of one Pod; messages are shortened to :data:`MAX_MESSAGE` characters.

    Attributes:
        message: of its status, such as the reason of an eviction.
        disruption: the message of its condition DisruptionTarget.
        unscheduled: reason and message of the condition PodScheduled while it is False.
        awaited_scheduler: the scheduler that has not reported on it yet; empty for another Pod.
        gates: names of its scheduling gates.
        waiting: its containers that do not run.
        last_runs: of containers that were started again.
        termination_messages: what ended containers wrote, by container.
        memory_limits: by container, as written; that of the Pod as a whole under WHOLE_POD (KEP-2837).
        finalizers: those that are not of a Job controller.
        init_containers: names of its init containers, without sidecars.
        sidecars: names of its init containers with restartPolicy Always (KEP-753), which do not fail a
            Pod.
        initializing: the init container that runs while the others wait; empty without one.
    """

    name: str
    node: str = ""
    message: str = ""
    disruption: str = ""
    unscheduled: tuple[str, str] = ("", "")
    awaited_scheduler: str = ""
    gates: tuple[str, ...] = ()
    waiting: tuple[WaitingContainer, ...] = ()
    last_runs: tuple[LastRun, ...] = ()
    termination_messages: Mapping[str, str] = field(default_factory=dict)
    memory_limits: Mapping[str, str] = field(default_factory=dict)
    finalizers: tuple[str, ...] = ()
    init_containers: tuple[str, ...] = ()
    sidecars: tuple[str, ...] = ()
    initializing: str = ""


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
    running = [
        name
        for each in of_init
        if (each.get("state") or {}).get("running") is not None
        and not init.get(name := each.get("name") or "", False)
    ]
    return PodFacts(
        name=meta.get("name") or "",
        node=spec.get("nodeName") or "",
        message=short(status.get("message")),
        disruption=short((conditions.get("DisruptionTarget") or {}).get("message")),
        unscheduled=(unscheduled.get("reason") or "", short(unscheduled.get("message"))),
        awaited_scheduler=awaited,
        gates=tuple(each.get("name") or "" for each in spec.get("schedulingGates") or ()),
        waiting=tuple(_waiting(statuses)),
        last_runs=tuple(_last_runs(statuses)),
        termination_messages={
            each.get("name") or "": short(written)
            for each in statuses
            if (written := _terminated(each.get("state")).get("message"))
        },
        memory_limits=dict(_memory_limits(spec)),
        finalizers=tuple(
            each for each in meta.get("finalizers") or () if not each.endswith("/job-tracking")
        ),
        init_containers=tuple(name for name, sidecar in init.items() if not sidecar),
        sidecars=tuple(name for name, sidecar in init.items() if sidecar),
        initializing=running[-1] if running and status.get("phase") == "Pending" else "",
    )


def short(text: str | None) -> str:
    """Return a text in one line, shortened to :data:`MAX_MESSAGE` characters."""
    line = " ".join((text or "")[: 4 * MAX_MESSAGE].split())
    return line if len(line) <= MAX_MESSAGE else f"{line[: MAX_MESSAGE - 1]}…"


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
            )


def _terminated(state: Object | None) -> Object:
    return (state or {}).get("terminated") or {}


def _memory_limits(spec: Object) -> Iterator[tuple[str, str]]:
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    for name, each in [(WHOLE_POD, spec), *((each.get("name") or "", each) for each in containers)]:
        limit = ((each.get("resources") or {}).get("limits") or {}).get("memory")
        if limit is not None:
            yield name, str(limit)
