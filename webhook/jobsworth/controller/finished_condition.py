"""Decide if a Job has succeeded or failed. A decision recorded in the status is final.

The checks run in the order of Kubernetes 1.36: stored condition, failure policy, backoff limit,
active deadline, index limits, success policy. Completion comes last, once the number of active Pods
is known (:func:`completed`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.controller.status import Condition
from jobsworth.controller.success_rules import matched_rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pod_classification import ClassifiedPods, Indexes


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


@dataclass(frozen=True, slots=True)
class FinishInput:
    """The input of the checks.

    Attributes:
        failed: counted failures, including those that the status does not have yet.
        started: time since which the Job is active; None if it is not.
        now: seconds since 1970.
    """

    job: Job
    classified: ClassifiedPods
    indexes: Indexes
    failed: int
    started: int | None
    now: float


def find_finished_condition(given: FinishInput) -> FinishedCondition | None:
    """Return the finished condition of a Job; None while it goes on."""
    for check in _CHECKS:
        finished_condition = check(given)
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


def _stored_success(given: FinishInput) -> FinishedCondition | None:
    return _stored(given.job, well_known_names.SUCCESS_CRITERIA_MET, success=True)


def _stored_failure(given: FinishInput) -> FinishedCondition | None:
    return _stored(given.job, well_known_names.FAILURE_TARGET, success=False)


def _stored(job: Job, kind: str, *, success: bool) -> FinishedCondition | None:
    for condition in job.status.conditions:
        if condition.type == kind and condition.holds:
            return FinishedCondition(success, condition.reason, condition.message, stored=True)
    return None


def _failure_policy(given: FinishInput) -> FinishedCondition | None:
    """Fail the Job for a Pod that matches a FailJob rule: the first to finish, then by name.

    Check counted Pods too, because the condition that they caused may not have been stored.
    """
    policy, classified = given.job.failure_policy, given.classified
    if policy is None or not policy.can_fail_job:
        return None
    match = classified.matcher.match
    fatal = [
        pod
        for pod in classified.pods
        if classified.failed(pod) and match(pod).action == well_known_names.FAIL_JOB
    ]
    if not fatal:
        return None
    pod = min(fatal, key=lambda pod: (pod.finished_at, pod.name))
    return FinishedCondition(False, well_known_names.POD_FAILURE_POLICY, match(pod).message(pod))


def _backoff_limit(given: FinishInput) -> FinishedCondition | None:
    job = given.job
    if given.failed > job.backoff_limit or _restarted_too_often(given):
        return FinishedCondition(False, *well_known_names.BACKOFF_LIMIT_EXCEEDED)
    return None


def _restarted_too_often(given: FinishInput) -> bool:
    """Return True if in-place container restarts have reached the backoff limit.

    A limit of n allows n failed Pods but only n - 1 restarts, as in Kubernetes.
    """
    job = given.job
    if not job.restarts_on_failure:
        return False
    restarts = sum(
        pod.restarts
        for pods in (given.classified.active, given.classified.terminating)
        for pod in pods
        if pod.phase in (well_known_names.RUNNING, well_known_names.PENDING)
    )
    return restarts >= max(job.backoff_limit, 1)


def _deadline(given: FinishInput) -> FinishedCondition | None:
    left = seconds_to_deadline(given.job, given.started, given.now)
    return (
        FinishedCondition(False, *well_known_names.DEADLINE_EXCEEDED)
        if left is not None and left <= 0
        else None
    )


def _index_limits(given: FinishInput) -> FinishedCondition | None:
    job, failed = given.job, len(given.indexes.failed)
    if not job.per_index or not failed:
        return None
    if job.max_failed_indexes is not None and failed > job.max_failed_indexes:
        return FinishedCondition(False, *well_known_names.MAX_FAILED_INDEXES_EXCEEDED)
    if failed + len(given.indexes.succeeded) >= job.size:
        return FinishedCondition(False, *well_known_names.FAILED_INDEXES)
    return None


def _success_policy(given: FinishInput) -> FinishedCondition | None:
    job = given.job
    if not job.indexed or not job.success_rules:
        return None
    rule = matched_rule(job.success_rules, given.indexes.succeeded, job.size)
    if rule is None:
        return None
    return FinishedCondition(
        True,
        well_known_names.SUCCESS_POLICY,
        well_known_names.SUCCESS_RULE_MATCHED.format(rule=rule),
    )


_CHECKS: tuple[Callable[[FinishInput], FinishedCondition | None], ...] = (
    _stored_success,
    _stored_failure,
    _failure_policy,
    _backoff_limit,
    _deadline,
    _index_limits,
    _success_policy,
)
