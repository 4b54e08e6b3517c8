"""Plan one sync of a Job, in three stages.

Three values depend on the results of earlier API calls: the Pod counts (on the deletions and creations
that succeeded), the right to act on a finished condition, and the counters (on the finalizers that
could be removed). A sync therefore runs in these steps, and may stop after any of them:

1. ``plan(...)`` returns the actions. If ``Plan.interim`` is not None, store it first, so that the
   finished condition is recorded before a Pod is deleted because of it. Then delete, or create; a plan
   never does both.
2. ``Plan.after(results)`` returns the terminated Pods to record (KEP-2307). Store ``StatusRecord.status`` if
   it is not None, remember ``StatusRecord.backoff``, then remove the tracking finalizer of
   ``StatusRecord.finalizer_removals``.
3. ``StatusRecord.after(untracked)`` returns the conclusion. Store ``Conclusion.status`` if it is not None;
   only then emit its events and count its metrics.

The next sync recovers from a crash at any point, because it derives everything from stored objects. If
a status update fails, abort the sync and retry it later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from jobsworth.controller import metrics, warning_events, well_known_names
from jobsworth.controller.actions import ActionResults, Creation, Deletion
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.explanation import explanation
from jobsworth.controller.finalizer_tracking import (
    FinalizerTracking,
    count_untracked,
    record_terminated_pods,
)
from jobsworth.controller.finished_condition import (
    FinishedCondition,
    completed,
    find_finished_condition,
    finish,
    seconds_to_deadline,
    terminal_events,
    with_suspension,
)
from jobsworth.controller.jobs import Job
from jobsworth.controller.pods import Pod
from jobsworth.controller.pods_by_state import PodsByState
from jobsworth.controller.scaling import Scaling, manage_job
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.signals import Count, Event
from jobsworth.controller.status import Status
from jobsworth.controller.sync_context import (
    Memory,
    SyncContext,
    count_after_actions,
    new_sync_context,
)

__all__ = [
    "ActionResults",
    "Conclusion",
    "Creation",
    "Deletion",
    "Memory",
    "Plan",
    "StatusRecord",
    "plan",
]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The last stage of a sync.

    Attributes:
        status: status to store now; None if nothing changed.
        finished: this status has the terminal condition; do not sync the Job again, even while the
            watch still shows it unfinished.
        events: events to emit once the status is stored.
        metrics: counts to add once the status is stored.
        requeue_after: seconds until the next sync, also without a watch event and after a failed
            call; None if the next watch event is enough.
    """

    status: Status | None = None
    finished: bool = False
    events: tuple[Event, ...] = ()
    metrics: tuple[Count, ...] = ()
    requeue_after: float | None = None


