"""The decisions of the planner about a recorded Job, in words: what followed a failure, and what counted."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.controller import well_known_names
from jobsworth.controller.failure_policy import Match
from jobsworth.controller.pods import MAX_INT32
from jobsworth.runs.recorded.recording import RecordedPod, Recording
from jobsworth.runs.replay.planner_replay import Replay, ReplayedFailure
from jobsworth.runs.rule_wording import rule_name
from jobsworth.wording import count

_LIMITS = (
    well_known_names.BACKOFF_LIMIT_EXCEEDED[0],
    well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0],
    well_known_names.FAILED_INDEXES[0],
)
"""Reasons for which the last of several failures ends a Job."""

MAX_NAMES = 5


def rule_words(match: Match) -> str:
    """Return the rule that matched, with its action."""
    if match.action is None:
        return "no rule"
    return f"{rule_name(match.position, by_annotation=match.by_reason)} {match.action}"


def decision(failure: ReplayedFailure, replayed: Replay) -> str:
    """Return what the Job controller does with a failed Pod."""
    job, index = replayed.job, failure.view.index
    if failure.effect == "FailJob":
        return "the Job fails"
    if failure.effect == "Ignore":
        return "ignored"
    if failure.effect == "FailIndex":
        text = f"index {index} fails for good"
    elif job.per_index:
        limit = job.backoff_limit_per_index
        text = f"counted, failure {failure.index_number} of index {index} (limit {limit})"
    else:
        text = f"counted, failure {failure.number} (limit {job.backoff_limit})"
    end = replayed.end
    if end is not None and end.reason in _LIMITS and failure is replayed.failures[-1]:
        text += f"; the Job fails ({end.reason})"
    return text


def limits(recording: Recording, replayed: Replay) -> Iterator[tuple[str, str]]:
    """Yield each limit of the Job with what counted towards it."""
    job, end = replayed.job, replayed.end
    counted = [each for each in replayed.failures if each.match.counts]
    ignored = [each for each in replayed.failures if not each.match.counts]
    if job.backoff_limit < MAX_INT32 or not job.per_index:
        text = f"{count(len(counted), 'failure')} {_counts(len(counted))}"
        if end is not None and end.reason == well_known_names.BACKOFF_LIMIT_EXCEEDED[0]:
            text += f"; exceeded at {recording.since(end.at)}"
        yield f"backoffLimit {job.backoff_limit}", text
    if job.per_index:
        failed = ", ".join(
            f"{index} at {recording.since(at)}" for index, at in replayed.failed_indexes.items()
        )
        text = f"failed for good: {_shortened(failed)}" if failed else "no index failed for good"
        if end is not None and end.reason == well_known_names.FAILED_INDEXES[0]:
            text += f"; the Job failed once no index was left, at {recording.since(end.at)}"
        yield f"backoffLimitPerIndex {job.backoff_limit_per_index}", text
        if job.max_failed_indexes is not None:
            text = count(len(replayed.failed_indexes), "index") + " failed"
            if end is not None and end.reason == well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0]:
                text += f"; exceeded at {recording.since(end.at)}"
            yield f"maxFailedIndexes {job.max_failed_indexes}", text
    if ignored:
        names = names_of([each.pod for each in ignored])
        yield (
            "ignored",
            f"{count(len(ignored), 'failure')} {_counts(len(ignored))} nowhere: {names}",
        )
    if job.restarts_on_failure:
        restarts = sum(pod.view.restarts for pod in recording.pods)
        yield "restarts in place", f"{restarts} in the recorded Pods; they count, too (OnFailure)"
    if job.active_deadline is not None:
        exceeded = (
            recording.end is not None
            and recording.end.reason == well_known_names.DEADLINE_EXCEEDED[0]
        )
        yield (
            f"activeDeadlineSeconds {job.active_deadline}",
            "exceeded" if exceeded else "not exceeded",
        )


def gaps(recording: Recording, replayed: Replay) -> Iterator[str]:
    """Yield the failures and decisions that the recorded Pods do not explain, in sentences."""
    yield from missing_failures(recording, replayed)
    yield from _missing_retries(recording, replayed)
    end = recording.end
    if end is not None and (
        replayed.end is None
        or replayed.end[1:3] != (end.success, well_known_names.known_reason(end.reason))
    ):
        alone = (
            "do not end the Job"
            if replayed.end is None
            else f"end the Job at {recording.since(replayed.end.at)} with the reason {replayed.end.reason}"
        )
        yield (
            f"The recorded Pods and the spec alone {alone}, but its status says {end.reason}: Pods are "
            "missing from the recording, or the Job was edited while it ran."
        )


def missing_failures(recording: Recording, replayed: Replay) -> Iterator[str]:
    """Yield that the status counts failures which the recording does not have."""
    status = recording.job.status
    counted = status.failed + len(status.uncounted_failed)
    known = sum(each.match.counts for each in replayed.failures)
    stopped = sum(recording.stopped_by_end(pod) for pod in recording.pods)
    if counted > known + stopped:
        yield (
            f"The status counts {count(counted, 'failed Pod')}, and the recording has {known + stopped} "
            f"of them. The others were deleted: how they failed is unknown."
        )


def _missing_retries(recording: Recording, replayed: Replay) -> Iterator[str]:
    """Yield the Pods whose annotation counts more failures of their index than the recording has."""
    if not recording.job.per_index:
        return
    reported: set[int] = set()
    for pod in reversed(recording.pods):
        index = pod.view.index
        said = pod.view.failure_count + pod.view.ignored_count
        known = sum(
            each.view.index == index and each.at <= pod.created for each in replayed.failures
        )
        if said > known and index not in reported:
            reported.add(index)
            yield (
                f"Pod {pod.name} says that index {index} had failed {said} times before; the recording has "
                f"{known} of these failures."
            )


def names_of(pods: list[RecordedPod]) -> str:
    shown = ", ".join(pod.name for pod in pods[:MAX_NAMES])
    more = f" and {len(pods) - MAX_NAMES} more" if len(pods) > MAX_NAMES else ""
    return f"{shown}{more}"


def _counts(count: int) -> str:
    return "counts" if count == 1 else "count"


def _shortened(text: str, most: int = 120) -> str:
    return text if len(text) <= most else f"{text[:most].rpartition(',')[0]}, …"
