"""Failed Pods that are gone: their number by the status, and their last Event."""

from __future__ import annotations

from collections import Counter

from jobsworth.controller.index_sets import IndexSet
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.recording import Recording
from jobsworth.runs.why.ending import FailedJob
from jobsworth.runs.why.failure_groups import stopped
from jobsworth.runs.why.pod_causes import cause_by_events
from jobsworth.wording import count


def gone_clause(failed: FailedJob) -> str:
    """Return what is known of failed Pods that are gone; empty if none are missing."""
    status = failed.job.status
    counted = status.failed + len(status.uncounted_failed)
    known = sum(len(each.pods) for each in failed.counted)
    recording = failed.recording
    known += sum(stopped(recording, pod) for pod in recording.pods)
    missing = counted - known
    if missing <= 0:
        return ""
    if failed.recording.partial and counted == 1:
        return "the failed Pod that the status counts could not be read"
    if failed.recording.partial:
        whose = f"{count(counted, 'failed Pod')} that the status counts"
        return f"of the {whose}, {known or 'none'} could be read"
    subject = "they"
    if counted == 1:
        text, subject = "the failed Pod that the status counts is gone", "it"
    elif known == 0:
        text = f"the {counted} failed Pods that the status counts are gone"
    else:
        text = f"{missing} of the {counted} failed Pods that the status counts are gone"
    return f"{text}: how {subject} failed is unknown{last_event(failed)}"


def last_event(failed: FailedJob) -> str:
    """Return the last Event about a Pod that is gone, as an end of a clause; empty without one."""
    found = [
        (event.at or 0, unseen.name, event)
        for unseen in failed.recording.unseen
        for event in failed.recording.events_of(unseen.name)
        if event.type == "Warning" or event.reason not in _USUAL
    ]
    if not found:
        return ""
    _, name, event = max(found, key=lambda each: each[:2])
    cause = cause_by_events([event])
    if cause is not None:
        clause = cause.clause(f"Pod {name}", plural=False)
        return f", but {clause} (by its last Event, {event.reason}: {event.message.rstrip('. ')})"
    return f", but the last Event of Pod {name} is {event.reason}: {event.message.rstrip('. ')}"


def gone_cause(recording: Recording) -> Cause | None:
    """Return the cause for which most Pods are gone that only Events name; None if no Event says it."""
    found = [cause_by_events(recording.events_of(each.name)) for each in recording.unseen]
    causes = Counter(each.name for each in found if each is not None)
    return causes.most_common(1)[0][0] if causes else None


_USUAL = ("Scheduled", "Pulling", "Pulled", "Created", "Started", "Killing")
"""Reasons of the Events that every Pod has."""


def unknown_indexes(failed: FailedJob, lost: IndexSet, known: int) -> str:
    """Return how many failed indexes have no failed Pod any more."""
    if failed.recording.partial:
        return f"the failed Pods of {known or 'none'} of them could be read"
    if known:
        text = f"the failed Pods of {len(lost) - known} of them are gone"
    else:
        text = f"{'its' if len(lost) == 1 else 'their'} failed Pods are gone"
    return f"{text}, so how they failed is unknown{last_event(failed)}"
