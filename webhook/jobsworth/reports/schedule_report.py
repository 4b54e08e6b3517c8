"""The JSON reports of ``jobsworth schedule``: the runs of one schedule, or the calendar of many CronJobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from jobsworth.controller.times import write_time
from jobsworth.documents.declared import Meta, Report, Schema, doc, report_schema
from jobsworth.runs.calendar import CalendarEntry, CronCalendar, Peak, ZoneChange

Number = Annotated[int, Meta(ge=0)]
Time = Annotated[str, Meta(more={"format": "date-time"})]


class ScheduledRun(Report):
    """A run of a schedule."""

    local: Annotated[Time, doc("With the offset of then.")]
    utc: Time


class ScheduleReport(Report):
    """The next runs of a schedule."""

    version: Annotated[Literal[1], doc("The version of this structure.")] = 1
    schedule: Annotated[str, doc("As it was given.")]
    time_zone: Annotated[str, doc("An IANA name.")]
    after: Annotated[Time, doc("The runs are after this time.")]
    runs: Annotated[
        list[ScheduledRun], doc("Fewer than requested if there are no more within five years.")
    ]


class Hour(Report):
    """The runs that start in an hour."""

    date: Annotated[str, Meta(more={"format": "date"})]
    hour: Annotated[int, Meta(ge=0, le=23)]
    runs: Number


class Requests(Report):
    """The Pods of a run, and what they request."""

    pods: Annotated[Number, doc("Pods that start at once.")]
    cpu: Annotated[Number, doc("Their requests, in thousandths of a CPU.")]
    memory: Annotated[Number, doc("Their requests, in bytes.")]


class PeakReport(Requests):
    """Minutes with many Pods."""

    minutes: Annotated[list[Time], doc("At which the same CronJobs start.")]
    runs: Number
    cron_jobs: list[str]


class Effect(Report):
    """The effect of a change of the clocks on a CronJob."""

    cron_job: str
    effect: Annotated[str, doc("In words.")]


class ClockChangeReport(Report):
    """A change of the clocks."""

    time_zone: str
    at: Time
    seconds: Annotated[int, doc("Above 0: the clocks go forward.")]
    effects: Annotated[list[Effect], doc("CronJobs of which it skips or repeats runs.")]
    unaffected: Annotated[Number, doc("Other CronJobs of the zone.")]


class CronJobEntry(Requests):
    """A CronJob of a calendar."""

    cron_job: Annotated[str, doc("Its namespace and name.")]
    place: Annotated[str | None, doc("The file and line; null in a cluster.")]
    schedule: str
    time_zone: Annotated[str | None, doc("spec.timeZone.")]
    concurrency_policy: Annotated[str, Meta(more={"enum": ["Allow", "Forbid", "Replace"]})]
    suspended: bool
    runs: Annotated[Number, doc("In the period; 0 of a suspended one.")]


class CalendarReport(Report):
    """The calendar of many CronJobs."""

    version: Annotated[Literal[1], doc("The version of this structure.")] = 1
    start: Time
    end: Annotated[Time, doc("It is not part of the period.")]
    time_zone: Annotated[str, doc("Time zone of the hours.")]
    runs: Annotated[Number, doc("Number of runs of all CronJobs.")]
    most_runs_in_a_minute: Number
    hours: Annotated[list[Hour], doc("Those with runs, in their order.")]
    peaks: Annotated[list[PeakReport], doc("The minutes with most Pods, the highest first.")]
    clock_changes: Annotated[list[ClockChangeReport], doc("In zones in which CronJobs run.")]
    cron_jobs: Annotated[list[CronJobEntry], doc("Suspended ones last.")]
    unknown_time_zones: Annotated[
        list[str], doc("Those that the time zone database of this machine does not have.")
    ]


def schedule_schema() -> Schema:
    """Return the JSON Schema of the reports."""
    names = {ScheduleReport: "schedule", CalendarReport: "calendar"}
    return report_schema(
        "The JSON reports of jobsworth schedule", ScheduleReport | CalendarReport, names
    )


def schedule_report(
    schedule: str, zone: str, start: datetime, runs: Sequence[datetime]
) -> ScheduleReport:
    """Return the report of the runs of a schedule."""
    return ScheduleReport(
        schedule=schedule,
        time_zone=zone,
        after=start.isoformat(timespec="seconds"),
        runs=[
            ScheduledRun(
                local=time.isoformat(timespec="seconds"),
                utc=f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
            )
            for time in runs
        ],
    )


def calendar_report(calendar: CronCalendar) -> CalendarReport:
    """Return the report of a calendar."""
    return CalendarReport(
        start=write_time(calendar.start),
        end=write_time(calendar.end),
        time_zone=calendar.zone,
        runs=calendar.total,
        most_runs_in_a_minute=calendar.busiest,
        hours=[
            Hour(date=day, hour=hour, runs=number)
            for (day, hour), number in sorted(calendar.starts.items())
            if number
        ],
        peaks=[_peak(peak) for peak in calendar.peaks],
        clock_changes=[_clock_change(found) for found in calendar.changes],
        cron_jobs=[
            *(_entry(entry, number) for entry, number in calendar.runs),
            *(_entry(entry, 0) for entry in calendar.suspended),
        ],
        unknown_time_zones=list(calendar.unknown_zones),
    )


def _peak(peak: Peak) -> PeakReport:
    return PeakReport(
        minutes=[write_time(minute) for minute in peak.minutes],
        runs=len(peak.entries),
        pods=peak.pods,
        cpu=peak.requests.cpu,
        memory=peak.requests.memory,
        cron_jobs=[entry.title for entry in peak.entries],
    )


def _clock_change(found: ZoneChange) -> ClockChangeReport:
    return ClockChangeReport(
        time_zone=found.zone,
        at=write_time(found.change.at),
        seconds=found.change.after - found.change.before,
        effects=[Effect(cron_job=entry.title, effect=effect) for entry, effect in found.effects],
        unaffected=found.others,
    )


def _entry(entry: CalendarEntry, runs: int) -> CronJobEntry:
    return CronJobEntry(
        cron_job=entry.title,
        place=entry.place or None,
        schedule=entry.cron_job.written,
        time_zone=entry.zone or None,
        concurrency_policy=entry.cron_job.concurrency,
        suspended=entry.cron_job.suspended,
        runs=runs,
        pods=entry.pods,
        cpu=entry.requests.cpu,
        memory=entry.requests.memory,
    )
