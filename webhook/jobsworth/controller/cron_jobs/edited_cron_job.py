"""The run that an edit of a CronJob starts although its time has passed, or gives up.

A sync does not ask why it takes place: it starts the most recent scheduled time since the last run. So an
edit that makes a passed time a scheduled one, or that ends a suspension, starts a Job
(https://github.com/kubernetes/kubernetes/issues/63371). Of an edit of schedule or timeZone, the timer of the
old schedule is that sync (https://github.com/kubernetes/kubernetes/issues/130838). A CronJob that is
deleted and created again counts from its creation, so it starts no passed time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from jobsworth.api.formats.cron import Schedule
from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, OwnedJob
from jobsworth.controller.cron_jobs.cron_job_sync import delay_after_update, sync_cron_job
from jobsworth.controller.cron_jobs.schedule_times import (
    NEVER,
    next_schedule_delay,
    next_time,
)

A_MOMENT = 60
"""Seconds after a scheduled time at which its run has certainly started."""
MAX_WINDOWS = 50
"""Scheduled times of both schedules up to which an unsafe period is searched."""
_MAX_SYNCS = 5
"""Syncs after an edit until a run starts: schedules with uneven gaps may need a second one."""
_LONGEST_SEARCH = 5 * 366 * 86_400
"""The search of a schedule goes no further: five years."""


@dataclass(frozen=True, slots=True)
class NextRun:
    """The next run that the controller starts.

    Attributes:
        scheduled: its scheduled time, in seconds since 1970.
        at: the time at which a sync starts it. After an edit of schedule or timeZone, any other update of
            the CronJob or of its Jobs, a restart of the controller, or the resync of its informer starts a
            late run earlier.
    """

    scheduled: int
    at: float


@dataclass(frozen=True, slots=True)
class EditEffect:
    """The effect of an edit on the runs of a CronJob, beside moving the coming ones.

    Attributes:
        started: the run of a passed time that starts because of the edit; None for none.
        given_up: the scheduled time that waits for a running Job, and does not start after the edit; None for
            none.
        left_out: the scheduled time of the old schedule between two runs that are further apart than those of
            both schedules; None for none.
        following: the first run after the edit; None while no time starts one.
    """

    started: NextRun | None = None
    given_up: int | None = None
    left_out: int | None = None
    following: NextRun | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A period in which an edit starts a run of a passed time.

    Attributes:
        begin: seconds since 1970.
        end: the first later time at which it starts none; None if none was found.
        started: the run that it starts first.
    """

    begin: float
    end: float | None
    started: NextRun


def next_run(before: CronJob | None, after: CronJob, now: float) -> NextRun | None:
    """Return the first run that starts after an edit; None while no time starts one.

    Jobs that are active stay active: a run that waits for the end of one (concurrencyPolicy Forbid) is none.

    Args:
        before: the stored CronJob; None if `after` is created now.
        after: the CronJob after the edit, with the status of the stored one.
        now: the time of the edit, in seconds since 1970.
    """
    if after.suspended:
        return None
    at = now
    if before is not None:
        timers = [delay_after_update(before, after, now)]
        if not before.suspended:
            timers.append(next_schedule_delay(before.schedule, before.earliest, now))
        at += min((delay for delay in timers if delay > 0), default=0.0) if timers[0] else 0.0
    jobs = [OwnedJob(name) for name in after.status.active]
    for _ in range(_MAX_SYNCS):
        decided = sync_cron_job(after, jobs, at)
        if decided.start is not None:
            return NextRun(decided.start, at)
        if decided.withheld == "JobAlreadyActive" or not decided.requeue or decided.requeue < 0:
            return None
        at += decided.requeue
    return None


def effect_of_edit(before: CronJob, after: CronJob, now: float) -> EditEffect:
    """Return what an edit does to the runs of a CronJob; `after` has the status of `before`."""
    run, unedited = next_run(before, after, now), next_run(before, before, now)
    started = None
    if (
        run is not None
        and run.scheduled <= now
        and (unedited is None or unedited.scheduled != run.scheduled)
    ):
        started = run
    return EditEffect(
        started, _given_up(before, after, now), _left_out(before, after, run, unedited, now), run
    )


def _given_up(before: CronJob, after: CronJob, now: float) -> int | None:
    """Return the time that waits for a running Job before the edit, and for nothing after it."""
    if after.suspended:
        return None
    waiting = sync_cron_job(before, [OwnedJob(name) for name in before.status.active], now)
    if waiting.withheld != "JobAlreadyActive":
        return None
    finished = replace(after, status=replace(after.status, active=()))
    started = sync_cron_job(finished, (), now).start
    return None if started == waiting.scheduled else waiting.scheduled


def _left_out(
    before: CronJob, after: CronJob, run: NextRun | None, unedited: NextRun | None, now: float
) -> int | None:
    """Return the first time of the old schedule in a gap that neither schedule has."""
    last = before.status.last_schedule
    if run is None or unedited is None or last is None or before.suspended:
        return None
    if min(run.scheduled, unedited.scheduled) <= now or run.scheduled <= unedited.scheduled:
        return None
    usual = max(unedited.scheduled - last, next_time(after.schedule, run.scheduled) - run.scheduled)
    return unedited.scheduled if run.scheduled - last > usual else None


def unsafe_window(before: CronJob, after: CronJob, now: float) -> Window | None:
    """Return the first period from now on in which an edit starts a run of a passed time.

    All runs of the old schedule until then are taken as started on time; so it is for a CronJob whose status
    is unknown. None if there is no such period within :data:`MAX_WINDOWS` scheduled times.
    """
    begin: float = now
    moment, found = begin, None
    for _ in range(MAX_WINDOWS):
        started = effect_of_edit(*_at(before, after, moment), moment).started
        if found is None and started is not None:
            found = Window(begin, None, started)
        elif found is not None and started is None:
            return replace(found, end=begin)
        begin = min(next_time(each.schedule, moment) for each in (before, after))
        if begin == NEVER:
            break
        moment = begin + A_MOMENT
    return found


def safe_window(before: CronJob, after: CronJob, at: float) -> tuple[int, int] | None:
    """Return a period in which an edit of the schedule starts no run of a passed time; None if it starts one.

    Args:
        at: the time of the old schedule with whose run the period begins. It ends with the next time of the
            new schedule.
    """
    begin = int(at)
    moment = begin + A_MOMENT
    if effect_of_edit(*_at(before, after, moment), moment).started is not None:
        return None
    return begin, next_time(after.schedule, moment)


def _at(before: CronJob, after: CronJob, now: float) -> tuple[CronJob, CronJob]:
    """Return both with the status at a time: the last run is that of the last scheduled time."""
    last = last_time(before.schedule, now)
    if before.suspended and last is not None:
        last -= 1  # the last scheduled time is a missed one
    status = CronJobStatus(last_schedule=last)
    return replace(before, status=status), replace(after, status=status)


def last_time(schedule: Schedule, now: float) -> int | None:
    """Return the last scheduled time up to now; None if there was none within five years.

    >>> from jobsworth.api.formats.cron import parse
    >>> last_time(parse("0 5 * * *"), 86_400)
    18000
    """
    span = 60
    while next_time(schedule, now - span) > now:
        if span > _LONGEST_SEARCH:
            return None
        span *= 8
    # The next time after a moment is up to now for each moment before the last time, and for no later one.
    before, after = int(now) - span, int(now)
    while after - before > 1:
        middle = (before + after) // 2
        if next_time(schedule, middle) <= now:
            before = middle
        else:
            after = middle
    return next_time(schedule, before)
