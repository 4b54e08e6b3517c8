"""Scheduled times of a CronJob: passed, most recent, next; and as text in its time zone.

Source: ``mostRecentScheduleTime`` and ``nextScheduleTimeDuration`` in pkg/controller/cronjob/utils.go of
Kubernetes 1.36; 1.33 to 1.37 have the same code.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jobsworth.api.formats.cron import Schedule
from jobsworth.api.formats.cron_times import next_times
from jobsworth.controller.cron_jobs.cron_job import CronJob

NEXT_SCHEDULE_DELTA = 0.1
"""Seconds after a scheduled time at which the controller syncs: ``nextScheduleDelta``."""
MAX_FEW_MISSED = 100
"""Beyond so many missed times, the controller emits TooManyMissedTimes."""
NEVER = 2**62
"""The next time of a schedule that does not fire within five years."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class RecentTime(NamedTuple):
    """The result of a search for missed scheduled times.

    Attributes:
        scheduled: the most recent one in seconds since 1970; None if the search finds none.
        missed: an estimate of their number: the elapsed time by the gap between the first two.
        invalid: the schedule never fires.
        computed: how many scheduled times the search computed.
    """

    scheduled: int | None
    missed: int = 0
    invalid: bool = False
    computed: int = 1


def most_recent_schedule_time(
    schedule: Schedule, earliest: float, now: float, starting_deadline: int | None
) -> RecentTime:
    """Return the most recent scheduled time after `earliest` and up to `now`.

    Like upstream, it goes back from now by one or two gaps of the first two times. Where the gaps of a
    schedule differ much (``0,1 0 * * *``), it finds none although some were missed.

    Args:
        earliest: lastScheduleTime, or the creation of the CronJob without one; seconds since 1970.
        starting_deadline: startingDeadlineSeconds to respect; None for none.
    """
    if starting_deadline is not None:
        earliest = max(earliest, now - starting_deadline)
    first = next_time(schedule, earliest)
    if first == NEVER:
        return RecentTime(None, invalid=True)
    if now < first:
        return RecentTime(None)
    second = next_time(schedule, first)
    if now < second:
        return RecentTime(first, 1, computed=2)
    gap = second - first
    missed = int(now - first) // gap + 1
    recent, time, computed = None, next_time(schedule, first + (missed - 2) * gap), 3
    while time <= now:
        recent, time, computed = time, next_time(schedule, time), computed + 1
    return RecentTime(recent, missed, computed=computed)


def next_schedule_delay(schedule: Schedule, earliest: float, now: float) -> float:
    """Return the seconds until the controller syncs for the next scheduled time; not positive for at once."""
    recent = most_recent_schedule_time(schedule, earliest, now, None)
    after: float = earliest
    if recent.scheduled is not None:
        after = recent.scheduled
    elif recent.missed or recent.invalid:
        after = now
    following = next_time(schedule, after)
    return 0.0 if following == NEVER else following + NEXT_SCHEDULE_DELTA - now


def scheduled_between(schedule: Schedule, after: int, until: int) -> Iterator[int]:
    """Yield the scheduled times after one time and up to another one, inclusive."""
    time = next_time(schedule, after)
    while time <= until:
        yield time
        time = next_time(schedule, time)


def next_unpassed_time(schedule: Schedule, earliest: int, now: int) -> int:
    """Return the first scheduled time after now; intervals (``@every``) count from `earliest`.

    >>> from jobsworth.api.formats.cron import parse
    >>> next_unpassed_time(parse("@every 7m"), 60, 600)
    900
    """
    if schedule.every is None:
        return next_time(schedule, now)
    first = next_time(schedule, earliest)
    gap = first - earliest
    return first if first > now else first + ((now - first) // gap + 1) * gap


def next_time(schedule: Schedule, after: float) -> int:
    """Return the first scheduled time after a time, in seconds since 1970; NEVER if there is none."""
    return _next(schedule, int(after // 1))


def count_times(schedule: Schedule, after: float, until: float, most: int) -> int:
    """Return how many scheduled times there are after a time and up to another, at most `most`."""
    time, number = next_time(schedule, after), 0
    while time != NEVER and time <= until and number < most:
        time, number = next_time(schedule, time), number + 1
    return number


@lru_cache(maxsize=1024)
def _next(schedule: Schedule, after: int) -> int:
    times = next_times(schedule, _EPOCH + timedelta(seconds=after), 1)
    return int((times[0] - _EPOCH).total_seconds()) if times else NEVER


def named_zone(cron_job: CronJob) -> str:
    """Return the time zone that a CronJob names; empty for that of kube-controller-manager."""
    named = cron_job.time_zone or cron_job.schedule.time_zone
    return "" if not named or named == "Local" else named


def zone_of(cron_job: CronJob) -> tzinfo:
    """Return the time zone of a CronJob; UTC for that of kube-controller-manager and for an unknown one."""
    named = named_zone(cron_job)
    if named:
        with suppress(ZoneInfoNotFoundError):
            return ZoneInfo(named)
    return UTC


def is_zone_known(cron_job: CronJob) -> bool:
    """Return True if this machine knows the time zone of a CronJob."""
    try:
        ZoneInfo(named_zone(cron_job) or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def local_time(time: float, zone: tzinfo) -> str:
    """Return a time as weekday, date, minute and offset from UTC.

    >>> local_time(0, UTC)
    'Thu 1970-01-01 00:00 +0000'
    """
    moment = datetime.fromtimestamp(time, zone)
    return moment.strftime("%a %Y-%m-%d %H:%M ") + (moment.strftime("%z") or "+0000")
