"""Faults put into the reconciler on purpose: a model that does not catch them would prove nothing.

Each is a plausible mistake, in the real code, by replacing a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from jobsworth.client.api_errors import ApiError
from jobsworth.controller import (
    finalizer_tracking,
    finished_condition,
    ownership,
    pod_classification,
    scaling,
)
from jobsworth.controller import plan as planning
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.pod_classification import ClassifiedPods
from jobsworth.controller.pods import POD_SUCCEEDED
from jobsworth.controller.sync_context import SyncContext, SyncDecision
from jobsworth.reconciler import expectations, informers, orphan_pods, syncing, work_queue

Fault = tuple[Any, str, Any]  # what is replaced: where, its name, by what


def _finalizers_go_before_the_first_write() -> Fault:
    act = syncing._Sync._act

    def too_early(sync: Any, planned: Any) -> Any:
        acted = act(sync, planned)
        sync._pods.remove_finalizers(planned.after(acted).finalizer_removals)
        return acted

    return syncing._Sync, "_act", too_early


def _recorded_successes_are_forgotten() -> Fault:
    recorded = ClassifiedPods.recorded

    def by_phase(classified: ClassifiedPods, pod: Any) -> bool:
        return recorded(classified, pod) and (
            pod.state == POD_SUCCEEDED or pod.uid in classified.recorded_failed
        )

    return ClassifiedPods, "recorded", by_phase


def _all_recorded_pods_are_counted() -> Fault:
    count = finalizer_tracking.count_untracked
    return finalizer_tracking, "count_untracked", lambda status, tracked: count(status, ())


def _the_failure_target_is_stored_after_the_deletions() -> Fault:
    end = planning._end

    def late(found: Any, validated: Any) -> Any:
        planned = end(found, validated)
        return replace(planned, interim=None, _finished_condition=validated)

    return planning, "_end", late


def _the_end_does_not_wait_for_pods() -> Fault:
    after = planning.Plan.after

    def hasty(planned: Any, acted: Any) -> Any:
        return replace(after(planned, acted), _may_finish=True)

    return planning.Plan, "after", hasty


def _failed_indexes_go_on_from_nothing() -> Fault:
    def forgetful(index: int, last: Any, found: Any) -> Any:
        return scaling.Creation(index, failure_count=0)

    return scaling, "successor", forgetful


def _surplus_pods_are_deleted_as_they_are() -> Fault:
    def bluntly(found: Any) -> Any:
        return tuple(scaling.Deletion(pod, untrack_first=False) for pod in found)

    return scaling, "_deletions", bluntly


def _pods_being_deleted_are_not_awaited() -> Fault:
    def manage(context: SyncContext) -> Any:
        job = replace(context.job, only_replace_failed=False)
        classified = replace(context.classified, job=job)
        return sound(replace(context, job=job, classified=classified))

    sound = scaling.manage_job
    return planning, "manage_job", manage


def _the_limit_is_off_by_one() -> Fault:
    evaluate = finished_condition._backoff_limit

    def strict(facts: Any) -> Any:
        return evaluate(replace(facts, failed=facts.failed + 1))

    questions = tuple(strict if each is evaluate else each for each in finished_condition._CHECKS)
    return finished_condition, "_CHECKS", questions


def _a_success_that_comes_again_ends_the_wait() -> Fault:
    after = BackoffRecord.after

    def forgetful(record: Any, succeeded: Any, failed: Any) -> Any:
        return after(replace(record, success=None), succeeded, failed)

    return BackoffRecord, "after", forgetful


def _an_answer_that_never_came_is_forgotten() -> Fault:
    return ApiError, "may_have_been_carried_out", False


def _strays_are_freed_whatever_has_changed() -> Fault:
    def careless(pod: Any, finalizers: Any) -> Any:
        return ownership.finalizer_patch(next(iter(finalizers)))

    return orphan_pods, "untracked_orphan_patch", careless


def _an_old_event_counts() -> Fault:
    apply = informers.Informer.apply

    def gullible(cache: Any, kind: str, obj: Any) -> None:
        seen, cache.seen = cache.seen, expectations.CacheProgress(0, cache.seen.listed)
        apply(cache, kind, obj)
        cache.seen = expectations.CacheProgress(max(seen.version, cache.seen.version), seen.listed)

    return informers.Informer, "apply", gullible


def _finished_jobs_are_looked_at() -> Fault:
    ask = syncing.decide_sync

    def careless(job: Any, settings: Any) -> Any:
        answer = ask(job, settings)
        return SyncDecision.SYNC if answer is SyncDecision.FINISHED else answer

    return syncing, "decide_sync", careless


def _a_key_that_comes_while_it_is_worked_on_is_lost() -> Fault:
    def done(queue: Any, key: str) -> None:
        queue._working.discard(key)
        queue._waiting.discard(key)

    return work_queue.WorkQueue, "done", done


def _suspended_jobs_run() -> Fault:
    def manage(context: SyncContext) -> Any:
        job = replace(context.job, suspended=False)
        classified = replace(context.classified, job=job)
        return sound(replace(context, job=job, classified=classified))

    sound = scaling.manage_job
    return planning, "manage_job", manage


FAULTS: dict[str, Callable[[], Fault]] = {
    "finalizers are removed before the first write": _finalizers_go_before_the_first_write,
    "Pods are recorded again at every sync": lambda: (ClassifiedPods, "recorded", lambda *_: False),
    "a recorded success is forgotten once the phase differs": _recorded_successes_are_forgotten,
    "an index is completed before its failures are recorded": lambda: (
        finalizer_tracking, "_by_index", lambda pod: pod.index),
    "Pods are counted before their finalizer is gone": _all_recorded_pods_are_counted,
    "the caches are believed, however old": lambda: (
        expectations.Expectations, "unseen", lambda *_: None),
    "Pods are deleted before the finished condition is stored": _the_failure_target_is_stored_after_the_deletions,
    "a Job ends while its Pods do not": _the_end_does_not_wait_for_pods,
    "nothing waits after a failure": lambda: (BackoffRecord, "remaining", lambda *_: 0.0),
    "no index waits after a failure": lambda: (scaling, "index_remaining", lambda *_: 0.0),
    "an index forgets its failures": _failed_indexes_go_on_from_nothing,
    "an index's last failed Pod is not kept": lambda: (pod_classification, "_delayed", lambda *_: {}),
    "Pods that have ended are adopted": lambda: (ownership, "_ended", lambda pod: False),
    "surplus Pods count as failed": _surplus_pods_are_deleted_as_they_are,
    "Pods are replaced before they have ended": _pods_being_deleted_are_not_awaited,
    "the backoff limit is off by one": _the_limit_is_off_by_one,
    "a success that comes again ends the wait": _a_success_that_comes_again_ends_the_wait,
    "a write whose answer was lost is forgotten": _an_answer_that_never_came_is_forgotten,
    "strays are freed though they were adopted": _strays_are_freed_whatever_has_changed,
    "a Pod that was gone is counted again": lambda: (
        expectations.Expectations, "untracked", lambda self, key: frozenset()),
    "old events are believed": _an_old_event_counts,
    "finished Jobs are synced": _finished_jobs_are_looked_at,
    "a change during a sync is lost": _a_key_that_comes_while_it_is_worked_on_is_lost,
    "suspended Jobs run": _suspended_jobs_run,
}  # fmt: skip


@contextmanager
def put_in(fault: str) -> Iterator[None]:
    """The reconciler with a fault in it."""
    where, name, replacement = FAULTS[fault]()
    with patch.object(where, name, replacement):
        yield
