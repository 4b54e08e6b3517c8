"""A run of a CronJob as text: a line for each scheduled time, and the outcome of all."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jobsworth.whatif.cron_job_measures import ON_TIME, cron_job_summary
from jobsworth.whatif.miss_reasons import WORDS
from jobsworth.whatif.virtual_time import SECOND, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from jobsworth.whatif.run_record import JobRecord, RunRecord

RESYNC = (
    "The resync of the controller's informer, every 12 to 24 h, may create the Job of {due} earlier, "
    "at any time from {earliest} on."
)


def table_lines(record: RunRecord) -> Iterator[str]:
    """Yield a line for each scheduled time, and each Job that a user created."""
    rows = [_row(record, job) for job in record.jobs]
    rows += [
        (missed.scheduled, local_time(record, missed.scheduled), "missed", missed.why)
        for missed in record.missed
    ]
    width = max([len(start) for _, _, start, _ in rows], default=0)
    for _, shown, start, result in sorted(rows):
        yield f"{shown}  {start:<{width}}  {result}"


def note_lines(record: RunRecord) -> Iterator[str]:
    """Yield what the run assumes about the times at which late Jobs start."""
    for job in record.jobs:
        if job.scheduled is not None and job.earliest is not None:
            due, earliest = local_time(record, job.scheduled), local_time(record, job.earliest)
            yield RESYNC.format(due=due, earliest=earliest)


def outcome_lines(record: RunRecord) -> Iterator[str]:
    """Yield how many runs were due and started, and what became of the Jobs."""
    run = cron_job_summary(record)
    late = f"{run.late} late (by up to {spoken(run.delay)})" if run.late else ""
    missed = f"{run.missed_runs} missed" if run.missed else ""
    parts = [part for part in (f"{run.on_time} on time", late, missed) if part]
    yield f"Runs       {run.due} due{': ' + ', '.join(parts) if run.due else ''}"
    if run.missed:
        yield "Missed     " + "; ".join(f"{number}: {WORDS[why]}" for why, number in run.missed)
    counts = (
        (run.complete, "complete"),
        (run.failed, "failed"),
        (run.replaced, "replaced"),
        (run.unfinished, "unfinished"),
    )
    listed = ", ".join(f"{number} {name}" for number, name in counts if number)
    manual = f"; {run.manual} of them created by a user" if run.manual else ""
    longest = f"; the longest took {spoken(run.longest)}" if run.jobs else ""
    yield f"Jobs       {run.jobs}{': ' if listed else ''}{listed}{manual}{longest}"
    yield f"Objects    at most {record.most_objects} Jobs at a time"
    if run.overlapping:
        jobs = "1 Job" if run.overlapping == 1 else f"{run.overlapping} Jobs"
        yield (
            f"Overlap    {jobs} ran beside an earlier one, {spoken(run.overlap)} in all; at most "
            f"{run.most_pods} Pods at once"
        )
    warnings = Counter(event.reason for event in record.events if event.type == "Warning")
    if warnings:
        listed = ", ".join(f"{reason}: {number}" for reason, number in sorted(warnings.items()))
        yield f"Warnings   {listed}"


def _row(record: RunRecord, job: JobRecord) -> tuple[int, str, str, str]:
    """Return when a Job was due, that as text, when it was created, and its result."""
    result = _result(record, job)
    if job.scheduled is None:
        return job.created, local_time(record, job.created), "run now", result
    zone = _zone(record, job.created)
    shown, delay = _local(record, job.scheduled, zone), job.created - job.scheduled
    if delay <= ON_TIME:
        return job.scheduled, shown, "started", result
    created = _local(record, job.created, zone)
    same_day = shown[:14] == created[:14]
    start = f"started {created[15:23] if same_day else created[:23]}, {spoken(delay)} late"
    return job.scheduled, shown, start, f"{result} (late: {job.late})"


def _result(record: RunRecord, job: JobRecord) -> str:
    failures = sum(pod.failed for pod in job.pods)
    failed = f", {failures} failed Pod{'s' if failures > 1 else ''}" if failures else ""
    if job.deleted is not None:
        return f"deleted after {spoken(job.deleted - job.created)}: {job.reason}{failed}"
    if job.finished is None:
        return f"unfinished after {spoken(record.end - job.created)}: {job.reason}{failed}"
    return f"{job.outcome} after {spoken(job.finished - job.created)}: {job.reason}{failed}"


def local_time(record: RunRecord, at: int) -> str:
    """Return a time of a run in the time zone of its CronJob at that time, with the offset from UTC."""
    return _local(record, at, _zone(record, at))


def _local(record: RunRecord, at: int, zone: tzinfo) -> str:
    moment = datetime.fromtimestamp(record.start + at // SECOND, zone)
    return moment.strftime("%a %Y-%m-%d %H:%M:%S ") + (moment.strftime("%z") or "+0000")


def _zone(record: RunRecord, at: int) -> tzinfo:
    name = record.time_zone
    for since, changed in record.zone_changes:
        name = changed if since <= at else name
    if name:
        with suppress(ZoneInfoNotFoundError):
            return ZoneInfo(name)
    return UTC
