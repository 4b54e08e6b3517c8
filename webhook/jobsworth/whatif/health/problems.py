"""Problems of CronJobs and Jobs in words, with a severity and a code."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from jobsworth.controller.times import write_time
from jobsworth.lint.schedule_timing import listed
from jobsworth.whatif.health.run_reasons import REASON_WORDS
from jobsworth.whatif.virtual_time import SECOND, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.findings.finding import Severity
    from jobsworth.whatif.health.cluster_health import ClusterHealth
    from jobsworth.whatif.health.cron_job_health import Block, CronJobHealth
    from jobsworth.whatif.health.failed_jobs import FailedJob
    from jobsworth.whatif.health.stuck_jobs import JobWait

OVERDUE_AFTER = 60
"""Seconds after which an overdue run is a problem: a controller with much work starts runs later."""
_MAX_NAMED = 3
_INTENDED = frozenset(("Running", "Suspended", "NoParallelism", "OtherController", "BackingOff"))
"""Waits of a Job in the way that are no problem by themselves."""

BLOCK_WORDS = {
    "ControllerAway": "kube-controller-manager does not renew its Lease",
    "JobRejected": "the API server rejects the Job",
    "StartingDeadline": "with startingDeadlineSeconds: 0 no run ever starts",
    "NotStarted": (
        "no stored object shows why: the CronJob controller may be away, or the API server rejects the Job "
        "(kubectl describe cronjob shows its Events for an hour)"
    ),
}
"""Blocks without a Job in the way, in words."""


CODES = (
    "ControllerAway",
    "Overdue",
    "Blocked",
    "Failing",
    "Skipped",
    "Late",
    "TooManyMissedTimes",
    "NeverFires",
    "InvalidSchedule",
    "Suspended",
    "Unknown",
    "Stuck",
    "Failed",
)


CONTROLLER = "kube-system/kube-controller-manager"


class Problem(NamedTuple):
    """A problem of an object.

    Attributes:
        code: one of :data:`CODES`; stable.
    """

    severity: Severity
    code: str
    message: str


def duration(seconds: float) -> str:
    """Return a duration in words."""
    return spoken(seconds * SECOND)


def problems_of_cron_job(health: CronJobHealth, now: int) -> Iterator[Problem]:
    """Yield the problems of a CronJob, the gravest first."""
    if health.overdue_seconds(now) >= OVERDUE_AFTER:
        yield _overdue(health, now)
    if health.failures:
        yield Problem("error", "Failing", _failing(health))
    yield from _window_problems(health, now)
    if health.evidence.too_many:
        yield Problem(
            "warning",
            "TooManyMissedTimes",
            "the controller missed more than 100 scheduled times: it starts the latest one only; set "
            "startingDeadlineSeconds, or check why runs do not start",
        )
    if health.never_fires:
        yield Problem("warning", "NeverFires", "the schedule has no time within five years")
    if health.suspended:
        yield Problem(
            "info", "Suspended", "the CronJob is suspended: no run starts until it is resumed"
        )
    yield from _unknown(health)


def problems_by_object(health: ClusterHealth) -> Iterator[tuple[str, list[Problem]]]:
    """Yield each object, as ``namespace/Kind/name``, with its problems; empty lists included."""
    away = list(_away(health))
    if away:
        yield CONTROLLER, away
    for invalid in health.invalid:
        problem = Problem("error", "InvalidSchedule", invalid.problem)
        yield f"{invalid.namespace}/CronJob/{invalid.name}", [problem]
    for each in health.cron_jobs:
        name = f"{each.evidence.namespace}/CronJob/{each.evidence.name}"
        yield name, list(problems_of_cron_job(each, health.now))
    for wait in health.stuck:
        yield f"{wait.job.namespace}/Job/{wait.job.name}", [stuck_problem(wait, health.now)]
    for failed in health.failed:
        yield f"{failed.job.namespace}/Job/{failed.job.name}", [failed_problem(failed, health.now)]


def summary(health: ClusterHealth) -> str:
    """Return how many objects have problems, in one sentence."""
    number = {"error": 0, "warning": 0}
    for name, found in problems_by_object(health):
        if "/CronJob/" in name:
            severities = {each.severity for each in found}
            worst = next((each for each in number if each in severities), None)
            if worst is not None:
                number[worst] += 1
    cron_jobs = len(health.cron_jobs) + len(health.invalid)
    return (
        f"{_number(cron_jobs, 'CronJob')}: {number['error']} with errors, {number['warning']} with warnings; "
        f"{_number(health.jobs, 'Job')}: {len(health.stuck)} stuck, {len(health.failed)} failed "
        "outside CronJobs"
    )


def _away(health: ClusterHealth) -> Iterator[Problem]:
    if health.away_since is not None:
        gone = duration(health.now - health.away_since)
        yield Problem(
            "error",
            "ControllerAway",
            f"it has not renewed its Lease for {gone}: no CronJob starts a run, and no Job makes progress",
        )
    for absence in health.absences:
        until = "now" if absence.end is None else write_time(absence.end)
        yield Problem(
            "error" if absence.end is None else "warning",
            "ControllerAway",
            f"no CronJob started a Job from {write_time(absence.begin)} until {until}, although runs of "
            f"{absence.cron_jobs} CronJobs were due: the CronJob controller was away, or the API server "
            "rejected its Jobs",
        )


def stuck_problem(wait: JobWait, now: int) -> Problem:
    """Return the problem of a stuck Job."""
    return Problem("error", "Stuck", wait_words(wait, now))


def failed_problem(failed: FailedJob, now: int) -> Problem:
    """Return the problem of a failed Job without a CronJob."""
    job = failed.job
    why = ": ".join(each for each in (job.reason, failed.message) if each)
    later = ""
    if job.owner:
        later = f"; no later Job of {job.owner} is known to have succeeded"
    elif job.generate_name:
        later = f"; no later Job with generateName {job.generate_name} is known to have succeeded"
    failed_at = f"failed {duration(failed.seconds(now))} ago, at {write_time(failed.at)}"
    condition = f" ({why})" if why else ""
    advice = "find the cause with jobsworth why, then run the Job again or delete it"
    return Problem("error", "Failed", f"{failed_at}{condition}{later}: {advice}")


def wait_words(wait: JobWait, now: int) -> str:
    """Return what a Job waits for, with the Pod that keeps it waiting."""
    waiting = wait.waiting
    since = "" if waiting.since is None else f" for {duration(wait.seconds(now))}"
    detail = f" ({waiting.detail})" if waiting.detail else ""
    pod = f": Pod {wait.pod}" if wait.pod else ""
    if wait.pods > 1:
        pod += f" and {wait.pods - 1} more"
    return f"waits{since} for {waiting.waiting_for}{detail}{pod}; ends when {waiting.ended_by}"


def _overdue(health: CronJobHealth, now: int) -> Problem:
    assert health.overdue_since is not None
    since = write_time(health.overdue_since)
    overdue = f"no run has started for {duration(health.overdue_seconds(now))}, since the one due at {since}"
    block = health.block
    if block is None:
        return Problem("error", "Overdue", overdue)
    words = _block_words(block, now)
    if block.reason in _INTENDED:
        return Problem("warning", "Overdue", f"{overdue}: {words}")
    return Problem("error", "Blocked", f"{overdue}: {words}")


def _block_words(block: Block, now: int) -> str:
    if not block.job:
        words = BLOCK_WORDS[block.reason]
        return f"{words}: {block.message}" if block.message else words
    held = f"Job {block.job} is unfinished (concurrencyPolicy: Forbid)"
    if block.wait is None:
        return f"{held}; why it does not finish is not known, because Pods cannot be listed"
    return f"{held}; it {wait_words(block.wait, now)}"


def _failing(health: CronJobHealth) -> str:
    number = len(health.failures)
    what = "the last run" if number == 1 else f"the last {number} runs"
    newest = [name for name, _ in health.failures[-_MAX_NAMED:]]
    named = listed(newest) if number <= _MAX_NAMED else f"the latest {listed(newest)}"
    reasons = Counter(
        run.reason
        for run in health.evidence.runs.values()
        if run.reason and run.name in {name for name, _ in health.failures}
    )
    why = f" ({', '.join(reasons)})" if reasons else ""
    last = health.last_success
    success = (
        "no success is known" if last is None else f"the last success was at {write_time(last)}"
    )
    more = ""
    if health.more_failures:
        more = "; earlier failures may be gone (failedJobsHistoryLimit, TTL)"
    return f"{what} failed{why}: {named}; {success}{more}"


def _window_problems(health: CronJobHealth, now: int) -> Iterator[Problem]:
    if health.window is None:
        return
    skipped: dict[str, Counter[str]] = {}
    for run in health.window.runs:
        if run.state == "skipped":
            skipped.setdefault(run.reason or "NotStarted", Counter())[run.behind] += 1
    for reason, holders in skipped.items():
        if reason != "Suspended":
            named = _most_common(holders)
            message = f"{_runs(holders.total())} skipped: {REASON_WORDS[reason]}{named}"
            yield Problem("warning", "Skipped", message)
    late = [run for run in health.window.runs if run.late]
    if late:
        latest = max(late, key=lambda run: run.late)
        reasons = Counter(run.reason for run in late if run.reason)
        why = "".join(f"; {REASON_WORDS[reason]}" for reason in reasons)
        yield Problem(
            "warning",
            "Late",
            f"{_runs(len(late))} started late, by up to {duration(latest.late)}{why}",
        )


def _most_common(holders: Counter[str]) -> str:
    """Return the Jobs that held back most runs, as the end of a sentence."""
    jobs = [name for name, _ in holders.most_common() if name]
    if not jobs:
        return ""
    more = f" and {len(jobs) - _MAX_NAMED} more" if len(jobs) > _MAX_NAMED else ""
    return f": {', '.join(jobs[:_MAX_NAMED])}{more}"


def _unknown(health: CronJobHealth) -> Iterator[Problem]:
    if health.window is None:
        return
    unknown = Counter(run.reason or "NoJob" for run in health.window.runs if run.state == "unknown")
    for reason, number in unknown.items():
        limits = ""
        if reason == "JobRemoved":
            cron_job = health.evidence.cron_job
            limits = (
                f" (successfulJobsHistoryLimit {cron_job.successful_limit}, failedJobsHistoryLimit "
                f"{cron_job.failed_limit})"
            )
        yield Problem("info", "Unknown", f"{_runs(number)} unknown: {REASON_WORDS[reason]}{limits}")
    if health.window.incomplete:
        yield Problem(
            "info", "Unknown", "more scheduled times than are accounted for: shorten --since"
        )


def _runs(number: int) -> str:
    return _number(number, "run")


def _number(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
