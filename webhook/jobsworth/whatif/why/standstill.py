"""Decide if a Job will neither complete nor fail, from its status and its Pending Pods.

All times are seconds of one clock of the caller, from the moment at which the caller first saw a state: the
clocks of the cluster do not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.whatif.pending_causes import (
    IMAGE_PULL,
    MISSING_CONFIG,
    PENDING_CAUSES,
    UNSCHEDULABLE,
)
from jobsworth.whatif.why.numbers_in_words import number_of
from jobsworth.whatif.why.pods.pending_pods import (
    GATED,
    NO_SCHEDULER,
    NOT_CREATED,
    SANDBOX,
    STARTING,
    VOLUME,
)

if TYPE_CHECKING:
    from jobsworth.controller.jobs import Job
    from jobsworth.whatif.why.pods.pending_pods import PendingReason

DELETING, SUSPENDED, REJECTED, TERMINATING, UNMANAGED, NO_PARALLELISM = (
    "deleting",
    "suspended",
    "rejected",
    "terminating",
    "unmanaged",
    "no-parallelism",
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a standstill.

    Attributes:
        stuck_after: seconds, for a cause that usually does not heal by itself: an image that cannot be
            pulled, a missing ConfigMap or Secret, Pods that the API server rejects, parallelism 0, no active
            controller.
        unschedulable_after: seconds, for a cause that time may heal: no node with room, no scheduler,
            scheduling gates, Pods that do not terminate.
        suspended_ok: wait for a suspended Job to be resumed.
    """

    stuck_after: float = 120.0
    unschedulable_after: float = 600.0
    suspended_ok: bool = False


class SeenPending(NamedTuple):
    """A Pending Pod: why, and since when it has been seen with this cause."""

    reason: PendingReason
    since: float


class SeenRejection(NamedTuple):
    """The API server rejects Pods: the message, and since when it has been seen without a Pod between.

    Attributes:
        hopeless: no retry can succeed.
    """

    message: str
    since: float
    hopeless: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """The visible state of an unfinished Job.

    Attributes:
        labels: of the Job.
        pending: its Pending Pods that are not being deleted, by UID.
        rejected: None while Pods are accepted.
        idle_since: since when it has no start time, only terminating Pods, or parallelism 0 and no Pods; None
            otherwise.
        sampled: there are more Pending Pods than `pending` has.
    """

    job: Job
    labels: Mapping[str, str] = field(default_factory=dict)
    pending: Mapping[str, SeenPending] = field(default_factory=dict)
    rejected: SeenRejection | None = None
    idle_since: float | None = None
    sampled: bool = False


class Standstill(NamedTuple):
    """The Job will neither complete nor fail, unless something outside changes.

    Attributes:
        at: when this is known: a time that may be still to come.
        cause: stable.
        words: the cause as a clause with the Job as its subject.
    """

    at: float
    cause: str
    words: str


def standstill(seen: Seen, bounds: Bounds) -> Standstill | None:
    """Return the standstill of a Job, with the time from which on it is certain; None if something moves."""
    job = seen.job
    if job.deleting:
        return Standstill(0, DELETING, "is being deleted")
    if job.suspended:
        return None if bounds.suspended_ok or QUEUE_LABEL in seen.labels else _SUSPENDED
    status = job.status
    if seen.idle_since is not None and status.active == 0:
        if status.terminating:
            verb = "does" if status.terminating == 1 else "do"
            text = number_of(status.terminating, "terminating Pod")
            words = f"waits for {text}, which {verb} not terminate"
            at = seen.idle_since + bounds.unschedulable_after
            return Standstill(at, TERMINATING, words)
        if seen.rejected is None and status.start_time is None:
            return Standstill(seen.idle_since + bounds.stuck_after, UNMANAGED, _unmanaged(job))
        if job.parallelism == 0:
            return Standstill(seen.idle_since + bounds.stuck_after, NO_PARALLELISM, _NO_PARALLELISM)
    if seen.rejected is not None and status.active == 0 and not status.terminating:
        after = 0.0 if seen.rejected.hopeless else bounds.stuck_after
        words = f"gets no Pods, because the API server rejects them: {seen.rejected.message}"
        return Standstill(seen.rejected.since + after, REJECTED, words)
    return _pending(seen, bounds)


def needs_events(seen: Seen) -> list[str]:
    """Return the UIDs of Pending Pods of which only their Events say why they do not start."""
    return [uid for uid, each in seen.pending.items() if each.reason.cause == STARTING]


_SUSPENDED = Standstill(
    0, SUSPENDED, "is suspended, and no Pod runs until it is resumed (spec.suspend)"
)
_NO_PARALLELISM = "runs no Pods until spec.parallelism, which is 0, is raised"


def _unmanaged(job: Job) -> str:
    named = f": spec.managedBy names {job.managed_by}" if job.managed_by else ""
    return f"has no start time, so no Job controller acts on it{named}"


def _pending(seen: Seen, bounds: Bounds) -> Standstill | None:
    status, pending = seen.job.status, seen.pending
    if not pending or not status.active or status.ready:
        return None  # something runs
    if len(pending) < status.active and not seen.sampled:
        return None  # others are about to run
    found = list(_certain(pending, bounds))
    if len(found) < len(pending):
        return None  # one of them is only starting
    last = max(found)
    text = f"has {number_of(status.active, 'active Pod')}, and none of them can start"
    return Standstill(last.at, last.cause, f"{text}: {last.words}")


def _certain(pending: Mapping[str, SeenPending], bounds: Bounds) -> Iterator[Standstill]:
    for each in pending.values():
        after = _bound(each.reason, bounds)
        if after is not None:
            cause = PENDING_CAUSES.get(each.reason.cause)
            words = each.reason.words
            if cause is not None:
                words = f"they wait for {cause.waits_for} ({words})"
            yield Standstill(each.since + after, each.reason.cause, words)


def _bound(reason: PendingReason, bounds: Bounds) -> float | None:
    if reason.hopeless:
        return 0.0
    if reason.cause in (IMAGE_PULL, MISSING_CONFIG, VOLUME, NOT_CREATED):
        return bounds.stuck_after
    return (
        bounds.unschedulable_after
        if reason.cause in (UNSCHEDULABLE, GATED, NO_SCHEDULER, SANDBOX)
        else None
    )
