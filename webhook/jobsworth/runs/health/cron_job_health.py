"""The health of a CronJob: an overdue run, what blocks it, and the failures since the last success."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jobsworth.controller.cron_jobs.cron_job import FORBID
from jobsworth.controller.cron_jobs.schedule_times import NEVER, count_times, next_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.health.accounted_runs import AccountedWindow
from jobsworth.runs.health.evidence import CronJobEvidence
from jobsworth.runs.health.failed_jobs import NOT_KNOWN, PodFailure
from jobsworth.runs.health.held_times import ON_TIME
from jobsworth.runs.health.stuck_jobs import JobWait
from jobsworth.runs.why.owners.cron_job_diagnosis import SHORTEST_DEADLINE


@dataclass(frozen=True, slots=True)
class Block:
    """The cause for which the runs of a CronJob do not start.

    Attributes:
        cause: that for which the Job in the way waits (concurrencyPolicy: Forbid), or another one;
            ``JOB_UNFINISHED`` if its Pods cannot be read.
        job: the Job in the way; empty without one.
        since: when that began, in seconds since 1970; None if unknown.
        wait: what the Job in the way waits for; None without one.
        message: of an Event that shows the cause; empty without one.
    """

    cause: Cause
    job: str = ""
    since: float | None = None
    wait: JobWait | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class CronJobHealth:
    """The health of a CronJob. Times are seconds since 1970.

    Attributes:
        window: its scheduled times of the window; None if they are not accounted for.
        overdue_since: the first scheduled time since the last one that was started; None if none is overdue,
            or the CronJob is suspended or being deleted.
        block: what keeps an overdue run from starting; None without one.
        failures: names of Jobs that have failed since the last success, with the time of each end.
        latest_failure: that of the Pods of the latest of these.
        more_failures: there may be more failed Jobs, which history limits or a TTL have removed.
        last_success: of the controller's status or of a stored Job; None without one.
        following: the next scheduled time; None if there is none, or if it is suspended.
        never_fires: its schedule has no time.
    """

    evidence: CronJobEvidence
    window: AccountedWindow | None
    overdue_since: int | None
    block: Block | None
    failures: tuple[tuple[str, int], ...]
    more_failures: bool
    last_success: int | None
    following: int | None
    never_fires: bool
    latest_failure: PodFailure = NOT_KNOWN

    @property
    def suspended(self) -> bool:
        """True if spec.suspend is true."""
        return self.evidence.cron_job.suspended

    def overdue_seconds(self, now: int) -> int:
        """Return for how long a run is overdue; 0 without one."""
        return 0 if self.overdue_since is None else now - self.overdue_since


def health_of(
    evidence: CronJobEvidence,
    window: AccountedWindow | None,
    waits: Mapping[tuple[str, str], JobWait],
    now: int,
    *,
    away_since: int | None = None,
) -> CronJobHealth:
    """Return the health of a CronJob.

    Args:
        waits: what unfinished Jobs wait for, by the UID of their CronJob and their name.
        away_since: when kube-controller-manager last renewed its Lease, if that is too long ago.
    """
    cron_job = evidence.cron_job
    following = next_time(cron_job.schedule, max(now, cron_job.created))
    if cron_job.schedule.every is not None:
        following = _next_of_interval(evidence, now)
    in_the_way = _in_the_way(evidence)
    idle = cron_job.suspended or evidence.deleting
    overdue = None if idle else _overdue_since(evidence, now, bool(in_the_way))
    last_success = _last_success(evidence)
    block = None
    if overdue is not None:
        block = _block(evidence, in_the_way, overdue, waits, away_since)
    failures = tuple(_failures(evidence, last_success))
    begin = cron_job.created if last_success is None else last_success
    until = cron_job.status.last_schedule or now
    due = count_times(cron_job.schedule, begin, until, len(failures) + 1)
    return CronJobHealth(
        evidence=evidence,
        window=window,
        overdue_since=overdue,
        block=block,
        failures=failures,
        more_failures=due > len(failures) and _more_failures(evidence),
        last_success=last_success,
        following=None if cron_job.suspended or following == NEVER else following,
        never_fires=following == NEVER,
    )


def _next_of_interval(evidence: CronJobEvidence, now: int) -> int:
    cron_job = evidence.cron_job
    gap = next_time(cron_job.schedule, 0)
    return now + gap - (now - cron_job.earliest) % gap


def _in_the_way(evidence: CronJobEvidence) -> str:
    """Return the Job for whose end the next run waits; empty without one."""
    active = evidence.cron_job.status.active
    return active[0] if evidence.cron_job.concurrency == FORBID and active else ""


def _overdue_since(evidence: CronJobEvidence, now: int, held: bool) -> int | None:
    cron_job = evidence.cron_job
    earliest = cron_job.earliest
    # A time that has passed when the spec is edited starts at a later sync, of which nothing shows the time.
    if not held and evidence.settled is not None:
        earliest = max(earliest, evidence.settled)
    if not held and cron_job.concurrency == FORBID and cron_job.starting_deadline is not None:
        # The deadline of a time that a Job held back may be over when the Job ends.
        ends = [run.ended for run in evidence.runs.values() if run.ended is not None]
        earliest = max([earliest, *ends])
    first = next_time(cron_job.schedule, earliest)
    return first if first + ON_TIME < now else None


def _block(
    evidence: CronJobEvidence,
    in_the_way: str,
    overdue: int,
    waits: Mapping[tuple[str, str], JobWait],
    away_since: int | None,
) -> Block:
    if away_since is not None:
        return Block(Cause.CONTROLLER_AWAY, since=away_since)
    if in_the_way:
        wait = waits.get((evidence.uid, in_the_way))
        if wait is None:
            run = next((each for each in evidence.runs.values() if each.name == in_the_way), None)
            return Block(Cause.JOB_UNFINISHED, in_the_way, None if run is None else run.created)
        return Block(wait.waiting.cause, in_the_way, wait.waiting.since, wait)
    unread = [each for each in evidence.unreadable if (each.recorded.at or 0) >= overdue]
    if unread:
        return Block(Cause.INVALID_SCHEDULE, message=unread[-1].recorded.message)
    recent = [each for each in evidence.rejections if (each.recorded.at or 0) >= overdue]
    if recent:
        last = max(recent, key=lambda each: each.recorded.at or 0)
        return Block(Cause.JOB_REJECTED, since=last.recorded.first, message=last.recorded.message)
    deadline = evidence.cron_job.starting_deadline
    if deadline is not None and deadline < SHORTEST_DEADLINE:
        return Block(Cause.STARTING_DEADLINE, message=f"it is {deadline}")
    return Block(Cause.NOT_STARTED)


def _last_success(evidence: CronJobEvidence) -> int | None:
    ends = [run.ended for run in evidence.runs.values() if run.outcome == "Complete"]
    ends += [job.ended for job in evidence.manual if job.outcome == "Complete"]
    return max(
        (at for at in (*ends, evidence.cron_job.status.last_successful) if at is not None),
        default=None,
    )


def _failures(evidence: CronJobEvidence, last_success: int | None) -> list[tuple[str, int]]:
    """Return the scheduled Jobs that have failed since the last success, oldest first."""
    found = [
        (run.name, run.ended)
        for run in evidence.runs.values()
        if run.outcome == "Failed" and run.ended is not None
    ]
    return sorted(
        (each for each in found if last_success is None or each[1] > last_success),
        key=lambda each: (each[1], each[0]),
    )


def _more_failures(evidence: CronJobEvidence) -> bool:
    limit = evidence.cron_job.failed_limit
    return evidence.ttl is not None or (limit is not None and evidence.stored["Failed"] >= limit)
