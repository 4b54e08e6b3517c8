"""Track Job Pods with finalizers, so that each is counted exactly once whatever crashes (KEP-2307).

A terminated Pod is first recorded by UID in ``uncountedTerminatedPods`` while it still has its
finalizer (for a success of an Indexed Job the index in ``completedIndexes`` is enough). Then the
finalizer is removed. Then one status update removes the UID from the list and increments the counter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.controller.failure_policy import Match
from jobsworth.controller.finished_condition import FinishedCondition
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import POD_SUCCEEDED, Pod
from jobsworth.controller.status import Status
from jobsworth.controller.sync_context import SyncContext
from jobsworth.controller.well_known_names import FAIL_JOB, POD_FAILURE_POLICY


@dataclass(frozen=True, slots=True)
class FinalizerTracking:
    """The result of recording terminated Pods.

    Attributes:
        status: the status with the Pods in uncountedTerminatedPods, and with updated counters.
        finalizer_removals: Pods whose finalizer may be removed once the status is stored.
        capped: the limit was reached; the next sync records the remaining Pods.
        matched: the newly recorded failed Pods that a rule of the failure policy matched.
    """

    status: Status
    finalizer_removals: tuple[Pod, ...]
    capped: bool
    matched: tuple[tuple[Pod, Match], ...]


def count_untracked(status: Status, tracked: Callable[[str], bool]) -> Status:
    """Move Pods without a finalizer, or deleted, from uncountedTerminatedPods into the counters.

    Args:
        tracked: returns True for the UID of a Pod that still has the finalizer.
    """
    if not status.uncounted:
        return status
    succeeded = tuple(uid for uid in status.uncounted_succeeded if tracked(uid))
    failed = tuple(uid for uid in status.uncounted_failed if tracked(uid))
    return replace(
        status,
        succeeded=status.succeeded + len(status.uncounted_succeeded) - len(succeeded),
        failed=status.failed + len(status.uncounted_failed) - len(failed),
        uncounted_succeeded=succeeded,
        uncounted_failed=failed,
    )


def record_terminated_pods(
    status: Status,
    context: SyncContext,
    finished_condition: FinishedCondition | None,
    deferred: FinishedCondition | None,
) -> FinalizerTracking:
    """Record terminated Pods in the status, up to ``settings.max_uncounted`` in one sync.

    Args:
        status: the status to add to.
        context: the context of the sync.
        finished_condition: the finished condition that this sync acts on; None if there is none, or if it is
            deferred.
        deferred: a finished condition that this sync must not act on yet.
    """
    classified, indexes = context.classified, context.indexes
    if status.uncounted:
        status = count_untracked(status, classified.tracks_uid)
    lists = _UncountedLists(status, context, finished_condition)
    pods = classified.leaving
    if classified.job.deleting or finished_condition is not None:
        pods = [pod for pod in classified.pods.all() if classified.tracks(pod)]
    if classified.job.indexed:
        pods = sorted(pods, key=_by_index)
    untrackable = [pod for pod in pods if _may_untrack(pod, context, finished_condition, deferred)]
    if lists.full:
        # The lists are full of Pods whose finalizer could not be removed earlier. Put these first, since
        # new Pods find no room until one of them is untracked.
        untrackable.sort(key=lists.is_new)
    capped = not all(map(lists.record, untrackable))
    changes: dict[str, Any] = {}
    if lists.finalizer_removals:
        changes["uncounted_succeeded"] = tuple(lists.succeeded)
        changes["uncounted_failed"] = tuple(lists.failed)
    if classified.job.indexed:
        completed = indexes.completed.union(IndexSet.of(lists.completed))
        changes["succeeded"] = len(completed)
        changes["completed_indexes"] = completed.text
        changes["failed_indexes"] = indexes.failed.text if classified.job.per_index else None
    if changes:
        status = replace(status, **changes)
    return FinalizerTracking(status, tuple(lists.finalizer_removals), capped, tuple(lists.matched))


def _by_index(pod: Pod) -> tuple[int, bool]:
    """Return the sort key of a Pod: its index is completed only after its failures are recorded.

    A Pod of a completed index that is not recorded as failed is then known to need no record.
    """
    return pod.index, pod.state == POD_SUCCEEDED


def _may_untrack(
    pod: Pod,
    context: SyncContext,
    finished_condition: FinishedCondition | None,
    deferred: FinishedCondition | None,
) -> bool:
    """Return True if nothing needs the Pod any longer once it is recorded."""
    classified = context.classified
    if classified.job.deleting or finished_condition is not None or classified.succeeded(pod):
        return True
    if not classified.failed(pod) or context.indexes.delayed.get(pod.index) is pod:
        return False
    return not _is_failure_policy_match(pod, context, deferred)


def _is_failure_policy_match(
    pod: Pod, context: SyncContext, deferred: FinishedCondition | None
) -> bool:
    """Return True if an unstored finished condition depends on the Pod.

    Without the Pod, the next sync could not derive the condition again.
    """
    if deferred is None or deferred.stored or deferred.reason != POD_FAILURE_POLICY:
        return False
    return context.classified.matcher.match(pod).action == FAIL_JOB


class _UncountedLists:
    """The lists of uncountedTerminatedPods while Pods are added to them."""

    __slots__ = (
        "completed",
        "context",
        "failed",
        "finalizer_removals",
        "finished_condition",
        "matched",
        "succeeded",
    )  # fmt: skip

    def __init__(
        self, status: Status, context: SyncContext, finished_condition: FinishedCondition | None
    ) -> None:
        self.context = context
        self.finished_condition = finished_condition
        self.succeeded = list(status.uncounted_succeeded)
        self.failed = list(status.uncounted_failed)
        self.completed: set[int] = set()
        self.finalizer_removals: list[Pod] = []
        self.matched: list[tuple[Pod, Match]] = []

    @property
    def full(self) -> bool:
        size = len(self.completed) + len(self.succeeded) + len(self.failed)
        return size >= self.context.settings.max_uncounted

    def record(self, pod: Pod) -> bool:
        """Record a Pod, if needed; return False if the limit leaves no room for it."""
        if not self.is_new(pod):
            self.finalizer_removals.append(pod)
            return True
        if self.full:
            return False
        if not self.context.classified.succeeded(pod):
            self._add_failed(pod)
        elif self.context.classified.job.indexed:
            self.completed.add(pod.index)
        else:
            self.succeeded.append(pod.uid)
        self.finalizer_removals.append(pod)
        return True

    def is_new(self, pod: Pod) -> bool:
        """Return True if the Pod must be recorded and is not recorded yet."""
        classified = self.context.classified
        if classified.recorded(pod) or not classified.valid(pod):
            return False
        if classified.succeeded(pod):
            return pod.index not in self.context.indexes.stored_failed
        finished_condition = self.finished_condition
        return classified.failed(pod) or (
            finished_condition is not None and not finished_condition.success
        )

    def _add_failed(self, pod: Pod) -> None:
        match = self.context.classified.matcher.match(pod)
        if match.action is not None:
            self.matched.append((pod, match))
        if match.counts:
            self.failed.append(pod.uid)
