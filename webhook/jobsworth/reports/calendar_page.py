"""The calendar of CronJobs as one self-contained HTML page without scripts, which loads nothing."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.reports.calendar_words import (
    change_words,
    cpu_words,
    day_name,
    memory_words,
    notes,
    peak_names,
    peak_words,
    period,
    summary,
)
from jobsworth.reports.pages import Block, HeatMap, Note, Table, static_page
from jobsworth.runs.calendar import CronCalendar

MAX_ROWS = 1000
"""The largest number of CronJobs in the table of the page; JSON has all."""
LEVELS = 6


def calendar_page(calendar: CronCalendar) -> str:
    """Return the page."""
    introduction = [
        Note(f"{summary(calendar)}.", soft=False),
        Note(period(calendar)),
        *(Note(f"{note[0].upper()}{note[1:]}.") for note in notes(calendar)),
    ]
    title = f"Calendar of CronJobs: {period(calendar)}"
    sections = _sections(calendar)
    return static_page(title, "Calendar of CronJobs", introduction, sections, "jobsworth schedule")


def _sections(calendar: CronCalendar) -> Iterator[tuple[str, list[Block]]]:
    yield "Starts by hour", [_heat_map(calendar)]
    if calendar.peaks:
        yield "Busiest minutes", [_peaks(calendar)]
    if calendar.changes:
        yield "Clock changes", [_changes(calendar)]
    yield "CronJobs", [*_cron_jobs(calendar)]


def _heat_map(calendar: CronCalendar) -> HeatMap:
    """Return a table with a row for each hour, so that it fits a phone; a cell has its number and a shade."""
    most = max(calendar.starts.values(), default=0)

    def cell(day: str, hour: int) -> tuple[int, int] | None:
        number = calendar.starts.get((day, hour))
        return None if number is None else (number, _level(number, most))

    return HeatMap(
        days=[
            (weekday, date) for weekday, date in (day_name(day).split() for day in calendar.days)
        ],
        rows=[(f"{hour:02}", [cell(day, hour) for day in calendar.days]) for hour in range(24)],
        levels=LEVELS,
        most=most,
    )


def _level(number: int, most: int) -> int:
    """Return the shade of a cell, from 0 to LEVELS.

    >>> [_level(number, 12) for number in (0, 1, 2, 3, 12)]
    [0, 1, 1, 2, 6]
    """
    return -(-number * LEVELS // most) if number else 0


def _peaks(calendar: CronCalendar) -> Table:
    rows = [("minute", "runs", "Pods", "CPU", "memory", "CronJobs")]
    rows += [(*peak_words(peak, calendar), peak_names(peak)) for peak in calendar.peaks]
    return Table("Minutes at which most Pods start", rows)


def _changes(calendar: CronCalendar) -> Table:
    rows = [("time zone", "change", "CronJob", "effect")]
    for found in calendar.changes:
        when = change_words(found)
        rows += [(found.zone, when, entry.title, effect) for entry, effect in found.effects]
        if found.others:
            rows.append(
                (found.zone, when, f"{found.others} others", "no run is skipped or doubled")
            )
    return Table("Clock changes", rows)


def _cron_jobs(calendar: CronCalendar) -> Iterator[Block]:
    rows = [
        (
            "CronJob",
            "schedule",
            "time zone",
            "concurrency",
            "runs",
            "Pods",
            "CPU",
            "memory",
            "place",
        )
    ]
    listed = [*calendar.runs, *((entry, 0) for entry in calendar.suspended)]
    rows += [
        (
            entry.title,
            entry.cron_job.written,
            entry.zone or "-",
            entry.cron_job.concurrency,
            "suspended" if entry.cron_job.suspended else f"{number:,}",
            str(entry.pods),
            cpu_words(entry.requests),
            memory_words(entry.requests),
            entry.place or "cluster",
        )
        for entry, number in listed[:MAX_ROWS]
    ]
    left = len(listed) - MAX_ROWS
    yield Table("CronJobs", rows)
    if left > 0:
        yield Note(f"{left:,} more are in the JSON report.")
