"""Changes of the clocks of a time zone, and what they do to the runs of a CronJob."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import pairwise

from jobsworth.api.formats.cron_times import next_times
from jobsworth.controller.cron_jobs.cron_job import CronJob
from jobsworth.controller.cron_jobs.schedule_times import local_time, next_time, scheduled_between
from jobsworth.wording import listing

_HOUR, _MINUTE = 3600, 60


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A change of the clocks.

    Attributes:
        at: seconds since 1970.
        before, after: offsets from UTC in seconds.
    """

    at: int
    before: int
    after: int


def clock_changes(zone: tzinfo, begin: int, end: int) -> Iterator[ClockChange]:
    """Yield the clock changes of a period, in seconds since 1970."""
    start = begin - begin % _HOUR
    before = _offset(zone, start)
    for hour in range(start + _HOUR, end, _HOUR):
        after = _offset(zone, hour)
        if after != before:
            at = next(
                minute
                for minute in range(hour - _HOUR + _MINUTE, hour + _MINUTE, _MINUTE)
                if _offset(zone, minute) == after
            )
            yield ClockChange(at, before, after)
            before = after


def _offset(zone: tzinfo, time: int) -> int:
    offset = datetime.fromtimestamp(time, zone).utcoffset() or timedelta()
    return int(offset.total_seconds())


def effect_of(cron_job: CronJob, zone: tzinfo, change: ClockChange) -> str:
    """Return which local times of the schedule are skipped or repeated; empty for none."""
    shift = change.after - change.before
    if _runs_through(cron_job, change):
        return ""
    if shift > 0:
        begin = datetime.fromtimestamp(change.at + change.before, UTC).replace(tzinfo=None)
        written = cron_job.schedule.replace(time_zone=None)
        times = next_times(written, begin - timedelta(seconds=1), 60)
        skipped = [time for time in times if time < begin + timedelta(seconds=shift)]
        if not skipped:
            return ""
        following = local_time(next_time(cron_job.schedule, change.at - 1), zone)
        verb = "is" if len(skipped) == 1 else "are"
        return f"{_clock_times(skipped)} {verb} skipped, the next run is {following}"
    seen = [
        datetime.fromtimestamp(time, zone).replace(tzinfo=None)
        for time in scheduled_between(
            cron_job.schedule, change.at + shift - 1, change.at - shift - 1
        )
    ]
    repeated = sorted({time.replace(fold=0) for time in seen if seen.count(time) > 1})
    verb = "runs" if len(repeated) == 1 else "run"
    return f"{_clock_times(repeated)} {verb} twice" if repeated else ""


def _runs_through(cron_job: CronJob, change: ClockChange) -> bool:
    """Return True if the schedule fires at an even pace before and after a change."""
    begin, end = change.at - 3 * _HOUR, change.at + 3 * _HOUR
    around = [begin, *scheduled_between(cron_job.schedule, begin, end), end]
    return max(later - earlier for earlier, later in pairwise(around)) <= _HOUR


def _clock_times(times: list[datetime]) -> str:
    return listing([time.strftime("%H:%M") for time in times])
