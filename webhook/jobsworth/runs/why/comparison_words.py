"""The comparison of a recorded Job with another failure policy, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import MAX_INT32
from jobsworth.runs.replay.planner_replay import ReplayedEnd
from jobsworth.runs.replay.policy_comparison import ComparedFailure, PolicyComparison
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.why.clauses import doomed_clause
from jobsworth.runs.why.decisions import MAX_NAMES, decision, missing_failures, names_of, rule_words
from jobsworth.runs.why.pod_table import how_it_ended
from jobsworth.wording import count


def changed_field(change: tuple[str, Any, Any]) -> str:
    """Return a field of the failure policy that differs, with both values."""
    name, before, after = change
    if before is not None and after is not None and isinstance(after, dict):
        return f"{name}: other rules"
    return f"{name}: {_value(before)} -> {_value(after)}"


def divergence(comparison: PolicyComparison) -> Iterator[tuple[str, str]]:
    """Yield the first point where the policies diverge: the time, and what each of them does."""
    if comparison.divergence is None:
        return
    recording = comparison.recording
    first = comparison.first
    at = recording.since(comparison.divergence)
    if first is None:
        yield "at", at
        yield "recorded", _end_words(comparison.recorded_end, comparison.divergence)
        yield "with it", _end_words(comparison.other.end, comparison.divergence)
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


def consequences(comparison: PolicyComparison) -> Iterator[str]:
    """Yield what follows under the other policy, as far as the recording knows."""
    recording, other = comparison.recording, comparison.other
    recorded = comparison.recorded_end
    dropped, retried = comparison.dropped_indexes, comparison.retried_indexes
    if dropped:
        when = recording.since(other.failed_indexes[dropped[0]])
        verb = "fails for good at" if len(dropped) == 1 else "fail for good, the first at"
        yield f"{_indexes(dropped)} {verb} {when}."
    if other.end is not None:
        yield from _other_end(comparison, other.end, recorded)
    elif comparison.divergence is None:
        if recorded is None:
            yield "Both do the same with every recorded failure, and the Job still runs."
        else:
            yield "Both do the same with every recorded failure."
    elif recorded is None:
        yield "The Job still runs under both policies when the recording ends."
    else:
        result = "completed" if recorded.success else f"failed ({recorded.reason})"
        when = recording.since(recorded.at)
        yield f"The recorded Job {result} at {when}. With {comparison.name} it goes on."
        doomed = doomed_clause(other.job, IndexSet.of(other.failed_indexes))
        if doomed:
            yield f"It fails in any case: {doomed}."
        if other.next_pod is not None and not recording.unseen:
            when = recording.since(other.next_pod)
            yield f"Its controller would create the next Pod at {when}."
    if comparison.spared:
        yield (
            f"{count(len(comparison.spared), 'recorded Pod')} would not exist: "
            f"{names_of(comparison.spared)}."
        )
    if comparison.spared_seconds:
        yield f"Pods would run {spoken(comparison.spared_seconds * SECOND)} less."
    if retried:
        text = f"{_indexes(retried)} would be retried."
        unknown_pods = " What the new Pods do is unknown, and may end the Job earlier."
        yield text if other.end is None else text + unknown_pods
    missing = list(missing_failures(recording, comparison.recorded)) or recording.unseen
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
    text = f"The Job {kind} at {comparison.recording.since(end.at)}: {end.reason}: {end.message}."
    if recorded is not None and end[:3] == recorded[:3]:
        yield f"{text} This matches the recording."
        return
    yield text
    last = comparison.recording.until if recorded is None else recorded.at
    if last > end.at:
        later = "The recording ends" if recorded is None else "The recorded Job ended"
        yield f"{later} {spoken((last - end.at) * SECOND)} later."


def _indexes(indexes: list[int]) -> str:
    shown = ", ".join(map(str, indexes[:MAX_NAMES]))
    more = f" and {len(indexes) - MAX_NAMES} more" if len(indexes) > MAX_NAMES else ""
    return f"{'Index' if len(indexes) == 1 else 'Indexes'} {shown}{more}"


def _value(value: Any) -> str:
    if value in (None, MAX_INT32):
        return "none"
    if isinstance(value, dict) and isinstance(value.get("rules"), list):
        return count(len(value["rules"]), "rule")
    return str(value)
