"""The wait of an unfinished Job, simulated, recorded or real: for what, since when, and what ends it.

The planner's sentence (:mod:`jobsworth.controller.explanation`) says why it changes nothing; a table by that
sentence adds what would have to happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from jobsworth.controller import explanation, well_known_names
from jobsworth.controller.finished_condition import seconds_to_deadline
from jobsworth.controller.plan import Memory, plan
from jobsworth.controller.pods import ACTIVE, POD_FAILED, TERMINATING
from jobsworth.controller.settings import BUILT_IN
from jobsworth.whatif.pending_causes import (
    IMAGE_PULL,
    MISSING_CONFIG,
    PENDING_CAUSES,
    QUOTA,
    UNSCHEDULABLE,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pods import Pod
    from jobsworth.controller.settings import ControllerSettings

WaitReason = Literal[
    "OtherController",
    "Deleting",
    "Terminating",
    "ControllerAway",
    "Suspended",
    "NoParallelism",
    "BackingOff",
    "PodsRejected",
    "Quota",
    "ImagePull",
    "Unschedulable",
    "MissingConfig",
    "Pending",
    "Running",
    "Syncing",
]
"""The kinds of a wait, for programs."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """The state of an unfinished Job. Times are seconds since 1970.

    Attributes:
        waiting_for: what it waits for, as a noun phrase.
        since: when the wait began; None if the Job and its Pods do not show it.
        detail: where this shows, in a few words; may be empty.
        ended_by: what ends the wait, as a clause after "when".
        ends_at: when that happens at the latest; None if nothing bounds it.
        deadline: when activeDeadlineSeconds fails the Job; None without a deadline.
        reason: the kind of the wait.
    """

    waiting_for: str
    since: float | None
    ended_by: str
    ends_at: float | None = None
    deadline: float | None = None
    detail: str = ""
    reason: WaitReason = "Syncing"

    @property
    def hangs(self) -> bool:
        """True if no timer of the controller ends the wait."""
        return self.ends_at is None and self.deadline is None

    def sentence(self, shown: Callable[[float], str]) -> str:
        """Return the state in one sentence.

        Args:
            shown: returns a time as text.
        """
        since = "" if self.since is None else f" since {shown(self.since)}"
        ends_at = "" if self.ends_at is None else f" (at {shown(self.ends_at)})"
        if self.deadline is not None:
            otherwise = f"; activeDeadlineSeconds fails the Job at {shown(self.deadline)}"
        else:
            otherwise = "; nothing else ends it" if self.hangs else ""
        detail = f" ({self.detail})" if self.detail else ""
        return (
            f"waiting{since} for {self.waiting_for}{detail}; this ends when {self.ended_by}{ends_at}"
            f"{otherwise}"
        )


@dataclass(frozen=True, slots=True)
class Observations:
    """Facts that are known beside a Job and its Pods.

    Attributes:
        pending: by name of a Pod, the cause for which it is Pending
            (:data:`jobsworth.whatif.pending_causes.PENDING_CAUSES`).
        rejected: the last message with which the API server rejected a Pod; empty without one.
        rejected_since: when it first did.
        away_since: when the controller of the Job stopped; None if it runs.
    """

    pending: Mapping[str, str] = field(default_factory=dict)
    rejected: str = ""
    rejected_since: float | None = None
    away_since: float | None = None


NOTHING_ELSE = Observations()
_TERMINATED = (
    "they have terminated (after the loss of their node: when its Node object is deleted, or the Pods with "
    "kubectl delete --force)"
)


def waiting_of(
    job: Job,
    pods: Sequence[Pod],
    now: float,
    *,
    settings: ControllerSettings = BUILT_IN,
    memory: Memory | None = None,
    seen: Observations = NOTHING_ELSE,
) -> Waiting | None:
    """Return what a Job waits for; None if it has finished.

    Args:
        pods: the Pods that the Job owns.
        now: seconds since 1970.
        settings: those of the controller that is to run the Job.
        memory: what that controller remembers; by default, what a restarted one derives from the Pods.
    """
    if job.finished:
        return None
    if not settings.manages(job.managed_by):
        return Waiting(
            f"the controller {job.managed_by}, which spec.managedBy names",
            job.status.start_time,
            "that controller acts: Kubernetes' own leaves the Job alone",
            reason="OtherController",
        )
    if job.deleting:
        return Waiting(
            "its own deletion",
            None,
            "its finalizers are removed and its dependents are gone",
            reason="Deleting",
        )
    finishing = _finishing(job)
    if finishing is not None:
        return finishing
    if seen.away_since is not None:
        return Waiting(
            "its controller, which does not run",
            seen.away_since,
            "kube-controller-manager runs",
            reason="ControllerAway",
        )
    memory = memory or Memory()
    planned = plan(job, pods, memory, now, settings)
    left = seconds_to_deadline(job, job.status.start_time, now)
    deadline = None if left is None else now + left
    standstill = _Standstill(job, pods, now, memory, seen, planned.because, planned.wait)
    found = _BY_REASON.get(planned.because, _running)(standstill)
    return found if job.suspended else replace(found, deadline=deadline)


def _finishing(job: Job) -> Waiting | None:
    """Return what a Job waits for whose end is decided."""
    for kind, then in (
        (well_known_names.FAILURE_TARGET, well_known_names.JOB_FAILED),
        (well_known_names.SUCCESS_CRITERIA_MET, well_known_names.COMPLETE),
    ):
        condition = job.status.condition(kind)
        if condition is not None and condition.holds:
            return Waiting(
                f"terminating Pods before it is {then}",
                condition.changed,
                _TERMINATED,
                detail=condition.reason,
                reason="Terminating",
            )
    return None


@dataclass(frozen=True, slots=True)
class _Standstill:
    """A Job at a sync of its planner, and the planner's reason."""

    job: Job
    pods: Sequence[Pod]
    now: float
    memory: Memory
    seen: Observations
    because: str
    backoff: float | None

    def those(self, state: int) -> list[Pod]:
        return [pod for pod in self.pods if pod.state == state]


