"""A failed Job in one sentence: its cause, its Pods, and those that are gone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from jobsworth.controller import well_known_names
from jobsworth.controller.index_sets import IndexSet
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.pending_pods import (
    PendingReason,
    gone_reason,
    pending_reason,
    rejection,
)
from jobsworth.runs.recorded.pod_facts import short
from jobsworth.runs.recorded.recording import RecordedEnd, Recording, UnseenPod
from jobsworth.runs.why.clauses import MAX_GROUPS, JobFailure, WordedCause, indexes, progress, times
from jobsworth.runs.why.failure_groups import FailureGroup, failures_by_index, stopped
from jobsworth.runs.why.pod_causes import cause_by_events
from jobsworth.wording import count


def cause_of_failure(
    recording: Recording, groups: Sequence[FailureGroup], end: RecordedEnd
) -> WordedCause:
    """Return why a Job failed.

    Args:
        groups: its failed Pods.
        end: a failure.
    """
    failed = JobFailure(recording, groups, end)
    found = _BY_REASON.get(well_known_names.known_reason(end.reason), _other)(failed)
    return found._replace(clauses=(*found.clauses, *_ignored_clauses(groups)))


def _failure_policy(failed: JobFailure) -> WordedCause:
    fatal = [each for each in failed.groups if each.effect == "FailJob"]
    if fatal:
        group = min(fatal, key=lambda each: each.pods[0].view.finished_at)
        return WordedCause(group.cause.name, (_ruled_clause(group),))
    for pattern, cause, words in _MESSAGES:
        found = pattern.fullmatch(failed.end.message)
        if found is not None:
            return WordedCause(cause, (words.format(**found.groupdict()), "that Pod is gone"))
    return WordedCause(
        Cause.PODS_GONE,
        (
            f"a FailJob rule of podFailurePolicy matched ({short(failed.end.message)})",
            gone_clause(failed),
        ),
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
        Cause.EXIT_CODE,
        "Pod {pod} failed with exit code {code} of container {container}, and rules[{rule}] ({action}) "
        "matches that",
    ),
    (
        _pattern(well_known_names.CONTAINER_TERMINATED),
        Cause.EXIT_CODE,
        "container {container} of Pod {pod} terminated with reason {reason}, and annotation rules[{rule}] "
        "({action}) matches that",
    ),
    (
        _pattern(well_known_names.CONDITION_MATCHED),
        Cause.DISRUPTION,
        "Pod {pod} got the condition {condition}, and rules[{rule}] ({action}) matches that",
    ),
)
"""The messages of the condition, which outlive the Pods that they are about."""


def _backoff_limit(failed: JobFailure) -> WordedCause:
    job = failed.job
    limit = f"backoffLimit {job.backoff_limit} was exceeded"
    if job.restarts_on_failure:
        restarts = _restarts(failed)
        if restarts is not None:
            return WordedCause(
                restarts.cause, (*restarts.clauses, f"backoffLimit {job.backoff_limit} was reached")
            )
    clauses = [failure_clause(each) for each in failed.counted[:MAX_GROUPS]]
    known = sum(len(each.pods) for each in failed.counted)
    if known <= job.backoff_limit:
        clauses.append(
            gone_clause(failed) or ("" if clauses else "no Pod is left that shows how it failed")
        )
    return WordedCause(_cause(failed, failed.counted), (*filter(None, clauses), limit))


def _cause(failed: JobFailure, decisive: Sequence[FailureGroup]) -> Cause:
    """Return the cause of the decisive failures."""
    if decisive:
        return decisive[0].cause.name
    return Cause.PODS_NOT_READ if failed.recording.partial else Cause.PODS_GONE


def _restarts(failed: JobFailure) -> WordedCause | None:
    """Return what containers did that restarted in place (OnFailure); None if nothing shows it."""
    recording = failed.recording
    runs = [
        (last, pod)
        for pod in recording.pods
        for last in pod.facts.last_runs
        if last.restarts and last.container not in pod.facts.sidecars
    ]
    if runs:
        last, pod = max(runs, key=lambda run: run[0].restarts)
        reason = f", {last.reason}" if last.reason not in ("", "Error") else ""
        return WordedCause(
            Cause.OOM if last.reason == "OOMKilled" else Cause.EXIT_CODE,
            (
                f"container {last.container} of Pod {pod.name} failed again and again in place, last "
                f"with exit code {last.exit_code}{reason} ({count(last.restarts, 'restart')})",
            ),
        )
    for name, events in recording.pod_events.items():
        for event in events:
            if event.reason == "BackOff" and "restarting failed container" in event.message:
                found = re.search(r"container (\S+)", event.message)
                which = f"container {found[1]}" if found else "a container"
                words = f"{which} of Pod {name} failed again and again in place"
                return WordedCause(
                    Cause.CRASH_LOOP, (words, "its exit codes are gone with the Pod")
                )
    return None


def _failed_indexes(failed: JobFailure) -> WordedCause:
    return _index_failure(failed, f"the Job failed once no index was left ({progress(failed.job)})")


def _max_failed_indexes(failed: JobFailure) -> WordedCause:
    return _index_failure(failed, f"maxFailedIndexes {failed.job.max_failed_indexes} was exceeded")


def _index_failure(failed: JobFailure, limit: str) -> WordedCause:
    job = failed.job
    lost = IndexSet.read(job.status.failed_indexes, job.size)
    by_index = failures_by_index(failed.groups)
    decisive = [
        each
        for each in failed.counted
        if any(index in lost for first, last in each.indexes.intervals for index in (first, last))
    ] or failed.counted
    clauses = [_ruled_clause(each) for each in decisive[:MAX_GROUPS]]
    if any(each.effect == "Count" for each in decisive):
        clauses.append(f"backoffLimitPerIndex {job.backoff_limit_per_index} was exceeded")
    known = sum(index in lost for index in by_index)
    if known < len(lost):
        clauses.append(f"{indexes(lost)} failed for good; {unknown_indexes(failed, lost, known)}")
    elif len(by_index) > known:
        clauses.append(f"{indexes(lost)} failed for good")
    return WordedCause(_cause(failed, decisive), (*filter(None, clauses), limit))


def _other(failed: JobFailure) -> WordedCause:
    """Return the words of the condition: another controller, or a later release, has its own reasons."""
    message = f": {short(failed.end.message)}" if failed.end.message else ""
    clauses = [f"{failed.end.reason or 'no reason is given'}{message}"]
    clauses += [failure_clause(each) for each in failed.counted[:MAX_GROUPS]]
    return WordedCause(Cause.OTHER_REASON, tuple(clauses))


def failure_clause(group: FailureGroup) -> str:
    """Return a group of failures as a clause, such as "index 7 failed twice with exit code 1"."""
    number = len(group.pods)
    if len(group.indexes) == 1:
        return group.cause.clause(indexes(group.indexes), plural=False, times=times(number))
    if group.indexes:
        more = f" ({count(number, 'Pod')})" if number != len(group.indexes) else ""
        return group.cause.clause(indexes(group.indexes), plural=True) + more
    if number == 1:
        return group.cause.clause(f"Pod {group.pods[0].name}", plural=False)
    return group.cause.clause(f"{number} Pods", plural=True)


def _ruled_clause(group: FailureGroup) -> str:
    """Return a group of failures as a clause, with the rule that fails the Job or the index for it."""
    if group.effect not in ("FailJob", "FailIndex"):
        return failure_clause(group)
    return f"{failure_clause(group)}, and {group.rule} ({group.effect}) matches {group.matched}"


def _ignored_clauses(groups: Sequence[FailureGroup]) -> Iterator[str]:
    for group in [each for each in groups if not each.counts][:MAX_GROUPS]:
        number = len(group.pods)
        verb = "was" if number == 1 else "were"
        yield f"{group.cause.counted(number)} {verb} ignored by {group.rule}"


def _deadline_ending(failed: JobFailure) -> WordedCause:
    doing, cause = _doing(failed)
    clauses = [f"activeDeadlineSeconds {failed.job.active_deadline} ran out{doing}"]
    clauses += [f"before, {failure_clause(each)}" for each in failed.counted[:MAX_GROUPS]]
    return WordedCause(cause, tuple(clauses))


def _doing(failed: JobFailure) -> tuple[str, Cause]:
    """Return what the Job did when its deadline ran out, as the end of a clause, and that cause."""
    recording = failed.recording
    rejected = rejection(recording.events)
    running: list[str] = []
    waiting: list[PendingReason] = []
    deleted: list[str] = []
    for pod in recording.pods:
        if not stopped(recording, pod):
            continue
        if pod.started is not None:
            running.append(pod.name)
            continue
        events = recording.events_of(pod.name)
        found = gone_reason(events) if pod.gone else pending_reason(pod.facts, events)
        if found is None:
            deleted.append(pod.name)
        else:
            waiting.append(found)
    gone = []
    for unseen in recording.unseen:
        events = recording.events_of(unseen.name)
        reason = gone_reason(events)
        if reason is not None:
            waiting.append(reason)
        elif any(each.reason == "Started" for each in events):
            running.append(unseen.name)
        else:
            gone.append(unseen)
    if running:
        also = f"; the API server rejected others ({rejected.message})" if rejected else ""
        return f" while {_pods(running)} ran ({progress(failed.job)}){also}", Cause.RUNNING
    if rejected is not None:
        return f" while the API server rejected its Pods ({rejected.message})", rejected.cause
    if waiting:
        return f" while a Pod waited for {_thing(waiting[0])}", waiting[0].cause
    if deleted:
        was = "was" if len(deleted) == 1 else "were"
        who = "it" if len(deleted) == 1 else "they"
        words = f"{_pods(deleted)} {was} deleted with the Job, and no Event says if {who} ran"
        return f" ({progress(failed.job)}): {words}", Cause.DEADLINE_EXCEEDED
    if gone:
        return (
            f"; {_named(gone)} {_is(gone)} gone, and no Event says what {_it(gone)} did",
            Cause.PODS_GONE,
        )
    return f" ({progress(failed.job)})", Cause.DEADLINE_EXCEEDED


def _thing(reason: PendingReason) -> str:
    name = reason.waits_for or reason.cause.waits_for
    name = name.removesuffix(" for its Pods")
    return f"{name} ({reason.words})" if reason.words else name


def _pods(names: Sequence[str]) -> str:
    return f"Pod {names[0]}" if len(names) == 1 else f"{len(names)} Pods"


def _named(gone: Sequence[UnseenPod]) -> str:
    return f"Pod {gone[0].name}" if len(gone) == 1 else f"its {len(gone)} Pods"


def _is(gone: Sequence[UnseenPod]) -> str:
    return "is" if len(gone) == 1 else "are"


def _it(gone: Sequence[UnseenPod]) -> str:
    return "it" if len(gone) == 1 else "they"


_BY_REASON: dict[str, Callable[[JobFailure], WordedCause]] = {
    well_known_names.POD_FAILURE_POLICY: _failure_policy,
    well_known_names.BACKOFF_LIMIT_EXCEEDED[0]: _backoff_limit,
    well_known_names.FAILED_INDEXES[0]: _failed_indexes,
    well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0]: _max_failed_indexes,
    well_known_names.DEADLINE_EXCEEDED[0]: _deadline_ending,
}


def gone_clause(failed: JobFailure) -> str:
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
        shown = last_event(failed).removeprefix(", but ")
        if gone_cause(recording) is not None:
            return f"{shown}; {text}"
    elif known == 0 and gone_cause(recording) is not None:
        shown = last_event(failed).removeprefix(", but ")
        return f"{shown}; the {counted} failed Pods that the status counts are gone"
    elif known == 0:
        text = f"the {counted} failed Pods that the status counts are gone"
    else:
        text = f"{missing} of the {counted} failed Pods that the status counts are gone"
    return f"{text}: how {subject} failed is unknown{last_event(failed)}"


def last_event(failed: JobFailure) -> str:
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


def unknown_indexes(failed: JobFailure, lost: IndexSet, known: int) -> str:
    """Return how many failed indexes have no failed Pod any more."""
    if failed.recording.partial:
        return f"the failed Pods of {known or 'none'} of them could be read"
    if known:
        text = f"the failed Pods of {len(lost) - known} of them are gone"
    else:
        text = f"{'its' if len(lost) == 1 else 'their'} failed Pods are gone"
    return f"{text}, so how they failed is unknown{last_event(failed)}"
