"""Classify the Pods of a Job by state, and its completion indexes by result.

Source: Kubernetes 1.36; KEP-2307 for tracked Pods, KEP-3939 for failed Pods.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.controller.failure_policy import FailurePolicyMatcher
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import ACTIVE, POD_FAILED, POD_SUCCEEDED, TERMINATING
from jobsworth.controller.well_known_names import FAIL_INDEX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pods import Pod


@dataclass(frozen=True, slots=True)
class ClassifiedPods:
    """The Pods of a Job by state.

    Attributes:
        pods: all Pods.
        active: Pods that are neither terminated nor being deleted.
        terminating: Pods that are being deleted and have not terminated.
        ready: number of active Pods that are ready.
        tracked: Pods with the tracking finalizer, unless we have removed it: not counted yet.
        leaving: those of `tracked` that are not active. Of thousands of Pods, few are: most decisions
            look only at these.
        matcher: matches them against the failure policy.
    """

    job: Job
    pods: Sequence[Pod]
    active: list[Pod]
    terminating: list[Pod]
    ready: int
    tracked: list[Pod]
    leaving: list[Pod]
    matcher: FailurePolicyMatcher

    def failed(self, pod: Pod) -> bool:
        """Return True if the Pod counts as failed; a terminating Pod may, by podReplacementPolicy."""
        return pod.state == POD_FAILED or (
            pod.state == TERMINATING and not self.job.only_replace_failed
        )

    def valid(self, pod: Pod) -> bool:
        """Return True if the Pod can be counted: in an Indexed Job, its index must be valid."""
        return not self.job.indexed or 0 <= pod.index < self.job.size

    def newly_succeeded(self) -> list[Pod]:
        """Return the Pods that have succeeded and that the status does not have yet.

        A Pod that is recorded as failed stays failed: it was terminating when it was counted.
        """
        status = self.job.status
        known = {*status.uncounted_succeeded, *status.uncounted_failed}
        return [
            pod
            for pod in self.leaving
            if pod.state == POD_SUCCEEDED and pod.uid not in known and self.valid(pod)
        ]

    def newly_failed(self) -> list[Pod]:
        """Return the Pods that have failed and that the status does not have yet, with ignored ones."""
        known = frozenset(self.job.status.uncounted_failed)
        return [
            pod
            for pod in self.leaving
            if self.failed(pod) and pod.uid not in known and self.valid(pod)
        ]

    def ended(self) -> tuple[list[Pod], list[Pod]]:
        """Return all existing Pods that have succeeded, and all that have failed, counted or not.

        Omit Pods that were released and deleted before they terminated: they never count.
        """
        tracked = {pod.uid for pod in self.tracked}
        there = [
            pod
            for pod in self.pods
            if pod.state != ACTIVE and self.valid(pod) and (pod.uid in tracked or not pod.deleting)
        ]
        return (
            [pod for pod in there if pod.state == POD_SUCCEEDED],
            [pod for pod in there if self.failed(pod)],
        )


def classify_pods(job: Job, pods: Sequence[Pod], released: frozenset[str]) -> ClassifiedPods:
    """Classify the Pods of a Job.

    Args:
        released: UIDs of Pods whose finalizer was removed, although the cache may still show it.
    """
    finalizer = job.finalizer
    active, terminating, tracked = [], [], []
    for pod in pods:
        state = pod.state
        if state == ACTIVE:
            active.append(pod)
        elif state == TERMINATING:
            terminating.append(pod)
        if finalizer in pod.tracking and pod.uid not in released:
            tracked.append(pod)
    ready = sum([pod.ready for pod in active])
    leaving = [pod for pod in tracked if pod.state != ACTIVE]
    matcher = FailurePolicyMatcher(job.failure_policy)
    return ClassifiedPods(job, pods, active, terminating, ready, tracked, leaving, matcher)


@dataclass(frozen=True, slots=True)
class Indexes:
    """The completion indexes of an Indexed Job by result.

    Attributes:
        completed: completedIndexes of the status, without indexes beyond the Job's completions.
        succeeded: ``completed`` and the indexes of tracked Pods that have succeeded.
        stored_failed: failedIndexes of the status; empty without backoffLimitPerIndex, as are the next
            two.
        failed: ``stored_failed`` and the indexes that have newly reached their limit.
        delayed: for each index to retry, its last failed Pod; it is kept until its replacement
            exists, because the replacement continues its failure counts (KEP-3850).
    """

    completed: IndexSet
    succeeded: IndexSet
    stored_failed: IndexSet
    failed: IndexSet
    delayed: dict[int, Pod]


NO_INDEXES = Indexes(IndexSet(), IndexSet(), IndexSet(), IndexSet(), {})


def classify_indexes(classified: ClassifiedPods) -> Indexes:
    """Classify completion indexes.

    A result recorded in the status is final, so no index is both succeeded and failed.
    """
    job, status = classified.job, classified.job.status
    if not job.indexed:
        return NO_INDEXES
    completed = IndexSet.read(status.completed_indexes, job.size)
    stored_failed = IndexSet.read(status.failed_indexes, job.size) if job.per_index else IndexSet()
    succeeded = completed.union(
        IndexSet.of(
            {pod.index for pod in classified.newly_succeeded() if pod.index not in stored_failed}
        )
    )
    if not job.per_index:
        return Indexes(completed, succeeded, stored_failed, IndexSet(), {})
    failed = stored_failed.union(
        IndexSet.of(
            {
                pod.index
                for pod in classified.leaving
                if classified.valid(pod)
                and _exhausts(pod, classified)
                and pod.index not in succeeded
            }
        )
    )
    return Indexes(
        completed, succeeded, stored_failed, failed, _delayed(classified, succeeded, failed)
    )


def _exhausts(pod: Pod, classified: ClassifiedPods) -> bool:
    """Return True if the failure of this Pod makes its index fail."""
    if not classified.failed(pod):
        return False
    match = classified.matcher.match(pod)
    if match.action == FAIL_INDEX:
        return True
    limit = classified.job.backoff_limit_per_index
    return match.counts and limit is not None and pod.failure_count >= limit


def _delayed(classified: ClassifiedPods, succeeded: IndexSet, failed: IndexSet) -> dict[int, Pod]:
    """Return, for each index to retry, the failed Pod with the highest failure count."""
    delayed: dict[int, Pod] = {}
    if not classified.leaving:
        return delayed
    active = {pod.index for pod in classified.active}
    for pod in classified.leaving:
        index = pod.index
        if not classified.failed(pod) or not classified.valid(pod):
            continue
        if index in active or index in succeeded or index in failed:
            continue
        known = delayed.get(index)
        if known is None or _weight(pod) >= _weight(known):
            delayed[index] = pod
    return delayed


def _weight(pod: Pod) -> tuple[int, int]:
    return pod.failure_count + pod.ignored_count, pod.finished_at
