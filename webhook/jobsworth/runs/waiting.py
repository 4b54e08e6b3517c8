"""The wait of an unfinished Job, simulated, recorded or real: for what, since when, and what ends it.

The planner's sentence (:mod:`jobsworth.controller.explanation`) says why it changes nothing; a table by that
sentence adds what would have to happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from jobsworth.controller import explanation, well_known_names
from jobsworth.controller.finished_condition import seconds_to_deadline
from jobsworth.controller.jobs import Job
from jobsworth.controller.plan import Memory, plan
from jobsworth.controller.pods import ACTIVE, POD_FAILED, TERMINATING, Pod
from jobsworth.controller.settings import BUILT_IN, ControllerSettings
from jobsworth.controller.times import write_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.messages import meaning_of
from jobsworth.runs.recorded.pending_pods import PendingReason, rejection_cause
from jobsworth.runs.recorded.pod_facts import KeptPod
from jobsworth.wording import listing


@dataclass(frozen=True, slots=True)
class Waiting:
    """The state of an unfinished Job. Times are seconds since 1970.

    Attributes:
        since: when the wait began; None if the Job and its Pods do not show it.
        detail: where this shows, in a few words; may be empty.
        ends_at: when the wait ends at the latest; None if nothing bounds it.
        deadline: when activeDeadlineSeconds fails the Job; None without a deadline.
        waits_for: what it waits for, as a noun phrase; empty for the one of the cause.
        ends: what ends the wait, as a clause after "when"; empty for the one of the cause.
        brief: what it waits for in a few words, where `waits_for` has many; empty otherwise.
        progress: how far its other Pods are; empty if none runs.
        fault: the wait is not intended, although other waits of this cause are: somebody has to act.
    """

    cause: Cause
    since: float | None = None
    detail: str = ""
    ends_at: float | None = None
    deadline: float | None = None
    waits_for: str = ""
    ends: str = ""
    brief: str = ""
    progress: str = ""
    fault: bool = False

    @property
    def details(self) -> str:
        """Where it shows, and the progress of the other Pods."""
        return "; ".join(filter(None, (self.detail, self.progress)))

    @property
    def waiting_for(self) -> str:
        """What it waits for, as a noun phrase."""
        return self.waits_for or self.cause.waits_for

    @property
    def ended_by(self) -> str:
        """What ends the wait, as a clause after "when"."""
        return self.ends or self.cause.ends

    @property
    def following(self) -> str:
        """What comes next, as the end of a sentence: a crash loop may also end the Job."""
        return f"{_ENDINGS.get(self.cause, 'goes on')} when {self.ended_by}"

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
        detail = f" ({self.details})" if self.details else ""
        return (
            f"waiting{since} for {self.waiting_for}{detail}; this ends when {self.ended_by}{ends_at}"
            f"{otherwise}"
        )


def fails_at(deadline: float) -> str:
    """Return that the deadline of a Job fails it at a time, as a clause."""
    return f"activeDeadlineSeconds fails the Job at {write_time(round(deadline))}"


_ENDINGS = {Cause.CRASH_LOOP: "ends", Cause.DELETING: "is gone"}


@dataclass(frozen=True, slots=True)
class Observations:
    """Facts that are known beside a Job and its Pods.

    Attributes:
        pending: by name of a Pod that is Pending, why.
        kept: by name of a running Pod whose work is over, what keeps it.
        rejected: the last message with which the API server rejected a Pod; empty without one.
        rejected_since: when it first did.
        away_since: when the controller of the Job stopped; None if it runs.
    """

    pending: Mapping[str, PendingReason] = field(default_factory=dict)
    kept: Mapping[str, KeptPod] = field(default_factory=dict)
    rejected: str = ""
    rejected_since: float | None = None
    away_since: float | None = None


NOTHING_ELSE = Observations()


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
        return replace(other_controller(job), since=job.status.start_time)
    if job.deleting:
        return Waiting(Cause.DELETING)
    finishing = _finishing(job)
    if finishing is not None:
        return finishing
    if seen.away_since is not None:
        return Waiting(Cause.CONTROLLER_AWAY, seen.away_since)
    memory = memory or Memory()
    planned = plan(job, pods, memory, now, settings)
    left = seconds_to_deadline(job, job.status.start_time, now)
    deadline = None if left is None else now + left
    standstill = _Standstill(job, pods, now, memory, seen, planned.because, planned.wait)
    found = _BY_REASON.get(planned.because, _running)(standstill)
    return found if job.suspended else replace(found, deadline=deadline)


def other_controller(job: Job) -> Waiting:
    """Return the wait of a Job for the controller that its spec.managedBy names."""
    manager = f"the controller {job.managed_by}, which spec.managedBy names"
    return Waiting(Cause.OTHER_CONTROLLER, waits_for=manager)


def _finishing(job: Job) -> Waiting | None:
    """Return what a Job waits for whose end is decided."""
    for kind, then in (
        (well_known_names.FAILURE_TARGET, well_known_names.JOB_FAILED),
        (well_known_names.SUCCESS_CRITERIA_MET, well_known_names.COMPLETE),
    ):
        condition = job.status.condition(kind)
        if condition is not None and condition.holds:
            return Waiting(
                Cause.TERMINATING,
                condition.changed,
                condition.reason,
                waits_for=f"terminating Pods before it is {then}",
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
    return Waiting(Cause.SUSPENDED, since, "spec.suspend is true")


def _no_parallelism(given: _Standstill) -> Waiting:
    return Waiting(
        Cause.NO_PARALLELISM, given.job.status.start_time, detail="spec.parallelism is 0"
    )


def _backing_off(given: _Standstill) -> Waiting:
    backoff = given.memory.backoff
    last = None if backoff is None else backoff.last
    if last is None:
        last = max((pod.finished_at for pod in given.those(POD_FAILED)), default=None)
    ends_at = None if given.backoff is None else given.now + given.backoff
    return Waiting(Cause.BACKING_OFF, last, ends_at=ends_at)


def rejected_wait(message: str, since: float | None = None) -> Waiting:
    """Return the wait of a Job whose Pods the API server rejects with a message."""
    cause = rejection_cause(message)
    meaning = meaning_of(cause, message)
    waits_for, ends = meaning.fill(meaning.entry.waits_for), meaning.fill(meaning.entry.ends)
    return Waiting(cause, since, message, waits_for=waits_for, ends=ends)


def _too_few(given: _Standstill) -> Waiting:
    seen = given.seen
    if seen.rejected:
        return rejected_wait(seen.rejected, seen.rejected_since)
    active = given.those(ACTIVE)
    if active and all(pod.name in seen.pending for pod in active):
        return _pending(given)
    return Waiting(
        Cause.SYNCING,
        waits_for="Pods that its controller is about to create",
        ends="the controller syncs the Job",
    )


FAILED_FIRST = "they have ended (after the loss of their node: when its Node object is deleted)"
"""What ends the wait for terminating Pods under podReplacementPolicy: Failed.

