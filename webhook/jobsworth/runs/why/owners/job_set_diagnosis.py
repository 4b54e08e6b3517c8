"""The Job of a JobSet that decides, and the reason for its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jobsworth.api.jobset.names import REPLICATED_JOB
from jobsworth.controller.status import read_status
from jobsworth.controller.times import read_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.recording import QueueFacts
from jobsworth.runs.simulation.occurrences import JOB_SET_MANAGER
from jobsworth.runs.why.clauses import finalizers
from jobsworth.runs.why.diagnosis import Diagnosis, Outcome
from jobsworth.runs.why.summary import Summary, owner_summary
from jobsworth.wording import count

Object = dict[str, Any]

COMPLETED, FAILED, SUSPENDED = "Completed", "Failed", "Suspended"


class ChildJob(NamedTuple):
    """A Job of a JobSet.

    Attributes:
        failed_at: when it failed; None if it has not.
        complete: it is complete.
        stalled: Pods that are active and not ready, by its status.
        suspended: spec.suspend.
    """

    name: str
    replicated_job: str
    failed_at: int | None
    complete: bool
    stalled: int
    suspended: bool


@dataclass(frozen=True, slots=True)
class JobSetDiagnosis:
    """The reason for the state of a JobSet.

    Attributes:
        reason: of its condition; empty while it goes on.
        cause: that of the Job that decides, if there is one.
        jobs: its Jobs that exist.
        job: the diagnosis of the Job that decides; None if there is none.
        summary: the same as `sentence`, in four parts.
    """

    namespace: str
    name: str
    uid: str
    outcome: Outcome
    reason: str
    cause: Cause
    sentence: str
    restarts: int
    jobs: tuple[ChildJob, ...]
    job: Diagnosis | None
    summary: Summary


def read_children(jobs: Sequence[Object]) -> list[ChildJob]:
    """Return the Jobs of a JobSet by name; the shape of the Jobs was checked."""
    return sorted(_child(each) for each in jobs)


def decisive_child(manifest: Object, children: Sequence[ChildJob]) -> ChildJob | None:
    """Return the Job to explain: the first that failed, else the one with the most Pods that do not run.

    None if no Job exists, or all are complete.
    """
    failed = [each for each in children if each.failed_at is not None]
    if failed:
        message = _condition(manifest, FAILED).get("message") or ""
        named = [each for each in failed if f"first failed job: {each.name})" in message]
        return min(named or failed, key=lambda each: (each.failed_at or 0, each.name))
    going = [each for each in children if not each.complete]
    return min(going, key=lambda each: (-each.stalled, each.name), default=None)


def diagnose_job_set(
    manifest: Object,
    children: Sequence[ChildJob],
    job: Diagnosis | None,
    queue: QueueFacts | None = None,
) -> JobSetDiagnosis:
    """Diagnose a JobSet.

    Args:
        manifest: the JobSet as the API server has it; its shape was checked.
        job: the diagnosis of the decisive Job.
        queue: what its queue says of it.
    """
    meta, status = manifest["metadata"], manifest.get("status") or {}
    name, restarts = meta.get("name") or "", status.get("restarts") or 0
    failed, completed = _condition(manifest, FAILED), _condition(manifest, COMPLETED)
    after = f" after {count(restarts, 'restart')}" if restarts else ""
    cause = Cause.PODS_GONE if job is None else job.cause
    sentence = "" if job is None else job.sentence.rstrip(".")
    outcome: Outcome = "Unfinished"
    condition: Object = {}
    why = ""
    if failed:
        outcome, condition = "Failed", failed
        brief = f"failed{after} ({failed.get('reason')})"
        why = (
            ""
            if sentence
            else f"its Jobs are gone; its condition says: {failed.get('message') or ''}"
        )
        words = f"{brief}: {sentence or why}"
    elif completed:
        outcome, condition, cause = "Complete", completed, Cause.COMPLETE
        brief = words = f"completed{after}: {completed.get('message') or ''}"
    elif meta.get("deletionTimestamp"):
        cause = Cause.DELETING
        names = meta.get("finalizers") or ()
        brief = words = "is being deleted" + (f" (held by {finalizers(names)})" if names else "")
    elif (manifest.get("spec") or {}).get("suspend"):
        cause = Cause.SUSPENDED
        brief = words = "is suspended (spec.suspend), and so are its Jobs"
        if queue is not None and queue.lacks:
            brief, why = (
                "is suspended: it waits for Kueue",
                f"{queue.kind} {queue.name}: {queue.lacks}",
            )
            words += f"; it waits for Kueue ({why})"
    else:
        done = sum(each.complete for each in children)
        brief = f"goes on{after}: {done} of {count(len(children), 'Job')} complete"
        if not sentence and not children:
            why = f"{_controller(manifest)} has created none"
        words = "; ".join(filter(None, (brief, sentence or why)))
    return JobSetDiagnosis(
        meta.get("namespace") or "",
        name,
        meta.get("uid") or "",
        outcome,
        condition.get("reason") or "",
        cause,
        f"JobSet {name} {words.rstrip('. ')}.",
        restarts,
        tuple(children),
        job,
        owner_summary(f"JobSet {name} {brief}", why, job),
    )


def _controller(manifest: Object) -> str:
    named = (manifest.get("spec") or {}).get("managedBy")
    if named in (None, JOB_SET_MANAGER):
        return "JobSet's controller"
    return f"the controller {named}, which spec.managedBy names,"


def _condition(manifest: Object, kind: str) -> Object:
    """Return a condition that is True; empty without one."""
    conditions = (manifest.get("status") or {}).get("conditions") or ()
    return next(
        (each for each in conditions if (each.get("type"), each.get("status")) == (kind, "True")),
        {},
    )


def _child(job: Object) -> ChildJob:
    meta, spec = job["metadata"], job.get("spec") or {}
    status = read_status(job.get("status") or {})
    failed = status.condition(FAILED)
    created = read_time(meta.get("creationTimestamp")) or 0
    return ChildJob(
        meta.get("name") or "",
        (meta.get("labels") or {}).get(REPLICATED_JOB) or "",
        (failed.changed or created) if failed is not None and failed.holds else None,
        status.holds("Complete"),
        max(0, status.active - (status.ready or 0)),
        bool(spec.get("suspend")),
    )
