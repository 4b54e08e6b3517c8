"""A run of a JobSet as text: what its Jobs and the JobSet did, a chart of the Jobs, and the outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from jobsworth.api.jobset.failure_policy import (
    FAILED_BY_RULE,
    REACHED_MAX_RESTARTS,
    FailureDecision,
)
from jobsworth.reports.timelines.pod_chart import MAX_ROWS, row_lines
from jobsworth.runs.job_measures import job_set_summary
from jobsworth.runs.run_record import Counted, JobRecord, JobSetRecord, PodRecord, RunRecord
from jobsworth.runs.run_statistics import unfinished_reason
from jobsworth.runs.virtual_time import HOUR, clock, spoken

LEGEND = {
    ".": "no Pod runs",
    "=": "running",
    "~": "terminating",
    "o": "complete",
    "x": "failed",
    "-": "deleted",
}
_MAX_NAMES = 3
_ORDER = ("scenario", "begun", "ended", "decided", "deleted", "created", "ended at once")
"""At one time, what causes something comes first: Jobs are created after those that ended before them."""
_ENDS: dict[str, Counted] = {"Complete": "succeeded", "Failed": "failed", "Unfinished": "uncounted"}


def table_lines(record: RunRecord) -> Iterator[str]:
    """Yield a line for each thing that happens to the JobSet and its Jobs."""
    rows = [*_created(record), *_ended(record), *_decided(record)]
    rows += [(each.at, "scenario", each.words) for each in record.occurrences]
    for at, _, words in sorted(rows, key=lambda row: (row[0], _ORDER.index(row[1]))):
        yield f"{clock(at):>10}  {words}"


def job_set_chart_lines(record: RunRecord) -> Iterator[str]:
    """Yield a chart with a row for each Job."""
    rows: dict[str, list[PodRecord]] = {}
    for job in record.jobs:
        rows.setdefault(job.name, []).append(_as_run(job, record.end))
    if not rows or not record.end:
        return
    shown = dict(list(rows.items())[:MAX_ROWS])
    left_out = len(rows) - len(shown)
    more = f"{left_out} more Jobs" if left_out else ""
    yield from row_lines("Job", shown, record.end, more, LEGEND)


def outcome_lines(record: RunRecord) -> Iterator[str]:
    """Yield the outcome of a JobSet, and its restarts."""
    job_set, summary = record.job_set, job_set_summary(record)
    if job_set is None or summary is None:
        return
    if job_set.finished is None:
        yield f"Unfinished after {spoken(record.end)}: {unfinished_reason(record)}"
    else:
        yield f"{job_set.outcome} after {spoken(job_set.finished)}: {job_set.reason}"
    yield f"Restarts   {_restarts(job_set, summary.restarts, summary.counted)}"
    counts = Counter(_end(job) for job in record.jobs)
    listed = ", ".join(f"{number} {name}" for name, number in counts.items())
    yield f"Jobs       {summary.jobs}{': ' if listed else ''}{listed}"
    if summary.restarts:
        yield f"Lost       {summary.lost / HOUR:.1f} Pod-hours in Jobs that a restart replaced"


def _created(record: RunRecord) -> Iterator[tuple[int, str, str]]:
    yield 0, "begun", "JobSet created"
    groups: dict[tuple[int, str, int], list[JobRecord]] = {}
    for job in record.jobs:
        groups.setdefault((job.created, job.replicated_job, job.run), []).append(job)
    for (at, name, attempt), jobs in groups.items():
        again = f", attempt {attempt}" if attempt > 1 else ""
        yield at, "created", f"{_names(jobs, f'Jobs of {name}')} created{again}"


def _ended(record: RunRecord) -> Iterator[tuple[int, str, str]]:
    ends: dict[tuple[int, str, str], list[JobRecord]] = {}
    deleted: dict[tuple[int, str], list[JobRecord]] = {}
    for job in record.jobs:
        if job.finished is not None:
            key = job.finished, f"{job.outcome} ({job.reason})", job.replicated_job
            ends.setdefault(key, []).append(job)
        elif job.deleted is not None:
            deleted.setdefault((job.deleted, job.replicated_job), []).append(job)
    for (at, how, name), jobs in ends.items():
        failures = sum(pod.failed for job in jobs for pod in job.pods)
        failed = f", {failures} failed Pod{'s' if failures > 1 else ''}" if failures else ""
        took = spoken(at - jobs[0].created)
        kind = "ended at once" if jobs[0].created == at else "ended"
        yield at, kind, f"{_names(jobs, f'Jobs of {name}')} {how} after {took}{failed}"
    for (at, name), jobs in deleted.items():
        yield at, "deleted", f"{_names(jobs, f'Jobs of {name}')} deleted before the end"


def _decided(record: RunRecord) -> Iterator[tuple[int, str, str]]:
    job_set = record.job_set
    if job_set is None:
        return
    counted = 0
    for number, (at, decision) in enumerate(job_set.decisions, 1):
        counted += decision.counts
        yield at, "decided", _decision(decision, job_set, number, counted)
    if job_set.outcome == "Complete" and job_set.finished is not None:
        yield job_set.finished, "decided", f"JobSet Completed ({job_set.reason})"


def _decision(decision: FailureDecision, job_set: JobSetRecord, number: int, counted: int) -> str:
    """Return what a JobSet does about a failed Job, and the rule that decides.

    Args:
        number: of the restart, from 1.
        counted: the restarts so far that count, with this one.
    """
    job = decision.job
    failed = f"{job.name} failed ({job.reason})"
    if not decision.action:
        return f"JobSet Failed ({decision.fails}): {failed}; there is no failure policy"
    rule = "no rule matches, by default" if decision.rule is None else f"rule {decision.rule}"
    because = f"{failed}; {rule} {decision.action}"
    if decision.fails == FAILED_BY_RULE:
        return f"JobSet Failed ({decision.fails}): {because}"
    if decision.fails == REACHED_MAX_RESTARTS:
        return f"JobSet Failed ({decision.fails}): {because}, maxRestarts {job_set.max_restarts}"
    limit = f"{counted} of {job_set.max_restarts}" if decision.counts else "not counted"
    return f"JobSet restart {number} ({limit}): {because}"


def _names(jobs: Iterable[JobRecord], several: str) -> str:
    names = [job.name for job in jobs]
    return ", ".join(names) if len(names) <= _MAX_NAMES else f"{len(names)} {several}"


def _restarts(job_set: JobSetRecord, restarts: int, counted: int) -> str:
    if job_set.max_restarts is None:
        return "0: there is no failure policy"
    uncounted = f", {restarts - counted} not counted" if restarts > counted else ""
    return f"{restarts}: {counted} of at most {job_set.max_restarts} counted{uncounted}"


def _end(job: JobRecord) -> str:
    if job.terminal is not None:
        return "complete" if job.outcome == "Complete" else "failed"
    return "unfinished" if job.deleted is None else "deleted before the end"


def _as_run(job: JobRecord, end: int) -> PodRecord:
    """Return a Job as a row of the chart."""
    started = min((pod.started for pod in job.pods if pod.started is not None), default=None)
    ends = [end if pod.ended is None else pod.ended for pod in job.pods]
    gone = None if job.deleted is None else max([job.deleted, *ends])
    run = PodRecord(job.name, None, job.run, job.created, started=started)
    run.ended = gone if job.finished is None else job.finished
    run.deleted = job.deleted if job.finished is None else None
    run.counted = _ENDS[job.outcome]
    return run
