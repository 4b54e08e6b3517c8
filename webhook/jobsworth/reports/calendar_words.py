"""The calendar of CronJobs as text, and the words that its page shares with it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from jobsworth.controller.cron_jobs.schedule_times import local_time
from jobsworth.printable import printable
from jobsworth.reports.text_tables import aligned, wrapped_line
from jobsworth.runs.calendar import CronCalendar, Peak, PodRequests, ZoneChange
from jobsworth.wording import count, duration, plural

_MAX_NAMED = 3
_GIB, _MIB = 2**30, 2**20

_HOURS = range(24)


def summary(calendar: CronCalendar) -> str:
    """Return what the calendar holds, in one sentence."""
    active, suspended = len(calendar.runs), len(calendar.suspended)
    start = "starts" if active == 1 else "start"
    of = f"{count(active, 'CronJob')} {start} {calendar.total:,} {plural('run', calendar.total)}"
    more = f"; {suspended} suspended" if suspended else ""
    most = f", at most {calendar.busiest} in the same minute" if calendar.busiest > 1 else ""
    return f"{of}{most}{more}"


def period(calendar: CronCalendar) -> str:
    """Return the start and the end of the calendar, and its time zone."""
    zone = ZoneInfo(calendar.zone)
    begin, end = (local_time(time, zone) for time in (calendar.start, calendar.end))
    return f"{begin} to {end}, {calendar.zone}"


def day_name(day: str) -> str:
    """Return a date with its weekday.

    >>> day_name("2027-03-28")
    'Sun 03-28'
    """
    return date.fromisoformat(day).strftime("%a %m-%d")


def peak_time(peak: Peak, calendar: CronCalendar) -> str:
    """Return the first of the minutes, and how many there are."""
    first = datetime.fromtimestamp(peak.minutes[0], ZoneInfo(calendar.zone))
    more = f" and {len(peak.minutes) - 1} more" if len(peak.minutes) > 1 else ""
    return f"{first:%a %m-%d %H:%M}{more}"


def peak_names(peak: Peak) -> str:
    """Return the CronJobs, the first ones by name."""
    names = [entry.title for entry in peak.entries]
    more = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
    return f"{', '.join(names[:_MAX_NAMED])}{more}"


def cpu_words(requests: PodRequests) -> str:
    """Return the requested CPU as a quantity; "-" without any."""
    if not requests.cpu:
        return "-"
    return f"{requests.cpu // 1000}" if requests.cpu % 1000 == 0 else f"{requests.cpu / 1000:.2f}"


def memory_words(requests: PodRequests) -> str:
    """Return the requested memory; "-" without any."""
    if not requests.memory:
        return "-"
    size, unit = (_GIB, "Gi") if requests.memory >= _GIB else (_MIB, "Mi")
    return f"{requests.memory / size:.1f}".removesuffix(".0") + unit


def peak_words(peak: Peak, calendar: CronCalendar) -> tuple[str, str, str, str, str]:
    """Return a peak as cells: its minute, runs, Pods, CPU and memory."""
    return (
        peak_time(peak, calendar),
        str(len(peak.entries)),
        str(peak.pods),
        cpu_words(peak.requests),
        memory_words(peak.requests),
    )


def change_words(found: ZoneChange) -> str:
    """Return when clocks change, and by how much."""
    change = found.change
    way = "forward" if change.after > change.before else "back"
    when = datetime.fromtimestamp(change.at + change.before, UTC)
    return f"{when:%a %m-%d %H:%M} clocks go {way} by {duration(abs(change.after - change.before))}"


def notes(calendar: CronCalendar) -> list[str]:
    """Return what a reader should know: zones that were assumed, or are unknown here."""
    assumed = _controller_zone_note(calendar)
    unknown = [f"left out: time zone {zone} is not known here" for zone in calendar.unknown_zones]
    return [assumed, *unknown] if assumed else unknown


def _controller_zone_note(calendar: CronCalendar) -> str:
    """Return a note about CronJobs without a time zone; empty if all have one."""
    number = sum(not entry.zone for entry, _ in calendar.runs)
    if not number:
        return ""
    noun = "CronJob without timeZone is" if number == 1 else "CronJobs without timeZone are"
    return f"{number} {noun} shown as if kube-controller-manager ran in UTC"


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
            (*peak_words(peak, calendar), printable(peak_names(peak))) for peak in calendar.peaks
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
