"""The times of a run of a CronJob in its time zone, also over clock changes and edits of the zone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.virtual_time import DAY, HOUR, SECOND


class OffsetChange(NamedTuple):
    """The offset from UTC that holds from a time on.

    Attributes:
        at: milliseconds since the start of the run.
        seconds: the offset, positive east of Greenwich.
    """

    at: int
    seconds: int


def local_time(record: RunRecord, at: int) -> str:
    """Return a time of a run in the time zone of its CronJob at that time, with the offset from UTC."""
    return in_zone(record, at, zone_at(record, at))


def in_zone(record: RunRecord, at: int, zone: tzinfo) -> str:
    """Return a time of a run as date, time and offset from UTC: ``Sun 2026-10-25 01:30:00 +0100``."""
    moment = datetime.fromtimestamp(record.start + at // SECOND, zone)
    return moment.strftime("%a %Y-%m-%d %H:%M:%S ") + (moment.strftime("%z") or "+0000")


def zone_at(record: RunRecord, at: int) -> tzinfo:
    """Return the time zone of the CronJob at a time; UTC if its spec names none, or one that is unknown."""
    return _zone(zone_name(record, at))


def zone_name(record: RunRecord, at: int) -> str:
    """Return the name of the time zone of the CronJob at a time; ``UTC`` if its spec names none."""
    name = record.time_zone
    for since, changed in record.zone_changes:
        name = changed if since <= at else name
    return name or "UTC"


def _zone(name: str) -> tzinfo:
    with suppress(ZoneInfoNotFoundError):
        return ZoneInfo(name)
    return UTC


def offset_changes(record: RunRecord) -> list[OffsetChange]:
    """Return the offset at the start of a run, and each change of it: of clocks, or of the time zone."""
    edits = [at for at, _ in record.zone_changes if 0 < at < record.end]
    found: list[OffsetChange] = []
    for begin, end in zip((0, *edits), (*edits, record.end), strict=True):
        for change in _clock_changes(record, begin, end):
            if not found or found[-1].seconds != change.seconds:
                found.append(change)
    return found


def _clock_changes(record: RunRecord, begin: int, end: int) -> Iterator[OffsetChange]:
    """Yield the offset at the start of a period within one time zone, and each change until its end."""
    zone = zone_at(record, begin)

    def offset(at: int) -> int:
        moment = datetime.fromtimestamp(record.start + at // SECOND, zone)
        return (moment.utcoffset() or timedelta()) // timedelta(seconds=1)

    before = offset(begin)
    yield OffsetChange(begin, before)
    for day in range(begin, end, DAY):
        low, high = day, min(day + DAY, end)
        if offset(high) == before:
            continue
        while high - low > SECOND:
            middle = low + (high - low) // 2 // SECOND * SECOND
            low, high = (middle, high) if offset(middle) == before else (low, middle)
        before = offset(high)
        yield OffsetChange(high, before)


def offset_words(seconds: int) -> str:
    """Return an offset from UTC.

    >>> offset_words(-12600), offset_words(0)
    ('-0330', '+0000')
    """
    hours, minutes = divmod(abs(seconds) // 60, HOUR // (60 * SECOND))
    return f"{'-' if seconds < 0 else '+'}{hours:02}{minutes:02}"
