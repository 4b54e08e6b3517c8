"""When a CronJob starts Jobs, in words: schedule, time zone, clock changes, concurrency, missed runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from itertools import islice
from typing import Any

from jobsworth.controller.cron_jobs.cron_job import (
    FORBID,
    REPLACE,
    CronJob,
    CronJobStatus,
    read_cron_job,
)
from jobsworth.controller.cron_jobs.schedule_times import (
    local_time,
    named_zone,
    scheduled_between,
    zone_of,
)
from jobsworth.lint.schedule_timing import shortest_gap
from jobsworth.runs.clock_changes import clock_changes, effect_of
from jobsworth.wording import duration

_SHOWN_TIMES = 3
_SHOWN_CHANGES = 4
_DAYS = 366
_SHORTEST_DEADLINE = 10
"""Seconds: the documentation of Kubernetes warns of a shorter startingDeadlineSeconds."""
DEFAULT_KEPT = {"successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1}


def cron_job_facts(
    spec: Mapping[str, Any], job: Mapping[str, Any], now: int
) -> Iterator[tuple[str, str]]:
    """Yield names and values of what decides when the Jobs of a CronJob start.

    Args:
        spec: of the valid CronJob.
        job: the spec of its Jobs.
        now: seconds since 1970; the next runs and clock changes are those after it.
    """
    cron_job = read_cron_job("", dict(spec), now, CronJobStatus())
    zone, zone_name = _zone(cron_job)
    yield "schedule", f"{cron_job.written}: {_next_runs(cron_job, zone, now)}"
    yield "time zone", zone_name
    yield "clock changes", _clock_changes(cron_job, zone, now)
    yield "concurrency", _concurrency(cron_job, job)
    yield "starting deadline", _starting_deadline(cron_job)
    if cron_job.suspended:
        late = "" if cron_job.starting_deadline is None else ", within the starting deadline"
        yield (
            "suspended",
            f"no run starts; when it is resumed, the latest missed run starts at once{late}",
        )
    kept = {
        name: default if spec.get(name) is None else spec[name]
        for name, default in DEFAULT_KEPT.items()
    }
    yield "kept Jobs", "{} complete, {} failed".format(*kept.values())


def _zone(cron_job: CronJob) -> tuple[tzinfo, str]:
    named, zone = named_zone(cron_job), zone_of(cron_job)
    if not named:
        return zone, "that of kube-controller-manager, on most clusters UTC (as here): set timeZone"
    if zone is UTC:
        return zone, f"{named}; this machine does not know it, and times are UTC here"
    return zone, named


def _next_runs(cron_job: CronJob, zone: tzinfo, now: int) -> str:
    times = list(
        islice(scheduled_between(cron_job.schedule, now, now + 5 * _DAYS * 86_400), _SHOWN_TIMES)
    )
    if not times:
        return "never fires"
    if cron_job.schedule.every is not None:
        return "each time from the creation or the last run on"
    return "next " + ", ".join(local_time(time, zone) for time in times)


def _clock_changes(cron_job: CronJob, zone: tzinfo, now: int) -> str:
    changes = list(clock_changes(zone, now, now + _DAYS * 86_400))
    if not changes:
        return "none in the coming year"
    if cron_job.schedule.every is not None:
        return "of no effect on an interval"
    if all(not effect_of(cron_job, zone, change) for change in changes):
        days = ", ".join(_day(change.at, zone) for change in changes[:_SHOWN_CHANGES])
        return f"no run is skipped or repeated ({days})"
    parts = []
    for change in changes[:_SHOWN_CHANGES]:
        way = "forward" if change.after > change.before else "back"
        effect = effect_of(cron_job, zone, change) or "no run is affected"
        shift = duration(abs(change.after - change.before))
        parts.append(f"{_day(change.at, zone)} {way} by {shift}: {effect}")
    return "; ".join(parts)


def _day(at: int, zone: tzinfo) -> str:
    return datetime.fromtimestamp(at, zone).strftime("%a %Y-%m-%d")


def _concurrency(cron_job: CronJob, job: Mapping[str, Any]) -> str:
    gap = shortest_gap(cron_job.written)
    often = "" if gap is None else f" (runs are due at least {duration(gap)} apart)"
    if cron_job.concurrency == REPLACE:
        return (
            "Replace: a run deletes the previous Job if it has not finished, and does not wait until its "
            f"Pods have ended{often}"
        )
    if cron_job.concurrency == FORBID:
        blocked = (
            "; a Job that never finishes blocks all runs: set activeDeadlineSeconds"
            if job.get("activeDeadlineSeconds") is None
            else f"; activeDeadlineSeconds ends a Job after {duration(job['activeDeadlineSeconds'])}"
        )
        return (
            "Forbid: a run that is due while the previous Job has not finished starts when it has, of "
            f"several only the latest{blocked}"
        )
    return f"Allow: runs overlap if a Job takes longer than the time to the next{often}"


def _starting_deadline(cron_job: CronJob) -> str:
    deadline = cron_job.starting_deadline
    if deadline is None:
        return (
            "none: after a suspension, an absence of the controller or an edit of the schedule, the latest "
            "missed run starts, however late"
        )
    if deadline == 0:
        return "0 s: no run ever starts, because the controller looks a moment after the time"
    short = " (less than 10 s: runs may be missed)" if deadline < _SHORTEST_DEADLINE else ""
    never = "a run that could not start by then is never started, without an event"
    return f"{duration(deadline)}: {never}{short}"
