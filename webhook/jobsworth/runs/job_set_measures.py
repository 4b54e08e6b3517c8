"""Measures of one run of a JobSet: restarts, and the work that they throw away."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from jobsworth.runs.run_record import JobRecord, RunRecord
from jobsworth.runs.virtual_time import HOUR


class JobSetSummary(NamedTuple):
    """The measures of a run of a JobSet.

    Attributes:
        jobs: the Jobs that were created, with those of restarts.
        restarts: of the whole JobSet.
        counted: those that count towards maxRestarts.
        lost: milliseconds for which Pods of earlier attempts ran: a restart throws their work away.
    """

    jobs: int
    restarts: int
    counted: int
    lost: int


MEASURES: dict[str, Callable[[JobSetSummary], float]] = {
    "restarts": lambda run: run.restarts,
    "countedRestarts": lambda run: run.counted,
    "lostHours": lambda run: run.lost / HOUR,
    "jobs": lambda run: run.jobs,
}
"""The measures of a JobSet by name, as numbers."""


def is_lost(job: JobRecord, record: RunRecord) -> bool:
    """Return True for a Job of a JobSet that a restart has replaced."""
    return record.job_set is not None and job.run < record.job_set.attempts


def is_stopped_by_success(job: JobRecord, record: RunRecord) -> bool:
    """Return True for a Job that its JobSet deleted because others met the success policy."""
    return (
        record.job_set is not None
        and record.job_set.outcome == "Complete"
        and job.deleted is not None
        and not is_lost(job, record)
    )


def job_set_summary(record: RunRecord) -> JobSetSummary | None:
    """Return the measures of a run; None if it is not one of a JobSet."""
    job_set = record.job_set
    if job_set is None:
        return None
    restarts = job_set.restarts
    lost = sum(
        pod.used(record.end) for job in record.jobs if is_lost(job, record) for pod in job.pods
    )
    return JobSetSummary(
        len(record.jobs), len(restarts), sum(each.counts for _, each in restarts), lost
    )
