"""Cron schedules of CronJobs: ``30 2 * * MON-FRI``, ``@daily``, ``@every 90m``.

Source: the standard parser of ``github.com/robfig/cron/v3``, as ``pkg/util/parsers`` of Kubernetes
1.36 calls it. Its errors are the details of the API server's errors. Its oddities are kept: ``*-5`` is
``*``, an empty list is valid and never fires, Sunday is 0 and not 7.

    >>> sorted(parse("*/20 9-17 * * mon").minutes)
    [0, 20, 40]
    >>> parse("60 * * * *")
    Traceback (most recent call last):
    jobsworth.api.formats.cron.BadSchedule: end of range (60) above maximum (59): 60

Regular expressions for JSON Schemas match every schedule that can be parsed. They use nothing that Go's
regular expressions lack, since kubeconform reads the schemas. A schema cannot compare two numbers, so of
ranges only the short ones, months and days of the week, must not run backwards.

    >>> import re
    >>> patterns = [schema["pattern"] for schema, _ in SCHEMA_CONDITIONS if "pattern" in schema]
    >>> all(re.search(pattern, "30 2 * * MON-FRI") for pattern in patterns)
    True
"""

from __future__ import annotations

from typing import Any

from jobsworth.api.schema_conditions import when
from jobsworth.record import Record
from kube_cel.formats.bounded_cache import bounded_cache

Days = frozenset[int]

_SECOND = 10**9  # in nanoseconds
_MAX_INT64, _MAX_UINT64 = 2**63 - 1, 2**64 - 1
_SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""White space in Go; Python's has four more control characters."""


class BadSchedule(ValueError):
    """A schedule that cannot be parsed, with the API server's message."""


class Schedule(Record, kw_only=True, shared=True):
    """The times at which a CronJob fires: minutes of certain days, or an interval.

    Attributes:
        minutes, hours: the minutes and hours at which it fires.
        days_of_month: 1 to 31.
        months: 1 to 12.
        days_of_week: 0 (Sunday) to 6.
        any_day_of_month, any_day_of_week: True if the field has a star; then only the other field
            selects days. If neither has a star, a day that matches either field is selected.
        every: the interval of ``@every`` in nanoseconds, whole seconds; None otherwise.
        time_zone: the name in a ``TZ=…`` prefix, "" for UTC; None without a prefix.
    """

    minutes: Days = frozenset()
    hours: Days = frozenset()
    days_of_month: Days = frozenset()
    months: Days = frozenset()
    days_of_week: Days = frozenset()
    any_day_of_month: bool = False
    any_day_of_week: bool = False
    every: int | None = None
    time_zone: str | None = None

    def fires_ever(self) -> bool:
        """Return True if the schedule ever fires.

        >>> parse("0 0 30 2 *").fires_ever(), parse("0 0 29 2 *").fires_ever()
        (False, True)
        """
        if self.every is not None:
            return True
        return bool(self.minutes and self.hours and self.months) and self._has_days()

    def _has_days(self) -> bool:
        first = min(self.days_of_month, default=_MAX_MONTH + 1)
        some_date = bool(self.months) and (
            first <= _MIN_MONTH or first <= max(map(_longest, self.months))
        )
        if self.any_day_of_month or self.any_day_of_week:
            return some_date and bool(self.days_of_week)
        return some_date or bool(self.days_of_week)


class Range:
    """The allowed numbers and names of one of the five fields."""

    __slots__ = ("maximum", "minimum", "names")

    def __init__(self, minimum: int, maximum: int, names: str = "") -> None:
        self.minimum = minimum
        self.maximum = maximum
        self.names = {name: minimum + index for index, name in enumerate(names.split())}


_MIN_MONTH, _MAX_MONTH = 29, 31


def _longest(month: int) -> int:
    """Return the number of days that a month can have."""
    if month == 2:
        return _MIN_MONTH
    return 30 if month in (4, 6, 9, 11) else _MAX_MONTH


