"""Failed Jobs that no CronJob controls: those with a later success, and those without."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from jobsworth.runs.health.evidence import StoredJob

Runs = tuple[str, str, str]

MAX_MESSAGE = 200
"""The characters of a condition's message that are shown: a message has up to 32,768."""


class FailedJob(NamedTuple):
    """A failed Job.

    Attributes:
        at: when it got its Failed condition.
    """

    job: StoredJob
    at: int

    def seconds(self, now: int) -> int:
        """Return for how long it has been Failed."""
        return max(0, now - self.at)

    @property
    def message(self) -> str:
        """The message of its Failed condition, shortened."""
        text = self.job.message
        return text if len(text) <= MAX_MESSAGE else f"{text[: MAX_MESSAGE - 1]}…"


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


def _runs_of(job: StoredJob) -> Runs | None:
    """Return the same key for Jobs of one owner or generateName; None for a Job that has neither.

    Two Jobs of one name are never stored at the same time, so a name is no such key.
    """
    if job.owner:
        return (job.namespace, "owner", job.owner_uid) if job.owner_uid else None
    return (job.namespace, "generateName", job.generate_name) if job.generate_name else None
