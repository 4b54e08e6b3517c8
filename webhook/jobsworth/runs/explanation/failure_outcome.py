"""The consequences of a failed Pod, as the Job controller's planner decides them.

The planner (:func:`jobsworth.controller.plan.plan`) runs on a Job that just started and has this one Pod.
Limits are found by running it again with more earlier failures: the consequence of the seventh failure is
not computed from ``backoffLimit``, it is what the planner does with a Job of six failures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from jobsworth.controller import well_known_names
from jobsworth.controller.backoff import BackoffRecord, index_remaining, remaining
from jobsworth.controller.failure_policy import FailurePolicyMatcher, Match
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job
from jobsworth.controller.plan import ActionResults, Memory, plan
from jobsworth.controller.pod_classification import classify_indexes, classify_pods
from jobsworth.controller.pods import ACTIVE, MAX_INT32, POD_FAILED, TERMINATING, Pod, Termination
from jobsworth.controller.settings import OURS, ControllerSettings
from jobsworth.controller.status import Status

Kind = Literal["failed", "restarted", "terminating", "pending", "succeeded"]

NOW = 1_767_225_600  # any second will do: only differences of times matter


@dataclass(frozen=True, slots=True)
class JobFailure:
    """The failure that ends the Job.

    Attributes:
        after: the number of such failures; 1 for the first. In-place restarts for ``restarted``.
        reason: the reason of the Job's Failed condition.
        message: its message; empty if it names a Pod.
    """

    after: int
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class FailedIndexLimit:
    """A number of failed indexes that fails the Job (KEP-3850, "Job completion").

    Attributes:
        count: the number of failed indexes; 1 for the first.
        reason: the reason of the Job's Failed condition.
        at_once: the Job fails while other indexes are left; otherwise once none is left to run.
    """

    count: int
    reason: str
    at_once: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """The consequences of a failed Pod.

    Attributes:
        kind: ``failed``: the Pod counts as failed; ``restarted``: the kubelet restarts the container in the
            same Pod; ``terminating``: the Job controller waits until the Pod has terminated;
            ``pending``: the Pod has not started, and is not failed; ``succeeded``: all containers exited 0.
        action: the action of the rule that matches; None without a match.
        rule: its index in its list; None without a match.
        by_annotation: the rule is one of the annotation that extends the API.
        counted: the failure counts towards the backoff limits.
        job_failure: the failures that end the Job; None if no number of them does.
        index_failure: the number of failures of one index after which it fails; None without such a limit.
        failed_index: the first limit of failed indexes that ends the Job; None without an index failure.
        delay: seconds from the end of the first such Pod to its replacement; None if it is not replaced.
    """

    kind: Kind
    action: str | None = None
    rule: int | None = None
    by_annotation: bool = False
    counted: bool = False
    job_failure: JobFailure | None = None
    index_failure: int | None = None
    failed_index: FailedIndexLimit | None = None
    delay: float | None = None

    @property
    def fails_index(self) -> bool:
        """True if the first such failure fails its index."""
        return self.index_failure == 1

    @property
    def behavior(self) -> Outcome:
        """The consequences alone: equal for two rules, at any index, that lead to the same."""
        return replace(self, rule=None, action=None, by_annotation=False)


def failed_pod(
    job: Job,
    terminations: tuple[Termination, ...] = (),
    conditions: tuple[str, ...] = (),
    *,
    name: str = "",
    phase: str = well_known_names.FAILED,
    state: int = POD_FAILED,
) -> Pod:
    """Return a Pod of the Job that ended at NOW: the first of the Job, with index 0 if it has indexes."""
    return Pod(
        namespace=job.namespace,
        name=name or f"{job.name}-{'0-' if job.indexed else ''}xxxxx",
        uid="pod",
        tracking=(job.finalizer,),
        phase=phase,
        state=state,
        gone_by=NOW + 30 if state == TERMINATING else 0,
        created=NOW - 60,
        finished_at=NOW,
        index=0 if job.indexed else -1,
        terminations=terminations,
        conditions=conditions,
    )


class Outcomes:
    """Computes the outcomes of the failed Pods of a Job; equal decisions are computed once.

    Args:
        settings: those of its controller, which delay replacements.
    """

    __slots__ = ("_job", "_known", "_settings")

    def __init__(self, job: Job, settings: ControllerSettings = OURS) -> None:
        self._settings = settings
        # One Pod at a time is enough: with more, each run of the planner creates up to 500 others.
        self._job = replace(job, parallelism=min(job.parallelism, 1))
        self._known: dict[object, Outcome] = {}

    def of(self, pod: Pod) -> Outcome:
        """Return the outcome of a Pod that has failed, terminates or is pending."""
        match = match_of(self._job, pod)
        key = (pod.state, pod.phase, match.action, match.position, match.by_reason)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _outcome(self._job, pod, match, self._settings)
        return known

    def restarted(self) -> Outcome:
        """Return the outcome of a container that the kubelet restarts in place."""
        known = self._known.get("restarted")
        if known is None:
            known = self._known["restarted"] = _restarted(self._job)
        return known


def match_of(job: Job, pod: Pod) -> Match:
    """Return the rule that matches a failed Pod, as the Job controller finds it."""
    return FailurePolicyMatcher(job.failure_policy).match(pod)


def job_failure_message(job: Job, pod: Pod) -> str:
    """Return the message of the Job's Failed condition if this Pod alone fails it; empty if not."""
    failure = _failure(_synced(job, pod))
    return "" if failure is None else failure[1]


