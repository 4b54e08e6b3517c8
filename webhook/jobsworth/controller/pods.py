"""A Pod as the Job controller needs it: small enough that 100,000 of them fit in memory.

Values that decisions need are derived once, when the Pod is read; a sync then only compares them.
Source of the states: Kubernetes 1.36; of the finish time: KEP-3850, "Job controller".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from jobsworth.controller import well_known_names
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.times import read_time

UNKNOWN_INDEX = -1
MAX_INT32 = 2**31 - 1

# The state of a Pod: its phase combined with the presence of a deletionTimestamp.
ACTIVE, TERMINATING, POD_SUCCEEDED, POD_FAILED = range(4)


class Owner(NamedTuple):
    """The owner reference of a Pod with ``controller: true``."""

    api_version: str
    kind: str
    name: str
    uid: str


class Termination(NamedTuple):
    """A container that has terminated with a non-zero exit code and is not restarted.

    Attributes:
        container: container name.
        exit_code: never 0; may be negative (Windows).
        reason: reason given by the kubelet: ``Error``, ``OOMKilled`` ….
    """

    container: str
    exit_code: int
    reason: str


@dataclass(frozen=True, slots=True)
class Pod:
    """One Pod. Times are whole seconds since 1970.

    Attributes:
        labels: each as ``key=value``.
        controller: its controller reference; None for an orphan Pod.
        tracking: its tracking finalizers (of those in ``ControllerSettings.finalizers``).
        phase: ``Pending``, ``Running``, ``Succeeded``, ``Failed`` or ``Unknown``.
        state: ACTIVE, TERMINATING, POD_SUCCEEDED or POD_FAILED.
        gone_by: its deletionTimestamp, which is the end of its grace period; 0 if it is not being deleted.
        created: creation time; 0 if unknown.
        finished_at: finish time, as KEP-3850 defines it for any Pod.
        node: the node it is bound to; empty if none.
        ready: its Ready condition is True.
        ready_since: last transition of its Ready condition; 0 if unknown.
        index: completion index; UNKNOWN_INDEX if it has no valid one.
        failure_count: earlier failures of its index that count (KEP-3850).
        ignored_count: earlier failures of its index that were ignored.
        restarts: restarts of all its containers, init containers included.
        container_restarts: highest restart count of an app container.
        sidecar_restarts: highest restart count of a restartable init container.
        terminations: its terminated containers with a non-zero exit code, app containers first.
        conditions: each as ``type=status``, in the Pod's order.
    """

    namespace: str
    name: str
    uid: str
    resource_version: str = ""
    labels: tuple[str, ...] = ()
    controller: Owner | None = None
    tracking: tuple[str, ...] = ()
    phase: str = well_known_names.PENDING
    state: int = ACTIVE
    gone_by: int = 0
    created: int = 0
    finished_at: int = 0
    node: str = ""
    ready: bool = False
    ready_since: int = 0
    index: int = UNKNOWN_INDEX
    failure_count: int = 0
    ignored_count: int = 0
    restarts: int = 0
    container_restarts: int = 0
    sidecar_restarts: int = 0
    terminations: tuple[Termination, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def deleting(self) -> bool:
        """True if it has a deletionTimestamp."""
        return self.gone_by != 0

    def adopted(self, owner: Owner, finalizer: str) -> Pod:
        """Return the Pod as it is after its adoption: with controller reference and finalizer."""
        tracking = self.tracking if finalizer in self.tracking else (*self.tracking, finalizer)
        return replace(self, controller=owner, tracking=tracking)


def read_pod(pod: dict[str, Any], settings: ControllerSettings) -> Pod:
    """Read a Pod from its JSON object.

    Args:
        pod: the object; a missing field counts as its zero value.
        settings: names the tracking finalizers.
    """
    meta, spec, status = pod["metadata"], pod.get("spec") or {}, pod.get("status") or {}
    annotations = meta.get("annotations") or {}
    phase = intern(status.get("phase") or well_known_names.PENDING)
    deletion = meta.get("deletionTimestamp")
    containers = status.get("containerStatuses") or ()
    init_containers = status.get("initContainerStatuses") or ()
    sidecars = _sidecars(spec.get("initContainers") or ())
    conditions = status.get("conditions") or ()
    ready: dict[str, Any] = next(
        (condition for condition in conditions if condition.get("type") == "Ready"), {}
    )
    created = read_time(meta.get("creationTimestamp")) or 0
    return Pod(
        namespace=intern(meta.get("namespace") or ""),
        name=meta.get("name") or "",
        uid=meta.get("uid") or "",
        resource_version=meta.get("resourceVersion") or "",
        labels=tuple(intern(f"{key}={value}") for key, value in (meta.get("labels") or {}).items()),
        controller=_controller(meta.get("ownerReferences") or ()),
        tracking=_tracking(meta.get("finalizers") or (), settings.finalizers),
        phase=phase,
        state=_state(phase, deletion is not None),
        gone_by=0 if deletion is None else read_time(deletion) or 1,
        created=created,
        finished_at=_containers_finished(containers, init_containers, sidecars)
        or _became_unready(ready)
        or _deletion_requested(meta)
        or created,
        node=intern(spec.get("nodeName") or ""),
        ready=ready.get("status") == "True",
        ready_since=read_time(ready.get("lastTransitionTime")) or 0,
        index=_completion_index(annotations.get(well_known_names.COMPLETION_INDEX)),
        failure_count=_count(annotations.get(well_known_names.INDEX_FAILURE_COUNT)),
        ignored_count=_count(annotations.get(well_known_names.INDEX_IGNORED_FAILURE_COUNT)),
        restarts=_restarts(containers, sum) + _restarts(init_containers, sum),
        container_restarts=_restarts(containers, max),
        sidecar_restarts=_restarts(
            [container for container in init_containers if container.get("name") in sidecars], max
        ),
        terminations=_terminations((*containers, *init_containers)),
        conditions=_shared_texts(
            tuple(
                intern(f"{condition.get('type')}={condition.get('status')}")
                for condition in conditions
            )
        ),
    )


def _state(phase: str, deleting: bool) -> int:
    if phase == well_known_names.SUCCEEDED:
        return POD_SUCCEEDED
    if phase == well_known_names.FAILED:
        return POD_FAILED
    return TERMINATING if deleting else ACTIVE


def _controller(references: Iterable[dict[str, Any]]) -> Owner | None:
    for reference in references:
        if reference.get("controller"):
            return _shared_owner(
                reference.get("apiVersion") or "",
                reference.get("kind") or "",
                reference.get("name") or "",
                reference.get("uid") or "",
            )
    return None


def _tracking(finalizers: Iterable[str], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the known ones of the finalizers, as one shared tuple."""
    return _shared_texts(tuple(name for name in known if name in finalizers))


