"""Fixes for cron schedules that other cron implementations accept and Kubernetes rejects.

>>> fixed_schedule("0 6 * * sat-sun").schedule, fixed_schedule("0 6 * * 1-7").schedule
('0 6 * * sat,sun', '0 6 * * 0-6')
"""

from __future__ import annotations

from jobsworth.api.formats.cron import BadSchedule, parse
from jobsworth.record import Record
from kube_cel.formats.go_numbers import capped

_DAYS = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_FIRST_AND_LAST = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_DAY_OF_MONTH, _MONTH, _DAY_OF_WEEK = 2, 3, 4


class FixedSchedule(Record):
    """A schedule that Kubernetes accepts.

    Attributes:
        schedule: the fixed text.
        time_zone: the time zone in its TZ= prefix or behind it; None if it had none.
        sure: no other meaning is possible.
    """

    schedule: str
    time_zone: str | None
    sure: bool


def fixed_schedule(schedule: str) -> FixedSchedule | None:
    """Return the likely meaning of an invalid schedule; None if it is not clear.

    Day 7 is Sunday, as in Vixie cron; a range may wrap around the end of the week (or of the day,
    month or year, which may also be a typo); names of days and months may be written in full; the time
    zone belongs in its own field.
    """
    text, time_zone = schedule.strip(), None
    if text.startswith(("TZ=", "CRON_TZ=")):
        front, space, text = text.partition(" ")
        time_zone, text = front.partition("=")[2], text.strip()
        if not space or not time_zone:
            return None
    else:
        from jobsworth.evaluation.fixes.cron_dialects import without_zone

        text, zone = without_zone(text)
        time_zone = zone or None
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
    return FixedSchedule(text, time_zone, sure=sure)


def _wraps(field: str) -> bool:
    return "-" in field


def _part(part: str, number: int) -> tuple[str, bool]:
    """Return a part of a field as Kubernetes accepts it, and True if that differs from the text."""
    limits, slash, step = part.partition("/")
    low, hyphen, high = limits.partition("-")
    low, high = _short(low, number), _short(high, number)
    short = low + hyphen + high + slash + step
    first, last = _value_of(low, number), _value_of(high if hyphen else low, number)
    minimum, maximum = _FIRST_AND_LAST[number]
    if first is None or last is None or (slash and not _is_step(step)):
        return short, short != part
    if slash and not hyphen:
        return short, short != part  # implementations differ in the meaning of 7/2
    if number == _DAY_OF_WEEK and 7 in (first, last):
        return _with_sunday(first, last, step), True
    if not hyphen or first <= last or not minimum <= last <= first <= maximum:
        return short, short != part
    if slash:
        span = maximum - minimum + 1
        days = [
            minimum + (each - minimum) % span
            for each in range(first, last + span + 1, capped(step))
        ]
        return ",".join(map(str, days)), True
    before = low if first == maximum else f"{low}-{_like(low, maximum, number)}"
    after = high if last == minimum else f"{_like(high, minimum, number)}-{high}"
    return f"{before},{after}", True


def _is_step(text: str) -> bool:
    return text.isdecimal() and text.isascii() and bool(text.strip("0"))


def _with_sunday(first: int, last: int, step: str) -> str:
    """Rewrite a range of weekdays that contains 7."""
    if first > last:  # 7-2
        return f"0-{last}/{step}" if step else f"0-{last}"
    if step:
        return ",".join(str(day % 7) for day in range(first, last + 1, capped(step)))
    if first <= 1:
        return "0-6"
    return "0" if first == 7 else f"{first}-6,0" if first < 6 else "6,0"


def _short(text: str, number: int) -> str:
    """Return the three-letter form of a full day or month name, in the same case."""
    names = _DAYS if number == _DAY_OF_WEEK else _MONTHS if number == _MONTH else ()
    lowered = text.lower()
    for name in names:
        if len(lowered) > 3 and (lowered == name or (name.startswith(lowered))):
            return text[:3]
    return text


def _value_of(text: str, number: int) -> int | None:
    if text.isdecimal() and text.isascii():
        return capped(text)
    names = _DAYS if number == _DAY_OF_WEEK else _MONTHS if number == _MONTH else ()
    shortened = [name[:3] for name in names]
    if text.lower() not in shortened:
        return None
    return shortened.index(text.lower()) + (number == _MONTH)


def _like(text: str, value: int, number: int) -> str:
    """Return a number as a name if the other end of its range is a name, in the same case."""
    if text.isdecimal():
        return str(value)
    name = (_DAYS if number == _DAY_OF_WEEK else _MONTHS)[value - (number == _MONTH)][:3]
    return name.upper() if text.isupper() else name.capitalize() if text.istitle() else name
