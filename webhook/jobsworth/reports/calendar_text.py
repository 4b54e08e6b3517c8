"""The calendar of CronJobs as text: a heat map by hour, peaks, clock changes."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.printable import printable
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
from jobsworth.reports.text_tables import aligned, wrapped_line
from jobsworth.runs.calendar.cron_calendar import CronCalendar

_HOURS = range(24)


def render(calendar: CronCalendar, *, width: int | None) -> Iterator[str]:
    """Return the lines.

    Args:
        width: the columns of the terminal; None for no limit.
    """
    yield f"{period(calendar)}: {summary(calendar)}"
    yield ""
    yield from _heat_map(calendar)
    if calendar.peaks:
        yield ""
        rows = [("BUSIEST MINUTES", "RUNS", "PODS", "CPU", "MEMORY", "CRONJOBS")]
        rows += [
            (
                peak_time(peak, calendar),
                str(len(peak.entries)),
                str(peak.pods),
                cpu_words(peak.requests),
                memory_words(peak.requests),
                printable(peak_names(peak)),
            )
            for peak in calendar.peaks
        ]
        yield from aligned(rows, width)
    for change in calendar.changes:
        yield ""
        none = f"; {change.others} not affected" if change.others else ""
        yield printable(f"{change.zone}: {change_words(change)}{none}")
        for entry, effect in change.effects:
            line = printable(f"  {entry.title}  {entry.cron_job.written}: {effect}")
            yield from wrapped_line(line, width)
    shown = notes(calendar)
    if shown:
        yield ""
        for note in shown:
            yield from wrapped_line(printable(f"note: {note}"), width)


def _heat_map(calendar: CronCalendar) -> Iterator[str]:
    """Yield the runs by day and hour."""
    most = max(calendar.starts.values(), default=0)
    room = max(2, len(str(most)))
    head = " ".join(f"{hour:>{room}}" for hour in _HOURS)
    yield f"{'STARTS':9}  {head}"
    for day in calendar.days:
        numbers = (calendar.starts.get((day, hour)) for hour in _HOURS)
        cells = " ".join(f"{_cell(number):>{room}}" for number in numbers)
        yield f"{day_name(day)}  {cells}".rstrip()


def _cell(number: int | None) -> str:
    """Return the number of runs of an hour; nothing for an hour that there is not."""
    return "" if number is None else str(number or ".")
