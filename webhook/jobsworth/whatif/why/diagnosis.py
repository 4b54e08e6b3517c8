"""The diagnosis of a Job: why it failed, or what it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from jobsworth.printable import printable
from jobsworth.whatif.virtual_time import SECOND, spoken
from jobsworth.whatif.why.advice import advice_for
from jobsworth.whatif.why.failed_job import ending
from jobsworth.whatif.why.failure_clauses import failure_clause
from jobsworth.whatif.why.failure_groups import failure_groups
from jobsworth.whatif.why.numbers_in_words import number_of
from jobsworth.whatif.why.unfinished_job import standing

if TYPE_CHECKING:
    from jobsworth.findings.finding import Finding
    from jobsworth.whatif.replay.recording import RecordedEnd
    from jobsworth.whatif.waiting import Waiting
    from jobsworth.whatif.why.advice import Advice
    from jobsworth.whatif.why.failure_groups import FailureGroup
    from jobsworth.whatif.why.job_snapshot import JobSnapshot

Outcome = Literal["Complete", "Failed", "Unfinished"]


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis:
    """The reason for the state of a Job.

    Attributes:
        outcome: by its conditions; a Job whose end is decided while Pods terminate has this end.
        reason: the reason of its condition; empty while it goes on.
        cause: the cause, as a stable name such as ``oom``, ``exit-code``, ``eviction``, ``imagePull``,
            ``unschedulable``, ``suspended``, ``running``; ``gone`` if the Pods that would show it are gone.
        sentence: the cause in one sentence.
        groups: failed Pods by cause.
        waiting: what an unfinished Job waits for; None if it has finished, or that is unknown.
        advice: what to change.
    """

    snapshot: JobSnapshot
    outcome: Outcome
    reason: str
    cause: str
    sentence: str
    groups: tuple[FailureGroup, ...]
    waiting: Waiting | None
    advice: tuple[Advice, ...]

    def __repr__(self) -> str:
        """Return one line for a console."""
        return f"<{self.outcome}, {self.cause}: {printable(self.sentence)}>"


def diagnose(snapshot: JobSnapshot, findings: Sequence[Finding] = ()) -> Diagnosis:
    """Diagnose a Job.

    Args:
        findings: of the lint rules about this Job, from which the advice takes those that concern the cause.
    """
    recording = snapshot.recording
    groups, end = failure_groups(snapshot), recording.end
    name = f"Job {recording.job.name}"
    if end is None:
        found = standing(snapshot)
        so_far = _so_far(groups)
        sentence = f"{name} {found.sentence}{so_far}."
        cause, waiting = found.cause, found.waiting
        outcome: Outcome = "Unfinished"
    else:
        waiting = None
        after = _after(snapshot, end)
        if end.success:
            cause, outcome = "complete", "Complete"
            verb = "completed" if end.finished else "is completing"
            text = f"{_success(snapshot)}{_so_far(groups, 'before that')}"
        else:
            why, outcome = ending(snapshot, groups, end), "Failed"
            cause = why.cause
            verb = "failed" if end.finished else "is failing"
            text = "; ".join(filter(None, why.clauses))
        sentence = f"{name} {verb}{after}: {text}."
    return Diagnosis(
        snapshot,
        outcome,
        "" if end is None else end.reason,
        cause,
        sentence,
        tuple(groups),
        waiting,
        advice_for(cause, outcome, groups, findings),
    )


def _after(snapshot: JobSnapshot, end: RecordedEnd) -> str:
    at = end.decided if end.finished is None else end.finished
    return f" after {spoken(max(0, at - snapshot.recording.created) * SECOND)}"


def _success(snapshot: JobSnapshot) -> str:
    job, end = snapshot.recording.job, snapshot.recording.end
    number = job.status.succeeded
    noun = "index" if job.indexed else "Pod"
    of = "" if job.completions is None else f" of {job.completions}"
    text = f"{number}{of} {noun}{'es' if noun == 'index' else 's'} succeeded"
    if end is not None and end.reason == "SuccessPolicy":
        text += f", and the success policy is met ({end.message})"
    return text


def _so_far(groups: Sequence[FailureGroup], when: str = "so far") -> str:
    """Return the failures that did not end the Job, as an end of a sentence; empty without any."""
    if not groups:
        return ""
    shown = [failure_clause(each) + ("" if each.counts else " (ignored)") for each in groups[:2]]
    rest = sum(len(each.pods) for each in groups[2:])
    more = [f"and {number_of(rest, 'other failure')}"] if rest else []
    return f"; {when}, {'; '.join([*shown, *more])}"