@dataclass(frozen=True, slots=True)
class StatusRecord:
    """The status to store before finalizers are removed.

    Attributes:
        status: status to store first; None if nothing changed.
        finalizer_removals: Pods whose tracking finalizer to remove once the status is stored. A Pod that no
            longer exists counts as untracked.
        reported: what to remember as reported once the status is stored.
        backoff: backoff record to remember once the status is stored, or needed no update.
        action_metrics: counts to add at once, even if the status update fails.
        events: events to emit once the status is stored.
        metrics: counts to add once the status is stored, or needed no update.
        requeue_after: as in Conclusion, for a sync that stops here.
    """

    status: Status | None
    finalizer_removals: tuple[Pod, ...]
    reported: frozenset[str]
    backoff: BackoffRecord
    action_metrics: tuple[Count, ...]
    events: tuple[Event, ...]
    metrics: tuple[Count, ...]
    requeue_after: float | None
    _context: SyncContext = field(repr=False)
    _written: Status = field(repr=False)
    _finished_condition: FinishedCondition | None = field(repr=False)
    _may_finish: bool = field(repr=False)

    def after(self, untracked: frozenset[str]) -> Conclusion:
        """Return the conclusion of the sync.

        Args:
            untracked: UIDs of the Pods in ``finalizer_removals`` that are without it now, or gone.
        """
        context, before = self._context, self._written
        status = before
        if before.uncounted:
            tracks = context.classified.tracks_uid
            status = count_untracked(before, lambda uid: uid not in untracked and tracks(uid))
        if context.job.indexed and status.succeeded != before.succeeded:
            status = replace(status, succeeded=before.succeeded)
        complete = self._may_finish and all(pod.uid in untracked for pod in self.finalizer_removals)
        finished = complete and self._finished_condition is not None and not status.uncounted
        events: tuple[Event, ...] = ()
        counts = metrics.finished_pods(context.job, before, status)
        if finished and self._finished_condition is not None:
            status = finish(context, status, self._finished_condition)
            events = terminal_events(context.job, status, self._finished_condition)
            counts = (*counts, metrics.finished_job(context.job, self._finished_condition))
        return Conclusion(
            status=None if status == before else status,
            finished=finished,
            events=events,
            metrics=counts,
            requeue_after=None if finished else self.requeue_after,
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """The actions of a sync.

    Attributes:
        interim: status to store before any deletion; None if not needed.
        deletions: Pods to delete, in any order.
        creations: Pods to create with slow start: in batches of 1, 2, 4, 8 …, stopping after a batch
            with errors.
        action: the ``action`` label of the sync metrics.
        because: the reason in one sentence, for humans (:mod:`jobsworth.controller.explanation`).
        wait: seconds until the backoff allows a further Pod; None if no Pod waits for it.
    """

    interim: Status | None
    deletions: tuple[Deletion, ...]
    creations: tuple[Creation, ...]
    action: well_known_names.SyncAction
    because: str
    wait: float | None
    _context: SyncContext = field(repr=False)
    _finished_condition: FinishedCondition | None = field(repr=False)
    _managed: bool = field(repr=False)
    _warnings: tuple[Event, ...] = field(default=(), repr=False)

    def after(self, results: ActionResults) -> StatusRecord:
        """Return the status to record after the deletions and creations."""
        context = self._context
        counts = count_after_actions(context.classified, self.deletions, results)
        stored = context.job.status if self.interim is None else self.interim
        status = replace(
            stored,
            active=counts.active,
            ready=counts.ready,
            terminating=counts.terminating,
            start_time=context.started,
        )
        finished_condition, deferred = self._finished_condition, None
        if finished_condition is not None and not (context.observed and counts.all_deleted):
            finished_condition, deferred = None, finished_condition
        elif finished_condition is None:
            finished_condition = completed(context.job, context.succeeded, counts.active)
        extra = context.settings.extra_events
        events = self._warnings if extra else ()
        if self._managed and finished_condition is None:
            status, news = with_suspension(context, status)
            events = (*events, *news)
        tracking = record_terminated_pods(status, context, finished_condition, deferred)
        status = tracking.status
        reports: dict[str, Event] = {}
        if extra:
            reports |= warning_events.invalid_annotations(context)
            reports |= warning_events.matched_rules(context, tracking.matched)
        events = (*reports.values(), *events)
        if finished_condition is not None and _is_stored_first(finished_condition, context):
            status = status.with_condition(finished_condition.interim(context.second))
        if extra and self._finished_condition is None:
            events = (*events, *warning_events.unmatched(context, _newly_failed(tracking, stored)))
        if extra and self._waits:
            events = (*events, *warning_events.overdue(context))
        return StatusRecord(
            status=None if status == stored else status,
            finalizer_removals=tracking.finalizer_removals,
            reported=warning_events.still_reported(context) | reports.keys(),
            backoff=context.backoff,
            action_metrics=metrics.created_pods(context.creation_reason, results),
            events=events,
            metrics=(
                *metrics.finished_pods(context.job, stored, status),
                *metrics.handled_failures(tracking.matched),
            ),
            requeue_after=self._requeue(tracking),
            _context=context,
            _written=status,
            _finished_condition=finished_condition,
            _may_finish=not tracking.capped
            and (context.settings.ends_at_once or not counts.terminating),
        )

    @property
    def _waits(self) -> bool:
        """True if the Job makes no progress until its terminating Pods have terminated."""
        return self._finished_condition is not None or (
            self._managed
            and self._context.job.only_replace_failed
            and not self._context.job.suspended
        )

    def _requeue(self, tracking: FinalizerTracking) -> float | None:
        """Return the seconds until the next sync; batch_delay if the limit left Pods unrecorded."""
        context = self._context
        times = [self.wait]
        if tracking.capped:
            times.append(context.settings.batch_delay)
        if self._waits and context.settings.extra_events:
            times.append(warning_events.seconds_to_overdue(context))
        if self._finished_condition is None:
            times.append(seconds_to_deadline(context.job, context.active_since, context.now))
        return min((seconds for seconds in times if seconds is not None), default=None)


def plan(
    job: Job,
    pods: Sequence[Pod] | PodsByState,
    memory: Memory,
    now: float,
    settings: ControllerSettings,
) -> Plan:
    """Plan one sync of a Job.

    Args:
        job: an unfinished Job of ours (see :func:`jobsworth.controller.sync_context.decide_sync`).
        pods: the Pods that the Job owns (see :mod:`jobsworth.controller.ownership`), in any form; one that
            is kept current makes the sync of a wide Job as cheap as that of a narrow one.
        memory: state kept from earlier syncs.
        now: seconds since 1970.
    """
    context = new_sync_context(job, pods, memory, now, settings)
    finished_condition = find_finished_condition(context)
    if finished_condition is not None:
        return _end(context, finished_condition)
    managed = memory.observed and not job.deleting
    scaling = manage_job(context) if managed else Scaling()
    return Plan(
        interim=None,
        deletions=scaling.deletions,
        creations=scaling.creations,
        action=scaling.action if managed else well_known_names.RECONCILING,
        because=explanation(context, scaling, managed=managed),
        _context=context,
        _finished_condition=None,
        _managed=managed,
        wait=scaling.wait,
    )


def _end(context: SyncContext, finished_condition: FinishedCondition) -> Plan:
    """Delete active Pods. Store the finished condition first: the deletions could change it."""
    status = context.job.status
    warnings = tuple(warning_events.restarted(context, finished_condition))
    interim = None
    if context.classified.active and _is_stored_first(finished_condition, context):
        interim = replace(status, start_time=context.started).with_condition(
            finished_condition.interim(context.second)
        )
        finished_condition = replace(finished_condition, stored=True)
    return Plan(
        interim=interim,
        deletions=tuple(Deletion(pod, untrack_first=False) for pod in context.classified.active),
        creations=(),
        action=well_known_names.RECONCILING,
        because=finished_condition.message,
        _context=context,
        _finished_condition=finished_condition,
        _managed=False,
        wait=None,
        _warnings=warnings,
    )


def _is_stored_first(finished_condition: FinishedCondition, context: SyncContext) -> bool:
    """Return True for a condition to store before the Job ends; before 1.31 only that of a policy."""
    return not finished_condition.stored and (
        not context.settings.ends_at_once
        or well_known_names.known_reason(finished_condition.reason)
        in (well_known_names.POD_FAILURE_POLICY, well_known_names.SUCCESS_POLICY)
    )


def _newly_failed(tracking: FinalizerTracking, before: Status) -> list[Pod]:
    """Return the Pods that this sync records as failed."""
    new = set(tracking.status.uncounted_failed).difference(before.uncounted_failed)
    return [pod for pod in tracking.finalizer_removals if pod.uid in new]
