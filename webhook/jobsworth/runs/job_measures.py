"""Measures of one run of a Job or JobSet beside its outcome: work, times, Pods at once, restarts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from jobsworth.runs.run_record import JobRecord, PodRecord, RunRecord
from jobsworth.runs.virtual_time import HOUR

Span = tuple[int, int]
"""The begin and the end of a period, in milliseconds."""


class JobMeasures(NamedTuple):
    """The measures of a run of a Job; times in milliseconds.

    Attributes:
        indexed: the completions are indexes.
        completions: 0 for a work queue, which has no number of them.
        succeeded: the completions that succeeded, each index once.
        to_90_percent: from the creation of the Job until nine tenths of its completions have succeeded; None
            if they never have, or for a work queue.
        most_pods: the greatest number of Pods that exist and have not ended.
        overlap: how long two Pods of one index ran at once, summed over the indexes; of a Job without
            indexes, how long more Pods ran than its parallelism. Work is done twice in this time.
    """

    indexed: bool
    completions: int
    succeeded: int
    to_90_percent: int | None
    most_pods: int
    overlap: int

    @property
    def work_done(self) -> float | None:
        """The share of the completions that succeeded; None for a work queue."""
        return self.succeeded / self.completions if self.completions else None


def measure_job(job: JobRecord, end: int) -> JobMeasures:
    """Return the measures of a Job.

    Args:
        end: the end of the run.
    """
    size, successes = job.size or 0, _successes(job)
    needed = -(-9 * size // 10)
    reached = 0 < needed <= len(successes)
    lives = [(pod.created, end if pod.ended is None else pod.ended) for pod in job.pods]
    return JobMeasures(
        job.indexed,
        size,
        min(len(successes), size) if size else len(successes),
        successes[needed - 1] - job.created if reached else None,
        max((number for _, number in _at_once(lives)), default=0),
        _overlap(job, end),
    )


def _successes(job: JobRecord) -> list[int]:
    """Return when each completion succeeded, sorted."""
    times: dict[object, int] = {}
    for pod in job.pods:
        if pod.counted == "succeeded" and pod.ended is not None:
            times.setdefault(pod.name if pod.index is None else pod.index, pod.ended)
    return sorted(times.values())


def _overlap(job: JobRecord, end: int) -> int:
    if not job.indexed:
        return _longer_than(job.parallelism, _runs(job.pods, end))
    again = {pod.index for pod in job.pods if pod.attempt > 1}
    attempts: dict[int | None, list[PodRecord]] = {}
    for pod in job.pods:
        if pod.index in again:
            attempts.setdefault(pod.index, []).append(pod)
    return sum(_longer_than(1, _runs(pods, end)) for pods in attempts.values())


def _runs(pods: Iterable[PodRecord], end: int) -> Iterator[Span]:
    for pod in pods:
        if pod.started is not None:
            yield pod.started, end if pod.ended is None else pod.ended


def _longer_than(allowed: int, spans: Iterable[Span]) -> int:
    """Return how long more periods than a number hold at once.

    >>> _longer_than(1, [(0, 10), (4, 12), (6, 8)])
    6
    """
    total = since = before = 0
    for time, number in _at_once(spans):
        if before > allowed:
            total += time - since
        since, before = time, number
    return total


def _at_once(spans: Iterable[Span]) -> Iterator[tuple[int, int]]:
    """Yield how many periods hold from each time on; one that ends is over when another begins."""
    number = 0
    changes = [change for begin, end in spans for change in ((begin, 1), (end, -1))]
    for time, change in sorted(changes):
        number += change
        yield time, number


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
