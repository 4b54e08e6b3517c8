"""The sentence for a Job that goes on: what it waits for, and what would end it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job
from jobsworth.controller.pods import ACTIVE, TERMINATING, Pod
from jobsworth.controller.settings import settings_of
from jobsworth.controller.times import read_time, write_time
from jobsworth.controller.well_known_names import RUNNING
from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.kept_pods import crashing, in_crash_loop, kept_pod
from jobsworth.runs.recorded.messages import BOUND, OWN_CLAIMS, meaning_of
from jobsworth.runs.recorded.pending_pods import (
    BACK_OFF,
    NODE_NOT_READY,
    PendingReason,
    pending_reason,
    rejection,
)
from jobsworth.runs.recorded.pod_facts import CRASH_LOOP, KeptPod, LastRun, PodFacts
from jobsworth.runs.recorded.recording import RecordedPod, Recording
from jobsworth.runs.waiting import Observations, Waiting, waiting_of
from jobsworth.runs.why.clauses import doomed_clause, finalizers
from jobsworth.wording import count, listing

_ON_A_NODE = (
    Cause.IMAGE_PULL,
    Cause.MISSING_CONFIG,
    Cause.VOLUME,
    Cause.START_ERROR,
    Cause.SANDBOX,
)
"""Waits of a Pod that cannot begin before it has a node."""


class Standing(NamedTuple):
    """The state of an unfinished Job.

    Attributes:
        waiting: what it waits for; None if that is not known.
        sentence: the clauses after "the Job".
        doomed: why it can only fail, as a clause; empty if it can complete.
    """

    cause: Cause
    waiting: Waiting | None
    sentence: str
    doomed: str = ""


def standing(recording: Recording) -> Standing:
    """Return what an unfinished Job waits for."""
    job = recording.job
    views = [pod.view for pod in recording.pods]
    reasons = pending_reasons(recording)
    rejected = rejection(recording.events)
    kept = kept_pods(recording)
    seen = Observations(
        pending=reasons,
        kept={name: each for name, each in kept.items() if each.decided},
        rejected="" if rejected is None else rejected.message,
        rejected_since=None if rejected is None else rejected.since,
    )
    waiting = waiting_of(job, views, recording.now, settings=settings_of(job.managed_by), seen=seen)
    if waiting is None:  # only a finished Job waits for nothing
        return Standing(Cause.COMPLETE, None, "has finished")
    doomed = doomed_clause(job, IndexSet.read(job.status.failed_indexes, job.size))
    also = doomed and f"; {doomed}"
    if recording.partial and not _shows_without_pods(job, waiting):
        found = _partial(recording)
        return found._replace(sentence=found.sentence + also, doomed=doomed)
    waiting = _detailed(recording, waiting, views, reasons, kept)
    return Standing(waiting.cause, waiting, f"is {waiting.sentence(time_text)}{also}", doomed)


def remaining(recording: Recording) -> Waiting | None:
    """Return what a Job waits for whose end is decided; None if that is unknown.

    One that has finished waits only for its deletion, if that was requested.
    """
    job, end = recording.job, recording.end
    if end is None:
        return None
    if end.finished is not None:
        return _deletion(recording, Waiting(Cause.DELETING)) if job.deleting else None
    states: dict[str, list[RecordedPod]] = {}
    for pod in recording.pods:
        if pod.view.state in (ACTIVE, TERMINATING):
            states.setdefault("active" if pod.view.state == ACTIVE else "terminating", []).append(
                pod
            )
        elif pod.facts.tracked:
            states.setdefault("tracked", []).append(pod)
    kind = "Complete" if end.success else "Failed"
    if pods := states.get("terminating"):
        detail = _held(recording, pods[0]) + (
            f", and {len(pods) - 1} more" if len(pods) > 1 else ""
        )
        wait = f"terminating Pods before it is {kind}"
        more = f" and {len(pods) - 1} more" if len(pods) > 1 else ""
        return Waiting(
            Cause.TERMINATING,
            end.decided,
            detail,
            _grace_end(recording, pods),
            waits_for=wait,
            ends=_ending(recording, pods),
            brief=f"Pod {pods[0].name}{more} to terminate",
        )
    for state, task in (("active", "delete"), ("tracked", "record")):
        if pods := states.get(state):
            whose = f"Pod {pods[0].name}" if len(pods) == 1 else f"{len(pods)} Pods"
            wait = f"its controller to {task} {whose}"
            whole = f"{wait} before it is {kind}"
            ends = "the controller syncs the Job"
            return Waiting(Cause.SYNCING, end.decided, waits_for=whole, ends=ends, brief=wait)
    if recording.partial and job.status.terminating:
        detail = count(job.status.terminating, "terminating Pod")
        wait = f"terminating Pods before it is {kind}"
        return Waiting(Cause.TERMINATING, end.decided, detail, waits_for=wait)
    return None


def _shows_without_pods(job: Job, waiting: Waiting) -> bool:
    """Return True for a wait that is certain although not all Pods are known."""
    if waiting.cause in (Cause.QUOTA, Cause.PODS_REJECTED):
        return not job.status.active
    return waiting.cause in (
        Cause.OTHER_CONTROLLER,
        Cause.DELETING,
        Cause.SUSPENDED,
        Cause.NO_PARALLELISM,
    )


def pending_reasons(recording: Recording) -> dict[str, PendingReason]:
    """Return why each active Pod that has not started is Pending, by name."""
    return {
        pod.name: pending_reason(pod.facts, recording.events_of(pod.name))
        for pod in recording.pods
        if pod.view.state == ACTIVE and pod.view.phase != RUNNING
    }


def stalled_causes(recording: Recording) -> list[Cause]:
    """Return why some Pods of a Job do not start, or crash, while it goes on in others."""
    reasons = Counter(each.cause for each in pending_reasons(recording).values() if each.detail)
    crash = any(
        in_crash_loop(pod.facts)
        for pod in recording.pods
        if pod.view.state == ACTIVE and pod.view.phase == RUNNING
    )
    return [cause for cause, _ in reasons.most_common()] + [Cause.CRASH_LOOP] * crash


def kept_pods(recording: Recording) -> dict[str, KeptPod]:
    """Return what keeps each running Pod of which a container has ended for good, by name of the Pod."""
    template = recording.manifest["spec"]["template"].get("spec") or {}
    found = {
        pod.name: kept_pod(pod.facts, template)
        for pod in recording.pods
        if pod.view.state == ACTIVE and pod.view.phase == RUNNING
    }
    return {name: each for name, each in found.items() if each is not None}


def _detailed(
    recording: Recording,
    waiting: Waiting,
    views: list[Pod],
    reasons: Mapping[str, PendingReason],
    kept: Mapping[str, KeptPod],
) -> Waiting:
    """Return the wait with what the Pods themselves say of it."""
    job = recording.job
    active = [pod for pod in views if pod.state == ACTIVE]
    if waiting.cause == Cause.SUSPENDED:
        return _queued(recording, waiting)
    gang = recording.queue
    if gang is not None and waiting.cause in (
        Cause.UNSCHEDULABLE,
        Cause.SCHEDULING_GATED,
        Cause.PENDING,
    ):
        said = f"{gang.kind} {gang.name}: {gang.lacks}" if gang.lacks else ""
        return replace(waiting, detail="; ".join(filter(None, (waiting.detail, said))))
    loop = crash_loop(recording)
    if loop is not None and waiting.cause in (Cause.CRASH_LOOP, Cause.RUNNING, Cause.SYNCING):
        limited = ""
        if job.restarts_on_failure:
            so_far = count(sum(pod.restarts for pod in active), "restart")
            limited = f"backoffLimit {job.backoff_limit} is reached ({so_far} so far), or "
        ends = f"{limited}{Cause.CRASH_LOOP.ends}"
        return replace(
            waiting,
            cause=Cause.CRASH_LOOP,
            since=loop.since,
            waits_for=loop.words,
            ends=ends,
            detail="",
            brief=f"{loop.container}, which {loop.does} ({loop.shown})",
        )
    if waiting.cause == Cause.INITIALIZING:
        times = [pod.facts.initializing_since for pod in recording.pods]
        return replace(waiting, since=min((each for each in times if each), default=None))
    if waiting.waits_for == OWN_CLAIMS:
        volumes = (recording.manifest["spec"]["template"].get("spec") or {}).get("volumes") or ()
        claims = [
            each["persistentVolumeClaim"] for each in volumes if each.get("persistentVolumeClaim")
        ]
        if len(claims) == 1:
            waits_for = f"PersistentVolumeClaim {claims[0].get('claimName')}"
            waiting = replace(waiting, waits_for=waits_for, ends=BOUND)
    if waiting.cause in _ON_A_NODE:
        placed = [
            pod.scheduled or pod.created
            for pod in recording.pods
            if pod.name in reasons and reasons[pod.name].cause == waiting.cause
        ]
        waiting = replace(waiting, since=min(placed, default=waiting.since))
    if waiting.cause == Cause.RUNNING:
        waiting = replace(waiting, since=_running_since(recording))
    if waiting.cause == Cause.DELETING:
        waiting = _deletion(recording, waiting)
    terminating = [pod for pod in recording.pods if pod.view.state == TERMINATING]
    if not active and terminating and waiting.cause == Cause.TERMINATING:
        held = _held(recording, terminating[0])
        node = terminating[0].facts.node
        more = f" and {len(terminating) - 1} more" if len(terminating) > 1 else ""
        brief = f"Pod {terminating[0].name}{more} to terminate{f' on node {node}' if node else ''}"
        requested = [pod.deleted for pod in terminating if pod.deleted is not None]
        return replace(
            waiting,
            since=min(requested, default=waiting.since),
            detail="; ".join(filter(None, (waiting.detail, held))),
            ends=_ending(recording, terminating, waiting.ends),
            ends_at=_grace_end(recording, terminating),
            brief=brief,
        )
    if any(pod.phase == RUNNING for pod in active):
        shown = {} if waiting.cause == Cause.CONTAINER_RUNS_ON else kept
        return replace(waiting, progress=_progress(recording, active, reasons, shown))
    return waiting


def _running_since(recording: Recording) -> int | None:
    """Return when the first container started of the Pods that run; of a Job that others ended, its start.

    That of a container that was started again is unknown: then the creation of its Pod counts.
    """
    times = []
    status = recording.job.status
    others = recording.unseen or any(pod.ended is not None for pod in recording.pods)
    if status.start_time is not None and (status.succeeded or status.failed or others):
        return status.start_time
    for pod in recording.pods:
        if pod.view.state == ACTIVE and pod.view.phase == RUNNING:
            restarted = {last.container for last in pod.facts.last_runs}
            starts = [
                each.at
                for each in pod.facts.containers
                if each.at and not each.ended and each.name not in restarted
            ]
            times.append(min(starts, default=pod.created))
    return min(times, default=None)


def _deletion(recording: Recording, waiting: Waiting) -> Waiting:
    """Return the wait of a Job that is being deleted: for the Pods that remain, or for its own finalizers."""
    meta = recording.manifest["metadata"]
    since = read_time(meta.get("deletionTimestamp"))
    remaining = deleted_pods(recording)
    if remaining:
        held, ends = _held(recording, remaining[0]), _released(remaining)
        return replace(waiting, since=since, detail=held, ends=ends)
    names = meta.get("finalizers")
    return replace(waiting, since=since, detail=f"held by {finalizers(names)}" if names else "")


def deleted_pods(recording: Recording) -> list[RecordedPod]:
    """Return the Pods that are being deleted, those that a finalizer holds first."""
    found = [pod for pod in recording.pods if pod.view.deleting and not pod.gone]
    return sorted(found, key=lambda pod: not pod.facts.finalizers)


def _queued(recording: Recording, waiting: Waiting) -> Waiting:
    """Return the wait of a suspended Job; one in a queue is resumed by Kueue alone."""
    labels = recording.manifest["metadata"].get("labels") or {}
    known = recording.queue
    queue = labels.get(QUEUE_LABEL) or ("" if known is None else known.queue)
    if not queue and (known is None or known.kind != "Workload"):
        return waiting
    waits_for = "its admission by Kueue" + (f", in queue {queue}" if queue else "")
    if known is not None:
        meaning = meaning_of(Cause.SUSPENDED, known.lacks)
        waits_for = meaning.fill(meaning.entry.waits_for) or waits_for
        waiting = replace(waiting, fault=meaning.entry.fault)
    if known is None or not known.lacks:
        ends = "Kueue admits its Workload (kubectl describe workloads says what it lacks)"
        return replace(waiting, waits_for=waits_for, ends=ends)
    return replace(
        waiting,
        waits_for=waits_for,
        since=known.since or waiting.since,
        detail=f"Workload {known.name}: {known.lacks}",
        ends="Kueue admits its Workload",
    )


class CrashLoop(NamedTuple):
    """A container that fails again and again in place.

    Attributes:
        words: the container with what it does, as a noun phrase.
        since: when it began; None if no Event shows it: the status has only the end of the last run.
        container: the container with its kind.
        does: what it does, as a verb.
        shown: its restarts and the end of its last run.
    """

    words: str
    since: int | None
    container: str
    does: str
    shown: str


def crash_loop(
    recording: Recording, looping: Callable[[PodFacts], list[str]] = crashing
) -> CrashLoop | None:
    """Return the first container that fails again and again in place; None without one.

    Args:
        looping: returns the names of the containers of a Pod that count.
    """
    for pod in recording.pods:
        facts = pod.facts
        if pod.view.state != ACTIVE:
            continue
        names = looping(facts)
        for last in [each for each in facts.last_runs if each.container in names]:
            shown = count(last.restarts, "restart")
            if last.exit_code:
                reason = f", {last.reason}" if last.reason not in ("", "Error") else ""
                if last.reason == "OOMKilled":
                    limit = facts.memory_limits.get(last.container)
                    reason += f", limit {limit}" if limit else ", no memory limit"
                shown += f", last exit code {last.exit_code}{reason}"
            container = f"{_kind(facts, last.container)} {last.container}"
            does = "cannot be started" if last.never_ran else "fails again and again"
            message = f": {last.message}" if last.message else ""
            begun = _backing_off_since(recording, pod, last)
            ended = "" if begun or last.at is None else f" at {time_text(last.at)}"
            words = (
                f"{container} of Pod {pod.name}, which {does} "
                f"({CRASH_LOOP}: {shown}{ended}){message}"
            )
            return CrashLoop(words, begun, container, does, shown)
    return None


def _kind(facts: PodFacts, container: str) -> str:
    if container in facts.sidecars:
        return "sidecar"
    return "init container" if container in facts.init_containers else "container"


def _backing_off_since(recording: Recording, pod: RecordedPod, last: LastRun) -> int | None:
    """Return since when a container fails again and again, by the first Event; None without one."""
    events = [
        each.first or each.at
        for each in recording.events_of(pod.name)
        if each.reason == BACK_OFF
        and f"restarting failed container {last.container} " in each.message
    ]
    return min((max(pod.created, time) for time in events if time is not None), default=None)


def overdue_pods(recording: Recording) -> Iterator[RecordedPod]:
    """Yield the Pods that have not terminated although their grace period is over."""
    for pod in recording.pods:
        if pod.view.state == TERMINATING and _overdue(recording, pod):
            yield pod


def _overdue(recording: Recording, pod: RecordedPod) -> bool:
    return pod.reason == "NodeLost" or recording.now > pod.view.gone_by > 0


def _held(recording: Recording, pod: RecordedPod) -> str:
    """Return what keeps a terminating Pod, if its object says it."""
    facts = pod.facts
    parts = [f"Pod {pod.name}"]
    if facts.node:
        parts.append(f"on node {facts.node}")
    if facts.finalizers:
        parts.append(f"held by {finalizers(facts.finalizers)}")
    elif _overdue(recording, pod):
        events = recording.events_of(pod.name)
        unready = any(each.reason == NODE_NOT_READY for each in events)
        hangs = "the kubelet of the node does not answer, or the Pod hangs"
        parts.append(f"beyond its grace period: {'its node is not ready' if unready else hangs}")
    return " ".join(parts)


def _grace_end(recording: Recording, pods: Sequence[RecordedPod]) -> float | None:
    """Return when the last grace period of some Pods ends; None if something else keeps one of them."""
    kept = any(pod.facts.finalizers or _overdue(recording, pod) for pod in pods)
    end = max(pod.view.gone_by for pod in pods)
    return end if end and not kept else None


def _ending(recording: Recording, pods: Sequence[RecordedPod], otherwise: str = "") -> str:
    """Return what ends the wait for terminating Pods: their owners, or their grace periods."""
    graced = _grace_end(recording, pods) is not None
    return (
        "they have terminated, within their grace periods"
        if graced
        else _released(pods) or otherwise
    )


def _released(pods: Sequence[RecordedPod]) -> str:
    """Return what ends the wait for terminating Pods; empty if no finalizer holds them."""
    names = pods[0].facts.finalizers
    owner = "their owners remove them" if len(names) > 1 else "its owner removes it"
    return (
        f"{finalizers(names)} {'are' if len(names) > 1 else 'is'} removed: {owner}" if names else ""
    )


def _progress(
    recording: Recording,
    active: list[Pod],
    reasons: Mapping[str, PendingReason],
    kept: Mapping[str, KeptPod],
) -> str:
    job = recording.job
    running = sum(pod.phase == RUNNING for pod in active)
    parts = [f"{count(running, 'Pod')} {'runs' if running == 1 else 'run'}"]
    if reasons:
        (reason, number) = Counter(reasons.values()).most_common(1)[0]
        parts.append(f"{number} pending" + (f" ({reason.words})" if reason.words else ""))
    for name, each in [*kept.items()][:1]:
        others = f" and {count(len(kept) - 1, 'Pod')} alike" if len(kept) > 1 else ""
        runs = "runs" if len(each.keeping) == 1 else "run"
        parts.append(f"in Pod {name}{others} {each.how}, and {listing(each.keeping)} {runs} on")
    lost = on_unready_nodes(recording)
    if lost:
        also = f" and {count(len(lost) - 1, 'Pod')} alike" if len(lost) > 1 else ""
        parts.insert(0, f"node {lost[0].facts.node} of Pod {lost[0].name}{also} is not ready")
    if job.completions is not None:
        noun = "indexes" if job.indexed else "completions"
        parts.append(f"{job.status.succeeded} of {job.completions} {noun} succeeded")
    restarted = _most_restarted(recording)
    if restarted:
        parts.append(restarted)
    return ", ".join(parts)


def on_unready_nodes(recording: Recording) -> list[RecordedPod]:
    """Return the running Pods whose nodes the node controller reports as not ready.

    The controller sets the Ready condition of each Pod of such a node to False, and the kubelet sets it to
    True again when the node is back (pkg/controller/util/node/controller_utils.go, 1.36).
    """
    return [
        pod
        for pod in recording.pods
        if pod.view.state == ACTIVE
        and pod.view.phase == RUNNING
        and not pod.view.ready
        and any(each.reason == NODE_NOT_READY for each in recording.events_of(pod.name))
    ]


def _most_restarted(recording: Recording) -> str:
    """Return the container that was restarted most in a Pod that runs, as a phrase; empty without one."""
    runs = [
        (last, pod.name)
        for pod in recording.pods
        for last in pod.facts.last_runs
        if pod.view.state == ACTIVE and last.restarts and last.exit_code
    ]
    if not runs:
        return ""
    last, name = max(runs, key=lambda run: run[0].restarts)
    reason = f", {last.reason}" if last.reason not in ("", "Error") else ""
    return (
        f"container {last.container} of Pod {name} with {count(last.restarts, 'restart')}, "
        f"last exit code {last.exit_code}{reason}"
    )


def _partial(recording: Recording) -> Standing:
    """Return the state of a Job with too many Pods to read: by its status, and by the Pods that were read."""
    job = recording.job
    reasons = Counter(pending_reasons(recording).values())
    parts = [f"{count(job.status.active, 'active Pod')} by its status"]
    if job.completions is not None:
        parts.append(f"{job.status.succeeded} of {job.completions} succeeded")
    if not reasons or (job.status.ready or 0) > 0:
        denied = "Pods" in recording.denied
        unread = "its Pods cannot be listed" if denied else "not all Pods were read"
        unread = unread if denied or recording.pods else "none of its Pods was read"
        return Standing(Cause.RUNNING, None, f"goes on ({', '.join(parts)}; {unread})")
    reason, number = reasons.most_common(1)[0]
    words = reason.words or "they have not started"
    text = (
        f"goes on ({', '.join(parts)}); of the Pods that were read, {number} are Pending: {words}"
    )
    return Standing(reason.cause, None, text)


def time_text(time: float) -> str:
    """Return a time as Kubernetes writes it."""
    return write_time(round(time))
