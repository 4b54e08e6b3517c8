"""Fixes of cron schedules that other crons take and Kubernetes does not.

>>> mended("0 6 * * sat-sun").schedule, mended("0 6 * * 1-7").schedule
('0 6 * * sat,sun', '0 6 * * 0-6')
"""

from __future__ import annotations

from jobsworth.api.formats.cron import BadSchedule, parse
from jobsworth.api.formats.go_numbers import integer
from jobsworth.record import Record

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FIRST_AND_LAST = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_DAY_OF_MONTH, _MONTH, _DAY_OF_WEEK = 2, 3, 4


class Mended(Record):
    """A schedule that Kubernetes takes.

    Attributes:
        schedule: the mended text.
        time_zone: the zone that stood before it; None where none did.
        sure: nobody can have meant anything else.
    """

    schedule: str
    time_zone: str | None
    sure: bool


def mended(schedule: str) -> Mended | None:
    """What a schedule means that cannot be read; None where that is not clear.

    Day 7 is Sunday, as in Vixie's cron; a range may run over the end of the week (or of the day,
    the month, the year: but that may be a slip, too); days and months may be written out; the time
    zone stands in a field of its own.
    """
    text, time_zone = schedule.strip(), None
    if text.startswith(("TZ=", "CRON_TZ=")):
        front, space, text = text.partition(" ")
        time_zone, text = front.partition("=")[2], text.strip()
        if not space or not time_zone:
            return None
    fields = text.split()
    sure = True
    if len(fields) == len(_FIRST_AND_LAST):
        for number, field in enumerate(fields):
            parts = [_part(part, number) for part in field.split(",")]
            new = ",".join(dict.fromkeys(text for part, _ in parts for text in part.split(",")))
            if new != field and any(changed for _, changed in parts):
                fields[number] = new
                sure = sure and (number == _DAY_OF_WEEK or not _wraps(field))
    text = " ".join(fields) if len(fields) == len(_FIRST_AND_LAST) else text
    if text == schedule:
        return None
    try:
        parse(text)
    except BadSchedule:
        return None
    return Mended(text, time_zone, sure=sure)


def _wraps(field: str) -> bool:
    return "-" in field


def _part(part: str, number: int) -> tuple[str, bool]:
    """A part of a field as Kubernetes takes it, and whether that is another text."""
    limits, slash, step = part.partition("/")
    low, hyphen, high = limits.partition("-")
    low, high = _short(low, number), _short(high, number)
    short = low + hyphen + high + slash + step
    first, last = _number(low, number), _number(high if hyphen else low, number)
    minimum, maximum = _FIRST_AND_LAST[number]
    if first is None or last is None or (slash and not _is_step(step)):
        return short, short != part
    if slash and not hyphen:
        return short, short != part  # crons differ in what 7/2 is
    if number == _DAY_OF_WEEK and 7 in (first, last):
        return _with_sunday(first, last, step), True
    if not hyphen or first <= last or not minimum <= last <= first <= maximum:
        return short, short != part
    if slash:
        span = maximum - minimum + 1
        days = [
            minimum + (each - minimum) % span
            for each in range(first, last + span + 1, integer(step))
        ]
        return ",".join(map(str, days)), True
    before = low if first == maximum else f"{low}-{_like(low, maximum, number)}"
    after = high if last == minimum else f"{_like(high, minimum, number)}-{high}"
    return f"{before},{after}", True


def _is_step(text: str) -> bool:
    return text.isdecimal() and text.isascii() and bool(text.strip("0"))


def _with_sunday(first: int, last: int, step: str) -> str:
    """Days of the week of which one is 7."""
    if first > last:  # 7-2
        return f"0-{last}/{step}" if step else f"0-{last}"
    if step:
        return ",".join(str(day % 7) for day in range(first, last + 1, integer(step)))
    if first <= 1:
        return "0-6"
    return "0" if first == 7 else f"{first}-6,0" if first < 6 else "6,0"


def _short(text: str, number: int) -> str:
    """The three letters of a day or month that is written out, in the same case."""
    names = _DAYS if number == _DAY_OF_WEEK else _MONTHS if number == _MONTH else ()
    lowered = text.lower()
    for name in names:
        if len(lowered) > 3 and (lowered == name or (name.startswith(lowered))):
            return text[:3]
    return text


def _number(text: str, number: int) -> int | None:
    if text.isdecimal() and text.isascii():
        return integer(text)
    names = _DAYS if number == _DAY_OF_WEEK else _MONTHS if number == _MONTH else ()
    shortened = [name[:3] for name in names]
    if text.lower() not in shortened:
        return None
    return shortened.index(text.lower()) + (number == _MONTH)


def _like(text: str, value: int, number: int) -> str:
    """A number as a name where its neighbour is one, in the same case."""
    if text.isdecimal():
        return str(value)
    name = (_DAYS if number == _DAY_OF_WEEK else _MONTHS)[value - (number == _MONTH)][:3]
    return name.upper() if text.isupper() else name.capitalize() if text.istitle() else name
