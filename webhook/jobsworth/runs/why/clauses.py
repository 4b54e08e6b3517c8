"""A failed Job, its cause in the clauses of a sentence, and the numbers and indexes in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job, can_be_met
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.recording import RecordedEnd, Recording
from jobsworth.runs.why.failure_groups import FailureGroup
from jobsworth.wording import count

MAX_GROUPS = 3
"""Groups of failures that a sentence names."""

MAX_NAMES = 3
"""Names that a sentence lists."""
MAX_INTERVALS = 6
"""Intervals of indexes that a sentence lists."""


class WordedCause(NamedTuple):
    """The cause of a failed Job.

    Attributes:
        cause: that of the decisive failures, or of the wait for Pods.
        clauses: of the sentence, the cause first.
    """

    cause: Cause
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobFailure:
    recording: Recording
    groups: Sequence[FailureGroup]
    end: RecordedEnd

    @property
    def job(self) -> Job:
        return self.recording.job

    @property
    def counted(self) -> list[FailureGroup]:
        return [each for each in self.groups if each.counts]


def doomed_clause(job: Job, failed: IndexSet) -> str:
    """Return that a Job can only fail, as a clause; empty if it can complete.

    Args:
        failed: its indexes that failed for good.
    """
    if not failed or can_be_met(job.success_rules, failed, job.size):
        return ""
    rules = ", and no rule of successPolicy can be met" if job.success_rules else ""
    return (
        f"{indexes(failed)} failed for good{rules}, so the Job fails (FailedIndexes) when the others have "
        "ended, whatever they do"
    )


def progress(job: Job) -> str:
    status = job.status
    if job.completions is None:
        return f"{count(status.succeeded, 'Pod')} had succeeded"
    noun = "indexes" if job.indexed else "Pods"
    return f"{status.succeeded} of {job.completions} {noun} had succeeded"


def times(number: int) -> str:
    """Return how often, as an adverb; empty for once.

    >>> times(1), times(2), times(3)
    ('', 'twice', '3 times')
    """
    return {1: "", 2: "twice"}.get(number, f"{number} times")


def indexes(given: IndexSet) -> str:
    """Return completion indexes as a noun phrase; the rest of a long list is counted.

    >>> from jobsworth.controller.index_sets import IndexSet
    >>> indexes(IndexSet.of([7])), indexes(IndexSet.of([1, 2, 3, 9]))
    ('index 7', 'indexes 1-3, 9')
    """
    if len(given) == 1:
        return f"index {given.text}"
    shown = [
        f"{first}" if first == last else f"{first}-{last}"
        for first, last in given.intervals[:MAX_INTERVALS]
    ]
    rest = len(given) - sum(last - first + 1 for first, last in given.intervals[:MAX_INTERVALS])
    more = f" and {rest} more" if rest else ""
    return f"indexes {', '.join(shown)}{more}"


def finalizers(names: Sequence[str]) -> str:
    """Return the names of finalizers as a noun phrase; of many, the first.

    >>> finalizers(["a.b/c"]), finalizers(["a", "b", "c", "d"])
    ('finalizer a.b/c', 'finalizers a, b, c and 1 more')
    """
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"finalizer{'s' if len(names) > 1 else ''} {', '.join(names[:MAX_NAMES])}{more}"
