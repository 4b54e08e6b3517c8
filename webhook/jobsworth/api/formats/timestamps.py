"""Timestamps in Kubernetes format: ``2026-01-31T09:00:00Z``.

Source: ``Time`` and ``MicroTime`` in ``pkg/apis/meta/v1`` of ``k8s.io/apimachinery`` 0.36, and
``time.Parse`` of Go 1.26, which is more lenient than RFC 3339: an hour may have one digit, a comma
may replace the point, an offset may be 24 hours or have 60 minutes.

    >>> rfc3339("2026-01-31T09:00:00Z"), rfc3339("2026-02-30T09:00:00Z")
    (True, False)
"""

from __future__ import annotations

from kube_cel.formats.bounded_cache import bounded_cache
from kube_cel.formats.names import DIGITS

_MICRO_DIGITS = 6
_CANONICAL_LENGTH = len("2026-01-31T09:00:00Z")
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
_DAY = 86400


class BadTime(ValueError):
    """A text that is not a timestamp."""


def rfc3339(text: str) -> bool:
    """Return True if the API server accepts the text as ``metav1.Time``."""
    return _read(text, micro=False) is not None


def rfc3339_micro(text: str) -> bool:
    """Return True if the API server accepts the text as ``metav1.MicroTime``, with microseconds.

    >>> rfc3339_micro("2026-01-31T09:00:00.123456Z"), rfc3339_micro("2026-01-31T09:00:00Z")
    (True, False)
    """
    return _read(text, micro=True) is not None


def canonical(text: str) -> str | None:
    """Return the time as the API server prints it: in UTC, with seconds; None for the zero time.

    Raises:
        BadTime: the text is not a timestamp.

    >>> canonical("2026-01-31T09:00:00.5+01:00")
    '2026-01-31T08:00:00Z'
    """
    return _canonical(text)


@bounded_cache
def _canonical(text: str) -> str | None:
    # The times of a burst of requests are those of a few seconds.
    seconds, nanoseconds = _must_read(text, micro=False)
    if not seconds and not nanoseconds:
        return None
    # A fraction adds at least two characters, a one-digit hour removes one: no other form has this length.
    is_canonical = len(text) == _CANONICAL_LENGTH and text[-1] == "Z"
    return text if is_canonical else f"{_printed(seconds)}Z"


def canonical_micro(text: str) -> str | None:
    """Return the time as the API server prints it: in UTC, with microseconds; None for the zero time.

    Raises:
        BadTime: the text is not a timestamp, or has no microseconds.
    """
    seconds, nanoseconds = _must_read(text, micro=True)
    if not seconds and not nanoseconds:
        return None
    return f"{_printed(seconds)}.{nanoseconds // 1000:06}Z"


def _must_read(text: str, *, micro: bool) -> tuple[int, int]:
    time = _read(text, micro=micro)
    if time is None:
        raise BadTime(f'"{text}" is not an RFC 3339 time, such as "2026-01-31T09:00:00Z"')
    return time


def _read(text: str, *, micro: bool) -> tuple[int, int] | None:
    """Return (seconds since the year 1 in UTC, nanoseconds), or None."""
    if len(text) < 18 or not text.isascii():
        return None
    if text[4] + text[7] + text[10] != "--T":
        return None
    year, month, day = _digits_value(text[:4]), _digits_value(text[5:7]), _digits_value(text[8:10])
    if not 1 <= month <= 12 or year < 0 or not 1 <= day <= _days_in_month(year, month):
        return None
    hour, colon, rest = text[11:].partition(":")
    if not colon or len(hour) > 2 or not 0 <= _digits_value(hour) < 24:
        return None
    minute, second = _digits_value(rest[:2]), _digits_value(rest[3:5])
    if not 0 <= minute < 60 or rest[2:3] != ":" or not 0 <= second < 60:
        return None
    fraction = _fraction_micro(rest[5:]) if micro else _fraction(rest[5:])
    if fraction is None:
        return None
    nanoseconds, zone = fraction
    offset = _offset(zone)
    if offset is None:
        return None
    days = _days_before_year(year) + _days_before_month(year, month) + day - 1
    return days * _DAY + _digits_value(hour) * 3600 + minute * 60 + second - offset, nanoseconds


def _digits_value(text: str) -> int:
    return int(text) if text and not text.strip(DIGITS) else -1


def _fraction(text: str) -> tuple[int, str] | None:
    """Parse a fraction of any length or none; return (nanoseconds, rest of the text)."""
    rest = text[1:].lstrip(DIGITS)
    digits = text[1 : len(text) - len(rest)]
    if text[:1] in (".", ",") and digits:
        return int(digits[:9].ljust(9, "0")), rest
    return 0, text


def _fraction_micro(text: str) -> tuple[int, str] | None:
    """Parse six digits, where Go accepts a sign as one; return (nanoseconds, rest of the text)."""
    digits, rest = text[1 : _MICRO_DIGITS + 1], text[_MICRO_DIGITS + 1 :]
    if text[:1] not in (".", ",") or len(digits) < _MICRO_DIGITS:
        return None
    number = _digits_value(digits[1:] if digits[0] in "+-" else digits)
    if number < 0 or (number > 0 and digits[0] == "-"):
        return None
    return number * 1000, rest


def _offset(text: str) -> int | None:
    """Parse an offset; return seconds east of UTC."""
    if text == "Z":
        return 0
    if len(text) != 6 or text[0] not in "+-" or text[3] != ":":
        return None
    hours, minutes = _digits_value(text[1:3]), _digits_value(text[4:])
    if not (0 <= hours <= 24 and 0 <= minutes <= 60):
        return None
    seconds = hours * 3600 + minutes * 60
    return -seconds if text[0] == "-" else seconds


# The calendar of the years -1 to 10000: an offset may lead outside the range of datetime.


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_in_month(year: int, month: int) -> int:
    return 29 if month == 2 and _is_leap(year) else _DAYS_IN_MONTH[month - 1]


def _days_before_year(year: int) -> int:
    """Return the days from January 1 of the year 1."""
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400


def _days_before_month(year: int, month: int) -> int:
    return _DAYS_BEFORE_MONTH[month - 1] + (month > 2 and _is_leap(year))


def _printed(seconds: int) -> str:
    days, second = divmod(seconds, _DAY)
    year = days // 366 + 1
    while _days_before_year(year + 1) <= days:
        year += 1
    day = days - _days_before_year(year)
    month = 1
    while day >= _days_in_month(year, month):
        day -= _days_in_month(year, month)
        month += 1
    sign, shown = ("-", -year) if year < 0 else ("", year)
    date = f"{sign}{shown:04}-{month:02}-{day + 1:02}"
    return f"{date}T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
