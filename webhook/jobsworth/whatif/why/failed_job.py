"""The sentence for a Job that has failed, or whose failure is decided."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.controller.index_sets import IndexSet
from jobsworth.whatif.why.deadline_cause import deadline_ending
from jobsworth.whatif.why.ending import (
    GONE,
    MAX_GROUPS,
    NOT_READ,
    RESTARTS,
    Ending,
    FailedJob,
    progress,
)
from jobsworth.whatif.why.failure_clauses import failure_clause, ignored_clauses, ruled_clause
from jobsworth.whatif.why.failure_groups import failures_by_index
from jobsworth.whatif.why.gone_pods import gone_clause, unknown_indexes
from jobsworth.whatif.why.numbers_in_words import indexes, number_of
from jobsworth.whatif.why.pods.pod_facts import short

if TYPE_CHECKING:
    from jobsworth.whatif.replay.recording import RecordedEnd
    from jobsworth.whatif.why.failure_groups import FailureGroup
    from jobsworth.whatif.why.job_snapshot import JobSnapshot


def ending(snapshot: JobSnapshot, groups: Sequence[FailureGroup], end: RecordedEnd) -> Ending:
    """Return why a Job failed.

    Args:
        groups: its failed Pods.
        end: a failure.
    """
    failed = FailedJob(snapshot, groups, end)
    found = _BY_REASON.get(end.reason, _other)(failed)
    return found._replace(clauses=(*found.clauses, *ignored_clauses(groups)))


def _failure_policy(failed: FailedJob) -> Ending:
    fatal = [each for each in failed.groups if each.fate == "fails the Job"]
    if fatal:
        group = min(fatal, key=lambda each: each.pods[0].view.finished_at)
        return Ending(group.cause.name, (ruled_clause(group),))
    for pattern, cause, words in _MESSAGES:
        found = pattern.fullmatch(failed.end.message)
        if found is not None:
            return Ending(cause, (words.format(**found.groupdict()), "that Pod is gone"))
    return Ending(
        GONE,
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


def _backoff_limit(failed: FailedJob) -> Ending:
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
            gone_clause(failed) or ("" if clauses else "no Pod is left that shows how it failed")
        )
    return Ending(_cause(failed, failed.counted), (*filter(None, clauses), limit))


def _cause(failed: FailedJob, decisive: Sequence[FailureGroup]) -> str:
    """Return the name of the cause of the decisive failures."""
    if decisive:
        return decisive[0].cause.name
    return NOT_READ if failed.snapshot.partial else GONE


def _restarts(failed: FailedJob) -> Ending | None:
    """Return what containers did that restarted in place (OnFailure); None if nothing shows it."""
    snapshot = failed.snapshot
    runs = [
        (last, pod)
        for pod in snapshot.recording.pods
        for last in snapshot.facts_of(pod).last_runs
        if last.restarts and last.container not in snapshot.facts_of(pod).sidecars
    ]
    if runs:
        last, pod = max(runs, key=lambda run: run[0].restarts)
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


def _failed_indexes(failed: FailedJob) -> Ending:
    return _index_failure(failed, f"the Job failed once no index was left ({progress(failed.job)})")


def _max_failed_indexes(failed: FailedJob) -> Ending:
    return _index_failure(failed, f"maxFailedIndexes {failed.job.max_failed_indexes} was exceeded")


def _index_failure(failed: FailedJob, limit: str) -> Ending:
    job = failed.job
    lost = IndexSet.read(job.status.failed_indexes, job.size)
    by_index = failures_by_index(failed.groups)
    decisive = [
        each
        for each in failed.counted
        if any(index in lost for first, last in each.indexes.intervals for index in (first, last))
    ] or failed.counted
    clauses = [ruled_clause(each) for each in decisive[:MAX_GROUPS]]
    if any(each.fate == "counted" for each in decisive):
        clauses.append(f"backoffLimitPerIndex {job.backoff_limit_per_index} was exceeded")
    known = sum(index in lost for index in by_index)
    if known < len(lost):
        clauses.append(f"{indexes(lost)} failed for good; {unknown_indexes(failed, lost, known)}")
    elif len(by_index) > known:
        clauses.append(f"{indexes(lost)} failed for good")
    return Ending(_cause(failed, decisive), (*filter(None, clauses), limit))


def _other(failed: FailedJob) -> Ending:
    """Return the words of the condition: another controller, or a later release, has its own reasons."""
    message = f": {short(failed.end.message)}" if failed.end.message else ""
    clauses = [f"{failed.end.reason or 'no reason is given'}{message}"]
    clauses += [failure_clause(each) for each in failed.counted[:MAX_GROUPS]]
    return Ending(failed.end.reason, tuple(clauses))


_BY_REASON: dict[str, Callable[[FailedJob], Ending]] = {
    well_known_names.POD_FAILURE_POLICY: _failure_policy,
    well_known_names.BACKOFF_LIMIT_EXCEEDED[0]: _backoff_limit,
    well_known_names.FAILED_INDEXES[0]: _failed_indexes,
    well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0]: _max_failed_indexes,
    well_known_names.DEADLINE_EXCEEDED[0]: deadline_ending,
}
