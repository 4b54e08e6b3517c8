"""The events of a run in words, in the order of time: for the terminal and for the table of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from jobsworth.controller.index_sets import IndexSet
from jobsworth.reports.timelines.local_times import local_time, offset_changes, offset_words
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTIONS
from jobsworth.runs.run_record import JobRecord, MissedRun, PodRecord, RunRecord
from jobsworth.runs.run_statistics import rule_name
from jobsworth.runs.virtual_time import spoken
from jobsworth.wording import plural

_ORDER = (
    "scenario",
    "begun",
    "disrupted",
    "ended",
    "succeeded",
    "missed",
    "event",
    "index",
    "condition",
    "created",
    "ended at once",
)
"""At one time, a cause comes before its effect: Pods are created after those that they replace have ended."""
_PENDING = {
    Cause.IMAGE_PULL: "stays Pending: its image cannot be pulled (ImagePullBackOff)",
    Cause.UNSCHEDULABLE: "stays Pending: no node has room for it (Unschedulable)",
    Cause.MISSING_CONFIG: (
        "stays Pending: a ConfigMap or Secret that it refers to does not exist (CreateContainerConfigError)"
    ),
}
"""Each cause as a clause with the Pod as its subject."""


class TimelineLine(NamedTuple):
    """An event in words.

    Attributes:
        until: of several events in one line: the time of the last; of a period: its end.
    """

    at: int
    until: int
    kind: str
    text: str


def timeline(record: RunRecord) -> list[TimelineLine]:
    """Return the events of a run in words."""
    several = record.kind == "CronJob"
    lines: list[TimelineLine] = []
    for job in record.jobs:
        lines += _lines(job, f"{job.name}: " if several else "")
    lines += [
        TimelineLine(event.at, event.at, "event", f"{event.reason}: {event.message}")
        for event in record.events
        if event.type == "Warning"
    ]
    lines += [_missed(record, missed) for missed in record.missed]
    lines += _clock_changes(record) if several else ()
    lines += [
        TimelineLine(each.at, each.until, "scenario", each.words) for each in record.occurrences
    ]
    return _merged(sorted(lines, key=lambda line: (line.at, _rank(line.kind))))


def _rank(kind: str) -> int:
    return _ORDER.index(kind) if kind in _ORDER else len(_ORDER)


def _missed(record: RunRecord, missed: MissedRun) -> TimelineLine:
    words = f"run of {local_time(record, missed.scheduled)} missed: {missed.why}"
    return TimelineLine(missed.scheduled, missed.scheduled, "missed", words)


def _clock_changes(record: RunRecord) -> Iterator[TimelineLine]:
    for before, after in pairwise(offset_changes(record)):
        words = f"local time changes from {offset_words(before.seconds)} to {offset_words(after.seconds)}"
        yield TimelineLine(after.at, after.at, "scenario", words)


def _lines(job: JobRecord, prefix: str) -> Iterator[TimelineLine]:
    yield TimelineLine(job.created, job.created, "begun", f"{prefix}Job created")
    for at, pods in _by_creation(job.pods):
        yield TimelineLine(at, at, "created", prefix + _created(pods, job))
    for (at, cause), pods in _by_cause(job.pods):
        words = _PENDING[cause]
        who = pods[0].name if len(pods) == 1 else f"each of these {len(pods)} Pods"
        yield TimelineLine(at, at, "created", f"{prefix}{who} {words}")
    succeeded: dict[int, list[PodRecord]] = {}
    for pod in job.pods:
        for restart in pod.restarts:
            words = f"{prefix}{pod.name}: container restarted in place"
            yield TimelineLine(restart, restart, "ended", words)
        if pod.deleted is not None and pod.cause and pod.deleted != pod.ended:
            words = DISRUPTIONS[pod.cause].words
            yield TimelineLine(pod.deleted, pod.deleted, "disrupted", f"{prefix}{pod.name} {words}")
        if pod.ended is None:
            continue
        if pod.counted == "succeeded":
            succeeded.setdefault(pod.ended, []).append(pod)
        elif pod.match is not None or pod.counted in ("failed", "ignored"):
            kind = "ended at once" if pod.ended == pod.created else "ended"
            yield TimelineLine(pod.ended, pod.ended, kind, prefix + failure(pod))
    for at, pods in succeeded.items():
        yield TimelineLine(at, at, "succeeded", prefix + _succeeded(pods, job))
    for at, indexes in _by_time(job.failed_indexes):
        noun = plural("index", len(indexes))
        words = f"{prefix}{noun} {IndexSet.of(indexes).text} failed for good"
        yield TimelineLine(at, at, "index", words)
    for event in job.events:
        if event.type == "Warning" and event.reason != job.reason:
            words = f"{prefix}{event.reason}: {event.message}"
            yield TimelineLine(event.at, event.at, "event", words)
    for condition in job.conditions:
        status = "" if condition.status == "True" else f"={condition.status}"
        words = f"{prefix}Job {condition.type}{status} ({condition.reason}): {condition.message}"
        yield TimelineLine(condition.at, condition.at, "condition", words)
    if job.deleted is not None:
        words = f"{prefix}Job deleted {'by a user' if job.by_user else 'to start the next one'}"
        yield TimelineLine(job.deleted, job.deleted, "condition", words)


def _by_creation(pods: Iterable[PodRecord]) -> Iterator[tuple[int, list[PodRecord]]]:
    groups: dict[int, list[PodRecord]] = {}
    for pod in pods:
        groups.setdefault(pod.created, []).append(pod)
    yield from groups.items()


def _by_cause(pods: Iterable[PodRecord]) -> Iterator[tuple[tuple[int, Cause], list[PodRecord]]]:
    groups: dict[tuple[int, Cause], list[PodRecord]] = {}
    for pod in pods:
        if pod.pending:
            groups.setdefault((pod.created, pod.pending), []).append(pod)
    yield from groups.items()


def _by_time(indexes: Iterable[tuple[int, int]]) -> Iterator[tuple[int, list[int]]]:
    groups: dict[int, list[int]] = {}
    for at, index in indexes:
        groups.setdefault(at, []).append(index)
    yield from groups.items()


def _created(pods: list[PodRecord], job: JobRecord) -> str:
    if len(pods) > 1:
        indexes = _indexes(pods)
        again = sum(pod.attempt > 1 for pod in pods) if job.indexed else 0
        if again == len(pods):
            return f"{len(pods)} Pods created again{indexes}"
        retries = f", {again} of them again" if again else ""
        return f"{len(pods)} Pods created{indexes}{retries}"
    (pod,) = pods
    attempt = f", attempt {pod.attempt} of index {pod.index}" if pod.attempt > 1 else ""
    return f"{pod.name} created{attempt if job.indexed else ''}"


def _succeeded(pods: list[PodRecord], job: JobRecord) -> str:
    if len(pods) == 1:
        return f"{pods[0].name} succeeded after {spoken(_ran(pods[0]))}"
    return f"{len(pods)} Pods succeeded{_indexes(pods)}"


def _indexes(pods: list[PodRecord]) -> str:
    indexes = [pod.index for pod in pods if pod.index is not None]
    text = IndexSet.of(indexes).text
    if not indexes or len(text) > 40:
        return ""
    return f" (indexes {text})"


def _ran(pod: PodRecord) -> int:
    return 0 if pod.started is None or pod.ended is None else pod.ended - pod.started


def failure(pod: PodRecord) -> str:
    """Return how a Pod failed, the rule that matched, and what followed."""
    if pod.exit_code is None:
        how = f"failed without an exit code ({pod.reason})" if pod.reason else "ended unscheduled"
    else:
        named = "" if pod.reason in ("", "Error", "Completed") else f" ({pod.reason})"
        how = f"ended with exit code {pod.exit_code}{named}"
    ran = f" after {spoken(_ran(pod))}" if pod.started is not None else " before it ran"
    cause = f", {DISRUPTIONS[pod.cause].words}" if pod.cause and pod.deleted is None else ""
    return f"{pod.name} {how}{ran}{cause}: {verdict(pod)}"


def verdict(pod: PodRecord) -> str:
    """Return the rule that a failed Pod matched, and how the Job counted it."""
    counted = {
        "failed": "counted",
        "ignored": "not counted",
        "succeeded": "succeeded",
        "uncounted": "not counted: the Job had removed it",
        "unknown": "how it ended is unknown",
        "": "not counted yet",
    }[pod.counted]
    match = pod.match
    if match is None or not pod.failed:
        return counted
    if match.action is None:
        return f"no rule matches, {counted}"
    return f"{rule_name(pod)}, {counted}"


def _merged(lines: list[TimelineLine]) -> list[TimelineLine]:
    """Join successes, and repetitions of one event, that follow one another."""
    merged: list[TimelineLine] = []
    counts: list[int] = []
    for line in lines:
        last = merged[-1] if merged else None
        number = _repeats(line)
        if last is not None and last.kind == line.kind == "succeeded":
            counts[-1] += number
            merged[-1] = TimelineLine(last.at, line.at, "succeeded", f"{counts[-1]} Pods succeeded")
        elif last is not None and line.kind == "event" and _same(last.text, line.text):
            counts[-1] += 1
            text = line.text.removesuffix(f" (x{counts[-1] - 1})")
            merged[-1] = TimelineLine(last.at, line.at, "event", f"{text} (x{counts[-1]})")
        else:
            merged.append(line)
            counts.append(number)
    return merged


def _same(last: str, text: str) -> bool:
    return last == text or last.startswith(f"{text} (x")


def _repeats(line: TimelineLine) -> int:
    first = line.text.partition(" ")[0]
    return int(first) if line.kind == "succeeded" and first.isdigit() else 1
