"""The sentence for a Job that has failed, or whose failure is decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.controller import well_known_names
from jobsworth.controller.index_sets import IndexSet
from jobsworth.whatif.pending_causes import PENDING_CAUSES
from jobsworth.whatif.why.failure_groups import failures_by_index, stopped
from jobsworth.whatif.why.numbers_in_words import indexes, number_of, times
from jobsworth.whatif.why.pending_pods import gone_reason, pending_reason, rejection

if TYPE_CHECKING:
    from jobsworth.controller.jobs import Job
    from jobsworth.whatif.replay.recording import RecordedEnd, UnseenPod
    from jobsworth.whatif.why.failure_groups import FailureGroup
    from jobsworth.whatif.why.job_snapshot import JobSnapshot
    from jobsworth.whatif.why.pending_pods import PendingReason

MAX_GROUPS = 3
"""Groups of failures that a sentence names."""
GONE, NOT_READ, RUNNING, RESTARTS = "gone", "not-read", "running", "restarts"


class Ending(NamedTuple):
    """The cause of a failed Job.

    Attributes:
        cause: stable: the name of the cause of the decisive failures, that for which Pods stayed Pending, or
            GONE, NOT_READ, RUNNING, RESTARTS, or the reason of the condition.
        clauses: of the sentence, the cause first.
    """

    cause: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Failed:
    snapshot: JobSnapshot
    groups: Sequence[FailureGroup]
    end: RecordedEnd

    @property
    def job(self) -> Job:
        return self.snapshot.recording.job

    @property
    def counted(self) -> list[FailureGroup]:
        return [each for each in self.groups if each.counts]


def ending(snapshot: JobSnapshot, groups: Sequence[FailureGroup], end: RecordedEnd) -> Ending:
    """Return why a Job failed.

    Args:
        groups: its failed Pods.
        end: a failure.
    """
    failed = _Failed(snapshot, groups, end)
    found = _BY_REASON.get(end.reason, _other)(failed)
    return found._replace(clauses=(*found.clauses, *_ignored(groups)))


def _failure_policy(failed: _Failed) -> Ending:
    fatal = [each for each in failed.groups if each.fate == "fails the Job"]
    if fatal:
        group = min(fatal, key=lambda each: each.pods[0].view.finished_at)
        return Ending(group.cause.name, (_ruled(group),))
    for pattern, cause, words in _MESSAGES:
        found = pattern.fullmatch(failed.end.message)
        if found is not None:
            return Ending(cause, (words.format(**found.groupdict()), "that Pod is gone"))
    return Ending(
        GONE, (f"a FailJob rule of podFailurePolicy matched ({failed.end.message})", _gone(failed))
    )


def _pattern(template: str) -> re.Pattern[str]:
    """Return a pattern for the messages of a template, with a group for each name in it."""
    fields = {name: f"(?P<{name}>\\S+)" for name in _FIELDS}
    escaped = re.escape(template).replace(r"\{", "{").replace(r"\}", "}")
    return re.compile(escaped.format(**fields))


_FIELDS = ("container", "namespace", "pod", "code", "action", "rule", "condition", "reason")
_MESSAGES = (
    (
        _pattern(well_known_names.CONTAINER_FAILED),
        "exit-code",
        "Pod {pod} failed with exit code {code} of container {container}, and rules[{rule}] ({action}) "
        "matches that",
    ),
    (
        _pattern(well_known_names.CONTAINER_TERMINATED),
        "exit-code",
        "container {container} of Pod {pod} terminated with reason {reason}, and annotation rules[{rule}] "
        "({action}) matches that",
    ),
    (
        _pattern(well_known_names.CONDITION_MATCHED),
        "disruption",
        "Pod {pod} got the condition {condition}, and rules[{rule}] ({action}) matches that",
    ),
)
"""The messages of the condition, which outlive the Pods that they are about."""


def _backoff_limit(failed: _Failed) -> Ending:
    job = failed.job
    limit = f"backoffLimit {job.backoff_limit} was exceeded"
    if job.restarts_on_failure:
        restarts = _restarts(failed)
        if restarts is not None:
            return Ending(
                restarts.cause, (*restarts.clauses, f"backoffLimit {job.backoff_limit} was reached")
            )
    clauses = [failure_clause(each) for each in failed.counted[:MAX_GROUPS]]
    known = sum(len(each.pods) for each in failed.counted)
    if known <= job.backoff_limit:
        clauses.append(
            _gone(failed) or ("" if clauses else "no Pod is left that shows how it failed")
        )
    return Ending(_cause(failed, failed.counted), (*filter(None, clauses), limit))


def _cause(failed: _Failed, decisive: Sequence[FailureGroup]) -> str:
    """Return the name of the cause of the decisive failures."""
    if decisive:
        return decisive[0].cause.name
    return NOT_READ if failed.snapshot.partial else GONE


def _restarts(failed: _Failed) -> Ending | None:
    """Return what containers did that restarted in place (OnFailure); None if nothing shows it."""
    snapshot = failed.snapshot
    for pod in snapshot.recording.pods:
        for last in snapshot.facts_of(pod).last_runs:
            if last.restarts:
                reason = f", {last.reason}" if last.reason not in ("", "Error") else ""
                return Ending(
                    "oom" if last.reason == "OOMKilled" else "exit-code",
                    (
                        f"container {last.container} of Pod {pod.name} failed again and again in place, last "
                        f"with exit code {last.exit_code}{reason} ({number_of(last.restarts, 'restart')})",
                    ),
                )
    for name, events in snapshot.pod_events.items():
        for event in events:
            if event.reason == "BackOff" and "restarting failed container" in event.message:
                words = (
                    f"a container of Pod {name} failed again and again in place ({event.message})"
                )
                return Ending(RESTARTS, (words, "its exit codes are gone with the Pod"))
    return None


def _failed_indexes(failed: _Failed) -> Ending:
    return _index_failure(
        failed, f"the Job failed once no index was left ({_progress(failed.job)})"
    )


def _max_failed_indexes(failed: _Failed) -> Ending:
    return _index_failure(failed, f"maxFailedIndexes {failed.job.max_failed_indexes} was exceeded")


def _index_failure(failed: _Failed, limit: str) -> Ending:
    job = failed.job
    lost = IndexSet.read(job.status.failed_indexes, job.size)
    by_index = failures_by_index(failed.groups)
    decisive = [
        each
        for each in failed.counted
        if any(index in lost for first, last in each.indexes.intervals for index in (first, last))
    ] or failed.counted
    clauses = [_ruled(each) for each in decisive[:MAX_GROUPS]]
    if any(each.fate == "counted" for each in decisive):
        clauses.append(f"backoffLimitPerIndex {job.backoff_limit_per_index} was exceeded")
    known = sum(index in lost for index in by_index)
    if known < len(lost):
        clauses.append(f"{indexes(lost)} failed for good; {_unknown_indexes(failed, lost, known)}")
    elif len(by_index) > known:
        clauses.append(f"{indexes(lost)} failed for good")
    return Ending(_cause(failed, decisive), (*filter(None, clauses), limit))


def _unknown_indexes(failed: _Failed, lost: IndexSet, known: int) -> str:
    """Return how many failed indexes have no failed Pod any more."""
    if failed.snapshot.partial:
        return f"the failed Pods of {known or 'none'} of them could be read"
    if known:
        text = f"the failed Pods of {len(lost) - known} of them are gone"
    else:
        text = f"{'its' if len(lost) == 1 else 'their'} failed Pods are gone"
    return f"{text}, so how they failed is unknown{_last_event(failed)}"


def _deadline(failed: _Failed) -> Ending:
    doing, cause = _doing(failed)
    clauses = [f"activeDeadlineSeconds {failed.job.active_deadline} ran out {doing}"]
    clauses += [f"before, {failure_clause(each)}" for each in failed.counted[:MAX_GROUPS]]
    return Ending(cause, tuple(clauses))


def _doing(failed: _Failed) -> tuple[str, str]:
    """Return what the Job did when its deadline ran out, as a clause, and the name of that cause."""
    snapshot = failed.snapshot
    recording = snapshot.recording
    rejected = rejection(recording.events)
    if rejected is not None:
        return f"while the API server rejected its Pods ({rejected.message})", "rejected"
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
        return f"while {_pods(running)} ran ({_progress(failed.job)})", RUNNING
    if waiting:
        return f"while a Pod waited for {_thing(waiting[0])}", waiting[0].cause
    if gone:
        return f"; {_named(gone)} {_is(gone)} gone, and no Event says what {_it(gone)} did", GONE
    return f"({_progress(failed.job)})", well_known_names.DEADLINE_EXCEEDED[0]


def _thing(reason: PendingReason) -> str:
    cause = PENDING_CAUSES.get(reason.cause)
    name = cause.waits_for if cause is not None else "its start"
    return f"{name} ({reason.words})" if reason.words else name


def _other(failed: _Failed) -> Ending:
    """Return the words of the condition: another controller, or a later release, has its own reasons."""
    message = f": {failed.end.message}" if failed.end.message else ""
    clauses = [f"{failed.end.reason or 'no reason is given'}{message}"]
    clauses += [failure_clause(each) for each in failed.counted[:MAX_GROUPS]]
    return Ending(failed.end.reason, tuple(clauses))


_BY_REASON: dict[str, Callable[[_Failed], Ending]] = {
    well_known_names.POD_FAILURE_POLICY: _failure_policy,
    well_known_names.BACKOFF_LIMIT_EXCEEDED[0]: _backoff_limit,
    well_known_names.FAILED_INDEXES[0]: _failed_indexes,
    well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0]: _max_failed_indexes,
    well_known_names.DEADLINE_EXCEEDED[0]: _deadline,
}


def failure_clause(group: FailureGroup) -> str:
    """Return a group of failures as a clause, such as "index 7 failed twice with exit code 1"."""
    number = len(group.pods)
    if len(group.indexes) == 1:
        return group.cause.clause(indexes(group.indexes), plural=False, times=times(number))
    if group.indexes:
        more = f" ({number_of(number, 'Pod')})" if number != len(group.indexes) else ""
        return group.cause.clause(indexes(group.indexes), plural=True) + more
    if number == 1:
        return group.cause.clause(f"Pod {group.pods[0].name}", plural=False)
    return group.cause.clause(f"{number} Pods", plural=True)


def _ruled(group: FailureGroup) -> str:
    """Return a group of failures as a clause, with the rule that fails the Job or the index for it."""
    if group.fate not in ("fails the Job", "fails the index"):
        return failure_clause(group)
    action = "FailJob" if group.fate == "fails the Job" else "FailIndex"
    return f"{failure_clause(group)}, and {group.rule} ({action}) matches {group.matched}"


def _ignored(groups: Sequence[FailureGroup]) -> Iterator[str]:
    for group in [each for each in groups if not each.counts][:MAX_GROUPS]:
        number = len(group.pods)
        verb = "was" if number == 1 else "were"
        yield f"{group.cause.counted(number)} {verb} ignored by {group.rule}"


def _gone(failed: _Failed) -> str:
    """Return what is known of failed Pods that are gone; empty if none are missing."""
    status = failed.job.status
    counted = status.failed + len(status.uncounted_failed)
    known = sum(len(each.pods) for each in failed.counted)
    recording = failed.snapshot.recording
    known += sum(stopped(recording, pod) for pod in recording.pods)
    missing = counted - known
    if missing <= 0:
        return ""
    if failed.snapshot.partial:
        whose = f"{number_of(counted, 'failed Pod')} that the status counts"
        return f"of the {whose}, {known or 'none'} could be read"
    subject = "they"
    if counted == 1:
        text, subject = "the failed Pod that the status counts is gone", "it"
    elif known == 0:
        text = f"the {counted} failed Pods that the status counts are gone"
    else:
        text = f"{missing} of the {counted} failed Pods that the status counts are gone"
    return f"{text}: how {subject} failed is unknown{_last_event(failed)}"


def _last_event(failed: _Failed) -> str:
    """Return the last Event about a Pod that is gone, as an end of a clause; empty without one."""
    found = [
        (event.at or 0, unseen.name, event)
        for unseen in failed.snapshot.recording.unseen
        for event in failed.snapshot.events_of(unseen.name)
        if event.type == "Warning" or event.reason not in _USUAL
    ]
    if not found:
        return ""
    _, name, event = max(found, key=lambda each: each[:2])
    return f", but the last Event of Pod {name} is {event.reason}: {event.message.rstrip('. ')}"


_USUAL = ("Scheduled", "Pulling", "Pulled", "Created", "Started", "Killing")
"""Reasons of the Events that every Pod has."""


def _progress(job: Job) -> str:
    status = job.status
    if job.completions is None:
        return f"{number_of(status.succeeded, 'Pod')} had succeeded"
    noun = "indexes" if job.indexed else "Pods"
    return f"{status.succeeded} of {job.completions} {noun} had succeeded"


def _pods(names: Sequence[str]) -> str:
    return f"Pod {names[0]}" if len(names) == 1 else f"{len(names)} Pods"


def _named(gone: Sequence[UnseenPod]) -> str:
    return f"Pod {gone[0].name}" if len(gone) == 1 else f"its {len(gone)} Pods"


def _is(gone: Sequence[UnseenPod]) -> str:
    return "is" if len(gone) == 1 else "are"


def _it(gone: Sequence[UnseenPod]) -> str:
    return "it" if len(gone) == 1 else "they"
