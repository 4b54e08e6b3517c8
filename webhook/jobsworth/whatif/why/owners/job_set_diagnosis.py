"""The Job of a JobSet that decides, and the reason for its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from jobsworth.api.jobset.labels import REPLICATED_JOB
from jobsworth.controller.status import read_status
from jobsworth.controller.times import read_time
from jobsworth.whatif.simulation.occurrences import JOB_SET_MANAGER
from jobsworth.whatif.why.numbers_in_words import finalizers, number_of

if TYPE_CHECKING:
    from jobsworth.whatif.why.diagnosis import Diagnosis

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
        outcome: ``Complete``, ``Failed`` or ``Unfinished``.
        reason: of its condition; empty while it goes on.
        cause: the cause of the Job that decides; ``suspended``, ``deleting``, ``gone`` or ``complete``
            without one.
        jobs: its Jobs that exist.
        job: the diagnosis of the Job that decides; None if there is none.
    """

    namespace: str
    name: str
    uid: str
    outcome: str
    reason: str
    cause: str
    sentence: str
    restarts: int
    jobs: tuple[ChildJob, ...]
    job: Diagnosis | None


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
    manifest: Object, children: Sequence[ChildJob], job: Diagnosis | None
) -> JobSetDiagnosis:
    """Diagnose a JobSet.

    Args:
        manifest: the JobSet as the API server has it; its shape was checked.
        job: the diagnosis of the decisive Job.
    """
    meta, status = manifest["metadata"], manifest.get("status") or {}
    name, restarts = meta.get("name") or "", status.get("restarts") or 0
    failed, completed = _condition(manifest, FAILED), _condition(manifest, COMPLETED)
    after = f" after {number_of(restarts, 'restart')}" if restarts else ""
    cause = "gone" if job is None else job.cause
    sentence = "" if job is None else job.sentence.rstrip(".")
    if failed:
        outcome, condition = "Failed", failed
        words = f"failed{after} ({failed.get('reason')}): "
        words += sentence or f"its Jobs are gone; its condition says: {failed.get('message') or ''}"
    elif completed:
        outcome, condition, cause = "Complete", completed, "complete"
        words = f"completed{after}: {completed.get('message') or ''}"
    elif meta.get("deletionTimestamp"):
        outcome, condition, cause = "Unfinished", {}, "deleting"
        names = meta.get("finalizers") or ()
        words = "is being deleted" + (f" (held by {finalizers(names)})" if names else "")
    elif (manifest.get("spec") or {}).get("suspend"):
        outcome, condition, cause = "Unfinished", {}, "suspended"
        words = "is suspended (spec.suspend), and so are its Jobs"
    else:
        outcome, condition = "Unfinished", {}
        done = sum(each.complete for each in children)
        words = f"goes on{after}: {done} of {number_of(len(children), 'Job')} complete"
        if sentence:
            words += f"; {sentence}"
        elif not children:
            words += f"; {_controller(manifest)} has created none"
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
