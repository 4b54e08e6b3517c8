"""Problems of CronJobs and Jobs in words, with a severity and a code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from jobsworth.controller.cron_jobs.schedule_times import count_times
from jobsworth.controller.times import write_time
from jobsworth.findings.finding import Severity
from jobsworth.runs.cause import MAX_MISSED, MISSED_RUN_WORDS, Cause, missed_runs
from jobsworth.runs.health.cluster_health import ClusterHealth
from jobsworth.runs.health.cron_job_health import Block, CronJobHealth
from jobsworth.runs.health.failed_jobs import FailedJob
from jobsworth.runs.health.stuck_jobs import JobWait
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.waiting import fails_at
from jobsworth.runs.why.fixes import NO_FIX, Fix
from jobsworth.runs.why.owners.cron_job_fixes import (
    SCHEDULE,
    SILENT,
    TOO_OFTEN,
    edit_of,
    fix_of_blocking,
    fix_of_long_runs,
    fix_of_rejection,
    for_template,
)
from jobsworth.wording import count, listing

OVERDUE_AFTER = 60
"""Seconds after which an overdue run is a problem: a controller with much work starts runs later."""
_MAX_NAMED = 3
_UNUSUAL = 5
"""Times the longest completed run, after which a Job in the way is taken to hang."""
_INTENDED = frozenset(
    (
        Cause.RUNNING,
        Cause.INITIALIZING,
        Cause.SUSPENDED,
        Cause.NO_PARALLELISM,
        Cause.OTHER_CONTROLLER,
        Cause.BACKING_OFF,
    )
)
"""Waits of a Job in the way that are no problem by themselves."""

BLOCK_WORDS = {
    Cause.CONTROLLER_AWAY: "kube-controller-manager does not renew its Lease",
    Cause.INVALID_SCHEDULE: "the CronJob controller does not know the schedule or its time zone",
    Cause.JOB_REJECTED: "the API server rejects the Job",
    Cause.STARTING_DEADLINE: "startingDeadlineSeconds is too short for the controller to act in time",
    Cause.NOT_STARTED: (
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
    "Replaced",
    "Stuck",
    "Doomed",
    "Stalled",
    "Failed",
)


CONTROLLER = "kube-system/kube-controller-manager"


class Problem(NamedTuple):
    """A problem of an object.

    Attributes:
        code: one of :data:`CODES`; stable.
        headline: the message in a few words; empty if it has few.
        why: the cause, as a clause; may be empty.
        following: what comes next, in a sentence; may be empty.
        fix: what removes the cause.
    """

    severity: Severity
    code: str
    message: str
    headline: str = ""
    why: str = ""
    following: str = ""
    fix: Fix = NO_FIX


def duration(seconds: float) -> str:
    """Return a duration in words."""
    return spoken(seconds * SECOND)


def problems_of_cron_job(health: CronJobHealth, now: int) -> Iterator[Problem]:
    """Yield the problems of a CronJob, the gravest first."""
    if health.overdue_seconds(now) >= OVERDUE_AFTER:
        yield _overdue(health, now)
    if health.failures:
        yield _failing(health)
    yield from _window_problems(health, now)
    if health.evidence.too_many:
        yield Problem(
            "warning",
            "TooManyMissedTimes",
            "the controller missed more than 100 scheduled times: it starts the latest one only; set "
            "startingDeadlineSeconds, or check why runs do not start",
        )
    if health.evidence.replaced:
        yield _replaced(health)
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
    for wait in health.failing:
        name = f"{wait.job.namespace}/Job/{wait.job.name}"
        yield name, list(_problems_of_failing(wait, health.now))
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
        f"{count(cron_jobs, 'CronJob')} ({number['error']} with errors, {number['warning']} with warnings), "
        f"{count(health.jobs, 'Job')} ({len(health.stuck)} stuck, {len(health.failed)} failed "
        "outside CronJobs)"
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
    what = wait.waiting.brief or wait.waiting.waiting_for
    headline = f"{_waited(wait, now)} for {what}"
    message = f"{_waits(wait, now)}; ends when {wait.waiting.ended_by}"
    return Problem("error", "Stuck", message, headline, _detail(wait), _ends(wait), wait.fix)


def _problems_of_failing(wait: JobWait, now: int) -> Iterator[Problem]:
    if wait.doomed:
        yield Problem("warning", "Doomed", f"will fail: {wait.doomed}", fix=wait.fix)
    if wait.stalled is not None:
        waited = duration(max(0, now - wait.stalled.since))
        headline = f"{wait.stalled.what} for {waited}"
        message = f"{headline}: {wait.stalled.why}"
        yield Problem(
            "warning", "Stalled", message, headline, wait.stalled.why, fix=wait.stalled.fix
        )


def failed_problem(failed: FailedJob, now: int) -> Problem:
    """Return the problem of a failed Job without a CronJob."""
    job = failed.job
    why = failed.failure.why or ": ".join(each for each in (job.reason, failed.message) if each)
    later = ""
    if job.owner:
        later = f"; no later Job of {job.owner} is known to have succeeded"
    elif job.generate_name:
        later = f"; no later Job with generateName {job.generate_name} is known to have succeeded"
    failed_at = f"failed {duration(failed.seconds(now))} ago, at {write_time(failed.at)}"
    condition = f" ({why})" if why else ""
    advice = "find the cause with jobsworth why, then run the Job again or delete it"
    message = f"{failed_at}{condition}{later}: {advice}"
    return Problem(
        "error",
        "Failed",
        message,
        failed_at,
        f"{why}{later}".removeprefix("; "),
        fix=failed.failure.fix,
    )


def _waits(wait: JobWait, now: int) -> str:
    """Return what a Job waits for, with the Pod that keeps it waiting."""
    waiting = wait.waiting
    detail = f" ({waiting.details})" if waiting.details else ""
    pod = f": {_pod(wait)}" if _pod(wait) else ""
    return f"{_waited(wait, now)} for {waiting.waiting_for}{detail}{pod}"


def _waited(wait: JobWait, now: int) -> str:
    known = wait.waiting.since is not None
    return f"has waited {duration(wait.seconds(now))}" if known else "waits"


def _pod(wait: JobWait) -> str:
    """Return the Pod that keeps a Job waiting; empty if the wait names it."""
    if not wait.pod or wait.pod in f"{wait.waiting.waiting_for} {wait.waiting.details}":
        return ""
    return f"Pod {wait.pod}" + (f" and {wait.pods - 1} more" if wait.pods > 1 else "")


def _detail(wait: JobWait) -> str:
    whole = wait.waiting.waits_for if wait.waiting.brief else ""
    return "; ".join(filter(None, (whole, wait.waiting.details, _pod(wait))))


def _ends(wait: JobWait) -> str:
    deadline = wait.waiting.deadline
    fails = "" if deadline is None else f" Otherwise {fails_at(deadline)}."
    return f"It {wait.waiting.following}.{fails}"


def _overdue(health: CronJobHealth, now: int) -> Problem:
    assert health.overdue_since is not None
    since = write_time(health.overdue_since)
    overdue = f"no run has started for {duration(health.overdue_seconds(now))}, since the one due at {since}"
    schedule = health.evidence.cron_job.schedule
    number = count_times(schedule, health.overdue_since - 1, now - OVERDUE_AFTER, MAX_MISSED + 1)
    headline = f"is overdue by {duration(health.overdue_seconds(now))} ({missed_runs(number)})"
    block = health.block
    if block is None:
        return Problem("error", "Overdue", overdue, headline)
    why = _block_words(block, now)
    ends = "" if block.wait is None else f"; ends when {block.wait.waiting.ended_by}"
    following = "" if block.wait is None else _ends(block.wait)
    fix = NO_FIX if block.wait is None else for_template(block.wait.fix)
    if block.cause == Cause.RUNNING:
        pod = "" if block.wait is None else block.wait.pod
        late = health.evidence.cron_job.starting_deadline is not None
        evidence, age = health.evidence, now - (now if block.since is None else block.since)
        long = fix_of_long_runs(evidence.namespace, evidence.name, _took(health), age)
        blocking = fix_of_blocking(evidence.namespace, block.job, pod, late=late)
        fix = blocking if long == NO_FIX else long
    elif block.cause == Cause.JOB_REJECTED:
        _, fix = fix_of_rejection(block.message, health.evidence.namespace)
    elif block.cause == Cause.INVALID_SCHEDULE:
        fix = edit_of(SCHEDULE, health.evidence.namespace, health.evidence.name)
    elif block.cause in (Cause.NOT_STARTED, Cause.CONTROLLER_AWAY):
        fix = SILENT
    begun = block.cause in (Cause.RUNNING, Cause.INITIALIZING)
    hangs = begun and number > 1 and _unusual(health, now)
    why = f"{why}; {hangs}" if hangs else why
    severity: Severity = "warning" if block.cause in _INTENDED and not hangs else "error"
    code = "Overdue" if severity == "warning" else "Blocked"
    return Problem(severity, code, f"{overdue}: {why}{ends}", headline, why, following, fix)


def _unusual(health: CronJobHealth, now: int) -> str:
    """Return how long the Job in the way runs beside those that completed, if that is far longer."""
    block, took = health.block, _took(health)
    if block is None or block.since is None or not took:
        return ""
    longest = max(took)
    if now - block.since < _UNUSUAL * longest:
        return ""
    return f"runs that completed took at most {duration(longest)}"


def _took(health: CronJobHealth) -> list[int]:
    """Return how long the runs took that completed."""
    return [
        run.ended - run.created
        for run in health.evidence.runs.values()
        if run.outcome == "Complete" and run.ended is not None and run.created is not None
    ]


def _block_words(block: Block, now: int) -> str:
    if not block.job:
        words = BLOCK_WORDS[block.cause]
        return f"{words}: {block.message}" if block.message else words
    held = f"Job {block.job} is unfinished (concurrencyPolicy: Forbid)"
    if block.wait is None:
        return f"{held}; why it does not finish is not known, because Pods cannot be listed"
    return f"{held}; it {_waits(block.wait, now)}"


def _failing(health: CronJobHealth) -> Problem:
    number = len(health.failures)
    what = "the last run" if number == 1 else f"the last {number} runs"
    newest = [name for name, _ in health.failures[-_MAX_NAMED:]]
    named = listing(newest) if number <= _MAX_NAMED else f"the latest {listing(newest)}"
    reasons = Counter(
        run.reason
        for run in health.evidence.runs.values()
        if run.reason and run.name in {name for name, _ in health.failures}
    )
    why = f" ({', '.join(reasons)})" if reasons else ""
    success = _success(health)
    more = ""
    if health.more_failures:
        more = "; earlier failures may be gone (failedJobsHistoryLimit, TTL)"
    latest = f"{health.latest_failure.why}; " if health.latest_failure.why else ""
    headline, detail = f"{what} failed{why}", f"{latest}{named}; {success}{more}"
    message, fix = f"{headline}: {detail}", for_template(health.latest_failure.fix)
    return Problem("error", "Failing", message, headline, detail, fix=fix)


def _success(health: CronJobHealth) -> str:
    last = health.last_success
    return "no success is known" if last is None else f"the last success was at {write_time(last)}"


def _replaced(health: CronJobHealth) -> Problem:
    headline = "replaces its runs before they end"
    why = f"{health.evidence.replaced}; {_success(health)}"
    fix = edit_of(TOO_OFTEN, health.evidence.namespace, health.evidence.name)
    return Problem("warning", "Replaced", f"{headline}: {why}", headline, why, fix=fix)


def _window_problems(health: CronJobHealth, now: int) -> Iterator[Problem]:
    if health.window is None:
        return
    skipped: dict[Cause, Counter[str]] = {}
    for run in health.window.runs:
        if run.state == "Skipped":
            skipped.setdefault(run.cause or Cause.NOT_STARTED, Counter())[run.behind] += 1
    overdue = health.overdue_seconds(now) >= OVERDUE_AFTER and health.block is not None
    for cause, holders in skipped.items():
        told = overdue and health.block is not None and {*holders} == {health.block.job}
        if cause != Cause.SUSPENDED and not told:
            named = _most_common(holders)
            message = f"{_runs(holders.total())} skipped: {MISSED_RUN_WORDS[cause]}{named}"
            yield Problem("warning", "Skipped", message)
    late = [run for run in health.window.runs if run.late]
    if late:
        latest = max(late, key=lambda run: run.late)
        causes = Counter(run.cause for run in late if run.cause)
        why = "".join(f"; {MISSED_RUN_WORDS[cause]}" for cause in causes)
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
    unknown = Counter(
        run.cause or Cause.NO_JOB for run in health.window.runs if run.state == "Unknown"
    )
    for cause, number in unknown.items():
        limits = ""
        if cause == Cause.JOB_REMOVED:
            cron_job = health.evidence.cron_job
            limits = (
                f" (successfulJobsHistoryLimit {cron_job.successful_limit}, failedJobsHistoryLimit "
                f"{cron_job.failed_limit})"
            )
        yield Problem(
            "info", "Unknown", f"{_runs(number)} unknown: {MISSED_RUN_WORDS[cause]}{limits}"
        )
    if health.window.incomplete:
        yield Problem(
            "info", "Unknown", "more scheduled times than are accounted for: shorten --since"
        )


def _runs(number: int) -> str:
    return count(number, "run")