A Pod that is deleted by force keeps the finalizer of the Job until it has Failed, which the Pod garbage
collector sets for a Pod without a Node (KEP-3939; pkg/controller/podgc, 1.36).
"""


def _terminating(given: _Standstill) -> Waiting:
    since = min((pod.finished_at for pod in given.those(TERMINATING)), default=None)
    replaced = given.because == explanation.REPLACED_WHEN_TERMINATED
    detail = "podReplacementPolicy is Failed: they are replaced only then" if replaced else ""
    return Waiting(Cause.TERMINATING, since, detail, ends=FAILED_FIRST if replaced else "")


def _pending(given: _Standstill) -> Waiting:
    """Return the wait of a Job all of whose active Pods are Pending, for the reason of most of them."""
    active, known = given.those(ACTIVE), given.seen.pending
    since = min(pod.created for pod in active)
    reasons = Counter(known[pod.name] for pod in active if pod.name in known)
    if not reasons:
        return Waiting(Cause.PENDING, since, "all active Pods are Pending")
    reason, number = reasons.most_common(1)[0]
    who = f"{number} of {len(active)} active Pods"
    if len(active) == 1:
        who = f"Pod {active[0].name}"
    words = reason.words or "no reason is reported yet"
    return Waiting(
        reason.cause, since, f"{who}: {words}", waits_for=reason.waits_for, ends=reason.ends
    )


def _running(given: _Standstill) -> Waiting:
    running = [pod for pod in given.those(ACTIVE) if pod.phase != well_known_names.PENDING]
    if not running:
        return Waiting(Cause.SYNCING, detail=given.because)
    kept = {pod.name: each for pod in running if (each := given.seen.kept.get(pod.name))}
    if len(kept) == len(running):
        return kept_waiting(kept)
    return Waiting(
        Cause.RUNNING, min((pod.ready and pod.ready_since) or pod.created for pod in running)
    )


def kept_waiting(kept: Mapping[str, KeptPod]) -> Waiting:
    """Return the wait of a Job whose running Pods are all kept by containers that run on.

    Args:
        kept: by name of the Pod; at least one.
    """
    name, first = min(kept.items(), key=lambda each: (each[1].done.at or 0, each[0]))
    times = [each.done.at for each in kept.values() if each.done.at is not None]
    keeping = listing(first.keeping)
    whose = f"Pod {name}" if len(kept) == 1 else f"{len(kept)} Pods, such as {name}"
    noun, verb = ("container", "runs") if len(first.keeping) == 1 else ("containers", "run")
    exits = "exits" if len(first.keeping) == 1 else "exit"
    return Waiting(
        Cause.CONTAINER_RUNS_ON,
        max(times, default=None),
        waits_for=f"{noun} {keeping} of {whose}, which {verb} on after {first.how}",
        ends=f"{keeping} {exits}, or the {'Pod is' if len(kept) == 1 else 'Pods are'} deleted",
        brief=f"{noun} {keeping}: {first.how}",
    )


_BY_REASON: dict[str, Callable[[_Standstill], Waiting]] = {
    explanation.SUSPENDED: _suspended,
    explanation.NO_PARALLELISM: _no_parallelism,
    explanation.BACKING_OFF: _backing_off,
    explanation.TOO_FEW: _too_few,
    explanation.REPLACED_WHEN_TERMINATED: _terminating,
    explanation.TERMINATING: _terminating,
    explanation.ALL_PENDING: _pending,
}
