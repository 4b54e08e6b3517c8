"""Decide what the CronJob controller does with a CronJob now, and when it syncs the CronJob again.

The controller syncs a CronJob when it starts, at every update of the CronJob (its own writes of the status
included), when a Job of the CronJob is created, updated or deleted, at the time that the last sync asked
for, and at each resync of its informer of CronJobs (every 12 to 24 hours). After an edit of schedule or
timeZone it waits for the next scheduled time: :func:`delay_after_update`.

Source: cronjob_controllerv2.go in pkg/controller/cronjob of Kubernetes 1.36. The decisions of 1.33 to 1.37
are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from jobsworth.controller.cron_jobs.cron_job import (
    FORBID,
    REPLACE,
    CronJob,
    CronJobStatus,
    OwnedJob,
)
from jobsworth.controller.cron_jobs.schedule_times import (
    MAX_FEW_MISSED,
    most_recent_schedule_time,
    next_schedule_delay,
)
from jobsworth.controller.signals import NORMAL, WARNING, Event

MAX_RESYNC_PERIOD = 24 * 3600
"""The longest period, in seconds, of the informer's resync: kube-controller-manager chooses at its start,
from --min-resync-period (12h) to twice as much."""

Withheld = Literal["", "Suspended", "MissSchedule", "JobAlreadyActive", "NothingFound"]
"""The reason for which a sync does not start the most recent scheduled time; empty without one."""


@dataclass(frozen=True, slots=True)
class CronJobSync:
    """The decisions of a sync, in the order in which the controller carries them out.

    Attributes:
        removed: finished Jobs to delete because of the history limits.
        replaced: active Jobs to delete first (concurrencyPolicy Replace).
        start: create the Job of this scheduled time.
        withheld: why nothing starts although scheduled times have passed.
        scheduled: the scheduled time that is withheld; None if it is not determined.
        status: to store, if it differs from the current one.
        requeue: seconds until the next sync; None to wait for a change.
        computed: the scheduled times that the decision took beyond the first two.
    """

    status: CronJobStatus
    removed: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    start: int | None = None
    withheld: Withheld = ""
    scheduled: int | None = None
    events: tuple[Event, ...] = ()
    requeue: float | None = None
    computed: int = 0


def delay_after_update(before: CronJob, after: CronJob, now: float) -> float:
    """Return the seconds after which the controller syncs a CronJob because of an update of it.

    An edit of schedule or timeZone waits for the next scheduled time: a time that has already passed is not
    looked at now. Every other update is synced at once, also one that sets these fields to their old values.
    """
    if (before.written, before.time_zone) == (after.written, after.time_zone):
        return 0.0
    return max(0.0, next_schedule_delay(after.schedule, after.earliest, now))


def sync_cron_job(cron_job: CronJob, jobs: Sequence[OwnedJob], now: float) -> CronJobSync:
    """Decide about a CronJob.

    The Job to start is taken to be created: neither is it rejected, which the controller retries with
    exponential backoff, nor has a Job of another owner its name, with which the controller ends the sync
    without a requeue.

    Args:
        jobs: all Jobs that it owns; also those that a user has created from it.
        now: seconds since 1970.
    """
    removed = _cleaned_up(cron_job, jobs)
    events = [_deleted(name) for name in removed]
    status = replace(
        cron_job.status,
        active=tuple(name for name in cron_job.status.active if name not in removed),
    )
    status, noticed = _noticed(status, jobs)
    decided = _run(replace(cron_job, status=status), now)
    return replace(decided, removed=removed, events=(*events, *noticed, *decided.events))


def _cleaned_up(cron_job: CronJob, jobs: Sequence[OwnedJob]) -> tuple[str, ...]:
    """Return the finished Jobs beyond the history limits, oldest first."""
    names: list[str] = []
    for kind, limit in (
        ("Complete", cron_job.successful_limit),
        ("Failed", cron_job.failed_limit),
    ):
        if limit is None:
            continue
        finished = sorted((job for job in jobs if job.finished == kind), key=_by_start_time)
        names += [job.name for job in finished[: max(0, len(finished) - limit)]]
    return tuple(names)


def _by_start_time(job: OwnedJob) -> tuple[bool, int, str]:
    return job.started is None, job.started or 0, job.name


def _noticed(status: CronJobStatus, jobs: Sequence[OwnedJob]) -> tuple[CronJobStatus, list[Event]]:
    """Return the status with what has become of the Jobs, and the events about it.

    A Job that a user has created from the CronJob is not active for the controller: concurrencyPolicy does
    not apply to it.
    """
    active, last = list(status.active), status.last_successful
    events = []
    for job in jobs:
        if not job.finished and job.name not in active:
            message = f"Saw a job that the controller did not create or forgot: {job.name}"
            events.append(Event(WARNING, "UnexpectedJob", message))
        elif job.finished and job.name in active:
            active.remove(job.name)
            message = f"Saw completed job: {job.name}, condition: {job.finished}"
            events.append(Event(NORMAL, "SawCompletedJob", message))
        if job.finished == "Complete" and job.completed is not None:
            last = job.completed if last is None else max(last, job.completed)
    existing = {job.name for job in jobs}
    for name in [name for name in active if name not in existing]:
        active.remove(name)
        events.append(Event(NORMAL, "MissingJob", f"Active job went missing: {name}"))
    return replace(status, active=tuple(active), last_successful=last), events


def _run(cron_job: CronJob, now: float) -> CronJobSync:
    """Decide if a run starts."""
    status = cron_job.status
    if cron_job.suspended:
        return CronJobSync(status, withheld="Suspended")
    recent = most_recent_schedule_time(
        cron_job.schedule, cron_job.earliest, now, cron_job.starting_deadline
    )
    if recent.invalid:
        message = (
            f"invalid schedule: {cron_job.written} : time difference between two schedules is less than "
            "1 second"
        )
        return CronJobSync(status, events=(Event(WARNING, "InvalidSchedule", message),))
    requeue = next_schedule_delay(cron_job.schedule, cron_job.earliest, now)
    nothing = CronJobSync(status, requeue=requeue, computed=max(0, recent.computed - 2))
    scheduled = recent.scheduled
    if scheduled is None:
        return replace(nothing, withheld="NothingFound")
    if recent.missed > MAX_FEW_MISSED:
        nothing = replace(nothing, events=(_TOO_MANY_MISSED,))
    deadline = cron_job.starting_deadline
    if deadline is not None and scheduled + deadline < now:
        shown = datetime.fromtimestamp(scheduled, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
        message = f"Missed scheduled time to start a job: {shown}"
        return _withheld(
            nothing, "MissSchedule", scheduled, Event(WARNING, "MissSchedule", message)
        )
    name = cron_job.job_name(scheduled)
    if name in status.active or status.last_schedule == scheduled:
        return nothing
    if cron_job.concurrency == FORBID and status.active:
        return _withheld(nothing, "JobAlreadyActive", scheduled, _JOB_ALREADY_ACTIVE)
    replaced = status.active if cron_job.concurrency == REPLACE else ()
    started = replace(
        status,
        active=(*(() if replaced else status.active), name),
        last_schedule=scheduled,
    )
    following = replace(cron_job, status=started)
    return replace(
        nothing,
        status=started,
        replaced=replaced,
        start=scheduled,
        events=(
            *nothing.events,
            *map(_deleted, replaced),
            Event(NORMAL, "SuccessfulCreate", f"Created job {name}"),
        ),
        requeue=next_schedule_delay(following.schedule, following.earliest, now),
    )


def _withheld(nothing: CronJobSync, why: Withheld, scheduled: int, event: Event) -> CronJobSync:
    return replace(nothing, withheld=why, scheduled=scheduled, events=(*nothing.events, event))


def _deleted(name: str) -> Event:
    return Event(NORMAL, "SuccessfulDelete", f"Deleted job {name}")


_TOO_MANY_MISSED = Event(
    WARNING,
    "TooManyMissedTimes",
    "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
)
_JOB_ALREADY_ACTIVE = Event(
    NORMAL,
    "JobAlreadyActive",
    "Not starting job because prior execution is running and concurrency policy is Forbid",
)
