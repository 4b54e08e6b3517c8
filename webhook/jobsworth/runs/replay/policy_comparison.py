"""Compare a recorded Job with the same failures under another failure policy.

The comparison holds as long as the recording knows what the Pods do. It ends where the other policy would
create a Pod that the recording does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.controller.jobs import read_job
from jobsworth.controller.settings import settings_of
from jobsworth.runs.recorded.recording import RecordedPod, Recording
from jobsworth.runs.replay.planner_replay import Replay, ReplayedEnd, ReplayedFailure, replay

POLICY_FIELDS = (
    "podFailurePolicy",
    "backoffLimit",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
    "successPolicy",
    "podReplacementPolicy",
)
"""The fields of a spec that are a Job's failure policy. The last belongs to it because podFailurePolicy
allows only one value of it."""


@dataclass(frozen=True, slots=True)
class ComparedFailure:
    """A failed Pod under both policies; None where it does not exist, or has not failed before the end."""

    pod: RecordedPod
    at: int
    recorded: ReplayedFailure | None
    other: ReplayedFailure | None

    @property
    def differs(self) -> bool:
        """True if the policies do something else with it."""
        return _effect(self.recorded) != _effect(self.other)


@dataclass(frozen=True, slots=True)
class PolicyComparison:
    """A recorded Job, and the same facts under another failure policy.

    Attributes:
        name: of the other policy: its file.
        changes: the fields that differ, with both values; None for an absent one.
        recorded: the recorded facts under the Job's own policy.
        failures: in the order of time.
        divergence: when the policies first decide something else; None if they never do.
    """

    name: str
    changes: tuple[tuple[str, Any, Any], ...]
    recording: Recording
    recorded: Replay
    other: Replay
    failures: tuple[ComparedFailure, ...]
    divergence: int | None

    @property
    def recorded_end(self) -> ReplayedEnd | None:
        """The end of the recorded Job; None if the recording ends before."""
        return recorded_end(self.recording, self.recorded)

    @property
    def first(self) -> ComparedFailure | None:
        """The failure at which the policies diverge; None if they diverge without one, or never."""
        return next(
            (
                each
                for each in self.failures
                if each.at == self.divergence and (each.differs or self._decides(each))
            ),
            None,
        )

    def _decides(self, failure: ComparedFailure) -> bool:
        """Return True if only one of the policies ends the Job with this failure."""
        ends = [end for end in (self.recorded_end, self.other.end) if end is not None]
        last = [each for each in self.failures if each.at == failure.at][-1]
        return failure is last and any(end.at == failure.at for end in ends)

    @property
    def retried_indexes(self) -> list[int]:
        """The indexes that failed for good, and that the other policy would retry."""
        return sorted(set(self.recorded.failed_indexes) - set(self.other.failed_indexes))

    @property
    def dropped_indexes(self) -> list[int]:
        """The indexes that the other policy would have failed earlier, in the order of time."""
        early = self.other.failed_indexes
        return [
            index for index, at in early.items() if self.recorded.failed_indexes.get(index) != at
        ]

    @property
    def spared(self) -> list[RecordedPod]:
        """The Pods that would not exist: created after the other end, or for a failed index."""
        end = self.other.end
        return [
            pod
            for pod in self.recording.pods
            if pod.view.uid in self.other.absent or (end is not None and pod.created > end.at)
        ]

    @property
    def spared_seconds(self) -> int:
        """The seconds for which recorded Pods ran, and would not have run."""
        spared = {pod.view.uid for pod in self.spared}
        end = self.other.end
        total = 0
        for pod in self.recording.pods:
            if pod.started is None:
                continue
            stop = self.recording.until if pod.ended is None else pod.ended
            if pod.view.uid in spared:
                total += max(0, stop - pod.started)
            elif end is not None:
                total += max(0, stop - max(pod.started, end.at))
        return total

    @property
    def undecided(self) -> bool:
        """True if the recording ends before the Job does under the other policy."""
        return self.other.end is None


def compare_policies(
    recording: Recording, recorded: Replay, name: str, other_spec: Mapping[str, Any]
) -> PolicyComparison:
    """Compare a recorded Job with another failure policy.

    Args:
        other_spec: the spec of a Job with defaults; only its POLICY_FIELDS are used.
    """
    manifest = with_policy(recording.manifest, other_spec)
    other = replay(recording, read_job(manifest, settings_of(manifest["spec"].get("managedBy"))))
    changes = tuple(
        (field, recording.manifest["spec"].get(field), manifest["spec"].get(field))
        for field in POLICY_FIELDS
        if recording.manifest["spec"].get(field) != manifest["spec"].get(field)
    )
    failures = tuple(_failures(recorded, other))
    ends = recorded_end(recording, recorded), other.end
    divergence = _divergence(ends, failures)
    return PolicyComparison(name, changes, recording, recorded, other, failures, divergence)


def recorded_end(recording: Recording, recorded: Replay) -> ReplayedEnd | None:
    """Return the end of a recorded Job: as replayed, or if Pods are missing for that, by its conditions."""
    end = recording.end
    if end is None:
        return None
    if recorded.end is not None and recorded.end[1:3] == (end.success, end.reason):
        return recorded.end
    return ReplayedEnd(end.decided, end.success, end.reason, end.message)


def with_policy(manifest: Mapping[str, Any], other_spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a Job with the failure policy of another."""
    spec = {key: value for key, value in manifest["spec"].items() if key not in POLICY_FIELDS}
    spec |= {key: other_spec[key] for key in POLICY_FIELDS if other_spec.get(key) is not None}
    return {**manifest, "spec": spec}


def as_new(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recorded Job as a client would create it: without what the API server generated."""
    meta, spec = manifest["metadata"], dict(manifest["spec"])
    if not spec.get("manualSelector") and spec.get("template"):
        spec.pop("selector", None)
        outer = spec["template"].get("metadata") or {}
        labels = {
            key: value
            for key, value in (outer.get("labels") or {}).items()
            if key not in GENERATED_LABELS
        }
        spec["template"] = {**spec["template"], "metadata": {**outer, "labels": labels}}
    kept = {key: meta[key] for key in ("name", "namespace", "annotations") if key in meta}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": kept, "spec": spec}


def _failures(recorded: Replay, other: Replay) -> list[ComparedFailure]:
    mine = {each.view.uid: each for each in recorded.failures}
    theirs = {each.view.uid: each for each in other.failures}
    found = []
    for uid in dict.fromkeys((*mine, *theirs)):
        here, there = mine.get(uid), theirs.get(uid)
        known = here or there
        if known is not None:
            found.append(ComparedFailure(known.pod, known.at, here, there))
    return sorted(found, key=lambda each: each.at)


def _divergence(
    ends: tuple[ReplayedEnd | None, ReplayedEnd | None], failures: tuple[ComparedFailure, ...]
) -> int | None:
    """Return the first time at which the policies decide something else; None without one."""
    times = [each.at for each in failures if each.differs]
    if _end(ends[0]) != _end(ends[1]):
        times += [end.at for end in ends if end is not None]
    return min(times, default=None)


def _end(end: ReplayedEnd | None) -> tuple[int, bool, str] | None:
    return None if end is None else (end.at, end.success, end.reason)


def _effect(failure: ReplayedFailure | None) -> str:
    return "" if failure is None else failure.effect
