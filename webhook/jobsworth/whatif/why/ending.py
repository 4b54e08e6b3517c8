"""A failed Job, and the cause of its failure in the clauses of a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.whatif.why.numbers_in_words import number_of

if TYPE_CHECKING:
    from jobsworth.controller.jobs import Job
    from jobsworth.whatif.replay.recording import RecordedEnd
    from jobsworth.whatif.why.failure_groups import FailureGroup
    from jobsworth.whatif.why.job_snapshot import JobSnapshot

MAX_GROUPS = 3
"""Groups of failures that a sentence names."""
GONE, NOT_READ, RUNNING, RESTARTS = "gone", "not-read", "running", "restarts"


class Ending(NamedTuple):
    """The cause of a failed Job.

    Attributes:
        cause: stable: the name of the cause of the decisive failures, that for which Pods stayed Pending, or
            GONE, NOT_READ, RUNNING, RESTARTS, or the reason of the condition.
        clauses: of the sentence, the cause first.
    """

    cause: str
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailedJob:
    snapshot: JobSnapshot
    groups: Sequence[FailureGroup]
    end: RecordedEnd

    @property
    def job(self) -> Job:
        return self.snapshot.recording.job

    @property
    def counted(self) -> list[FailureGroup]:
        return [each for each in self.groups if each.counts]


def progress(job: Job) -> str:
    status = job.status
    if job.completions is None:
        return f"{number_of(status.succeeded, 'Pod')} had succeeded"
    noun = "indexes" if job.indexed else "Pods"
    return f"{status.succeeded} of {job.completions} {noun} had succeeded"
