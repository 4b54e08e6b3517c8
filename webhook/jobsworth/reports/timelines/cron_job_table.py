"""A run of a CronJob as text: a line for each scheduled time, and the outcome of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from jobsworth.reports.timelines.local_times import in_zone, local_time, zone_at
from jobsworth.runs.cause import MISSED
from jobsworth.runs.cron_job_measures import ON_TIME, CronJobSummary, cron_job_summary
from jobsworth.runs.run_record import JobRecord, RunRecord
from jobsworth.runs.virtual_time import spoken
from jobsworth.wording import count

RESYNC = (
    "The resync of the controller's informer, every 12 to 24 h, may create the Job of {due} earlier, "
    "at any time from {earliest} on."
)


class RunRow(NamedTuple):
    """A scheduled time of a CronJob, or a Job that a user created from it.

    Attributes:
        at: when it was due; of the Job of a user: when it was created.
        due: that in the time zone of the CronJob.
        start: ``started``, with the time if it was late; ``missed`` or ``run now``.
        result: of the Job, or why there is none.
        job: its position among the Jobs of the run; None if the scheduled time was missed.
    """

    at: int
    due: str
    start: str
    result: str
    job: int | None


def run_rows(record: RunRecord) -> list[RunRow]:
    """Return the scheduled times of a CronJob and the Jobs that a user created, in the order of time."""
    rows = [_row(record, number) for number in range(len(record.jobs))]
    rows += [
        RunRow(missed.scheduled, local_time(record, missed.scheduled), "missed", missed.why, None)
        for missed in record.missed
    ]
    return sorted(rows, key=lambda row: (row.at, row.job is None, row.job or 0))


def table_lines(record: RunRecord) -> Iterator[str]:
    """Yield a line for each scheduled time, each Job that a user created, and each intervention."""
    rows = run_rows(record)
    width = max((len(row.start) for row in rows), default=0)
    lines = [(row.at, f"{row.due}  {row.start:<{width}}  {row.result}") for row in rows]
    for each in record.occurrences:
        until = f" (until {local_time(record, each.until)})" if each.until != each.at else ""
        lines.append((each.at, f"{local_time(record, each.at)}  {each.words}{until}"))
    yield from (line for _, line in sorted(lines, key=lambda line: line[0]))


def note_lines(record: RunRecord) -> Iterator[str]:
    """Yield what the run assumes about the times at which late Jobs start."""
    for job in record.jobs:
        if job.scheduled is not None and job.earliest is not None:
            due, earliest = local_time(record, job.scheduled), local_time(record, job.earliest)
            yield RESYNC.format(due=due, earliest=earliest)


def outcome_lines(record: RunRecord) -> Iterator[str]:
    """Yield how many runs were due and started, and what became of the Jobs."""
    run = cron_job_summary(record)
    yield f"Runs       {runs_words(run, 'due')}"
    if run.missed:
        yield "Missed     " + "; ".join(f"{number}: {MISSED[why]}" for why, number in run.missed)
    counts = (
        (run.complete, "complete"),
        (run.failed, "failed"),
        (run.replaced, "replaced"),
        (run.deleted, "deleted by a user"),
        (run.unfinished, "unfinished"),
    )
    listed = ", ".join(f"{number} {name}" for number, name in counts if number)
    manual = f"; {run.manual} of them created by a user" if run.manual else ""
    longest = f"; the longest took {spoken(run.longest)}" if run.jobs else ""
    yield f"Jobs       {run.jobs}{': ' if listed else ''}{listed}{manual}{longest}"
    yield f"Objects    at most {record.most_objects} Jobs at a time"
    if run.overlapping:
        jobs = count(run.overlapping, "Job")
        yield (
            f"Overlap    {jobs} ran beside an earlier one, {spoken(run.overlap)} in all; at most "
            f"{run.most_pods} Pods at once"
        )
    warnings = Counter(event.reason for event in record.events if event.type == "Warning")
    if warnings:
        listed = ", ".join(f"{reason}: {number}" for reason, number in sorted(warnings.items()))
        yield f"Warnings   {listed}"


def runs_words(run: CronJobSummary, due: str) -> str:
    """Return how many runs were due, on time, late and missed.

    Args:
        due: the noun behind the first number.
    """
    late = f"{run.late} late (by up to {spoken(run.delay)})" if run.late else ""
    missed = f"{run.missed_runs} missed" if run.missed else ""
    parts = [part for part in (f"{run.on_time} on time", late, missed) if part]
    return f"{run.due} {due}{': ' + ', '.join(parts) if run.due else ''}"


def _row(record: RunRecord, number: int) -> RunRow:
    job = record.jobs[number]
    result = _result(record, job)
    if job.scheduled is None:
        return RunRow(job.created, local_time(record, job.created), "run now", result, number)
    zone = zone_at(record, job.created)
    due, delay = in_zone(record, job.scheduled, zone), job.created - job.scheduled
    if delay <= ON_TIME:
        return RunRow(job.scheduled, due, "started", result, number)
    created = in_zone(record, job.created, zone)
    same_day = due[:14] == created[:14]
    start = f"started {created[15:23] if same_day else created[:23]}, {spoken(delay)} late"
    return RunRow(job.scheduled, due, start, f"{result} (late: {job.late})", number)


def _result(record: RunRecord, job: JobRecord) -> str:
    failures = sum(pod.failed for pod in job.pods)
    failed = f", {failures} failed Pod{'s' if failures > 1 else ''}" if failures else ""
    if job.deleted is not None:
        return f"deleted after {spoken(job.deleted - job.created)}: {job.reason}{failed}"
    if job.finished is None:
        return f"unfinished after {spoken(record.end - job.created)}: {job.reason}{failed}"
    return f"{job.outcome} after {spoken(job.finished - job.created)}: {job.reason}{failed}"
