"""Measures of one run of a CronJob: how many scheduled times started Jobs, how late, and with what result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from jobsworth.runs.cause import Cause
from jobsworth.runs.run_record import JobRecord, RunRecord
from jobsworth.runs.virtual_time import SECOND

ON_TIME = SECOND
"""A Job that is created within so many milliseconds after its scheduled time is on time."""


class CronJobSummary(NamedTuple):
    """The measures of one run of a CronJob; durations are milliseconds.

    Attributes:
        due: scheduled times: `on_time` + `late` + `missed`.
        missed: those that started no Job, by reason.
        delay: of the latest Job.
        manual: Jobs that a user created from the CronJob.
        deleted: Jobs that a user deleted before they had finished.
        longest: from the creation of a Job to its end, or to the end of the run.
        overlapping: Jobs that had running Pods beside those of an earlier Job.
        overlap: for how long the Pods of several Jobs ran.
        most_pods: the most Pods at a time, pending and terminating ones included.
    """

    due: int
    on_time: int
    late: int
    delay: int
    missed: tuple[tuple[Cause, int], ...]
    manual: int
    complete: int
    failed: int
    replaced: int
    deleted: int
    unfinished: int
    longest: int
    overlapping: int
    overlap: int
    most_pods: int

    @property
    def missed_runs(self) -> int:
        """The number of scheduled times that started no Job."""
        return sum(number for _, number in self.missed)

    @property
    def jobs(self) -> int:
        """The number of its Jobs."""
        return self.complete + self.failed + self.replaced + self.deleted + self.unfinished

    @property
    def flawless(self) -> bool:
        """True if every run that was due started on time, and no Job failed or was replaced."""
        return self.on_time == self.due and not self.failed and not self.replaced


class Measure(NamedTuple):
    """A measure for statistics and requirements.

    Attributes:
        of: returns its value in a run.
        duration: it is a duration in milliseconds; else a number.
    """

    of: Callable[[CronJobSummary], int]
    duration: bool = False


MEASURES = {
    "due": Measure(lambda run: run.due),
    "onTime": Measure(lambda run: run.on_time),
    "late": Measure(lambda run: run.late),
    "missed": Measure(lambda run: run.missed_runs),
    "delay": Measure(lambda run: run.delay, duration=True),
    "jobs": Measure(lambda run: run.jobs),
    "failed": Measure(lambda run: run.failed),
    "replaced": Measure(lambda run: run.replaced),
    "deleted": Measure(lambda run: run.deleted),
    "unfinished": Measure(lambda run: run.unfinished),
    "longest": Measure(lambda run: run.longest, duration=True),
    "overlapping": Measure(lambda run: run.overlapping),
    "overlap": Measure(lambda run: run.overlap, duration=True),
    "mostPods": Measure(lambda run: run.most_pods),
}


def cron_job_summary(record: RunRecord) -> CronJobSummary:
    """Return the measures of a run of a CronJob."""
    delays = [job.created - job.scheduled for job in record.jobs if job.scheduled is not None]
    late = sum(delay > ON_TIME for delay in delays)
    missed = Counter(missed.reason for missed in record.missed)
    ends = Counter(
        "deleted" if job.by_user else "replaced" if job.deleted is not None else job.outcome.lower()
        for job in record.jobs
    )
    busy = [list(_busy(job, record.end)) for job in record.jobs]
    overlapping, overlap = _overlap(busy)
    return CronJobSummary(
        due=len(delays) + missed.total(),
        on_time=len(delays) - late,
        late=late,
        delay=max((delay for delay in delays if delay > ON_TIME), default=0),
        missed=tuple(sorted(missed.items())),
        manual=len(record.jobs) - len(delays),
        complete=ends["complete"],
        failed=ends["failed"],
        replaced=ends["replaced"],
        deleted=ends["deleted"],
        unfinished=ends["unfinished"],
        longest=max((_age(job, record.end) for job in record.jobs), default=0),
        overlapping=overlapping,
        overlap=overlap,
        most_pods=_most_at_once(
            (pod.created, record.end if pod.ended is None else pod.ended)
            for job in record.jobs
            for pod in job.pods
        ),
    )


def _age(job: JobRecord, end: int) -> int:
    ends = [time for time in (job.finished, job.deleted) if time is not None]
    return min(ends, default=end) - job.created


def _busy(job: JobRecord, end: int) -> Iterator[tuple[int, int]]:
    """Yield the periods in which Pods of a Job ran."""
    begin = until = -1
    for started, ended in sorted(
        (pod.started, end if pod.ended is None else pod.ended)
        for pod in job.pods
        if pod.started is not None
    ):
        if started <= until:
            until = max(until, ended)
            continue
        if begin >= 0:
            yield begin, until
        begin, until = started, ended
    if begin >= 0:
        yield begin, until


def _overlap(busy: list[list[tuple[int, int]]]) -> tuple[int, int]:
    """Return how many Jobs began to run beside another one, and for how long several ran."""
    changes = sorted(
        change
        for number, periods in enumerate(busy)
        for begin, end in periods
        for change in ((begin, 1, number), (end, -1, number))
    )
    changes.sort(key=lambda change: change[:2])  # at one time, ends come first
    running, total = 0, 0
    beside: set[int] = set()
    for (at, change, number), (following, _, _) in pairwise([*changes, (0, 0, 0)]):
        if change > 0 and running:
            beside.add(number)
        running += change
        if running > 1:
            total += following - at
    return len(beside), total


def _most_at_once(periods: Iterable[tuple[int, int]]) -> int:
    changes = sorted(change for begin, end in periods for change in ((begin, 1), (end, -1)))
    most = running = 0
    for _, change in changes:
        running += change
        most = max(most, running)
    return most
