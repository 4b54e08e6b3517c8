"""Decide if a Job will neither complete nor fail, from its status and its Pending Pods.

All times are seconds of one clock of the caller, from the moment at which the caller first saw a state: the
clocks of the cluster do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from jobsworth.controller.jobs import Job
from jobsworth.controller.times import write_time
from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.pending_pods import PendingReason
from jobsworth.runs.recorded.pod_facts import CRASH_LOOP, KeptPod
from jobsworth.runs.waiting import Waiting, kept_waiting, other_controller, rejected_wait
from jobsworth.wording import count

INIT_CONTAINER_HANGS = 6
"""The number of times that `unschedulable_after` has to pass until a running init container hangs."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a standstill.

    Attributes:
        stuck_after: seconds, for a cause that usually does not heal by itself: an image that cannot be
            pulled, a missing ConfigMap or Secret, Pods that the API server rejects, parallelism 0, no active
            controller.
        unschedulable_after: seconds, for a cause that time may heal: no node with room, no scheduler,
            scheduling gates, Pods that do not terminate or that a sidecar keeps, crash loops.
        suspended_ok: wait for a suspended Job to be resumed.
    """

    stuck_after: float = 120.0
    unschedulable_after: float = 600.0
    suspended_ok: bool = False


class SeenPending(NamedTuple):
    """A Pending Pod: why, and since when it has been seen with this cause."""

    reason: PendingReason
    since: float


class SeenStalled(NamedTuple):
    """A running Pod whose work is over or fails again and again, and since when it has been seen so.

    Attributes:
        kept: what keeps it; None for a container in a crash loop.
        crashing: the name of that container.
    """

    name: str
    kept: KeptPod | None
    crashing: str
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
        stalled: its running Pods that make no progress, by UID.
        rejected: None while Pods are accepted.
        idle_since: since when it has no start time, only terminating Pods, or parallelism 0 and no Pods; None
            otherwise.
        sampled: there are more Pending Pods than `pending` has.
    """

    job: Job
    labels: Mapping[str, str] = field(default_factory=dict)
    pending: Mapping[str, SeenPending] = field(default_factory=dict)
    stalled: Mapping[str, SeenStalled] = field(default_factory=dict)
    rejected: SeenRejection | None = None
    idle_since: float | None = None
    sampled: bool = False


class Standstill(NamedTuple):
    """The Job will neither complete nor fail, unless something outside changes.

    Attributes:
        at: when this is known: a time that may be still to come.
    """

    at: float
    waiting: Waiting

    @property
    def words(self) -> str:
        """The wait as a clause with the Job as its subject."""
        return f"is {self.waiting.sentence(lambda time: write_time(round(time)))}"


def standstill(seen: Seen, bounds: Bounds) -> Standstill | None:
    """Return the standstill of a Job, with the time from which on it is certain; None if something moves."""
    job = seen.job
    if job.deleting:
        return Standstill(0, Waiting(Cause.DELETING))
    if job.suspended:
        if bounds.suspended_ok or QUEUE_LABEL in seen.labels:
            return None
        return Standstill(0, Waiting(Cause.SUSPENDED, detail="spec.suspend is true"))
    found = (
        _idle(seen, bounds)
        or _rejected(seen, bounds)
        or _pending(seen, bounds)
        or _stalled(seen, bounds)
    )
    start = job.status.start_time
    if found is None or job.active_deadline is None or start is None:
        return found
    waiting = replace(found.waiting, deadline=float(start + job.active_deadline))
    return found._replace(waiting=waiting)


def _idle(seen: Seen, bounds: Bounds) -> Standstill | None:
    """Return the standstill of a Job that has neither active Pods nor a controller that creates some."""
    job, status = seen.job, seen.job.status
    if seen.idle_since is None or status.active:
        return None
    if status.terminating:
        detail = count(status.terminating, "terminating Pod")
        waiting = Waiting(Cause.TERMINATING, detail=detail)
        return Standstill(seen.idle_since + bounds.unschedulable_after, waiting)
    if seen.rejected is None and status.start_time is None:
        waiting = other_controller(job) if job.managed_by else Waiting(Cause.CONTROLLER_AWAY)
        waiting = replace(waiting, detail="the Job has no start time")
    elif job.parallelism == 0:
        waiting = Waiting(Cause.NO_PARALLELISM, detail="spec.parallelism is 0")
    else:
        return None
    return Standstill(seen.idle_since + bounds.stuck_after, waiting)


def _rejected(seen: Seen, bounds: Bounds) -> Standstill | None:
    rejected, status = seen.rejected, seen.job.status
    if rejected is None or status.active or status.terminating:
        return None
    after = 0.0 if rejected.hopeless else bounds.stuck_after
    return Standstill(rejected.since + after, rejected_wait(rejected.message))


def needs_events(seen: Seen) -> list[str]:
    """Return the UIDs of Pending Pods of which only their Events say why they do not start."""
    return [uid for uid, each in seen.pending.items() if each.reason.cause == Cause.PENDING]


def _pending(seen: Seen, bounds: Bounds) -> Standstill | None:
    status, pending = seen.job.status, seen.pending
    if not pending or not status.active or status.ready:
        return None  # something runs
    if len(pending) < status.active and not seen.sampled:
        return None  # others are about to run
    certain = [
        (each.since + after, each.reason)
        for each in pending.values()
        if (after := _bound(seen.job, each.reason, bounds)) is not None
    ]
    if len(certain) < len(pending):
        return None  # one of them is only starting
    at, reason = max(certain)
    detail = f"{count(status.active, 'active Pod')}, of which none can start: {reason.words}"
    return Standstill(
        at, Waiting(reason.cause, detail=detail, waits_for=reason.waits_for, ends=reason.ends)
    )


def _stalled(seen: Seen, bounds: Bounds) -> Standstill | None:
    """Return the standstill of a Job none of whose running Pods makes progress."""
    stalled = [*seen.stalled.values()]
    if not stalled or len(stalled) < seen.job.status.active:
        return None
    kept = {each.name: each.kept for each in stalled if each.kept is not None}
    if len(kept) < len(stalled) and not _crashes_for_long(seen.job):
        return None
    if kept:
        waiting = replace(kept_waiting(kept), since=None)
    else:
        detail = f"container {stalled[0].crashing} of Pod {stalled[0].name}: {CRASH_LOOP}"
        waiting = Waiting(Cause.CRASH_LOOP, detail=detail)
    return Standstill(max(each.since for each in stalled) + bounds.unschedulable_after, waiting)


def _crashes_for_long(job: Job) -> bool:
    """Return True if restarts in place reach no limit, or one that takes more than an hour."""
    return not job.restarts_on_failure or job.backoff_limit >= 20


def _bound(job: Job, reason: PendingReason, bounds: Bounds) -> float | None:
    if reason.hopeless:
        return 0.0
    if reason.cause == Cause.INITIALIZING:
        return INIT_CONTAINER_HANGS * bounds.unschedulable_after
    if reason.cause == Cause.CRASH_LOOP:
        return bounds.unschedulable_after if _crashes_for_long(job) else None
    if reason.cause.heals is None:
        return None
    return bounds.unschedulable_after if reason.cause.heals else bounds.stuck_after
