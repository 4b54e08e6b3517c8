"""Conditions and events for suspend, resume and finish."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names
from jobsworth.controller.signals import (
    JOB_COMPLETED,
    JOB_RESUMED,
    JOB_SUSPENDED,
    TOO_MANY_SUCCEEDED,
    WARNING,
    Event,
)
from jobsworth.controller.status import Condition, Status

if TYPE_CHECKING:
    from jobsworth.controller.finished_condition import FinishedCondition
    from jobsworth.controller.jobs import Job
    from jobsworth.controller.sync_context import SyncContext


def with_suspension(context: SyncContext, status: Status) -> tuple[Status, tuple[Event, ...]]:
    """Set the Suspended condition, and return the status with the event, if the condition changed.

    A suspension clears the start time, and a resumption sets it again (KEP-2232).
    """
    suspended = context.job.suspended
    reason, message = well_known_names.JOB_SUSPENDED if suspended else well_known_names.JOB_RESUMED
    now = context.second
    changed = status.with_condition(
        Condition(well_known_names.SUSPENDED, str(suspended), reason, message, now, now)
    )
    if changed is status:
        return status, ()
    if suspended:
        return replace(changed, start_time=None), (JOB_SUSPENDED,)
    return replace(changed, start_time=now), (JOB_RESUMED,)


def finish(context: SyncContext, status: Status, finished_condition: FinishedCondition) -> Status:
    """Return the status with the terminal condition.

    The API server requires a start time in it, which a suspended Job does not have, and a completion
    time that is not before the start time, which another controller may have set by a faster clock.
    """
    now, started = context.second, status.start_time
    if started is None and not (context.job.suspended and context.job.completions == 0):
        started = now
    status = replace(status, start_time=started).with_condition(finished_condition.terminal(now))
    if not finished_condition.success:
        return status
    return replace(status, completion_time=now if started is None else max(now, started))


def terminal_events(
    job: Job, status: Status, finished_condition: FinishedCondition
) -> tuple[Event, ...]:
    """Return the events for a Job that has finished."""
    if not finished_condition.success:
        return (Event(WARNING, finished_condition.reason, finished_condition.message),)
    if job.completions is not None and status.succeeded > job.completions:
        return (TOO_MANY_SUCCEEDED, JOB_COMPLETED)
    return (JOB_COMPLETED,)
