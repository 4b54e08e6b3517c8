"""Words for a replay, the same in every report: how Pods ended, what counted, and what follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from jobsworth.controller import well_known_names
from jobsworth.controller.failure_policy import ReasonRule
from jobsworth.controller.pods import ACTIVE, MAX_INT32
from jobsworth.controller.settings import settings_of
from jobsworth.whatif.explanation.outcome_wording import requirement, rule_name
from jobsworth.whatif.virtual_time import SECOND, clock, spoken
from jobsworth.whatif.waiting import waiting_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.controller.failure_policy import Match
    from jobsworth.whatif.replay.planner_replay import Replay, ReplayedEnd, ReplayedFailure
    from jobsworth.whatif.replay.policy_comparison import ComparedFailure, PolicyComparison
    from jobsworth.whatif.replay.recording import RecordedPod, Recording

_LIMITS = (
    well_known_names.BACKOFF_LIMIT_EXCEEDED[0],
    well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0],
    well_known_names.FAILED_INDEXES[0],
)
"""Reasons for which the last of several failures ends a Job."""

_MAX_NAMES = 5


class PodRow(NamedTuple):
    """A Pod in words; times since the creation of the Job."""

    name: str
    completion_index: str
    created: str
    started: str
    ended: str
    how: str
    rule: str
    followed: str


def since(recording: Recording, at: int | None) -> str:
    """Return a time since the creation of the Job; "-" if unknown."""
    return "-" if at is None else clock((at - recording.created) * SECOND)


def duration(seconds_: float) -> str:
    """Return a duration in words."""
    return spoken(seconds_ * SECOND)


def outcome(recording: Recording) -> str:
    """Return how the Job ended, in one sentence."""
    end = recording.end
    if end is None:
        after = duration(recording.until - recording.created)
        return f"Unfinished when the recording ends, after {after}{_waiting(recording)}"
    kind = "Complete" if end.success else "Failed"
    if end.finished is None:
        kind = f"Ending ({kind}; Pods still terminate)"
    at = end.decided if end.finished is None else end.finished
    return f"{kind} after {duration(at - recording.created)}: {end.reason}: {end.message}"


def _waiting(recording: Recording) -> str:
    """Return what the Job waits for; empty if the recording does not have its active Pods."""
    job, views = recording.job, [pod.view for pod in recording.pods]
    if job.status.active != sum(view.state == ACTIVE for view in views):
        return ""
    found = waiting_of(job, views, recording.until, settings=settings_of(job.managed_by))
    if found is None:
        return ""
    return f": {found.sentence(lambda time: since(recording, round(time)))}"


def pod_row(recording: Recording, replayed: Replay, pod: RecordedPod) -> PodRow:
    """Return a Pod in words."""
    failure = replayed.failure(pod)
    return PodRow(
        pod.name,
        "" if pod.index is None else str(pod.index),
        since(recording, pod.created),
        since(recording, pod.started),
        since(recording, pod.ended),
        how_it_ended(recording, pod),
        "" if failure is None else rule_words(failure.match),
        "" if failure is None else decision(failure, replayed),
    )


def how_it_ended(recording: Recording, pod: RecordedPod) -> str:
    """Return how a Pod ended: exit codes, reasons and its DisruptionTarget condition."""
    codes = ", ".join(
        f"{each.name} exit {each.exit_code}"
        + ("" if each.reason in ("", "Error") else f" ({each.reason})")
        for each in pod.containers
        if each.exit_code
    )
    parts = [codes, pod.reason, f"DisruptionTarget ({pod.disruption})" if pod.disruption else ""]
    found = ", ".join(filter(None, parts))
    if pod.ended is None:
        state = "still running" if pod.deleted is None else "terminating, end unknown"
        if pod.started is None and pod.deleted is None:
            state = "never started"
        return f"{state}, {found}" if found else state
    if pod.view.phase == well_known_names.SUCCEEDED:
        return f"succeeded, {found}" if found else "succeeded"
    if _stopped_by_end(recording, pod):
        found = f"stopped with the Job, {found}" if found else "stopped with the Job"
    return found or "failed without an exit code"


def rule_words(match: Match) -> str:
    """Return the rule that matched, with its action."""
    if match.action is None:
        return "no rule"
    return f"{rule_name(match.position, by_annotation=match.by_reason)} {match.action}"


def decision(failure: ReplayedFailure, replayed: Replay) -> str:
    """Return what the Job controller does with a failed Pod."""
    job, index = replayed.job, failure.view.index
    if failure.effect == "fails the Job":
        return "the Job fails"
    if failure.effect == "ignored":
        return "ignored"
    if failure.effect == "fails the index":
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


def rules_used(replayed: Replay) -> list[tuple[str, str, str, str]]:
    """Return each rule of the failure policy with its action, requirement, and the failures that it took."""
    policy = replayed.job.failure_policy
    rows: list[tuple[str, str, str, str]] = []
    for rule in () if policy is None else policy.rules:
        by_reason = isinstance(rule, ReasonRule)
        took = sum(
            each.match.action is not None
            and (each.match.position, each.match.by_reason) == (rule.position, by_reason)
            for each in replayed.failures
        )
        name = rule_name(rule.position, by_annotation=by_reason)
        rows.append((name, rule.action, f"if {requirement(rule)}", _number(took, "failure")))
    if rows:
        others = sum(each.match.action is None for each in replayed.failures)
        rows.append(("no rule", "Count", "otherwise", _number(others, "failure")))
    return rows


def limits(recording: Recording, replayed: Replay) -> Iterator[tuple[str, str]]:
    """Yield each limit of the Job with what counted towards it."""
    job, end = replayed.job, replayed.end
    counted = [each for each in replayed.failures if each.match.counts]
    ignored = [each for each in replayed.failures if not each.match.counts]
    if job.backoff_limit < MAX_INT32 or not job.per_index:
        text = f"{_number(len(counted), 'failure')} {_counts(len(counted))}"
        if end is not None and end.reason == well_known_names.BACKOFF_LIMIT_EXCEEDED[0]:
            text += f"; exceeded at {since(recording, end.at)}"
        yield f"backoffLimit {job.backoff_limit}", text
    if job.per_index:
        failed = ", ".join(
            f"{index} at {since(recording, at)}" for index, at in replayed.failed_indexes.items()
        )
        text = f"failed for good: {_shortened(failed)}" if failed else "no index failed for good"
        if end is not None and end.reason == well_known_names.FAILED_INDEXES[0]:
            text += f"; the Job failed once no index was left, at {since(recording, end.at)}"
        yield f"backoffLimitPerIndex {job.backoff_limit_per_index}", text
        if job.max_failed_indexes is not None:
            text = _number(len(replayed.failed_indexes), "index", "indexes") + " failed"
            if end is not None and end.reason == well_known_names.MAX_FAILED_INDEXES_EXCEEDED[0]:
                text += f"; exceeded at {since(recording, end.at)}"
            yield f"maxFailedIndexes {job.max_failed_indexes}", text
    if ignored:
        names = _names([each.pod for each in ignored])
        yield (
            "ignored",
            f"{_number(len(ignored), 'failure')} {_counts(len(ignored))} nowhere: {names}",
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


def unknown(recording: Recording, replayed: Replay) -> Iterator[str]:
    """Yield what the recording cannot say."""
    for unseen in recording.unseen:
        when = "" if unseen.created is None else f" created at {since(recording, unseen.created)},"
        text = f"Pod {unseen.name}:{when} known only from Events. How it ended is unknown."
        if unseen.events:
            last = max(unseen.events, key=lambda each: each.at or 0)
            text += (
                f" Its last Event, at {since(recording, last.at)}: {last.reason}: {last.message}"
            )
        yield text
    yield from _missing_failures(recording, replayed)
    yield from _missing_retries(recording, replayed)
    end = recording.end
    if end is not None and (replayed.end is None or replayed.end[1:3] != (end.success, end.reason)):
        alone = (
            "do not end the Job"
            if replayed.end is None
            else f"end the Job at {since(recording, replayed.end.at)} with the reason {replayed.end.reason}"
        )
        yield (
            f"The recorded Pods and the spec alone {alone}, but its status says {end.reason}: Pods are "
            "missing from the recording, or the Job was edited while it ran."
        )
    if not recording.events:
        yield "There are no Events of the Job: Pods that were deleted before may have left no trace."


def _missing_failures(recording: Recording, replayed: Replay) -> Iterator[str]:
    status = recording.job.status
    counted = status.failed + len(status.uncounted_failed)
    known = sum(each.match.counts for each in replayed.failures)
    stopped = sum(_stopped_by_end(recording, pod) for pod in recording.pods)
    if counted > known + stopped:
        yield (
            f"The status counts {_number(counted, 'failed Pod')}, and the recording has {known + stopped} "
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


def _stopped_by_end(recording: Recording, pod: RecordedPod) -> bool:
    end = recording.end
    return end is not None and pod.deleted is not None and pod.deleted >= end.decided


def changed_field(change: tuple[str, Any, Any]) -> str:
    """Return a field of the failure policy that differs, with both values."""
    name, before, after = change
    if before is not None and after is not None and isinstance(after, dict):
        return f"{name}: other rules"
    return f"{name}: {_value(before)} -> {_value(after)}"


def parting_words(comparison: PolicyComparison) -> Iterator[tuple[str, str]]:
    """Yield the first point where the policies diverge: the time, and what each of them does."""
    if comparison.parting is None:
        return
    recording = comparison.recording
    first = comparison.first
    at = since(recording, comparison.parting)
    if first is None:
        yield "at", at
        yield "recorded", _end_words(comparison.recorded_end, comparison.parting)
        yield "with it", _end_words(comparison.other.end, comparison.parting)
        return
    yield "at", f"{at}, {first.pod.name}: {how_it_ended(recording, first.pod)}"
    recorded, other = compared_words(comparison, first)
    yield "recorded", recorded
    yield "with it", other


def compared_words(comparison: PolicyComparison, failure: ComparedFailure) -> tuple[str, str]:
    """Return what the recorded and the other policy do with a failure."""
    sides = (failure.recorded, comparison.recorded), (failure.other, comparison.other)
    recorded, other = (
        "" if each is None else f"{rule_words(each.match)}: {decision(each, replayed)}"
        for each, replayed in sides
    )
    if failure.pod.view.uid in comparison.other.absent:
        other = "the Pod would not exist"
    return recorded or "after the end of the Job", other or "after the end of the Job"


def _end_words(end: ReplayedEnd | None, at: int) -> str:
    if end is None or end.at != at:
        return "the Job goes on"
    return f"the Job {'completes' if end.success else 'fails'} ({end.reason})"


def follows(comparison: PolicyComparison) -> Iterator[str]:
    """Yield what follows under the other policy, as far as the recording knows."""
    recording, other = comparison.recording, comparison.other
    recorded = comparison.recorded_end
    dropped, retried = comparison.dropped_indexes, comparison.retried_indexes
    if dropped:
        when = since(recording, other.failed_indexes[dropped[0]])
        verb = "fails for good at" if len(dropped) == 1 else "fail for good, the first at"
        yield f"{_indexes(dropped)} {verb} {when}."
    if other.end is not None:
        yield from _other_end(comparison, other.end, recorded)
    elif comparison.parting is None:
        if recorded is None:
            yield "Both do the same with every recorded failure, and the Job still runs."
        else:
            yield "Both do the same with every recorded failure."
    elif recorded is None:
        yield "The Job still runs under both policies when the recording ends."
    else:
        result = "completed" if recorded.success else f"failed ({recorded.reason})"
        when = since(recording, recorded.at)
        yield f"The recorded Job {result} at {when}. With {comparison.name} it goes on."
        if other.next_pod is not None and not recording.unseen:
            when = since(recording, other.next_pod)
            yield f"Its controller would create the next Pod at {when}."
    if comparison.spared:
        yield (
            f"{_number(len(comparison.spared), 'recorded Pod')} would not exist: "
            f"{_names(comparison.spared)}."
        )
    if comparison.spared_seconds:
        yield f"Pods would run {duration(comparison.spared_seconds)} less."
    if retried:
        text = f"{_indexes(retried)} would be retried."
        unknown_pods = " What the new Pods do is unknown, and may end the Job earlier."
        yield text if other.end is None else text + unknown_pods
    missing = list(_missing_failures(recording, comparison.recorded)) or recording.unseen
    if missing:
        yield (
            "Pods are missing from the recording (see above): what this policy would have done with them is "
            "unknown, so it may end the Job earlier."
        )
    if other.end is None and recorded is not None:
        yield (
            "After this the recording cannot say more, because the next Pods are not in it. "
            f"To see what may follow: jobsworth simulate {comparison.name}"
        )


def _other_end(
    comparison: PolicyComparison, end: ReplayedEnd, recorded: ReplayedEnd | None
) -> Iterator[str]:
    kind = "completes" if end.success else "fails"
    text = f"The Job {kind} at {since(comparison.recording, end.at)}: {end.reason}: {end.message}."
    if recorded is not None and end[:3] == recorded[:3]:
        yield f"{text} So it did."
        return
    yield text
    last = comparison.recording.until if recorded is None else recorded.at
    if last > end.at:
        than = "the recording ends" if recorded is None else "recorded"
        yield f"That is {duration(last - end.at)} earlier than {than}."


def _indexes(indexes: list[int]) -> str:
    shown = ", ".join(map(str, indexes[:_MAX_NAMES]))
    more = f" and {len(indexes) - _MAX_NAMES} more" if len(indexes) > _MAX_NAMES else ""
    return f"{'Index' if len(indexes) == 1 else 'Indexes'} {shown}{more}"


def _names(pods: list[RecordedPod]) -> str:
    shown = ", ".join(pod.name for pod in pods[:_MAX_NAMES])
    more = f" and {len(pods) - _MAX_NAMES} more" if len(pods) > _MAX_NAMES else ""
    return f"{shown}{more}"


def _number(count: int, noun: str, plural: str = "") -> str:
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def _counts(count: int) -> str:
    return "counts" if count == 1 else "count"


def _shortened(text: str, most: int = 120) -> str:
    return text if len(text) <= most else f"{text[:most].rpartition(',')[0]}, …"


def _value(value: Any) -> str:
    if value in (None, MAX_INT32):
        return "none"
    if isinstance(value, dict) and isinstance(value.get("rules"), list):
        return _number(len(value["rules"]), "rule")
    return str(value)
