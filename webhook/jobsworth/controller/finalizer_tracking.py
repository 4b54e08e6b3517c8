"""Counting Pods that have ended, so that each is counted once whatever dies when (KEP-2307).

A Pod that has ended is written down by UID while it still has its finalizer (of an Indexed Job's
successes the index is enough), then it loses the finalizer, then it moves from the list into the
counter: both in the same write.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import POD_SUCCEEDED
from jobsworth.controller.well_known_names import FAIL_JOB, POD_FAILURE_POLICY

if TYPE_CHECKING:
    from collections.abc import Collection

    from jobsworth.controller.finished_condition import FinishedCondition
    from jobsworth.controller.pod_classification import ClassifiedPods, Indexes
    from jobsworth.controller.pods import Pod
    from jobsworth.controller.status import Status


@dataclass(frozen=True, slots=True)
class FinalizerTracking:
    """What was written down of Pods.

    Attributes:
        status: the status with the Pods in its lists, and its counters brought up to date.
        release: Pods that may lose their finalizer once the status is stored.
        capped: there is more to write down, in the next sync.
        handled: how many failures each action of the failure policy was taken for.
    """

    status: Status
    release: tuple[Pod, ...]
    capped: bool
    handled: dict[str, int]


@dataclass(frozen=True, slots=True)
class TrackingInput:
    """What decides whether a Pod may be let go of.

    Attributes:
        finished_condition: that this sync acts on; None if there is none, or not yet.
        deferred: a finished_condition that this sync may not act on.
        limit: new indexes and uncounted Pods in one sync.
    """

    classified: ClassifiedPods
    indexes: Indexes
    finished_condition: FinishedCondition | None
    deferred: FinishedCondition | None
    limit: int


def count_released(status: Status, tracked: Collection[str]) -> Status:
    """Move from the lists into the counters the Pods that are not tracked any more, or are gone."""
    succeeded = tuple(uid for uid in status.uncounted_succeeded if uid in tracked)
    failed = tuple(uid for uid in status.uncounted_failed if uid in tracked)
    return replace(
        status,
        succeeded=status.succeeded + len(status.uncounted_succeeded) - len(succeeded),
        failed=status.failed + len(status.uncounted_failed) - len(failed),
        uncounted_succeeded=succeeded,
        uncounted_failed=failed,
    )


def record_terminated_pods(status: Status, given: TrackingInput) -> FinalizerTracking:
    """Write down the Pods that have ended, as many as one sync may."""
    classified, indexes = given.classified, given.indexes
    status = count_released(status, {pod.uid for pod in classified.tracked})
    lists = _UncountedLists(status, given)
    pods = classified.tracked
    if classified.job.indexed:
        pods = sorted(pods, key=_by_index)
    releasable = [pod for pod in pods if _may_release(pod, given)]
    if lists.full:
        # By Pods that could not be let go of when they were written down. Until one of them is, there
        # is no room for others, which must not keep them from their turn.
        releasable.sort(key=lists.is_new)
    capped = not all(map(lists.record, releasable))
    status = replace(
        status,
        uncounted_succeeded=tuple(lists.succeeded),
        uncounted_failed=tuple(lists.failed),
    )
    if classified.job.indexed:
        completed = indexes.completed.union(IndexSet.of(lists.completed))
        status = replace(
            status,
            succeeded=len(completed),
            completed_indexes=completed.text,
            failed_indexes=indexes.failed.text if classified.job.per_index else None,
        )
    return FinalizerTracking(status, tuple(lists.release), capped, dict(lists.handled))


def _by_index(pod: Pod) -> int:
    return pod.index


def _may_release(pod: Pod, given: TrackingInput) -> bool:
    """Whether nothing needs the Pod any longer, once it is written down."""
    classified = given.classified
    if (
        classified.job.deleting
        or given.finished_condition is not None
        or pod.state == POD_SUCCEEDED
    ):
        return True
    if not classified.failed(pod) or given.indexes.delayed.get(pod.index) is pod:
        return False
    return not _is_failure_policy_match(pod, given)


def _is_failure_policy_match(pod: Pod, given: TrackingInput) -> bool:
    """Whether a finished_condition that is not stored rests on the Pod: with it, the finished_condition would go."""
    deferred = given.deferred
    if deferred is None or deferred.stored or deferred.reason != POD_FAILURE_POLICY:
        return False
    return given.classified.matcher.match(pod).action == FAIL_JOB


class _UncountedLists:
    """The lists while Pods are added to them."""

    __slots__ = (
        "completed",
        "failed",
        "given",
        "handled",
        "known_failed",
        "known_succeeded",
        "release",
        "succeeded",
    )  # fmt: skip

    def __init__(self, status: Status, given: TrackingInput) -> None:
        self.given = given
        self.succeeded = list(status.uncounted_succeeded)
        self.failed = list(status.uncounted_failed)
        self.known_succeeded = frozenset(self.succeeded)
        self.known_failed = frozenset(self.failed)
        self.completed: set[int] = set()
        self.release: list[Pod] = []
        self.handled: Counter[str] = Counter()

    @property
    def full(self) -> bool:
        size = len(self.completed) + len(self.succeeded) + len(self.failed)
        return size >= self.given.limit

    def record(self, pod: Pod) -> bool:
        """Write a Pod down, if it has to be; False if there is no room for more Pods."""
        if not self.is_new(pod):
            self.release.append(pod)
            return True
        if self.full:
            return False
        if pod.state != POD_SUCCEEDED:
            self._add_failed(pod)
        elif self.given.classified.job.indexed:
            self.completed.add(pod.index)
        else:
            self.succeeded.append(pod.uid)
        self.release.append(pod)
        return True

    def is_new(self, pod: Pod) -> bool:
        """Whether the Pod has to be written down, and is not yet."""
        classified, indexes = self.given.classified, self.given.indexes
        if pod.uid in self.known_failed or not classified.valid(pod):
            return False
        if pod.state == POD_SUCCEEDED:
            if not classified.job.indexed:
                return pod.uid not in self.known_succeeded
            return not (pod.index in indexes.completed or pod.index in indexes.stored_failed)
        finished_condition = self.given.finished_condition
        return classified.failed(pod) or (
            finished_condition is not None and not finished_condition.success
        )

    def _add_failed(self, pod: Pod) -> None:
        match = self.given.classified.matcher.match(pod)
        if match.action is not None:
            self.handled[match.action] += 1
        if match.counts:
            self.failed.append(pod.uid)
