"""The Pods of a Job as rows: failed ones first, many alike in one row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.controller.pods import ACTIVE, POD_SUCCEEDED
from jobsworth.whatif.replay.replay_wording import how_it_ended, since
from jobsworth.whatif.why.failure_groups import stopped
from jobsworth.whatif.why.numbers_in_words import number_of
from jobsworth.whatif.why.unfinished_job import pending_reasons

if TYPE_CHECKING:
    from jobsworth.whatif.replay.recording import RecordedPod
    from jobsworth.whatif.why.diagnosis import Diagnosis
    from jobsworth.whatif.why.job_snapshot import JobSnapshot
    from jobsworth.whatif.why.pods.pending_pods import PendingReason

SHOWN_ALIKE = 3
"""Pods of a kind that have a row of their own."""
MAX_KINDS = 12


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


def pod_rows(diagnosis: Diagnosis) -> Iterator[PodRow]:
    """Yield the rows: failed Pods by group, then those that do not start, then others."""
    snapshot = diagnosis.snapshot
    table = _Table(snapshot, pending_reasons(snapshot))
    shown: set[str] = set()
    for group in diagnosis.groups[:MAX_KINDS]:
        rule = f"{group.rule}: " if group.rule else ""
        yield from table.alike(group.pods, f"{rule}{group.fate}")
        shown.update(pod.name for pod in group.pods)
    kinds: dict[tuple[int, str], list[RecordedPod]] = {}
    for pod in snapshot.recording.pods:
        if pod.name not in shown:
            kinds.setdefault(table.kind(pod), []).append(pod)
    for kind in sorted(kinds)[:MAX_KINDS]:
        yield from table.alike(kinds[kind], "")


@dataclass(frozen=True, slots=True)
class _Table:
    snapshot: JobSnapshot
    reasons: Mapping[str, PendingReason]

    def kind(self, pod: RecordedPod) -> tuple[int, str]:
        """Return a key that Pods alike share; the lower it is, the earlier they are listed."""
        if pod.name in self.reasons:
            return 0, self.reasons[pod.name].words
        if pod.view.state == ACTIVE:
            return 1, ""
        if pod.view.state == POD_SUCCEEDED:
            return 4, ""
        return 3 if stopped(self.snapshot.recording, pod) else 2, ""

    def alike(self, pods: Sequence[RecordedPod], followed: str) -> Iterator[PodRow]:
        """Yield the rows of Pods alike."""
        kept = pods if len(pods) <= SHOWN_ALIKE + 1 else pods[:SHOWN_ALIKE]
        for pod in kept:
            yield self._row(pod, followed)
        if len(pods) > len(kept):
            more = f"… {number_of(len(pods) - len(kept), 'Pod')} more"
            yield PodRow(more, "", "", "", "", "", "likewise", followed)

    def _row(self, pod: RecordedPod, followed: str) -> PodRow:
        recording = self.snapshot.recording
        how = how_it_ended(recording, pod)
        reason = self.reasons.get(pod.name)
        if reason is not None:
            how = f"Pending: {reason.words}" if reason.words else "Pending"
        return PodRow(
            pod.name,
            "" if pod.index is None else str(pod.index),
            self.snapshot.facts_of(pod).node,
            since(recording, pod.created),
            since(recording, pod.started),
            since(recording, pod.ended),
            how,
            followed,
        )
