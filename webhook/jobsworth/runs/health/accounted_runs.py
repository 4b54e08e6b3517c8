"""Account for the scheduled times of a CronJob in a window: started, skipped, waiting or unknown, and why.

A scheduled time without a known Job is skipped only if the CronJob controller cannot have started it: a later
time was started or none was since, an unfinished Job held it back, the CronJob was suspended, its deadline
was over. Where a Job may have existed that is gone, it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from jobsworth.controller.cron_jobs.cron_job import FORBID, REPLACE
from jobsworth.controller.cron_jobs.schedule_times import (
    NEVER,
    most_recent_schedule_time,
    next_time,
    scheduled_between,
)
from jobsworth.runs.cause import Cause
from jobsworth.runs.health.evidence import CronJobEvidence, Outcome, StartedRun
from jobsworth.runs.health.held_times import ON_TIME, Holds, jobs_in_the_way, rejections

MAX_ACCOUNTED = 7 * 24 * 60
"""The most scheduled times of a CronJob that are accounted for, the latest ones: a week of minutes."""

RunState = Literal["Succeeded", "Failed", "Running", "Started", "Skipped", "Waiting", "Unknown"]
STATES: tuple[RunState, ...] = (
    "Succeeded", "Failed", "Running", "Started", "Skipped", "Waiting", "Unknown",
)  # fmt: skip
_STATE_BY_OUTCOME: dict[Outcome, RunState] = {"Complete": "Succeeded", "Failed": "Failed"}


@dataclass(frozen=True, slots=True)
class AccountedRun:
    """A scheduled time that has passed. Times are seconds since 1970.

    Attributes:
        state: ``Started`` if its Job is gone and its end is not known; ``Waiting`` if it has not started and
            still may.
        cause: why it is skipped, waiting, unknown or late; None if it is on time, or if that is not known.
        behind: the unfinished Job that held it back; empty without one.
        late: the seconds after which its Job was created; 0 within :data:`ON_TIME`.
        job: the name of its Job; empty without one.
        doubtful: it may have had a Job that is gone, as that of the last run is.
    """

    scheduled: int
    state: RunState
    cause: Cause | None = None
    behind: str = ""
    late: int = 0
    job: str = ""
    doubtful: bool = False

    @property
    def unexplained(self) -> bool:
        """True if nothing about the CronJob explains why it did not start, or not in time."""
        if self.doubtful:
            return False
        if self.cause is None:
            return self.late > 0
        return self.cause in (Cause.NOT_STARTED, Cause.NO_JOB)


@dataclass(frozen=True, slots=True)
class AccountedWindow:
    """The scheduled times of a CronJob in a window.

    Attributes:
        since: the start of the window: the given one, or the creation of the CronJob.
        runs: in the order of time.
        unscheduled: Jobs in the window whose scheduled time the present schedule does not have.
        incomplete: there are more scheduled times than are accounted for.
    """

    since: int
    runs: tuple[AccountedRun, ...]
    unscheduled: int = 0
    incomplete: bool = False

    def counts(self) -> dict[str, int]:
        """Return how many runs there are in each state; those that started ``late`` count there again."""
        found = {**dict.fromkeys(map(str.lower, STATES), 0), "late": 0}
        for run in self.runs:
            found[run.state.lower()] += 1
            found["late"] += bool(run.late)
        return found


def account_for_runs(evidence: CronJobEvidence, since: int, now: int) -> AccountedWindow:
    """Account for the scheduled times after `since` and up to now."""
    since = max(since, evidence.cron_job.created)
    due, incomplete = _due_times(evidence, since, now)
    accountant = _Accountant(evidence, now, due[-1] if due else None)
    minutes = {time // 60 for time in due}
    begin = due[0] if incomplete else since
    return AccountedWindow(
        since=since,
        runs=tuple(accountant.account(time) for time in due),
        unscheduled=sum(
            minute not in minutes and begin // 60 < minute <= now // 60 for minute in evidence.runs
        ),
        incomplete=incomplete,
    )


def _due_times(evidence: CronJobEvidence, since: int, now: int) -> tuple[list[int], bool]:
    """Return the latest scheduled times, and True if there are more."""
    cron_job = evidence.cron_job
    if cron_job.schedule.every is None:
        due: list[int] = []
        incomplete = False
        for time in scheduled_between(cron_job.schedule, since, now):
            due.append(time)
            if len(due) > 2 * MAX_ACCOUNTED:
                del due[:MAX_ACCOUNTED]
                incomplete = True
        return due[-MAX_ACCOUNTED:], incomplete or len(due) > MAX_ACCOUNTED
    gap = next_time(cron_job.schedule, 0)
    anchor = cron_job.earliest  # an interval counts from the last run
    first = anchor + -(-(since + 1 - anchor) // gap) * gap
    number = max(0, (now - first) // gap + 1)
    left_out = max(0, number - MAX_ACCOUNTED)
    return list(range(first + left_out * gap, now + 1, gap)), left_out > 0


class _Accountant:
    """Accounts for single scheduled times of one CronJob."""

    def __init__(self, evidence: CronJobEvidence, now: int, latest: int | None) -> None:
        self._evidence = evidence
        self._cron_job = evidence.cron_job
        self._now = now
        self._latest = latest
        self._holders = Holds(jobs_in_the_way(evidence) if self._forbids else ())
        self._rejections = Holds(rejections(evidence))

    @property
    def _forbids(self) -> bool:
        return self._cron_job.concurrency == FORBID

    @property
    def _last_job_is_gone(self) -> bool:
        last = self._cron_job.status.last_schedule
        run = None if last is None else self._evidence.run_at(last)
        return last is not None and (run is None or not run.stored)

    def account(self, time: int) -> AccountedRun:
        run = self._evidence.run_at(time)
        if run is not None:
            return self._started(time, run)
        last = self._cron_job.status.last_schedule
        if last == time:
            return AccountedRun(time, "Started")
        if time in self._evidence.missed:
            behind = self._holder(time)
            cause = Cause.JOB_ALREADY_ACTIVE if behind else Cause.STARTING_DEADLINE
            return AccountedRun(time, "Skipped", cause, behind)
        if not self._settled(time):
            return AccountedRun(time, "Unknown", Cause.SPEC_EDITED)
        if last is None or time > last:
            return self._not_started(time)
        return self._passed_over(time)

    def _settled(self, time: int) -> bool:
        """Return True if the spec has been as it is now since a time."""
        settled = self._evidence.settled
        return settled is not None and settled <= time

    def _started(self, time: int, run: StartedRun) -> AccountedRun:
        late = 0 if run.created is None else run.created - time
        if late <= ON_TIME:
            late = 0
        state = _STATE_BY_OUTCOME.get(run.outcome, "Running" if run.stored else "Started")
        accounted = AccountedRun(time, state, late=late, job=run.name)
        if not late:
            return accounted
        behind = self._holder(time)
        if behind and self._settled(time):
            return replace(accounted, cause=Cause.JOB_ALREADY_ACTIVE, behind=behind)
        settled = self._evidence.settled
        if settled is not None and time < settled <= time + late + ON_TIME:
            return replace(accounted, cause=Cause.EDITED_MEANWHILE)
        return replace(accounted, cause=self._rejected(time))

    def _not_started(self, time: int) -> AccountedRun:
        """Account for a time after the last one that the controller started."""
        cron_job, deadline = self._cron_job, self._cron_job.starting_deadline
        if cron_job.suspended:
            return AccountedRun(time, "Skipped", Cause.SUSPENDED)
        over = deadline is not None and time + deadline < self._now
        waits = time == self._latest and not over
        behind = self._holder(time)
        if behind:
            return AccountedRun(
                time, "Waiting" if waits else "Skipped", Cause.JOB_ALREADY_ACTIVE, behind
            )
        if self._now - time <= ON_TIME and waits:
            return AccountedRun(time, "Waiting", Cause.NOT_YET)
        cause = self._rejected(time)
        if cause is None and deadline is not None and deadline < 1:
            cause = Cause.STARTING_DEADLINE
        if cause is None and waits and self._not_found():
            cause = Cause.NOTHING_FOUND
        return AccountedRun(time, "Waiting" if waits else "Skipped", cause or Cause.NOT_STARTED)

    def _not_found(self) -> bool:
        """Return True if the controller's search for missed times finds none."""
        found = most_recent_schedule_time(
            self._cron_job.schedule, self._cron_job.earliest, self._now, None
        )
        return found.scheduled is None and found.missed > 0

    def _passed_over(self, time: int) -> AccountedRun:
        """Account for a time before the last one that the controller started."""
        cause = self._rejected(time)
        hold = self._holders.at(time)
        if hold is not None and not self._started_after(time, hold.until):
            return AccountedRun(time, "Skipped", Cause.JOB_ALREADY_ACTIVE, hold.name)
        if not self._kept(time):
            return AccountedRun(time, "Unknown", Cause.JOB_REMOVED)
        if cause is not None:
            return AccountedRun(time, "Skipped", cause)
        return AccountedRun(time, "Unknown", Cause.NO_JOB, doubtful=self._last_job_is_gone)

    def _started_after(self, time: int, until: int) -> bool:
        """Return True if a time that was held back may have started when its holder ended.

        Of several such times, the controller starts the latest, within the deadline.
        """
        deadline = self._cron_job.starting_deadline
        if deadline is not None and time + deadline < until:
            return False
        return next_time(self._cron_job.schedule, time) > until

    def _holder(self, time: int) -> str:
        """Return the unfinished Job that held a time back; empty without one."""
        hold = self._holders.at(time)
        return "" if hold is None else hold.name

    def _kept(self, time: int) -> bool:
        """Return True if no history limit, TTL or replacement can have removed a Job of a time."""
        evidence, cron_job = self._evidence, self._cron_job
        if cron_job.concurrency == REPLACE:
            return False
        if evidence.ttl is not None and time + evidence.ttl < self._now:
            return False
        limits: tuple[tuple[Outcome, int | None], ...] = (
            ("Complete", cron_job.successful_limit),
            ("Failed", cron_job.failed_limit),
        )
        return all(
            limit is None
            or evidence.stored[outcome] < limit
            or time > evidence.oldest.get(outcome, NEVER)
            for outcome, limit in limits
        )

    def _rejected(self, time: int) -> Cause | None:
        """Return the reason if Events show that the API server rejected Jobs at that time."""
        return None if self._rejections.at(time) is None else Cause.JOB_REJECTED
