"""Scheduled times in the time zone of a CronJob, as text."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from jobsworth.controller.cron_jobs.cron_job import CronJob


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
