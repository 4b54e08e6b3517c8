"""Conditions of a Job: decide if it has succeeded or failed; set and announce suspend, resume and finish.

A decision recorded in the status is final. The checks run in the order of Kubernetes 1.36: stored condition,
failure policy, backoff limit, active deadline, index limits, success policy. Completion comes last, once the
number of active Pods is known (:func:`completed`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from jobsworth.controller import well_known_names
from jobsworth.controller.jobs import Job, matched_rule
from jobsworth.controller.signals import (
    JOB_COMPLETED,
    JOB_RESUMED,
    JOB_SUSPENDED,
    TOO_MANY_SUCCEEDED,
    WARNING,
    Event,
)
from jobsworth.controller.status import Condition, Status
from jobsworth.controller.sync_context import SyncContext


@dataclass(frozen=True, slots=True)
class FinishedCondition:
    """The condition with which a Job finishes.

    Attributes:
        success: True for Complete, False for Failed.
        stored: the status already has the interim condition.
    """

    success: bool
    reason: str
    message: str
    stored: bool = False

    def interim(self, now: int) -> Condition:
        """Return the condition to set while Pods still terminate: SuccessCriteriaMet or FailureTarget."""
        kind = (
            well_known_names.SUCCESS_CRITERIA_MET
            if self.success
            else well_known_names.FAILURE_TARGET
        )
        return Condition(kind, "True", self.reason, self.message, now, now)

    def terminal(self, now: int) -> Condition:
        """Return the terminal condition, with the reason and message of the interim condition."""
        kind = well_known_names.COMPLETE if self.success else well_known_names.JOB_FAILED
        return Condition(kind, "True", self.reason, self.message, now, now)


def find_finished_condition(context: SyncContext) -> FinishedCondition | None:
    """Return the finished condition of a Job; None while it goes on."""
    for check in _CHECKS:
        finished_condition = check(context)
        if finished_condition is not None:
            return finished_condition
    return None


def completed(job: Job, succeeded: int, active: int) -> FinishedCondition | None:
    """Return the success of a Job with enough `succeeded` Pods or indexes and no `active` Pods; else None."""
    enough = succeeded > 0 if job.completions is None else succeeded >= job.completions
    return (
        FinishedCondition(True, *well_known_names.COMPLETIONS_REACHED)
        if enough and active == 0
        else None
    )


def seconds_to_deadline(job: Job, started: int | None, now: float) -> float | None:
    """Return the seconds until activeDeadlineSeconds is exceeded; None if no deadline applies."""
    if job.active_deadline is None or job.suspended or started is None:
        return None
    return started + job.active_deadline - now


def _stored_success(context: SyncContext) -> FinishedCondition | None:
    return _stored(context.job, well_known_names.SUCCESS_CRITERIA_MET, success=True)


def _stored_failure(context: SyncContext) -> FinishedCondition | None:
    return _stored(context.job, well_known_names.FAILURE_TARGET, success=False)


def _stored(job: Job, kind: str, *, success: bool) -> FinishedCondition | None:
    for condition in job.status.conditions:
        if condition.type == kind and condition.holds:
            return FinishedCondition(success, condition.reason, condition.message, stored=True)
    return None


def _failure_policy(context: SyncContext) -> FinishedCondition | None:
    """Fail the Job for a Pod that matches a FailJob rule: the first to finish, then by name.

    Check counted Pods too, because the condition that they caused may not have been stored.
    """
    policy, classified = context.job.failure_policy, context.classified
    if policy is None or not policy.can_fail_job:
        return None
    match = classified.matcher.match
    fatal = [
        pod
        for pod in classified.not_active
        if classified.failed(pod) and match(pod).action == well_known_names.FAIL_JOB
    ]
    if not fatal:
        return None
    pod = min(fatal, key=lambda pod: (pod.finished_at, pod.name))
    return FinishedCondition(False, well_known_names.POD_FAILURE_POLICY, match(pod).message(pod))


def _backoff_limit(context: SyncContext) -> FinishedCondition | None:
    job = context.job
    if context.failed > job.backoff_limit or _restarted_too_often(context):
        return FinishedCondition(False, *well_known_names.BACKOFF_LIMIT_EXCEEDED)
    return None


def _restarted_too_often(context: SyncContext) -> bool:
    """Return True if in-place container restarts have reached the backoff limit.

    A limit of n allows n failed Pods but only n - 1 restarts, as in Kubernetes.
    """
    job = context.job
    if not job.restarts_on_failure:
        return False
    restarts = sum(
        pod.restarts
        for pods in (context.classified.active, context.classified.terminating)
        for pod in pods
        if pod.phase in (well_known_names.RUNNING, well_known_names.PENDING)
    )
    return restarts >= max(job.backoff_limit, 1)


def _deadline(context: SyncContext) -> FinishedCondition | None:
    left = seconds_to_deadline(context.job, context.active_since, context.now)
    return (
        FinishedCondition(False, *well_known_names.DEADLINE_EXCEEDED)
        if left is not None and left <= 0
        else None
    )


def _index_limits(context: SyncContext) -> FinishedCondition | None:
    job, failed = context.job, len(context.indexes.failed)
    if not job.per_index or not failed:
        return None
    if job.max_failed_indexes is not None and failed > job.max_failed_indexes:
        return FinishedCondition(False, *well_known_names.MAX_FAILED_INDEXES_EXCEEDED)
    if failed + len(context.indexes.succeeded) >= job.size:
        return FinishedCondition(False, *well_known_names.FAILED_INDEXES)
    return None


def _success_policy(context: SyncContext) -> FinishedCondition | None:
    job = context.job
    if not job.indexed or not job.success_rules:
        return None
    rule = matched_rule(job.success_rules, context.indexes.succeeded, job.size)
    if rule is None:
        return None
    return FinishedCondition(
        True,
        well_known_names.SUCCESS_POLICY,
        well_known_names.SUCCESS_RULE_MATCHED.format(rule=rule),
    )


_CHECKS: tuple[Callable[[SyncContext], FinishedCondition | None], ...] = (
    _stored_success,
    _stored_failure,
    _failure_policy,
    _backoff_limit,
    _deadline,
    _index_limits,
    _success_policy,
)


def with_suspension(context: SyncContext, status: Status) -> tuple[Status, tuple[Event, ...]]:
    """Set the Suspended condition, and return the status with the event, if the condition changed.

    A suspension clears the start time, and a resumption sets it again (KEP-2232).
    """
    suspended = context.job.suspended
    if not suspended and status.condition(well_known_names.SUSPENDED) is None:
        return status, ()
    reason, message = well_known_names.JOB_SUSPENDED if suspended else well_known_names.JOB_RESUMED
    now = context.second
    changed = status.with_condition(
        Condition(well_known_names.SUSPENDED, str(suspended), reason, message, now, now)
    )
    if changed is status:
        return status, ()
    if suspended:
        start = status.start_time if context.settings.keeps_start_time else None
        return replace(changed, start_time=start), (JOB_SUSPENDED,)
    return replace(changed, start_time=now), (JOB_RESUMED,)


def finish(context: SyncContext, status: Status, finished_condition: FinishedCondition) -> Status:
    """Return the status with the terminal condition.

    The API server requires a start time in it, which a suspended Job does not have, and a completion
    time that is not before the start time, which another controller may have set by a faster clock.
    """
    now, started = context.second, status.start_time
    if started is None and not (context.job.suspended and context.job.completions == 0):
        started = now
    status = replace(status, start_time=started).with_condition(finished_condition.terminal(now))
    if not finished_condition.success:
        return status
    return replace(status, completion_time=now if started is None else max(now, started))


def terminal_events(
    job: Job, status: Status, finished_condition: FinishedCondition
) -> tuple[Event, ...]:
    """Return the events for a Job that has finished."""
    if not finished_condition.success:
        return (Event(WARNING, finished_condition.reason, finished_condition.message),)
    if job.completions is not None and status.succeeded > job.completions:
        return (TOO_MANY_SUCCEEDED, JOB_COMPLETED)
    return (JOB_COMPLETED,)
