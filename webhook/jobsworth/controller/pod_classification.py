"""The Pods of a Job by what has become of them, and what that makes known about the Job.

Source: Kubernetes 1.36; KEP-2307 for what is tracked, KEP-3939 for what is failed.
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
    """The Pods of a Job, sorted.

    Attributes:
        pods: all of them.
        active: neither ended nor being deleted.
        terminating: being deleted, and not ended.
        ready: how many of the active are ready.
        tracked: those with the finalizer, whose removal we have not asked for: not counted yet.
        matcher: what the failure policy says of them.
    """

    job: Job
    pods: Sequence[Pod]
    active: list[Pod]
    terminating: list[Pod]
    ready: int
    tracked: list[Pod]
    matcher: FailurePolicyMatcher

    def failed(self, pod: Pod) -> bool:
        """Whether the Pod counts as failed: one that is being deleted may, before it has ended."""
        return pod.state == POD_FAILED or (
            pod.state == TERMINATING and not self.job.only_replace_failed
        )

    def valid(self, pod: Pod) -> bool:
        """Whether the Pod can be counted: in an Indexed Job, its index has to be one of the Job."""
        return not self.job.indexed or 0 <= pod.index < self.job.size

    def newly_succeeded(self) -> list[Pod]:
        """Pods that have succeeded, of which the status does not know.

        A Pod that is recorded as failed stays so: it was being deleted when it was counted.
        """
        status = self.job.status
        known = {*status.uncounted_succeeded, *status.uncounted_failed}
        return [
            pod
            for pod in self.tracked
            if pod.state == POD_SUCCEEDED and pod.uid not in known and self.valid(pod)
        ]

    def newly_failed(self) -> list[Pod]:
        """Pods that have failed, of which the status does not know, ignored ones included."""
        known = frozenset(self.job.status.uncounted_failed)
        return [
            pod
            for pod in self.tracked
            if self.failed(pod) and pod.uid not in known and self.valid(pod)
        ]

    def ended(self) -> tuple[list[Pod], list[Pod]]:
        """All Pods that are still there and have succeeded, or failed, whether counted or not.

        Left out are those that were let go of and deleted before they ended: they never counted.
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
    """Sort the Pods of a Job.

    Args:
        released: UIDs of those whose finalizer was removed, although they may still show it.
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
    ready = sum(pod.ready for pod in active)
    return ClassifiedPods(
        job, pods, active, terminating, ready, tracked, FailurePolicyMatcher(job.failure_policy)
    )


@dataclass(frozen=True, slots=True)
class Indexes:
    """The indexes of an Indexed Job by what is known of them.

    Attributes:
        completed: as stored, those beyond the Job's completions left out.
        succeeded: those, and the indexes of tracked Pods that have succeeded.
        stored_failed: as stored; empty without a limit per index, as are the next two.
        failed: those, and the indexes that have newly reached their limit.
        delayed: for an index that is to be tried again its last failed Pod, which is kept until
            the next one exists, for that one continues its counts (KEP-3850).
    """

    completed: IndexSet
    succeeded: IndexSet
    stored_failed: IndexSet
    failed: IndexSet
    delayed: dict[int, Pod]


NO_INDEXES = Indexes(IndexSet(), IndexSet(), IndexSet(), IndexSet(), {})


def classify_indexes(classified: ClassifiedPods) -> Indexes:
    """Sort the indexes of a Job. What is stored of an index stands: it is never both."""
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
                for pod in classified.tracked
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
    """Whether the failure of a Pod is the last that its index may have."""
    if not classified.failed(pod):
        return False
    match = classified.matcher.match(pod)
    if match.action == FAIL_INDEX:
        return True
    limit = classified.job.backoff_limit_per_index
    return match.counts and limit is not None and pod.failure_count >= limit


def _delayed(classified: ClassifiedPods, succeeded: IndexSet, failed: IndexSet) -> dict[int, Pod]:
    """Of each index that is to be tried again, the failed Pod that carries most failures."""
    active = {pod.index for pod in classified.active}
    delayed: dict[int, Pod] = {}
    for pod in classified.tracked:
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
