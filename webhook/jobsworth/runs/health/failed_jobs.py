"""Failed Jobs that no CronJob controls: those with a later success, and those without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from jobsworth.runs.health.evidence import Object, StoredEvent, StoredJob
from jobsworth.runs.recorded.pending_pods import rejection
from jobsworth.runs.recorded.pod_facts import short
from jobsworth.runs.recorded.recording_reader import BadRecording, read_recording
from jobsworth.runs.why.diagnosis import diagnose
from jobsworth.runs.why.failed_job import failure_clause
from jobsworth.runs.why.fixes import NO_FIX, Fix, fix_of

Runs = tuple[str, str, str]

MAX_MESSAGE = 200
"""The characters of a condition's message that are shown: a message has up to 32,768."""


class PodFailure(NamedTuple):
    """What stored Pods show of the failure of their Job.

    Attributes:
        why: the cause, as a clause; empty if they do not show it.
    """

    why: str = ""
    fix: Fix = NO_FIX


NOT_KNOWN = PodFailure()


class FailedJob(NamedTuple):
    """A failed Job.

    Attributes:
        at: when it got its Failed condition.
        failure: that of its Pods.
    """

    job: StoredJob
    at: int
    failure: PodFailure = NOT_KNOWN

    def seconds(self, now: int) -> int:
        """Return for how long it has been Failed."""
        return max(0, now - self.at)

    @property
    def message(self) -> str:
        """The message of its Failed condition, shortened."""
        return short(self.job.message, MAX_MESSAGE)


class FailedJobs(NamedTuple):
    """The Jobs without a CronJob that have failed in a window.

    Attributes:
        failed: those that no later success is known of, the newest first.
        recovered: the UIDs of the others.
    """

    failed: tuple[FailedJob, ...] = ()
    recovered: frozenset[str] = frozenset()


def failed_jobs(jobs: Iterable[StoredJob], since: int) -> FailedJobs:
    """Return the Jobs without a CronJob that have failed since a time.

    A later success is a Job of the same owner or generateName that was created after the failure: one that
    was created before may have done other work. Jobs that are being deleted, and those whose Failed condition
    has no time, are in neither part.

    Args:
        since: seconds since 1970.
    """
    unowned = [job for job in jobs if not job.cron_job]
    created: dict[Runs, int] = {}
    for job in unowned:
        runs = _runs_of(job)
        if runs is not None and job.outcome == "Complete":
            created[runs] = max(job.created, created.get(runs, job.created))
    failed = []
    recovered = set()
    for job in unowned:
        if job.outcome != "Failed" or job.deleting or job.ended is None or job.ended < since:
            continue
        runs = _runs_of(job)
        latest = None if runs is None else created.get(runs)
        if latest is not None and latest >= job.ended:
            recovered.add(job.uid)
        else:
            failed.append(FailedJob(job, job.ended))
    failed.sort(key=lambda each: (-each.at, each.job.namespace, each.job.name))
    return FailedJobs(tuple(failed), frozenset(recovered))


def pod_failure(
    job: StoredJob, pods: Sequence[Object], events: Sequence[StoredEvent]
) -> PodFailure:
    """Return what the Pods of a Job show of its failure.

    Args:
        pods: those that it controls.
        events: about it and these Pods.
    """
    if job.manifest is None:
        return NOT_KNOWN
    try:
        recording = read_recording(job.manifest, pods, [each.value for each in events])
    except BadRecording:
        return NOT_KNOWN
    found = diagnose(recording)
    if found.outcome != "Failed" or not (found.groups or rejection(recording.events)):
        return NOT_KNOWN
    clauses = [each for each in found.clauses if not each.startswith(found.reason)]
    failures = [failure_clause(each) for each in found.groups if each.counts]
    why = "; ".join(clauses[: max(1, sum(each in failures for each in clauses))])
    return PodFailure(why, fix_of(found)[0])


def _runs_of(job: StoredJob) -> Runs | None:
    """Return the same key for Jobs of one owner or generateName; None for a Job that has neither.

    Two Jobs of one name are never stored at the same time, so a name is no such key.
    """
    if job.owner:
        return (job.namespace, "owner", job.owner_uid) if job.owner_uid else None
    return (job.namespace, "generateName", job.generate_name) if job.generate_name else None
