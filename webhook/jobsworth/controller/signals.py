"""What a sync tells people: Kubernetes events, and metrics to count up."""

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
    """A counter to count up.

    Attributes:
        metric: its name, without the prefix ``job_controller_``.
        labels: each label and its value, in the metric's order.
        amount: by how much; never negative.
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
    """A Pod was created."""
    return Event(NORMAL, "SuccessfulCreate", f"Created pod: {name}")


def pod_deleted(name: str) -> Event:
    """A Pod was deleted."""
    return Event(NORMAL, "SuccessfulDelete", f"Deleted pod: {name}")


def creation_failed(error: str) -> Event:
    """A Pod could not be created; not said of a namespace that is being deleted."""
    return Event(WARNING, "FailedCreate", f"Error creating: {error}")


def deletion_failed(error: str) -> Event:
    """A Pod could not be deleted; not said of a Pod that was already gone."""
    return Event(WARNING, "FailedDelete", f"Error deleting: {error}")


def no_rule_can_match(pod: str) -> Event:
    """A Pod failed while none of its containers did: it was evicted, say, or its deadline has passed."""
    return Event(
        NORMAL,
        "PodFailurePolicyNotMatched",
        f"Pod {pod} failed, and no rule of the pod failure policy matches: no container ended with an "
        "exit code other than 0",
    )


def restarted_too_often(pod: str, restarts: int) -> Event:
    """A Pod whose restarts have exceeded the limit is about to be deleted, and its logs with it."""
    message = f"Deleting pod {pod}: its containers restarted {restarts} times"
    return Event(WARNING, "RestartsExceedBackoffLimit", message)


def termination_overdue(pod: str, node: str, gone_by: str) -> Event:
    """A Pod that the Job waits for does not go: its node is unreachable, or a finalizer stays."""
    where = f" on node {node}" if node else ""
    message = f"Waiting for pod {pod}{where}, which should be gone since {gone_by}"
    return Event(WARNING, "PodTerminationOverdue", message)


def extension_ignored(error: str) -> Event:
    """An annotation that extends the API is wrong, and so the Job runs without it."""
    return Event(WARNING, "InvalidAnnotation", f"Ignoring annotation: {error}")
