"""Times and durations."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Any

from kube_cel.values import CelError, Duration, Function, NoOverload, Timestamp, check

_SECOND = 10**9
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RFC3339 = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,30}))?(Z|[+-]\d\d:\d\d)", re.ASCII
)
_OFFSET = re.compile(r"([+-]?)(\d\d):(\d\d)", re.ASCII)


def read_timestamp(text: str) -> Timestamp | None:
    """Return the time that an RFC 3339 text stands for; None if it is none, or not in the years 1 to 9999."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        return None
    fraction, zone = match[7] or "", match[8]
    try:
        year, month, day, hour, minute, second = (int(match[part]) for part in range(1, 7))
        found = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        offset = 0 if zone == "Z" else _minutes(zone[0], zone[1:3], zone[4:6])
        found -= timedelta(minutes=offset)
    except (ValueError, OverflowError):
        return None
    return Timestamp(_nanoseconds(found) + int(fraction[:9].ljust(9, "0")))


def _minutes(sign: str, hours: str, minutes: str) -> int:
    if int(hours) > 23 or int(minutes) > 59:
        raise ValueError("the offset is too large")
    return (int(hours) * 60 + int(minutes)) * (-1 if sign == "-" else 1)


def _nanoseconds(found: datetime) -> int:
    past = found - _EPOCH
    return (past.days * 86400 + past.seconds) * _SECOND


def timestamp_text(value: Timestamp) -> str:
    """Return a time in RFC 3339, with as many digits of a second as it has."""
    seconds, fraction = divmod(value.nanoseconds, _SECOND)
    shown = (_EPOCH + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0")
    return f"{shown}{_fraction(fraction)}Z"


def duration_text(value: Duration) -> str:
    """Return a duration in seconds: ``5400s``."""
    sign = "-" if value.nanoseconds < 0 else ""
    seconds, fraction = divmod(abs(value.nanoseconds), _SECOND)
    return f"{sign}{seconds}{_fraction(fraction)}s"


def _fraction(nanoseconds: int) -> str:
    return f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""


def _zone(name: str) -> tzinfo:
    match = _OFFSET.fullmatch(name)
    if match is not None:
        try:
            return timezone(timedelta(minutes=_minutes(match[1], match[2], match[3])))
        except ValueError:
            raise CelError(f"unknown time zone {name}") from None
    if name in ("", "UTC", "Local"):
        return UTC
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        raise CelError(f"unknown time zone {name}") from None


def _part(of_time: Callable[[datetime], int]) -> Function:
    def part(value: Any, zone: Any = "UTC") -> int:
        check(Timestamp, value)
        check(str, zone)
        seconds = value.nanoseconds // _SECOND
        try:
            local = (_EPOCH + timedelta(seconds=seconds)).astimezone(_zone(zone))
        except OverflowError:
            raise CelError("timestamp overflow") from None
        return of_time(local)

    return part


def _of_either(of_time: Callable[[datetime], int], unit: int) -> Function:
    """Return a function of a time, or of a duration in units of so many nanoseconds."""
    of_timestamp = _part(of_time)

    def part(value: Any, *zone: Any) -> int:
        if isinstance(value, Duration):
            if zone:
                raise NoOverload
            whole = abs(value.nanoseconds) // unit
            return whole if value.nanoseconds >= 0 else -whole
        return int(of_timestamp(value, *zone))

    return part


def _milliseconds(value: Any, *zone: Any) -> int:
    if isinstance(value, Duration):
        return int(_of_either(lambda _: 0, 10**6)(value, *zone))
    _part(lambda _: 0)(value, *zone)
    return int(value.nanoseconds % _SECOND // 10**6)


FUNCTIONS: dict[str, Function] = {
    ".getFullYear": _part(lambda time: time.year),
    ".getMonth": _part(lambda time: time.month - 1),
    ".getDate": _part(lambda time: time.day),
    ".getDayOfMonth": _part(lambda time: time.day - 1),
    ".getDayOfWeek": _part(lambda time: time.isoweekday() % 7),
    ".getDayOfYear": _part(lambda time: time.timetuple().tm_yday - 1),
    ".getHours": _of_either(lambda time: time.hour, 3600 * _SECOND),
    ".getMinutes": _of_either(lambda time: time.minute, 60 * _SECOND),
    ".getSeconds": _of_either(lambda time: time.second, _SECOND),
    ".getMilliseconds": _milliseconds,
}
