"""The days on which a cron schedule fires, and the shortest gap between two runs.

The functions assume days of 24 hours; :mod:`jobsworth.api.formats.clock_changes` covers daylight saving time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from jobsworth.api.formats import cron
from jobsworth.api.formats.cron import Schedule
from kube_cel.formats.bounded_cache import bounded_cache

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")

_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_FEBRUARY = 2
_HOURS_OF_DAY = 24
_DAY = _HOURS_OF_DAY * 60  # in minutes
_SECOND = 10**9  # in the nanoseconds of an interval

_WEEKS = 14
_LEAP_CYCLE = 8 * 366
_CALENDAR_CYCLE = 28 * 366
"""The days of at least 28 years: then dates fall on the same weekdays again, except across 2100."""
_FIRST_YEAR = 2001
_FIRST_WEEKDAY = 1  # 2001 began on a Monday


def names_day(schedule: Schedule, month: int, day: int, weekday: int) -> bool:
    """Return True if a schedule fires on such a day; weekdays count from 0, Sunday."""
    if month not in schedule.months:
        return False
    if schedule.any_day_of_month or schedule.any_day_of_week:
        return day in schedule.days_of_month and weekday in schedule.days_of_week
    return day in schedule.days_of_month or weekday in schedule.days_of_week


def every_day(schedule: Schedule) -> bool:
    """Return True if a schedule fires on every day of the year."""
    days = len(schedule.days_of_month) == _LENGTHS[0]
    weekdays = len(schedule.days_of_week) == len(WEEKDAYS)
    either = not (schedule.any_day_of_month or schedule.any_day_of_week)
    return len(schedule.months) == len(MONTHS) and (
        (days or weekdays) if either else (days and weekdays)
    )


def every_hour(schedule: Schedule) -> bool:
    """Return True if a schedule fires in every hour of a day."""
    return len(schedule.hours) == _HOURS_OF_DAY


def months_left_out(schedule: Schedule) -> list[int]:
    """Return the months of a schedule that are too short for all of its days.

    February has 28 days here.

    >>> months_left_out(cron.parse("0 0 31 1-6 *"))
    [2, 4, 6]
    """
    if not schedule.any_day_of_week or not schedule.days_of_month:
        return []
    first = min(schedule.days_of_month)
    return [month for month in sorted(schedule.months) if first > _LENGTHS[month - 1]]


@bounded_cache
def shortest_gap(schedule: str) -> int | None:
    """Return the minimum of seconds between two runs; None if the schedule never fires.

    Raises:
        BadSchedule: the schedule cannot be parsed.

    >>> [shortest_gap(schedule) for schedule in ("*/7 * * * *", "0 22,4 * * *", "@every 90s")]
    [240, 21600, 90]
    >>> shortest_gap("0 9 * * mon,thu") == 3 * 24 * 3600
    True
    """
    parsed = cron.parse(schedule)
    if parsed.every is not None:
        return parsed.every // _SECOND
    if not parsed.fires_ever():
        return None
    if any(minute + 1 in parsed.minutes for minute in parsed.minutes):
        return 60  # most of those that run often
    minutes = sorted(hour * 60 + minute for hour in parsed.hours for minute in parsed.minutes)
    gaps = [later - earlier for earlier, later in pairwise(minutes)]
    overnight = _DAY + minutes[0] - minutes[-1]
    if not gaps or overnight < min(gaps):
        gaps.append(overnight + (_days_between(parsed) - 1) * _DAY)
    return min(gaps) * 60


def _days_between(schedule: Schedule) -> int:
    """Return the minimum of days from one day with a run to the next."""
    least, last = _CALENDAR_CYCLE, None
    for number, named in enumerate(_days(schedule)):
        if named:
            if last is not None:
                least = min(least, number - last)
                if least == 1:
                    break
            last = number
    return least


def _days(schedule: Schedule) -> Iterator[bool]:
    """Yield, for each day of a period after which the pattern repeats, True if the schedule fires."""
    if schedule.any_day_of_month and len(schedule.months) == len(MONTHS):
        length = _WEEKS
    else:
        length = _LEAP_CYCLE if schedule.any_day_of_week else _CALENDAR_CYCLE
    number, year = 0, _FIRST_YEAR
    while number < length:
        for month, days in enumerate(_LENGTHS, 1):
            leap_day = month == _FEBRUARY and year % 4 == 0
            for day in range(1, days + leap_day + 1):
                yield names_day(schedule, month, day, (number + _FIRST_WEEKDAY) % 7)
                number += 1
        year += 1