RANGES = (
    Range(0, 59),
    Range(0, 23),
    Range(1, 31),
    Range(1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"),
    Range(0, 6, "sun mon tue wed thu fri sat"),
)
"""The ranges of minutes, hours, days of the month, months and days of the week."""

DESCRIPTORS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


def parse(schedule: str) -> Schedule:
    """Parse a schedule.

    Raises:
        BadSchedule: it is malformed, or names a number out of range or an unknown time zone.

    >>> parse("@every 1m30.5s").every
    90000000000
    """
    return _parse(schedule)


@bounded_cache
def _parse(schedule: str) -> Schedule:
    if not schedule:
        raise BadSchedule("empty spec string")
    time_zone = None
    if schedule.startswith(("TZ=", "CRON_TZ=")):
        time_zone, schedule = _time_zone(schedule)
    if schedule.startswith("@every "):
        return Schedule(every=_interval(schedule), time_zone=time_zone)
    if schedule.startswith("@"):
        if schedule not in DESCRIPTORS:
            raise BadSchedule(f"unrecognized descriptor: {schedule}")
        schedule = DESCRIPTORS[schedule]
    fields = _fields(schedule)
    if len(fields) != 5:
        listed = " ".join(fields)
        raise BadSchedule(f"expected exactly 5 fields, found {len(fields)}: [{listed}]")
    read = [_values(field, range_) for field, range_ in zip(fields, RANGES, strict=True)]
    return Schedule(
        minutes=read[0][0],
        hours=read[1][0],
        days_of_month=read[2][0],
        months=read[3][0],
        days_of_week=read[4][0],
        any_day_of_month=read[2][1],
        any_day_of_week=read[4][1],
        time_zone=time_zone,
    )


def _time_zone(schedule: str) -> tuple[str, str]:
    from jobsworth.api.formats import time_zones

    front, space, rest = schedule.partition(" ")
    if not space:  # upstream panics without the space, and the API server recovers
        raise BadSchedule("invalid schedule format: runtime error: slice bounds out of range [:-1]")
    name = front.partition("=")[2]
    problem = time_zones.unknown(name)
    if problem is not None:
        raise BadSchedule(f"provided bad location {name}: {problem}")
    return name, rest.strip(_SPACES)


def _interval(schedule: str) -> int:
    from kube_cel.formats import duration

    try:
        interval = duration.parse(schedule[len("@every ") :])
    except duration.BadDuration as error:
        raise BadSchedule(f"failed to parse duration {schedule}: {error}") from None
    return max(interval - interval % _SECOND, _SECOND)


def _fields(schedule: str) -> list[str]:
    if not (schedule.isascii() and schedule.isprintable()):
        schedule = "".join(" " if each in _SPACES else each for each in schedule)
        return [field for field in schedule.split(" ") if field]
    return schedule.split()


def _values(field: str, range_: Range) -> tuple[Days, bool]:
    """Return (the numbers of a field, True if it has a star)."""
    values: set[int] = set()
    star = False
    for part in field.split(","):
        if part:
            first, last, step = _span(part, range_)
            values.update(range(first, last + 1, step))
            star = star or (part[0] in "*?" and step == 1)
    return frozenset(values), star


def _span(text: str, range_: Range) -> tuple[int, int, int]:
    """Return (first number, last number, step) of a range."""
    limits, *steps = text.split("/")
    low, *high = limits.split("-")
    if low in ("*", "?"):
        first, last = range_.minimum, range_.maximum
    else:
        first = last = _value_or_name(low, range_.names)
        if len(high) > 1:
            raise BadSchedule(f"too many hyphens: {text}")
        if high:
            last = _value_or_name(high[0], range_.names)
    step = 1
    if len(steps) > 1:
        raise BadSchedule(f"too many slashes: {text}")
    if steps:
        step = _atoi(steps[0])
        if not high:
            last = range_.maximum
    if first < range_.minimum:
        raise BadSchedule(f"beginning of range ({first}) below minimum ({range_.minimum}): {text}")
    if last > range_.maximum:
        raise BadSchedule(f"end of range ({last}) above maximum ({range_.maximum}): {text}")
    if first > last:
        raise BadSchedule(f"beginning of range ({first}) beyond end of range ({last}): {text}")
    if step == 0:
        raise BadSchedule(f"step of range should be a positive number: {text}")
    return first, last, step


def _value_or_name(text: str, names: dict[str, int]) -> int:
    number = names.get(text.replace("İ", "i").lower())  # Go lowercases it without the dot
    return _atoi(text) if number is None else number


def _atoi(text: str) -> int:
    """Parse a non-negative number, with the errors of Go's ``strconv.Atoi``."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    rest = digits.lstrip("0123456789")
    leading = digits[: len(digits) - len(rest)].lstrip("0")
    size = int(leading or "0") if len(leading) <= len(str(_MAX_UINT64)) else _MAX_UINT64 + 1
    if size > _MAX_UINT64:  # reported before an error in the rest
        raise _bad_number(text, "value out of range")
    if not digits or rest:
        raise _bad_number(text, "invalid syntax")
    number = -size if text[0] == "-" else size
    if not -_MAX_INT64 - 1 <= number <= _MAX_INT64:
        raise _bad_number(text, "value out of range")
    if number < 0:
        raise BadSchedule(f"negative number ({number}) not allowed: {text}")
    return number


def _bad_number(text: str, problem: str) -> BadSchedule:
    from jobsworth.api.field_errors import quoted

    return BadSchedule(
        f"failed to parse int from {text}: strconv.Atoi: parsing {quoted(text)}: {problem}"
    )


_WORD, _GAP, _SPACE = r"[^\t-\r ]+", "[^!-~]+", "[^!-~]*"
"""Characters beyond ASCII, of which Go takes some as white space, may be in words and between them."""

_ZONE = f"(?:(?:CRON_)?TZ=[^ ]*{_GAP})?"
_FIVE_FIELDS = rf"^{_ZONE}{_SPACE}[^@\t-\r ][^\t-\r ]*(?:{_GAP}{_WORD}){{4}}{_SPACE}$"
_DESCRIPTOR = f"^{_ZONE}(?:{'|'.join(DESCRIPTORS)}|@every .*)$"

PATTERN_WITHOUT_ZONE = "^(?:[^T]|T+[^TZ])*T*$"
"""A text without ``TZ``."""

_FIELDS = (
    ("minute", "numbers from 0 to 59", "[1-5]?[0-9]"),
    ("hour", "numbers from 0 to 23", "1?[0-9]|2[0-3]"),
    ("day of the month", "numbers from 1 to 31", "[1-9]|[12][0-9]|3[01]"),
    ("month", "numbers from 1 to 12, or JAN to DEC", "[1-9]|1[0-2]"),
    ("day of the week", "numbers from 0 (Sunday) to 6, or SUN to SAT", "[0-6]"),
)
"""The name, the values and the pattern of the numbers of each of the five fields."""

_SIGN_AND_ZEROS = r"\+?0*"
_STEP = rf"{_SIGN_AND_ZEROS}[1-9][0-9]*"
_EACH_I = "[Ii\u0130]"
_MAX_WRITTEN_OUT = 7
"""The most values of a field whose ranges are written out."""


def _conditions() -> list[tuple[dict[str, Any], str]]:
    found: list[tuple[dict[str, Any], str]] = [
        (
            {"anyOf": [{"pattern": _FIVE_FIELDS}, {"pattern": _DESCRIPTOR}]},
            f"expected exactly 5 fields, or one of {', '.join(DESCRIPTORS)} and @every <duration>",
        )
    ]
    for index, (name, values, numbers) in enumerate(_FIELDS):
        before = f"(?:{_WORD}{_GAP}){{{index}}}" if index else ""
        part = (
            rf"(?:[*?](?:-[^,/\t-\r ]*)?|{_pattern_of_span(RANGES[index], numbers)})(?:/{_STEP})?"
        )
        pattern = f"^{_ZONE}{_SPACE}{before}(?:{part})?(?:,(?:{part})?)*(?:[^!-~]|$)"
        detail = f"{name}: expected *, {values}, ranges from low to high, or steps such as */5"
        found.append((when({"pattern": _FIVE_FIELDS}, {"pattern": pattern}), detail))
    return found


def _pattern_of_span(range_: Range, numbers: str) -> str:
    """Return the pattern of a value or a range."""
    if range_.maximum - range_.minimum < _MAX_WRITTEN_OUT:
        values = [
            f"{_SIGN_AND_ZEROS}{number}|{_in_any_case(name)}"
            for name, number in range_.names.items()
        ]
        return "|".join(
            f"(?:{low})(?:-(?:{'|'.join(values[index:])}))?" for index, low in enumerate(values)
        )
    value = "|".join([f"{_SIGN_AND_ZEROS}(?:{numbers})", *map(_in_any_case, range_.names)])
    return f"(?:{value})(?:-(?:{value}))?"


def _in_any_case(name: str) -> str:
    """Return the pattern of a name as Go lowercases it, for which a dotted capital I is an i."""
    return "".join(_EACH_I if each == "i" else f"[{each.upper()}{each}]" for each in name)


SCHEMA_CONDITIONS = _conditions()
"""The schemas of a schedule, and for each the error of schedules that do not satisfy it."""