def _suspended(given: _Standstill) -> Waiting:
    condition = given.job.status.condition(well_known_names.SUSPENDED)
    since = None if condition is None else condition.changed
    detail = "spec.suspend is true"
    return Waiting(
        "the Job to be resumed", since, "it is set to false", detail=detail, reason="Suspended"
    )


def _no_parallelism(given: _Standstill) -> Waiting:
    return Waiting(
        "a parallelism above 0",
        given.job.status.start_time,
        "it is raised",
        detail="spec.parallelism is 0",
        reason="NoParallelism",
    )


def _backing_off(given: _Standstill) -> Waiting:
    backoff = given.memory.backoff
    last = None if backoff is None else backoff.last
    if last is None:
        last = max((pod.finished_at for pod in given.those(POD_FAILED)), default=None)
    ends_at = None if given.backoff is None else given.now + given.backoff
    return Waiting("the backoff after a failure", last, "it is over", ends_at, reason="BackingOff")


def _too_few(given: _Standstill) -> Waiting:
    seen = given.seen
    if not seen.rejected:
        return Waiting(
            "Pods that its controller is about to create", None, "the controller syncs the Job"
        )
    ends = "the reason in the message is gone: the controller tries again by itself"
    reason: WaitReason = "PodsRejected"
    if "quota" in seen.rejected:
        ends, reason = PENDING_CAUSES[QUOTA].ends, "Quota"
    return Waiting(
        PENDING_CAUSES[QUOTA].waits_for,
        seen.rejected_since,
        ends,
        detail=seen.rejected,
        reason=reason,
    )


def _terminating(given: _Standstill) -> Waiting:
    since = min((pod.finished_at for pod in given.those(TERMINATING)), default=None)
    replaced = given.because == explanation.REPLACED_WHEN_TERMINATED
    detail = "podReplacementPolicy is Failed: they are replaced only then" if replaced else ""
    return Waiting(
        "terminating Pods to terminate", since, _TERMINATED, detail=detail, reason="Terminating"
    )


def _pending(given: _Standstill) -> Waiting:
    active, known = given.those(ACTIVE), given.seen.pending
    since = min(pod.created for pod in active)
    causes = Counter(known[pod.name] for pod in active if pod.name in known)
    if causes:
        name = causes.most_common(1)[0][0]
        cause = PENDING_CAUSES[name]
        detail = f"all active Pods are Pending: {cause.reason}"
        return Waiting(
            cause.waits_for, since, cause.ends, detail=detail, reason=_PENDING_REASONS[name]
        )
    return Waiting(
        "a start of its Pods",
        since,
        "the kubelet starts them: the conditions and container statuses of the Pods say what is missing",
        detail="all active Pods are Pending",
        reason="Pending",
    )


def _running(given: _Standstill) -> Waiting:
    running = [pod for pod in given.those(ACTIVE) if pod.phase != well_known_names.PENDING]
    if not running:
        return Waiting("the next sync of its controller", None, "it comes", detail=given.because)
    since = min(pod.ready_since or pod.created for pod in running)
    return Waiting("running Pods to exit", since, "they do", reason="Running")


_PENDING_REASONS: dict[str, WaitReason] = {
    IMAGE_PULL: "ImagePull",
    UNSCHEDULABLE: "Unschedulable",
    MISSING_CONFIG: "MissingConfig",
    QUOTA: "Quota",
}
_BY_REASON: dict[str, Callable[[_Standstill], Waiting]] = {
    explanation.SUSPENDED: _suspended,
    explanation.NO_PARALLELISM: _no_parallelism,
    explanation.BACKING_OFF: _backing_off,
    explanation.TOO_FEW: _too_few,
    explanation.REPLACED_WHEN_TERMINATED: _terminating,
    explanation.TERMINATING: _terminating,
    explanation.ALL_PENDING: _pending,
}