def failed_index_limits(job: Job) -> tuple[FailedIndexLimit, ...]:
    """Return the numbers of failed indexes that fail the Job, smallest first; empty if they cannot fail.

    A Job with any failed index fails once no index is left to run (FailedIndexes); beside it,
    maxFailedIndexes may fail the Job earlier (MaxFailedIndexesExceeded).
    """
    if not job.per_index or job.size < 1:
        return ()
    job = replace(job, parallelism=min(job.parallelism, 1))

    def reason(count: int, succeeded: str = "") -> str | None:
        """Return the reason for which a Job with so many failed indexes fails."""
        failed = IndexSet(((0, count - 1),)).text
        status = Status(failed_indexes=failed, completed_indexes=succeeded)
        failure = _failure(_status_after_sync(replace(job, status=status), ()))
        return None if failure is None else failure[0]

    limits = []
    exceeded = well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0]
    count = _least(lambda number: reason(number) == exceeded, job.size)
    if count != 1:
        others = IndexSet(((1, job.size - 1),)).text if job.size > 1 else ""
        at_end = reason(1, others)
        if at_end is not None:
            limits.append(FailedIndexLimit(1, at_end, at_once=False))
    if count is not None:
        limits.append(FailedIndexLimit(count, exceeded, at_once=True))
    return tuple(limits)


def backoff_delays(settings: ControllerSettings, most: int = 8) -> list[float]:
    """Return the delays before the replacement after 1, 2, 3 … consecutive failures, up to the longest."""
    delays: list[float] = []
    for failures in range(1, most + 1):
        delay = remaining(failures, NOW, NOW, settings)
        if delays and delay == delays[-1]:
            break
        delays.append(delay)
    return delays


def _outcome(job: Job, pod: Pod, match: Match, settings: ControllerSettings) -> Outcome:
    if pod.state == ACTIVE:
        return Outcome("pending")
    classified = classify_pods(job, (pod,), frozenset())
    if pod.state not in (POD_FAILED, TERMINATING):
        return Outcome("succeeded")
    if not classified.failed(pod):
        return Outcome("terminating")
    job_failure = _job_failure(job, pod, match)
    index_failure = None
    if job.per_index and (match.counts or match.action == well_known_names.FAIL_INDEX):
        index_failure = _least(lambda number: _index_fails(job, pod, number), MAX_INT32)
    return Outcome(
        "failed",
        action=match.action,
        rule=None if match.action is None else match.position,
        by_annotation=match.by_reason,
        counted=match.counts,
        job_failure=job_failure,
        index_failure=index_failure,
        failed_index=None if index_failure is None else next(iter(failed_index_limits(job)), None),
        delay=_delay(job, pod, settings),
    )


def _restarted(job: Job) -> Outcome:
    def failure(restarts: int) -> tuple[str, str] | None:
        pod = failed_pod(job, phase=well_known_names.RUNNING, state=ACTIVE)
        return _failure(_synced(job, replace(pod, restarts=restarts)))

    after = _least(lambda restarts: failure(restarts) is not None, MAX_INT32)
    found = None if after is None else failure(after)
    if after is None or found is None:
        return Outcome("restarted")
    return Outcome("restarted", counted=True, job_failure=JobFailure(after, *found))


def _job_failure(job: Job, pod: Pod, match: Match) -> JobFailure | None:
    """Return the failure of the Job after enough such failures; None after no number of them."""
    first = _failure(_synced(job, pod))
    if first is not None:
        names_pod = match.action == well_known_names.FAIL_JOB
        return JobFailure(1, first[0], "" if names_pod else first[1])
    if not match.counts:
        return None

    def failure(number: int) -> tuple[str, str] | None:
        return _failure(_synced(job, pod, Status(failed=number - 1)))

    # The default backoffLimit beside backoffLimitPerIndex is the largest number: no limit in practice.
    after = _least(lambda number: failure(number) is not None, MAX_INT32)
    found = None if after is None else failure(after)
    return None if after is None or found is None else JobFailure(after, *found)


def _index_fails(job: Job, pod: Pod, number: int) -> bool:
    """Return True if the index fails when this is its failure of that number."""
    classified = classify_pods(job, (replace(pod, failure_count=number - 1),), frozenset())
    return 0 in classify_indexes(classified).failed


def _delay(job: Job, pod: Pod, settings: ControllerSettings) -> float | None:
    """Return the seconds until the planner replaces a Pod; None if it never does."""
    if job.per_index:
        delay = index_remaining(pod, NOW, settings)
    else:
        delay = BackoffRecord().after((), (pod,)).remaining(NOW, settings)
    created = plan(job, (pod,), Memory(), NOW + delay, settings).creations
    replaced = any(creation.index == 0 or not job.indexed for creation in created)
    return delay if replaced else None


def _synced(job: Job, pod: Pod, status: Status | None = None) -> Status:
    """Return the status that one sync of a Job with this Pod stores last."""
    return _status_after_sync(job if status is None else replace(job, status=status), (pod,))


def _status_after_sync(job: Job, pods: tuple[Pod, ...]) -> Status:
    planned = plan(job, pods, Memory(), NOW, OURS)
    deleted = frozenset(deletion.pod.uid for deletion in planned.deletions)
    record = planned.after(ActionResults(deleted=deleted, created=len(planned.creations)))
    conclusion = record.after(frozenset(pod.uid for pod in record.finalizer_removals))
    return conclusion.status or record.status or planned.interim or job.status


def _failure(status: Status) -> tuple[str, str] | None:
    """Return reason and message if a Job has failed, or fails once its Pods have terminated."""
    for kind in (well_known_names.JOB_FAILED, well_known_names.FAILURE_TARGET):
        condition = status.condition(kind)
        if condition is not None and condition.holds:
            return condition.reason, condition.message
    return None


def _least(holds: Callable[[int], bool], most: int) -> int | None:
    """Return the smallest number from 1 to `most` for which a monotonic predicate holds; None without one."""
    if not holds(most):
        return None
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
