"""Compare active with desired Pods, and choose the Pods to delete or to create (upstream: manageJob).

A sync never does both: it deletes surplus Pods first, and the next sync creates missing ones. Source:
Kubernetes 1.36; KEP-2232 (suspension), KEP-3939 (replacement), KEP-3850 (backoff per index).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from jobsworth.controller import well_known_names
from jobsworth.controller.actions import Creation, Deletion
from jobsworth.controller.backoff import index_remaining
from jobsworth.controller.failure_policy import FailurePolicyMatcher
from jobsworth.controller.jobs import Job
from jobsworth.controller.pod_classification import ClassifiedPods
from jobsworth.controller.pods import Pod
from jobsworth.controller.sync_context import SyncContext

MIN_REQUEUE = 1.0
_PHASE_RANK = {
    well_known_names.PENDING: 0,
    well_known_names.UNKNOWN: 1,
    well_known_names.RUNNING: 2,
}


@dataclass(frozen=True, slots=True)
class Scaling:
    """The Pods to delete or to create.

    Attributes:
        wait: seconds until the backoff allows a further Pod; None if no Pod waits.
    """

    deletions: tuple[Deletion, ...] = ()
    creations: tuple[Creation, ...] = ()
    wait: float | None = None

    @property
    def action(self) -> well_known_names.SyncAction:
        """The ``action`` label of the sync metrics; waiting for a backoff counts as creating."""
        if self.deletions:
            return well_known_names.PODS_DELETED_ACTION
        if self.creations or self.wait is not None:
            return well_known_names.PODS_CREATED_ACTION
        return well_known_names.TRACKING


def manage_job(context: SyncContext) -> Scaling:
    """Choose the Pods to delete or to create."""
    classified, job = context.classified, context.job
    if job.suspended:
        return Scaling(deletions=_deletions(classified.active))
    active, desired = (
        len(classified.active),
        desired_active(job, context.succeeded, len(classified.active)),
    )
    surplus = _surplus(classified, active - desired)[: context.settings.max_pods_per_sync]
    if surplus:
        return Scaling(deletions=_deletions(surplus))
    awaited = len(classified.terminating) if job.only_replace_failed else 0
    missing = min(desired - active - awaited, context.settings.max_pods_per_sync)
    return _create(context, missing) if missing > 0 else Scaling()


def desired_active(job: Job, succeeded: int, active: int) -> int:
    """Return how many Pods of a Job that is not suspended are to be active."""
    if job.completions is None:
        return active if succeeded else job.parallelism
    return max(0, min(job.completions - succeeded, job.parallelism))


def _deletions(pods: Iterable[Pod]) -> tuple[Deletion, ...]:
    """Delete Pods after removing their finalizer, so that they never count as failed."""
    return tuple(Deletion(pod, untrack_first=True) for pod in pods)


def _surplus(classified: ClassifiedPods, at_least: int) -> list[Pod]:
    """Return the Pods to delete: invalid indexes, duplicate indexes, then those of lowest rank."""
    job = classified.job
    if at_least <= 0 and (not job.indexed or classified.pods.are_distinct(job.size)):
        return []

    def deletion_rank(pod: Pod) -> tuple[int | str, ...]:
        return _deletion_rank(pod, tracked=classified.tracks(pod))

    surplus: list[Pod] = []
    rest = classified.active
    if job.indexed:
        best: dict[int, Pod] = {}
        for pod in classified.active:
            rival = best.get(pod.index)
            if not 0 <= pod.index < job.size:
                surplus.append(pod)
            elif rival is None:
                best[pod.index] = pod
            else:
                worse, best[pod.index] = sorted((rival, pod), key=deletion_rank)
                surplus.append(worse)
        rest = list(best.values())
    if len(surplus) < at_least:
        surplus += sorted(rest, key=deletion_rank)[: at_least - len(surplus)]
    return surplus


def _deletion_rank(pod: Pod, *, tracked: bool) -> tuple[int | str, ...]:
    """Return the sort key by which Pods are deleted, lowest first.

    Untracked Pods come first: a sync removed their finalizer and crashed before it deleted them, so
    they will never be counted.
    """
    return (
        tracked,
        bool(pod.node),
        _PHASE_RANK.get(pod.phase, 1),
        pod.ready,
        # Of two ready Pods, delete the one that became ready later; an unknown time counts as latest.
        pod.ready and pod.ready_since > 0,
        -pod.ready_since if pod.ready else 0,
        -pod.container_restarts,
        -pod.sidecar_restarts,
        pod.created > 0,
        -pod.created,
        pod.name,
    )


def _create(context: SyncContext, missing: int) -> Scaling:
    job = context.job
    if job.per_index:
        return _create_per_index(context, missing)
    wait = context.backoff.remaining(context.now, context.settings)
    if wait > 0:
        return Scaling(wait=max(wait, MIN_REQUEUE))
    if not job.indexed:
        return Scaling(creations=(Creation(),) * missing)
    chosen = islice(_absent(context), missing)
    return Scaling(creations=tuple(Creation(index) for index in chosen))


def _create_per_index(context: SyncContext, missing: int) -> Scaling:
    """Create Pods for the lowest indexes that are not in backoff."""
    classified, delayed = context.classified, context.indexes.delayed
    creations: list[Creation] = []
    wait: float | None = None
    candidates = _absent(context)
    if context.settings.waiting_index_keeps_place:
        candidates = islice(candidates, missing)
    for index in candidates:
        last = delayed.get(index)
        left = index_remaining(last, context.now, context.settings)
        if left > 0:
            wait = left if wait is None else min(wait, left)
            continue
        creations.append(successor(index, last, classified.matcher))
        if len(creations) == missing:
            break
    if wait is not None:
        wait = max(wait, MIN_REQUEUE)
    return Scaling(creations=tuple(creations), wait=wait)


def successor(index: int, last: Pod | None, matcher: FailurePolicyMatcher) -> Creation:
    """Return the replacement of a failed Pod, which continues its failure counts."""
    if last is None:
        return Creation(index, failure_count=0)
    counts = matcher.match(last).counts
    return Creation(
        index,
        failure_count=last.failure_count + counts,
        ignored_count=last.ignored_count + (not counts),
    )


def _absent(context: SyncContext) -> Iterator[int]:
    """Yield the indexes that have no Pod and need one, in order."""
    classified, indexes = context.classified, context.indexes
    waiting: set[int] = set()
    if classified.job.only_replace_failed:
        waiting = {pod.index for pod in classified.terminating}
    for index in classified.pods.free(indexes.succeeded.union(indexes.failed), classified.job.size):
        if index not in waiting:
            yield index
