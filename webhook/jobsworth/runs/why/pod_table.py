"""The Pods of a Job as rows: failed ones first, many alike in one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jobsworth.api.batch.termination_rules import Action
from jobsworth.controller import well_known_names
from jobsworth.controller.pods import ACTIVE, POD_SUCCEEDED
from jobsworth.runs.recorded.pending_pods import PendingReason
from jobsworth.runs.recorded.pod_facts import CRASH_LOOP
from jobsworth.runs.recorded.recording import RecordedPod, Recording
from jobsworth.runs.replay.planner_replay import Replay, ReplayedFailure
from jobsworth.runs.why.clauses import finalizers
from jobsworth.runs.why.decisions import decision, rule_words
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.failure_groups import stopped
from jobsworth.runs.why.unfinished_job import pending_reasons
from jobsworth.wording import count, listing

SHOWN_ALIKE = 3
"""Pods of a kind that have a row of their own."""
MAX_KINDS = 12
MAX_PODS = 60
"""Pods with a row of their own, where decisions are shown."""
LONG = 100
"""Characters beyond which a row does not repeat the message that the cause has."""


EFFECT_WORDS: dict[Action, str] = {
    "FailJob": "fails the Job",
    "FailIndex": "fails the index",
    "Count": "counted",
    "Ignore": "ignored",
}
"""The effect of a failed Pod in words."""


class PodRow(NamedTuple):
    """A Pod, or several alike, in words; times since the creation of the Job."""

    name: str
    completion_index: str
    node: str
    created: str
    started: str
    ended: str
    how: str
    followed: str


def pod_rows(diagnosis: Diagnosis, said: str = "") -> Iterator[PodRow]:
    """Yield the rows: failed Pods by group, then those that do not start, then others.

    Args:
        said: what is shown beside the rows, whose long messages they do not repeat.
    """
    recording = diagnosis.recording
    table = _Table(recording, pending_reasons(recording), said)
    shown: set[str] = set()
    for group in diagnosis.groups[:MAX_KINDS]:
        rule = f"{group.rule}: " if group.rule else ""
        yield from table.alike(group.pods, f"{rule}{EFFECT_WORDS[group.effect]}")
        shown.update(pod.name for pod in group.pods)
    kinds: dict[tuple[int, str], list[RecordedPod]] = {}
    for pod in recording.pods:
        if pod.name not in shown:
            kinds.setdefault(table.kind(pod), []).append(pod)
    for kind in sorted(kinds)[:MAX_KINDS]:
        yield from table.alike(kinds[kind], "")


def decided_rows(diagnosis: Diagnosis, replayed: Replay, said: str = "") -> list[PodRow]:
    """Return a row for each Pod in the order of creation, with the planner's decision about its failure.

    If there are too many, failed ones are chosen first.

    Args:
        said: what is shown beside the rows, whose long messages they do not repeat.
    """
    recording = diagnosis.recording
    table = _Table(recording, pending_reasons(recording), said)
    failures = {id(pod): replayed.failure(pod) for pod in recording.pods}
    chosen = sorted(recording.pods, key=lambda pod: failures[id(pod)] is None)[:MAX_PODS]
    kept = {id(pod) for pod in chosen}
    rows = []
    for pod in recording.pods:
        failure = failures[id(pod)]
        followed = "" if failure is None else _followed(failure, replayed)
        if id(pod) in kept:
            rows.append(table.row(pod, followed))
    left_out = len(recording.pods) - len(rows)
    if left_out:
        rows.append(PodRow(f"… {count(left_out, 'Pod')} more", "", "", "", "", "", "", ""))
    return rows


def _followed(failure: ReplayedFailure, replayed: Replay) -> str:
    return f"{rule_words(failure.match)}: {decision(failure, replayed)}"


@dataclass(frozen=True, slots=True)
class _Table:
    recording: Recording
    reasons: Mapping[str, PendingReason]
    said: str

    def kind(self, pod: RecordedPod) -> tuple[int, str]:
        """Return a key that Pods alike share; the lower it is, the earlier they are listed."""
        if pod.name in self.reasons:
            return 0, self.reasons[pod.name].words
        if pod.view.state == ACTIVE:
            return 1, ""
        if pod.view.state == POD_SUCCEEDED:
            return 4, ""
        return 3 if stopped(self.recording, pod) else 2, ""

    def alike(self, pods: Sequence[RecordedPod], followed: str) -> Iterator[PodRow]:
        """Yield the rows of Pods alike."""
        kept = pods if len(pods) <= SHOWN_ALIKE + 1 else pods[:SHOWN_ALIKE]
        for pod in kept:
            yield self.row(pod, followed)
        if len(pods) > len(kept):
            more = f"… {count(len(pods) - len(kept), 'Pod')} more"
            yield PodRow(more, "", "", "", "", "", "likewise", followed)

    def row(self, pod: RecordedPod, followed: str) -> PodRow:
        """Return the row of a Pod."""
        recording = self.recording
        how = how_it_ended(recording, pod)
        reason = self.reasons.get(pod.name)
        if reason is not None:
            words = reason.words
            if reason.reason and len(words) > LONG and words in self.said:
                words = reason.reason
            how = f"Pending: {words}" if words else "Pending"
        if pod.view.deleting and pod.facts.finalizers and not pod.gone:
            how += f", held by {finalizers(pod.facts.finalizers)}"
        return PodRow(
            pod.name,
            "" if pod.index is None else str(pod.index),
            pod.facts.node,
            recording.since(None if pod.gone and pod.created == pod.deleted else pod.created),
            recording.since(pod.started),
            recording.since(pod.ended),
            how,
            followed,
        )


def _state(pod: RecordedPod, partly_ended: bool) -> str:
    """Return what a Pod does that has not ended and is not deleted."""
    loops = [
        f"{each.name} in {CRASH_LOOP} ({count(each.restarts, 'restart')})"
        for each in pod.facts.waiting
        if each.reason == CRASH_LOOP
    ]
    going = [
        each.name for each in pod.facts.containers if not each.ended and each.reason != CRASH_LOOP
    ]
    if not going and loops:
        return ", ".join(loops)
    state = "never started" if pod.started is None else "still running"
    if going and (partly_ended or loops):
        state = f"{listing(going)} still running"
    return ", ".join((state, *loops))


def how_it_ended(recording: Recording, pod: RecordedPod) -> str:
    """Return how a Pod ended: exit codes, reasons and its DisruptionTarget condition."""
    codes = ", ".join(
        f"{each.name} exit {each.exit_code}"
        + ("" if each.reason in ("", "Error") else f" ({each.reason})")
        for each in pod.containers
        if each.exit_code
        or each.reason not in ("", "Error", "Completed")
        or (pod.ended is None and each.name not in pod.facts.init_containers)
    )
    parts = [codes, pod.reason, f"DisruptionTarget ({pod.disruption})" if pod.disruption else ""]
    found = ", ".join(filter(None, parts))
    if pod.ended is None:
        if pod.gone:
            return "stopped with the Job"
        state = "terminating, end unknown" if pod.deleted is not None else _state(pod, bool(codes))
        return f"{state}, {found}" if found else state
    if pod.view.phase == well_known_names.SUCCEEDED:
        return f"succeeded, {found}" if found else "succeeded"
    if recording.stopped_by_end(pod):
        found = f"stopped with the Job, {found}" if found else "stopped with the Job"
    return found or "failed without an exit code"
