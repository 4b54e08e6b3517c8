"""Kubernetes events and metric increments that a sync emits."""

from __future__ import annotations

from dataclasses import dataclass

NORMAL, WARNING = "Normal", "Warning"


@dataclass(frozen=True, slots=True)
class Event:
    """A Kubernetes event about the Job; its source component is ``job-controller``."""

    type: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Count:
    """An increment of a counter.

    Attributes:
        metric: metric name, without the prefix ``job_controller_``.
        labels: label names and values, in the metric's order.
        amount: the increment; never negative.
    """

    metric: str
    labels: tuple[tuple[str, str], ...]
    amount: int = 1


JOB_COMPLETED = Event(NORMAL, "Completed", "Job completed")
JOB_SUSPENDED = Event(NORMAL, "Suspended", "Job suspended")
JOB_RESUMED = Event(NORMAL, "Resumed", "Job resumed")
TOO_MANY_SUCCEEDED = Event(
    WARNING,
    "TooManySucceededPods",
    "Too many succeeded pods running after completion count reached",
)
UNKNOWN_COMPLETION_MODE = Event(
    WARNING, "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown"
)


def pod_created(name: str) -> Event:
    """Return the event for a created Pod."""
    return Event(NORMAL, "SuccessfulCreate", f"Created pod: {name}")


def pod_deleted(name: str) -> Event:
    """Return the event for a deleted Pod."""
    return Event(NORMAL, "SuccessfulDelete", f"Deleted pod: {name}")


def creation_failed(error: str) -> Event:
    """Return the event for a failed creation; not emitted in a terminating namespace."""
    return Event(WARNING, "FailedCreate", f"Error creating: {error}")


def deletion_failed(error: str) -> Event:
    """Return the event for a failed deletion; not emitted for a Pod that no longer exists."""
    return Event(WARNING, "FailedDelete", f"Error deleting: {error}")


def no_rule_can_match(pod: str) -> Event:
    """Return the event for a failed Pod without a failed container, for example an evicted one."""
    return Event(
        NORMAL,
        "PodFailurePolicyNotMatched",
        f"Pod {pod} failed, but no container terminated with a non-zero exit code, and no rule of the "
        "pod failure policy matches. Add a rule with onPodConditions for such failures",
    )


def rule_matched(match: str, effect: str) -> Event:
    """Return the event for the first failure that a rule of the failure policy matches."""
    message = f"{match}. {effect}. Further failures that this rule matches are not reported"
    return Event(NORMAL, "PodFailurePolicyMatched", message)


def restarted_too_often(pod: str, restarts: int) -> Event:
    """Return the event for a Pod that is deleted, with its logs, because of too many restarts."""
    message = f"Deleting pod {pod}: its containers restarted {restarts} times"
    return Event(WARNING, "RestartsExceedBackoffLimit", message)


def termination_overdue(pod: str, node: str, gone_by: str) -> Event:
    """Return the event for a Pod that stays terminating: unreachable node, or another finalizer."""
    where = f" on node {node}" if node else ""
    message = (
        f"Waiting for pod {pod}{where}, which should have terminated by {gone_by}. "
        "Check its node and its finalizers"
    )
    return Event(WARNING, "PodTerminationOverdue", message)


def extension_ignored(error: str) -> Event:
    """Return the event for an invalid extension annotation; the Job runs without it."""
    return Event(WARNING, "InvalidAnnotation", f"Ignoring annotation: {error}")
