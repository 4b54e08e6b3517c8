"""The sentence for a Job that goes on: what it waits for, and what would end it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.controller.pods import ACTIVE, TERMINATING
from jobsworth.controller.settings import settings_of
from jobsworth.controller.times import write_time
from jobsworth.controller.well_known_names import RUNNING
from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.whatif.pending_causes import PENDING_CAUSES
from jobsworth.whatif.waiting import Observations, Waiting, waiting_of
from jobsworth.whatif.why.numbers_in_words import finalizers, number_of
from jobsworth.whatif.why.pods.pending_pods import (
    CRASH_LOOP,
    CRASHING,
    GATED,
    PendingReason,
    pending_reason,
    rejection,
)

if TYPE_CHECKING:
    from jobsworth.controller.jobs import Job
    from jobsworth.controller.pods import Pod
    from jobsworth.whatif.replay.recording import RecordedPod
    from jobsworth.whatif.why.job_snapshot import JobSnapshot

SUSPENDED, REJECTED, WAITING, RUNS = "suspended", "rejected", "waiting", "running"


class Standing(NamedTuple):
    """The state of an unfinished Job.

    Attributes:
        cause: stable: a name of PENDING_CAUSES, ``gated``, ``starting``, ``volume``, or SUSPENDED, REJECTED,
            CRASHING, RUNS, WAITING.
        waiting: what it waits for.
        sentence: the clauses after "the Job".
    """

    cause: str
    waiting: Waiting | None
    sentence: str


def standing(snapshot: JobSnapshot) -> Standing:
    """Return what an unfinished Job waits for."""
    recording = snapshot.recording
    job = recording.job
    views = [pod.view for pod in recording.pods]
    reasons = pending_reasons(snapshot)
    rejected = rejection(recording.events)
    seen = Observations(
        pending={
            name: each.cause for name, each in reasons.items() if each.cause in PENDING_CAUSES
        },
        rejected="" if rejected is None else rejected.message,
        rejected_since=None if rejected is None else rejected.since,
    )
    waiting = waiting_of(job, views, snapshot.now, settings=settings_of(job.managed_by), seen=seen)
    if waiting is None:  # only a finished Job waits for nothing
        return Standing(WAITING, None, "has finished")
    if snapshot.partial and not _shows_without_pods(job, waiting):
        return _partial(snapshot)
    cause, waiting = _detailed(snapshot, waiting, views, reasons, rejected=rejected is not None)
    return Standing(cause, waiting, f"is {waiting.sentence(_shown)}")


def _shows_without_pods(job: Job, waiting: Waiting) -> bool:
    """Return True for a wait that is certain although not all Pods are known."""
    if waiting.reason in ("Quota", "PodsRejected"):
        return not job.status.active
    return waiting.reason in ("OtherController", "Deleting", "Suspended", "NoParallelism")


def pending_reasons(snapshot: JobSnapshot) -> dict[str, PendingReason]:
    """Return why each active Pod that has not started is Pending, by name."""
    return {
        pod.name: pending_reason(snapshot.facts_of(pod), snapshot.events_of(pod.name))
        for pod in snapshot.recording.pods
        if pod.view.state == ACTIVE and pod.view.phase != RUNNING
    }


def _detailed(
    snapshot: JobSnapshot,
    waiting: Waiting,
    views: list[Pod],
    reasons: Mapping[str, PendingReason],
    *,
    rejected: bool,
) -> tuple[str, Waiting]:
    """Return the cause, and the wait with what the Pods themselves say of it."""
    job = snapshot.recording.job
    active = [pod for pod in views if pod.state == ACTIVE]
    if job.suspended and waiting.reason == "Suspended":
        return SUSPENDED, _queued(snapshot, waiting)
    if active and all(pod.name in reasons for pod in active):
        (reason, number) = Counter(reasons.values()).most_common(1)[0]
        if reason.cause != CRASHING:
            return reason.cause, _starting(waiting, reason, number, active)
    crashing = _crash_loop(snapshot)
    if crashing:
        limited = f"backoffLimit {job.backoff_limit} is reached, or "
        ends = f"{limited if job.restarts_on_failure else ''}the container no longer fails"
        found = replace(waiting, waiting_for=crashing, ended_by=ends, ends_at=None, detail="")
        return CRASHING, found
    names = snapshot.recording.manifest["metadata"].get("finalizers")
    if waiting.reason == "Deleting" and names:
        waiting = replace(waiting, detail=f"held by {finalizers(names)}")
    terminating = [pod for pod in snapshot.recording.pods if pod.view.state == TERMINATING]
    if not active and terminating and waiting.reason in ("Terminating", "Deleting"):
        return "terminating", replace(
            waiting, detail=_held(snapshot, terminating[0]) or waiting.detail
        )
    if not active and rejected:
        return REJECTED, waiting
    if any(pod.phase == RUNNING for pod in active):
        return RUNS, replace(waiting, detail=_progress(snapshot, active, reasons))
    return WAITING, waiting


def _queued(snapshot: JobSnapshot, waiting: Waiting) -> Waiting:
    """Return the wait of a suspended Job; one in a queue is resumed by Kueue alone."""
    labels = snapshot.recording.manifest["metadata"].get("labels") or {}
    queue = labels.get(QUEUE_LABEL)
    if not queue:
        return waiting
    return replace(
        waiting,
        waiting_for=f"its admission by Kueue, in queue {queue}",
        ended_by="Kueue admits its Workload (kubectl describe workloads says what it lacks)",
    )


def _starting(waiting: Waiting, reason: PendingReason, number: int, active: list[Pod]) -> Waiting:
    """Return the wait of a Job all of whose active Pods are Pending, with the reason of most of them."""
    detail = f"{number} of {number_of(len(active), 'active Pod')}"
    if len(active) == 1:
        detail = f"Pod {active[0].name}"
    if reason.cause == GATED:
        waiting = replace(
            waiting,
            waiting_for="the removal of scheduling gates",
            ended_by="the controller that set the gates removes them",
        )
    elif reason.ends:
        waiting = replace(waiting, ended_by=reason.ends)
    words = reason.words or "no reason is reported yet"
    return replace(waiting, detail=f"{detail}: {words}")


def _crash_loop(snapshot: JobSnapshot) -> str:
    """Return a noun phrase for a container that fails again and again in place; empty without one."""
    for pod in snapshot.recording.pods:
        facts = snapshot.facts_of(pod)
        crashing = [each.name for each in facts.waiting if each.reason == CRASH_LOOP]
        if pod.view.state != ACTIVE:
            continue
        for last in [each for each in facts.last_runs if each.container in crashing]:
            reason = f", {last.reason}" if last.reason not in ("", "Error") else ""
            shown = (
                f"{number_of(last.restarts, 'restart')}, last exit code {last.exit_code}{reason}"
            )
            kind = "init container" if last.container in facts.init_containers else "container"
            return (
                f"{kind} {last.container} of Pod {pod.name}, which fails again and again "
                f"({CRASH_LOOP}: {shown})"
            )
    return ""


def _held(snapshot: JobSnapshot, pod: RecordedPod) -> str:
    """Return what keeps a terminating Pod, if its object says it."""
    facts = snapshot.facts_of(pod)
    parts = [f"Pod {pod.name}"]
    if facts.node:
        parts.append(f"on node {facts.node}")
    if facts.finalizers:
        parts.append(f"held by {finalizers(facts.finalizers)}")
    elif snapshot.now > pod.view.gone_by > 0:
        parts.append(
            "beyond its grace period: the kubelet of the node does not answer, or the Pod hangs"
        )
    return " ".join(parts)


def _progress(
    snapshot: JobSnapshot, active: list[Pod], reasons: Mapping[str, PendingReason]
) -> str:
    job = snapshot.recording.job
    running = sum(pod.phase == RUNNING for pod in active)
    parts = [f"{number_of(running, 'Pod')} {'runs' if running == 1 else 'run'}"]
    if reasons:
        (reason, number) = Counter(reasons.values()).most_common(1)[0]
        parts.append(f"{number} pending" + (f" ({reason.words})" if reason.words else ""))
    if job.completions is not None:
        noun = "indexes" if job.indexed else "completions"
        parts.append(f"{job.status.succeeded} of {job.completions} {noun} succeeded")
    restarted = _most_restarted(snapshot)
    if restarted:
        parts.append(restarted)
    return ", ".join(parts)


def _most_restarted(snapshot: JobSnapshot) -> str:
    """Return the container that was restarted most in a Pod that runs, as a phrase; empty without one."""
    runs = [
        (last, pod.name)
        for pod in snapshot.recording.pods
        for last in snapshot.facts_of(pod).last_runs
        if pod.view.state == ACTIVE and last.restarts and last.exit_code
    ]
    if not runs:
        return ""
    last, name = max(runs, key=lambda run: run[0].restarts)
    reason = f", {last.reason}" if last.reason not in ("", "Error") else ""
    return (
        f"container {last.container} of Pod {name} with {number_of(last.restarts, 'restart')}, "
        f"last exit code {last.exit_code}{reason}"
    )


def _partial(snapshot: JobSnapshot) -> Standing:
    """Return the state of a Job with too many Pods to read: by its status, and by the Pods that were read."""
    job = snapshot.recording.job
    reasons = Counter(pending_reasons(snapshot).values())
    parts = [f"{number_of(job.status.active, 'active Pod')} by its status"]
    if job.completions is not None:
        parts.append(f"{job.status.succeeded} of {job.completions} succeeded")
    if not reasons or (job.status.ready or 0) > 0:
        denied = "Pods" in snapshot.denied
        unread = "its Pods cannot be listed" if denied else "not all Pods were read"
        return Standing(RUNS, None, f"goes on ({', '.join(parts)}; {unread})")
    reason, number = reasons.most_common(1)[0]
    words = reason.words or "they have not started"
    text = (
        f"goes on ({', '.join(parts)}); of the Pods that were read, {number} are Pending: {words}"
    )
    return Standing(reason.cause, None, text)


def _shown(time: float) -> str:
    return write_time(round(time))
