"""Failed Jobs that no CronJob controls: those with a later success, and those without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from jobsworth.runs.health.evidence import Object, StoredEvent, StoredJob
from jobsworth.runs.recorded.pod_facts import short
from jobsworth.runs.recorded.recording_reader import BadRecording, read_recording
from jobsworth.runs.why.failed_job import cause_of_failure
from jobsworth.runs.why.failure_groups import failure_groups

Runs = tuple[str, str, str]

MAX_MESSAGE = 200
"""The characters of a condition's message that are shown: a message has up to 32,768."""


class FailedJob(NamedTuple):
    """A failed Job.

    Attributes:
        at: when it got its Failed condition.
        why: the failure of its Pods, as a clause; empty if none is stored.
    """

    job: StoredJob
    at: int
    why: str = ""

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


def cause_of(job: StoredJob, pods: Sequence[Object], events: Sequence[StoredEvent]) -> str:
    """Return why a Job failed by its Pods, as a clause; empty if they do not show it.

    Args:
        pods: those that it controls.
        events: about it and these Pods.
    """
    if job.manifest is None:
        return ""
    try:
        recording = read_recording(job.manifest, pods, [each.value for each in events])
    except BadRecording:
        return ""
    groups, end = failure_groups(recording), recording.end
    if end is None or end.success or not groups:
        return ""
    clauses = cause_of_failure(recording, groups, end).clauses
    return next((each for each in clauses if not each.startswith(end.reason)), "")


def _runs_of(job: StoredJob) -> Runs | None:
    """Return the same key for Jobs of one owner or generateName; None for a Job that has neither.

    Two Jobs of one name are never stored at the same time, so a name is no such key.
    """
    if job.owner:
        return (job.namespace, "owner", job.owner_uid) if job.owner_uid else None
    return (job.namespace, "generateName", job.generate_name) if job.generate_name else None