def _completion_index(text: str | None) -> int:
    index = _integer(text)
    return UNKNOWN_INDEX if index is None or index < 0 else index


def _count(text: str | None) -> int:
    number = _integer(text)
    return 0 if number is None or not 0 <= number <= MAX_INT32 else number


def _integer(text: str | None) -> int | None:
    """Parse a number as Go does: digits with an optional sign."""
    if not text or len(text) > 19 or not text.isascii():
        return None
    if not text[text[0] in "+-" :].isdigit():
        return None
    return int(text)


def _sidecars(init_containers: Iterable[dict[str, Any]]) -> frozenset[str]:
    return frozenset(
        container.get("name") or ""
        for container in init_containers
        if container.get("restartPolicy") == "Always"
    )


def _containers_finished(
    containers: Iterable[dict[str, Any]],
    init_containers: Iterable[dict[str, Any]],
    sidecars: frozenset[str],
) -> int | None:
    """Return the finish time of the last container or sidecar; None unless all have finished."""
    latest = None
    for status in (
        *containers,
        *(status for status in init_containers if status.get("name") in sidecars),
    ):
        finished = read_time(_terminated(status).get("finishedAt"))
        if finished is None:
            return None
        latest = finished if latest is None else max(latest, finished)
    return latest


def _became_unready(ready: dict[str, Any]) -> int | None:
    return read_time(ready.get("lastTransitionTime")) if ready.get("status") == "False" else None


def _deletion_requested(meta: dict[str, Any]) -> int | None:
    deletion = read_time(meta.get("deletionTimestamp"))
    return None if deletion is None else deletion - (meta.get("deletionGracePeriodSeconds") or 0)


def _terminated(status: dict[str, Any]) -> dict[str, Any]:
    return (status.get("state") or {}).get("terminated") or {}


def _restarts(statuses: Iterable[dict[str, Any]], combine: Callable[[Iterable[int]], int]) -> int:
    return combine([0, *(status.get("restartCount") or 0 for status in statuses)])


def _terminations(statuses: Iterable[dict[str, Any]]) -> tuple[Termination, ...]:
    """Return current terminations; one before a restart is not a failure of the Pod."""
    found = []
    for status in statuses:
        terminated = _terminated(status)
        if terminated.get("exitCode"):
            found.append(
                Termination(
                    status.get("name") or "",
                    terminated["exitCode"],
                    terminated.get("reason") or "",
                )
            )
    return _shared_terminations(tuple(found))


# Thousands of Pods of a Job have equal values: share them to save memory.


@lru_cache(maxsize=4096)
def _shared_owner(api_version: str, kind: str, name: str, uid: str) -> Owner:
    return Owner(api_version, kind, name, uid)


@lru_cache(maxsize=4096)
def _shared_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    return texts


@lru_cache(maxsize=4096)
def _shared_terminations(terminations: tuple[Termination, ...]) -> tuple[Termination, ...]:
    return terminations
