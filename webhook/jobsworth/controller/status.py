"""The status of a Job as a value to read, compare and write; unknown fields are kept.

Source: ``JobStatus`` of Kubernetes 1.36. One PUT replaces the whole status, so conditions of other
controllers and fields of later releases must be written back unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from jobsworth.controller.times import read_time, write_time

_CONDITION_FIELDS = frozenset(
    ("type", "status", "reason", "message", "lastProbeTime", "lastTransitionTime")
)
_STATUS_FIELDS = frozenset(
    (
        "conditions",
        "startTime",
        "completionTime",
        "active",
        "ready",
        "terminating",
        "succeeded",
        "failed",
        "completedIndexes",
        "failedIndexes",
        "uncountedTerminatedPods",
    )
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a Job; times are seconds since 1970.

    Attributes:
        other: fields unknown to Kubernetes 1.36, unchanged.
    """

    type: str
    status: str
    reason: str = ""
    message: str = ""
    probed: int | None = None
    changed: int | None = None
    other: dict[str, Any] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """True if its status is True."""
        return self.status == "True"

    def equals_except_times(self, other: Condition) -> bool:
        """Return True if both have the same status, reason and message, at any time."""
        return (self.status, self.reason, self.message) == (
            other.status,
            other.reason,
            other.message,
        )


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a Job; times are seconds since 1970.

    Attributes:
        ready: None if an old controller never set it; likewise ``terminating`` and
            ``failed_indexes``.
        other: fields unknown to Kubernetes 1.36, unchanged.
    """

    conditions: tuple[Condition, ...] = ()
    start_time: int | None = None
    completion_time: int | None = None
    active: int = 0
    ready: int | None = None
    terminating: int | None = None
    succeeded: int = 0
    failed: int = 0
    completed_indexes: str = ""
    failed_indexes: str | None = None
    uncounted_succeeded: tuple[str, ...] = ()
    uncounted_failed: tuple[str, ...] = ()
    other: dict[str, Any] = field(default_factory=dict)

    @property
    def uncounted(self) -> int:
        """The number of Pods in uncountedTerminatedPods."""
        return len(self.uncounted_succeeded) + len(self.uncounted_failed)

    def condition(self, kind: str) -> Condition | None:
        """Return the first condition of a type; None if there is none."""
        for condition in self.conditions:
            if condition.type == kind:
                return condition
        return None

    def holds(self, kind: str) -> bool:
        """Return True if a condition of the type is True."""
        return any(condition.type == kind and condition.holds for condition in self.conditions)

    def with_condition(self, condition: Condition) -> Status:
        """Return the status with a condition, in place of the first of its type or at the end.

        Return the same object if an equal condition (times aside) exists, or if the condition is
        False and none of its type exists: absent means False.
        """
        present = self.condition(condition.type)
        if present is None:
            if condition.status == "False":
                return self
            return replace(self, conditions=(*self.conditions, condition))
        if present.equals_except_times(condition):
            return self
        return replace(
            self,
            conditions=tuple(condition if other is present else other for other in self.conditions),
        )


def read_status(status: dict[str, Any]) -> Status:
    """Read the ``status`` of a Job from its JSON object."""
    uncounted = status.get("uncountedTerminatedPods") or {}
    return Status(
        conditions=tuple(
            _read_condition(condition) for condition in status.get("conditions") or ()
        ),
        start_time=read_time(status.get("startTime")),
        completion_time=read_time(status.get("completionTime")),
        active=status.get("active") or 0,
        ready=status.get("ready"),
        terminating=status.get("terminating"),
        succeeded=status.get("succeeded") or 0,
        failed=status.get("failed") or 0,
        completed_indexes=status.get("completedIndexes") or "",
        failed_indexes=status.get("failedIndexes"),
        uncounted_succeeded=tuple(uncounted.get("succeeded") or ()),
        uncounted_failed=tuple(uncounted.get("failed") or ()),
        other=_others(status, _STATUS_FIELDS),
    )


def write_status(status: Status) -> dict[str, Any]:
    """Return the status as JSON; zero values are omitted, as in the API.

    >>> write_status(Status(active=2, ready=0))
    {'active': 2, 'ready': 0, 'uncountedTerminatedPods': {}}
    """
    written: dict[str, Any] = {
        "conditions": [_write_condition(condition) for condition in status.conditions],
        "startTime": _written(status.start_time),
        "completionTime": _written(status.completion_time),
        "active": status.active or None,
        "ready": status.ready,
        "terminating": status.terminating,
        "succeeded": status.succeeded or None,
        "failed": status.failed or None,
        "completedIndexes": status.completed_indexes or None,
        "failedIndexes": status.failed_indexes,
    }
    written = {key: value for key, value in written.items() if value not in (None, [])}
    written["uncountedTerminatedPods"] = {
        key: list(uids)
        for key, uids in (
            ("succeeded", status.uncounted_succeeded),
            ("failed", status.uncounted_failed),
        )
        if uids
    }
    return {**status.other, **written}


def _read_condition(condition: dict[str, Any]) -> Condition:
    return Condition(
        type=condition.get("type") or "",
        status=condition.get("status") or "",
        reason=condition.get("reason") or "",
        message=condition.get("message") or "",
        probed=read_time(condition.get("lastProbeTime")),
        changed=read_time(condition.get("lastTransitionTime")),
        other=_others(condition, _CONDITION_FIELDS),
    )


def _write_condition(condition: Condition) -> dict[str, Any]:
    written = {
        "type": condition.type,
        "status": condition.status,
        "lastProbeTime": _written(condition.probed),
        "lastTransitionTime": _written(condition.changed),
        "reason": condition.reason or None,
        "message": condition.message or None,
    }
    kept = {key: value for key, value in written.items() if value is not None}
    return {**condition.other, **kept}


def _written(seconds: int | None) -> str | None:
    return None if seconds is None else write_time(seconds)


def _others(value: dict[str, Any], known: Iterable[str]) -> dict[str, Any]:
    return {key: part for key, part in value.items() if key not in known}
