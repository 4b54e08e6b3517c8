"""Compute the next times of a cron schedule.

Source: ``SpecSchedule.Next`` and ``ConstantDelaySchedule.Next`` of ``github.com/robfig/cron/v3``,
which the CronJob controller uses. Time is counted in whole seconds since 1970 and converted to the
time zone; at clock changes the results are those of robfig/cron.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo

from jobsworth.api.formats.cron import Schedule

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)
_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_NOON = 12
_YEARS = 5


def next_times(schedule: Schedule, after: datetime, count: int) -> list[datetime]:
    """Return the next times at which a schedule fires, in the time zone of `after`.

    Returns fewer than `count` times if there is none within the next five years, as upstream does.

    >>> from datetime import datetime, timezone
    >>> from jobsworth.api.formats.cron import parse
    >>> moment = datetime(2026, 2, 27, 12, tzinfo=timezone.utc)
    >>> [time.isoformat() for time in next_times(parse("30 2 * * 6,0"), moment, 2)]
    ['2026-02-28T02:30:00+00:00', '2026-03-01T02:30:00+00:00']
    """
    following = _next_of_interval if schedule.every is not None else _next_of_fields
    times: list[datetime] = []
    time: datetime | None = after
    while len(times) < count and time is not None and schedule.fires_ever():
        time = following(schedule, time)
        if time is not None:
            times.append(time)
    return times


def _next_of_interval(schedule: Schedule, after: datetime) -> datetime:
    seconds = (schedule.every or 0) // 10**9
    zone = after.tzinfo
    if zone is None:
        return after.replace(microsecond=0) + timedelta(seconds=seconds)
    start = after.astimezone(UTC).replace(microsecond=0)
    return (start + timedelta(seconds=seconds)).astimezone(zone)


def _next_of_fields(schedule: Schedule, after: datetime) -> datetime | None:
    aware = after if after.tzinfo else after.replace(tzinfo=UTC)
    search = _Search(schedule, _zone_of(schedule, aware), (aware - _EPOCH) // _SECOND + 1)
    moment = search.run()
    if moment is None:
        return None
    found = (_EPOCH + moment * _SECOND).astimezone(aware.tzinfo)
    return found if after.tzinfo else found.replace(tzinfo=None)


def _zone_of(schedule: Schedule, after: datetime) -> tzinfo:
    if schedule.time_zone in ("", "UTC"):
        return UTC
    if schedule.time_zone is None or schedule.time_zone == "Local":
        return after.tzinfo or UTC
    from zoneinfo import ZoneInfo

    return ZoneInfo(schedule.time_zone)


class _Search:
    """A search for the next time of a schedule, by months, days, hours and minutes.

    Attributes:
        moment: in seconds since 1970.
        wall: the local time in the schedule's time zone.
        moved: True once a field was incremented, which resets all smaller fields.
    """

    __slots__ = ("moment", "moved", "schedule", "wall", "zone")

    moment: int
    wall: datetime

    def __init__(self, schedule: Schedule, zone: tzinfo, moment: int) -> None:
        self.schedule = schedule
        self.zone = zone
        self.moved = False
        self._go_to(moment)

    def run(self) -> int | None:
        """Return the next moment, or None if there is none within five years."""
        last_year = self.wall.year + _YEARS
        steps = (self._month, self._day, self._hour, self._minute, self._second)
        while self.wall.year <= last_year:
            if all(reached() for reached in steps):
                return self.moment
        return None

    # Each of these advances to the next matching value of its field. It returns False if the field
    # above overflowed, which must then be matched again.

    def _month(self) -> bool:
        while self.wall.month not in self.schedule.months:
            self._reset_once(
                lambda: self._moment_of(self.wall.replace(day=1, hour=0, minute=0, second=0))
            )
            following = (self.wall.replace(day=1) + timedelta(days=31)).replace(day=1)
            self._go_to(self._moment_of(following + timedelta(days=self.wall.day - 1)))
            if self.wall.month == 1:
                return False
        return True

    def _day(self) -> bool:
        while not self._day_will_do():
            self._reset_once(lambda: self._moment_of(self.wall.replace(hour=0, minute=0, second=0)))
            before = self.moment
            self._go_to(self._moment_of(self.wall + timedelta(days=1)))
            if self.moment <= before:  # a day that the zone skips; upstream loops forever
                self._go_to(before + _DAY)
            if self.wall.hour > _NOON:  # a clock change skipped midnight
                self._go_to(self.moment + (24 - self.wall.hour) * _HOUR)
            else:
                self._go_to(self.moment - self.wall.hour * _HOUR)
            if self.wall.day == 1:
                return False
        return True

    def _day_will_do(self) -> bool:
        schedule = self.schedule
        date = self.wall.day in schedule.days_of_month
        weekday = self.wall.isoweekday() % 7 in schedule.days_of_week
        if schedule.any_day_of_month or schedule.any_day_of_week:
            return date and weekday
        return date or weekday

    def _hour(self) -> bool:
        while self.wall.hour not in self.schedule.hours:
            self._reset_once(lambda: self._moment_of(self.wall.replace(minute=0, second=0)))
            self._go_to(self.moment + _HOUR)
            if self.wall.hour == 0:
                return False
        return True

    def _minute(self) -> bool:
        while self.wall.minute not in self.schedule.minutes:
            self._reset_once(lambda: self.moment - self.moment % _MINUTE)
            self._go_to(self.moment + _MINUTE)
            if self.wall.minute == 0:
                return False
        return True

    def _second(self) -> bool:
        while self.wall.second != 0:
            self.moved = True
            self._go_to(self.moment + 1)
            if self.wall.second == 0:
                return False
        return True

    def _reset_once(self, start: Callable[[], int]) -> None:
        if not self.moved:
            self.moved = True
            self._go_to(start())

    def _go_to(self, moment: int) -> None:
        self.moment = moment
        self.wall = self._seen(moment).replace(tzinfo=None)

    def _seen(self, moment: int) -> datetime:
        return (_EPOCH + moment * _SECOND).astimezone(self.zone)

    def _offset(self, moment: int) -> int:
        return (self._seen(moment).utcoffset() or timedelta()) // _SECOND

    def _moment_of(self, wall: datetime) -> int:
        """Return the moment of a local time; if there is none, or two, choose as Go does."""
        moment = (wall.replace(tzinfo=UTC) - _EPOCH) // _SECOND
        offset = self._offset(moment)
        return moment - self._offset(moment - offset) if offset else moment
