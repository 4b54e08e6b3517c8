"""The state of a Job when its activeDeadlineSeconds ran out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.whatif.pending_causes import PENDING_CAUSES
from jobsworth.whatif.why.ending import GONE, MAX_GROUPS, RUNNING, Ending, progress
from jobsworth.whatif.why.failure_clauses import failure_clause
from jobsworth.whatif.why.failure_groups import stopped
from jobsworth.whatif.why.pods.pending_pods import gone_reason, pending_reason, rejection

if TYPE_CHECKING:
    from jobsworth.whatif.replay.recording import UnseenPod
    from jobsworth.whatif.why.ending import FailedJob
    from jobsworth.whatif.why.pods.pending_pods import PendingReason


def deadline_ending(failed: FailedJob) -> Ending:
    doing, cause = _doing(failed)
    clauses = [f"activeDeadlineSeconds {failed.job.active_deadline} ran out {doing}"]
    clauses += [f"before, {failure_clause(each)}" for each in failed.counted[:MAX_GROUPS]]
    return Ending(cause, tuple(clauses))


def _doing(failed: FailedJob) -> tuple[str, str]:
    """Return what the Job did when its deadline ran out, as a clause, and the name of that cause."""
    snapshot = failed.snapshot
    recording = snapshot.recording
    rejected = rejection(recording.events)
    running: list[str] = []
    waiting: list[PendingReason] = []
    for pod in recording.pods:
        if not stopped(recording, pod):
            continue
        if pod.started is not None:
            running.append(pod.name)
        else:
            found = pending_reason(snapshot.facts_of(pod), snapshot.events_of(pod.name))
            waiting.append(found)
    gone = []
    for unseen in recording.unseen:
        events = snapshot.events_of(unseen.name)
        reason = gone_reason(events)
        if reason is not None:
            waiting.append(reason)
        elif any(each.reason == "Started" for each in events):
            running.append(unseen.name)
        else:
            gone.append(unseen)
    if running:
        also = f"; the API server rejected others ({rejected.message})" if rejected else ""
        return f"while {_pods(running)} ran ({progress(failed.job)}){also}", RUNNING
    if rejected is not None:
        return f"while the API server rejected its Pods ({rejected.message})", "rejected"
    if waiting:
        return f"while a Pod waited for {_thing(waiting[0])}", waiting[0].cause
    if gone:
        return f"; {_named(gone)} {_is(gone)} gone, and no Event says what {_it(gone)} did", GONE
    return f"({progress(failed.job)})", well_known_names.DEADLINE_EXCEEDED[0]


def _thing(reason: PendingReason) -> str:
    cause = PENDING_CAUSES.get(reason.cause)
    name = cause.waits_for if cause is not None else "its start"
    return f"{name} ({reason.words})" if reason.words else name


def _pods(names: Sequence[str]) -> str:
    return f"Pod {names[0]}" if len(names) == 1 else f"{len(names)} Pods"


def _named(gone: Sequence[UnseenPod]) -> str:
    return f"Pod {gone[0].name}" if len(gone) == 1 else f"its {len(gone)} Pods"


def _is(gone: Sequence[UnseenPod]) -> str:
    return "is" if len(gone) == 1 else "are"


def _it(gone: Sequence[UnseenPod]) -> str:
    return "it" if len(gone) == 1 else "they"
