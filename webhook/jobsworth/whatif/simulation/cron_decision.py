"""Decide what the CronJob controller does with a CronJob now.

Source: ``syncCronJob``, ``mostRecentScheduleTime`` and ``nextScheduleTimeDuration`` in
pkg/controller/cronjob of Kubernetes 1.36.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from jobsworth.api.formats.cron_times import next_times
from jobsworth.controller.signals import NORMAL, WARNING, Event

if TYPE_CHECKING:
    from jobsworth.api.formats.cron import Schedule

NEXT_SCHEDULE_DELTA = 0.1  # seconds after a scheduled time at which the controller looks
MANY = 100
FORBID, REPLACE = "Forbid", "Replace"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class CronJobState:
    """The state of a CronJob as its controller sees it. Times are seconds since 1970.

    Attributes:
        starting_deadline: seconds; None without one.
        created: creation time.
        last: lastScheduleTime; None before the first run.
        active: number of its Jobs that have not finished.
    """

    schedule: Schedule
    concurrency: str
    starting_deadline: int | None
    suspended: bool
    created: int
    last: int | None
    active: int


@dataclass(frozen=True, slots=True)
class CronDecision:
    """The decision about a CronJob.

    Attributes:
        start: create the Job of this scheduled time.
        replace: delete the active Jobs before.
        skipped: a scheduled time that does not start a Job now, and why.
        requeue: seconds until the next check; None to wait for a change.
        computed: the scheduled times that the decision needed.
    """

    start: int | None = None
    replace: bool = False
    skipped: tuple[int, str] | None = None
    events: tuple[Event, ...] = ()
    requeue: float | None = None
    computed: int = 0


def decide_run(state: CronJobState, now: float) -> CronDecision:
    """Decide if a run of a CronJob starts now."""
    if state.suspended:
        return CronDecision()
    scheduled, many, computed = _most_recent(state, now, state.starting_deadline)
    return replace(_decision(state, now, scheduled, many=many), computed=computed)


def _decision(
    state: CronJobState, now: float, scheduled: int | None, *, many: bool
) -> CronDecision:
    """Decide about the latest scheduled time that has not been handled; None if there is none."""
    requeue = seconds_to_next(state, now)
    if scheduled is None:
        return CronDecision(requeue=requeue)
    events: tuple[Event, ...] = ()
    if many:
        message = (
            "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or "
            "check clock skew"
        )
        events = (Event(WARNING, "TooManyMissedTimes", message),)
    deadline = state.starting_deadline
    if deadline is not None and scheduled + deadline < now:
        shown = datetime.fromtimestamp(scheduled, UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
        missed = Event(WARNING, "MissSchedule", f"Missed scheduled time to start a job: {shown}")
        why = f"startingDeadlineSeconds ({deadline}) was over"
        return CronDecision(skipped=(scheduled, why), events=(*events, missed), requeue=requeue)
    if state.last == scheduled:
        return CronDecision(events=events, requeue=requeue)
    if state.concurrency == FORBID and state.active:
        why = "the previous Job was still running (concurrencyPolicy: Forbid)"
        forbidden = Event(
            NORMAL,
            "JobAlreadyActive",
            "Not starting job because prior execution is running and concurrency policy is Forbid",
        )
        return CronDecision(skipped=(scheduled, why), events=(*events, forbidden), requeue=requeue)
    replaced = state.concurrency == REPLACE and state.active > 0
    return CronDecision(start=scheduled, replace=replaced, events=events, requeue=requeue)


def seconds_to_next(state: CronJobState, now: float) -> float | None:
    """Return the seconds after which the controller checks again; None if the schedule never fires."""
    earliest = state.created if state.last is None else state.last
    recent, _, _ = _most_recent(state, now, None)
    if recent is None:
        recent = earliest if _next(state.schedule, earliest) > now else int(now)
    following = _next(state.schedule, recent)
    return None if following == _NEVER else following + NEXT_SCHEDULE_DELTA - now


def scheduled_between(schedule: Schedule, after: int, before: int, most: int) -> list[int]:
    """Return the scheduled times between two times, both exclusive, at most so many."""
    found: list[int] = []
    time = _next(schedule, after)
    while time < before and len(found) < most:
        found.append(time)
        time = _next(schedule, time)
    return found


_NEVER = 2**62


def _next(schedule: Schedule, after: float) -> int:
    moment = _EPOCH + timedelta(seconds=int(after // 1))
    times = next_times(schedule, moment, 1)
    return int((times[0] - _EPOCH).total_seconds()) if times else _NEVER


def _most_recent(
    state: CronJobState, now: float, starting_deadline: int | None
) -> tuple[int | None, bool, int]:
    """Return the latest scheduled time that has not been handled, and True after many missed ones.

    The third value is the number of scheduled times that were computed.
    """
    earliest: float = state.created if state.last is None else state.last
    if starting_deadline is not None:
        earliest = max(earliest, now - starting_deadline)
    first = _next(state.schedule, earliest)
    if now < first:
        return None, False, 1
    second = _next(state.schedule, first)
    if now < second:
        return first, False, 2
    gap = second - first
    missed = int(now - first) // gap + 1
    recent, time, computed = None, _next(state.schedule, first + (missed - 2) * gap), 3
    while time <= now:
        recent, time, computed = time, _next(state.schedule, time), computed + 1
    return recent, missed > MANY, computed
