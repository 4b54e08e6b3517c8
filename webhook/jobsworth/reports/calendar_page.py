"""The calendar of CronJobs as one self-contained HTML page without scripts, which loads nothing."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from jobsworth.reports.calendar_words import (
    change_words,
    cpu_words,
    day_name,
    memory_words,
    notes,
    peak_names,
    peak_time,
    period,
    summary,
)
from jobsworth.whatif.timelines.html_charts import table
from jobsworth.whatif.timelines.static_page import static_page
from jobsworth.whatif.timelines.timeline_page import page_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.calendar.cron_calendar import CronCalendar

MAX_ROWS = 1000
"""The largest number of CronJobs in the table of the page; JSON has all."""
LEVELS = 6
_STYLE = "calendar_style.css"


def calendar_page(calendar: CronCalendar) -> str:
    """Return the page."""
    header = (
        f"<h1>Calendar of CronJobs</h1>\n<p>{page_text(summary(calendar))}.</p>\n"
        f'<p class="soft">{page_text(period(calendar))}</p>\n{"".join(_notes(calendar))}'
    )
    return static_page(
        f"Calendar of CronJobs: {period(calendar)}",
        header,
        _sections(calendar),
        "jobsworth schedule",
        (files(__package__) / _STYLE).read_text(encoding="utf-8"),
    )


def _notes(calendar: CronCalendar) -> Iterator[str]:
    for note in notes(calendar):
        yield f'<p class="soft">{page_text(note[0].upper() + note[1:])}.</p>\n'


def _sections(calendar: CronCalendar) -> Iterator[tuple[str, str]]:
    yield "Starts by hour", "".join(_heat_map(calendar))
    if calendar.peaks:
        yield "Busiest minutes", _peaks(calendar)
    if calendar.changes:
        yield "Clock changes", _changes(calendar)
    yield "CronJobs", _cron_jobs(calendar)


def _heat_map(calendar: CronCalendar) -> Iterator[str]:
    """Yield a table with a row for each hour, so that it fits a phone; a cell has its number and a shade."""
    most = max(calendar.starts.values(), default=0)
    swatches = "".join(f'<span class="heat-{level}"></span>' for level in range(LEVELS + 1))
    yield f'<p class="scale soft" aria-hidden="true">0 {swatches} {most:,}</p>\n'
    yield '<div class="heat-frame" tabindex="0" role="group" aria-label="Starts by hour and day">'
    yield "<table class=heat><caption>Runs that start, by hour and day</caption>\n"
    days = "".join(
        f"<th scope=col>{page_text(weekday)}<br>{page_text(date)}</th>"
        for weekday, date in (day_name(day).split() for day in calendar.days)
    )
    yield f"<thead><tr><th scope=col>Hour</th>{days}</tr></thead>\n<tbody>\n"
    for hour in range(24):
        cells = "".join(
            "<td></td>"
            if number is None
            else f'<td class="heat-{_level(number, most)}">{number:,}</td>'
            for number in (calendar.starts.get((day, hour)) for day in calendar.days)
        )
        yield f"<tr><th scope=row>{hour:02}</th>{cells}</tr>\n"
    yield "</tbody></table></div>\n"


def _level(number: int, most: int) -> int:
    """Return the shade of a cell, from 0 to LEVELS.

    >>> [_level(number, 12) for number in (0, 1, 2, 3, 12)]
    [0, 1, 1, 2, 6]
    """
    return -(-number * LEVELS // most) if number else 0


def _peaks(calendar: CronCalendar) -> str:
    rows = [("minute", "runs", "Pods", "CPU", "memory", "CronJobs")]
    rows += [
        (
            peak_time(peak, calendar),
            str(len(peak.entries)),
            str(peak.pods),
            cpu_words(peak.requests),
            memory_words(peak.requests),
            peak_names(peak),
        )
        for peak in calendar.peaks
    ]
    return table("Minutes at which most Pods start", rows)


def _changes(calendar: CronCalendar) -> str:
    rows = [("time zone", "change", "CronJob", "effect")]
    for found in calendar.changes:
        when = change_words(found)
        rows += [(found.zone, when, entry.title, effect) for entry, effect in found.effects]
        if found.others:
            rows.append(
                (found.zone, when, f"{found.others} others", "no run is skipped or doubled")
            )
    return table("Clock changes", rows)


def _cron_jobs(calendar: CronCalendar) -> str:
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
    more = f'<p class="soft">{left:,} more are in the JSON report.</p>\n' if left > 0 else ""
    return f"{table('CronJobs', rows)}{more}"
