"""Classify the Pods of a Job by state, and its completion indexes by result.

Source: Kubernetes 1.36; KEP-2307 for tracked Pods, KEP-3939 for failed Pods.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from jobsworth.controller.failure_policy import FailurePolicyMatcher
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job
from jobsworth.controller.pods import ACTIVE, POD_FAILED, POD_SUCCEEDED, TERMINATING, Pod
from jobsworth.controller.pods_by_state import PodsByState
from jobsworth.controller.well_known_names import FAIL_INDEX


@dataclass(frozen=True, slots=True)
class ClassifiedPods:
    """The Pods of a Job by state.

    Attributes:
        pods: all Pods.
        untracked: UIDs of Pods whose finalizer we removed.
        terminating: Pods that are being deleted and have not terminated.
        not_active: Pods that are not active, or recorded in the status. Of thousands of Pods, few are: most
            decisions look only at these.
        leaving: those of `not_active` that are tracked.
        recorded_succeeded: UIDs in ``uncountedTerminatedPods.succeeded``.
        recorded_failed: UIDs in ``uncountedTerminatedPods.failed``.
        completed: completedIndexes of the status, without indexes beyond the Job's completions.
        matcher: matches them against the failure policy.
    """

    job: Job
    pods: PodsByState
    untracked: frozenset[str]
    terminating: list[Pod]
    not_active: list[Pod]
    leaving: list[Pod]
    recorded_succeeded: frozenset[str]
    recorded_failed: frozenset[str]
    completed: IndexSet
    matcher: FailurePolicyMatcher

    @property
    def active(self) -> Collection[Pod]:
        """Pods that are neither terminated nor being deleted."""
        return self.pods.active

    def tracks(self, pod: Pod) -> bool:
        """Return True if the Pod is not counted yet: it has the finalizer, and we have not removed it."""
        return self.job.finalizer in pod.tracking and pod.uid not in self.untracked

    def tracks_uid(self, uid: str) -> bool:
        """Return True if there is a Pod with this UID that is not counted yet."""
        pod = self.pods.get(uid)
        return pod is not None and self.tracks(pod)

    def succeeded(self, pod: Pod) -> bool:
        """Return True if the Pod has succeeded, or its index has.

        A recorded result is final, whatever the Pod's phase is now. A terminating Pod that is recorded as
        failed may still exit with 0, and the API does not keep a phase from changing after Succeeded.
        """
        if pod.uid in self.recorded_failed:
            return False
        return (
            pod.state == POD_SUCCEEDED
            or pod.uid in self.recorded_succeeded
            or pod.index in self.completed
        )

    def failed(self, pod: Pod) -> bool:
        """Return True if the Pod counts as failed; a terminating Pod may, by podReplacementPolicy.

        As in :meth:`succeeded`, a recorded result is final.
        """
        if pod.uid in self.recorded_failed:
            return True
        if pod.state == TERMINATING and self.job.only_replace_failed:
            return False
        return pod.state in (POD_FAILED, TERMINATING) and not self.succeeded(pod)

    def recorded(self, pod: Pod) -> bool:
        """Return True if the status has the result of the Pod: by UID, or a success by index."""
        if pod.uid in self.recorded_failed:
            return True
        if self.job.indexed:
            return pod.index in self.completed
        return pod.uid in self.recorded_succeeded

    def valid(self, pod: Pod) -> bool:
        """Return True if the Pod can be counted: in an Indexed Job, its index must be valid."""
        return not self.job.indexed or 0 <= pod.index < self.job.size

    def newly_succeeded(self) -> list[Pod]:
        """Return the Pods that have succeeded and that the status does not have yet."""
        return [
            pod
            for pod in self.leaving
            if self.succeeded(pod) and self.valid(pod) and not self.recorded(pod)
        ]

    def newly_failed(self) -> list[Pod]:
        """Return the Pods that have failed and that the status does not have yet, with ignored ones."""
        return [
            pod
            for pod in self.leaving
            if self.failed(pod) and self.valid(pod) and not self.recorded(pod)
        ]

    def ended(self) -> tuple[list[Pod], list[Pod]]:
        """Return all existing Pods that have succeeded, and all that have failed, counted or not.

        Omit Pods that were untracked and deleted before they terminated: they never count.
        """
        there = [
            pod
            for pod in self.not_active
            if pod.state != ACTIVE and self.valid(pod) and (self.tracks(pod) or not pod.deleting)
        ]
        return (
            [pod for pod in there if pod.state == POD_SUCCEEDED and not self.failed(pod)],
            [pod for pod in there if self.failed(pod)],
        )


def classify_pods(
    job: Job, pods: Sequence[Pod] | PodsByState, untracked: frozenset[str]
) -> ClassifiedPods:
    """Classify the Pods of a Job.

    Args:
        untracked: UIDs of Pods whose finalizer was removed, although the cache may still show it.
    """
    pods = pods if isinstance(pods, PodsByState) else PodsByState(pods)
    succeeded = frozenset(job.status.uncounted_succeeded)
    failed = frozenset(job.status.uncounted_failed)
    found = [pods.get(uid) for uid in succeeded | failed]
    recorded = [pod for pod in found if pod is not None and pod.state == ACTIVE]
    not_active = pods.in_order((*pods.others, *recorded))
    finalizer = job.finalizer
    completed = job.status.completed_indexes if job.indexed else ""
    return ClassifiedPods(
        job=job,
        pods=pods,
        untracked=untracked,
        terminating=[pod for pod in not_active if pod.state == TERMINATING],
        not_active=not_active,
        leaving=[
            pod for pod in not_active if finalizer in pod.tracking and pod.uid not in untracked
        ],
        recorded_succeeded=succeeded,
        recorded_failed=failed,
        completed=IndexSet.read(completed, job.size),
        matcher=FailurePolicyMatcher(job.failure_policy),
    )


@dataclass(frozen=True, slots=True)
class Indexes:
    """The completion indexes of an Indexed Job by result.

    Attributes:
        completed: as in :class:`ClassifiedPods`.
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
    completed = classified.completed
    stored_failed = IndexSet.read(status.failed_indexes, job.size) if job.per_index else IndexSet()
    if not classified.leaving:
        return Indexes(completed, completed, stored_failed, stored_failed, {})
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
    active = classified.pods.indexes
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
