"""A failed Job, and the cause of its failure in the clauses of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job
from jobsworth.controller.success_rules import can_be_met
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.recording import RecordedEnd, Recording
from jobsworth.runs.why.failure_groups import FailureGroup
from jobsworth.runs.why.numbers_in_words import indexes
from jobsworth.wording import count

MAX_GROUPS = 3
"""Groups of failures that a sentence names."""


class Ending(NamedTuple):
    """The cause of a failed Job.

    Attributes:
        cause: that of the decisive failures, or of the wait for Pods.
        clauses: of the sentence, the cause first.
    """

    cause: Cause
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailedJob:
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
