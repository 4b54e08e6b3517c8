"""Begin a sync: decide if the Job is synced, and prepare the context that all stages share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from jobsworth.controller import well_known_names
from jobsworth.controller.actions import ActionResults, Deletion
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.jobs import Job
from jobsworth.controller.pod_classification import (
    ClassifiedPods,
    Indexes,
    classify_indexes,
    classify_pods,
)
from jobsworth.controller.pods import Pod
from jobsworth.controller.pods_by_state import PodsByState
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.well_known_names import INDEXED, NON_INDEXED


@dataclass(frozen=True, slots=True)
class Memory:
    """The state that a controller keeps for a Job between syncs, by the Job's UID.

    Attributes:
        observed: the watch has shown the creations and deletions of earlier syncs, or the expectation
            has timed out. Check this **before** listing the Pods.
        untracked: UIDs of Pods whose finalizer we removed, and whose update the watch has not shown.
        backoff: the last ``StatusRecord.backoff``; None after a restart: it is then derived from the
            existing Pods.
        reported: the last ``StatusRecord.reported``; empty after a restart.
    """

    observed: bool = True
    untracked: frozenset[str] = frozenset()
    backoff: BackoffRecord | None = None
    reported: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SyncContext:
    """The shared context of all stages of a sync.

    Attributes:
        succeeded: number of Pods, or indexes of an Indexed Job, that have succeeded.
        failed: number of failures that count.
        backoff: the backoff record, including the Pods of this sync.
        started: the start time to store.
        active_since: the time from which the active deadline runs; None if it does not run.
        reported: errors of annotations, and rules of the failure policy, that have had their event.
    """

    job: Job
    classified: ClassifiedPods
    indexes: Indexes
    succeeded: int
    failed: int
    backoff: BackoffRecord
    observed: bool
    started: int | None
    active_since: int | None
    now: float
    settings: ControllerSettings
    reported: frozenset[str]

    @property
    def second(self) -> int:
        """The current time in whole seconds, the precision of a status."""
        return int(self.now)

    @property
    def creation_reason(self) -> str:
        """The ``reason`` label of the metric on Pod creations."""
        if self.failed and self.job.replaces_failed:
            return "recreate_failed"
        if self.failed or self.classified.terminating:
            return "recreate_terminating_or_failed"
        return "new"


def new_sync_context(
    job: Job,
    pods: Sequence[Pod] | PodsByState,
    memory: Memory,
    now: float,
    settings: ControllerSettings,
) -> SyncContext:
    classified = classify_pods(job, pods, memory.untracked)
    indexes = classify_indexes(classified)
    succeeded, failed = classified.newly_succeeded(), classified.newly_failed()
    status, match = job.status, classified.matcher.match
    if memory.backoff is None:
        backoff = BackoffRecord().after(*classified.ended())
    else:
        backoff = memory.backoff.after(succeeded, failed)
    started = status.start_time
    if started is None and not job.suspended:
        started = int(now)
    resuming = not job.suspended and status.holds(well_known_names.SUSPENDED)
    return SyncContext(
        job=job,
        classified=classified,
        indexes=indexes,
        succeeded=len(indexes.succeeded)
        if job.indexed
        else status.succeeded + len(succeeded) + len(status.uncounted_succeeded),
        failed=status.failed
        + sum(match(pod).counts for pod in failed)
        + len(status.uncounted_failed),
        backoff=backoff,
        observed=memory.observed,
        started=started,
        active_since=int(now) if resuming and not settings.keeps_start_time else started,
        now=now,
        settings=settings,
        reported=memory.reported,
    )


@dataclass(frozen=True, slots=True)
class PodCounts:
    """Pod counts after the actions of a plan."""

    active: int
    ready: int
    terminating: int
    all_deleted: bool


def count_after_actions(
    classified: ClassifiedPods, deletions: Sequence[Deletion], results: ActionResults
) -> PodCounts:
    deleted = [deletion.pod for deletion in deletions if deletion.pod.uid in results.deleted]
    return PodCounts(
        active=len(classified.active) - len(deleted) + results.created,
        ready=classified.pods.ready - sum(pod.ready for pod in deleted),
        terminating=len(classified.terminating) + len(deleted),
        all_deleted=len(deleted) == len(deletions),
    )


class SyncDecision(Enum):
    """The decision on a Job taken from the queue: sync it, or the reason to skip it."""

    SYNC = "sync"
    NOT_OURS = "another controller manages it"
    FINISHED = "it is finished: forget its in-memory state"
    UNKNOWN_MODE = "unknown completion mode"


def decide_sync(job: Job, settings: ControllerSettings) -> SyncDecision:
    """Decide if a Job is synced.

    Decide at each sync, not only when the Job is enqueued: a Job of the same name with another
    ``spec.managedBy`` may have replaced it.
    """
    if not settings.manages(job.managed_by):
        return SyncDecision.NOT_OURS
    if job.finished:
        return SyncDecision.FINISHED
    if job.completion_mode not in (INDEXED, NON_INDEXED):
        return SyncDecision.UNKNOWN_MODE
    return SyncDecision.SYNC
