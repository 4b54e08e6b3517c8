"""Runs and statistics as JSON values; times are milliseconds since the start of the scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.whatif import work_statistics
from jobsworth.whatif.cron_job_measures import MEASURES
from jobsworth.whatif.job_set_measures import MEASURES as JOB_SET_MEASURES
from jobsworth.whatif.run_statistics import rule_name, summarize
from jobsworth.whatif.virtual_time import HOUR, NEVER, SECOND

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobsworth.whatif.cron_job_measures import CronJobSummary
    from jobsworth.whatif.job_measures import JobMeasures
    from jobsworth.whatif.run_record import JobRecord, JobSetRecord, PodRecord, RunRecord
    from jobsworth.whatif.run_statistics import (
        CronJobStatistics,
        Interval,
        RunStatistics,
        RunSummary,
    )
    from jobsworth.whatif.waiting import Waiting


VERSION = 1
"""The version of the structures; a new key keeps it."""


def run_json(record: RunRecord) -> dict[str, Any]:
    """Return a run as a JSON object."""
    summary = summarize(record)
    return {
        "version": VERSION,
        "kind": record.kind,
        "name": record.name,
        "scenario": record.scenario,
        "seed": record.seed,
        "start": record.start,
        "end": record.end,
        "outcome": summary.outcome,
        "reason": None if summary.outcome is None else summary.reason,
        "podHours": _rounded(summary.used / HOUR),
        "wastedPodHours": _rounded(summary.wasted / HOUR),
        "failuresByRule": dict(summary.failures),
        "measures": None if summary.measures is None else _measures(summary.measures),
        "jobs": [{**_job(job, record.start), **_place(job, record)} for job in record.jobs],
        "mostJobObjects": record.most_objects,
        **({} if summary.cron_job is None else {"cronJob": _cron_job(summary.cron_job)}),
        **({} if record.job_set is None else {"jobSet": _job_set(record.job_set, summary)}),
        "missed": [
            {
                "at": missed.at,
                "scheduled": missed.scheduled,
                "reason": missed.reason,
                "why": missed.why,
            }
            for missed in record.missed
        ],
        "events": [event._asdict() for event in record.events],
        "occurrences": [each._asdict() for each in record.occurrences],
    }


def _measures(measures: JobMeasures) -> dict[str, Any]:
    return {
        "completions": measures.completions or None,
        "succeeded": measures.succeeded,
        "workDone": None if measures.work_done is None else _rounded(measures.work_done),
        "timeTo90": measures.to_90_percent,
        "mostPods": measures.most_pods,
        "overlap": measures.overlap,
    }


def _cron_job(summary: CronJobSummary) -> dict[str, Any]:
    """Return the measures of a run of a CronJob; durations are milliseconds."""
    return {
        **{name: measure.of(summary) for name, measure in MEASURES.items()},
        "manual": summary.manual,
        "missedByReason": dict(summary.missed),
    }


def _cron_job_statistics(statistics: CronJobStatistics) -> dict[str, Any]:
    return {
        **{name: _interval(mean) for name, mean in statistics.means.items()},
        "missedByReason": {reason: _interval(number) for reason, number in statistics.missed},
        "withoutFault": _interval(statistics.flawless),
    }


def _job_set(job_set: JobSetRecord, summary: RunSummary) -> dict[str, Any]:
    """Return the restarts of a JobSet, and the measures of the run."""
    found = summary.job_set
    measures = {} if found is None else {name: of(found) for name, of in JOB_SET_MEASURES.items()}
    return {
        "finished": job_set.finished,
        "jobsPerAttempt": job_set.size,
        "maxRestarts": job_set.max_restarts,
        **{name: _rounded(value) for name, value in measures.items()},
        "decisions": [
            {
                "at": at,
                "job": decision.job.name,
                "replicatedJob": decision.job.replicated_job,
                "jobReason": decision.job.reason,
                "rule": decision.rule,
                "action": decision.action or None,
                "counted": decision.counts,
                "jobSetReason": decision.fails or None,
            }
            for at, decision in job_set.decisions
        ],
    }


def _place(job: JobRecord, record: RunRecord) -> dict[str, Any]:
    """Return the ReplicatedJob of a Job of a JobSet, and why and since when a Job of a CronJob is late."""
    if record.kind == "JobSet":
        return {"replicatedJob": job.replicated_job}
    if record.kind != "CronJob":
        return {}
    return {"late": job.late or None, "earliest": job.earliest}


def _job(job: JobRecord, start: int) -> dict[str, Any]:
    return {
        "name": job.name,
        "run": job.run,
        "created": job.created,
        "scheduled": job.scheduled,
        "finished": job.finished,
        "deleted": job.deleted,
        "removed": job.removed,
        "outcome": job.outcome,
        "reason": job.reason,
        "waiting": None if job.waiting is None else _waiting(job.waiting, start),
        "failedIndexes": [{"at": at, "index": index} for at, index in job.failed_indexes],
        "conditions": [condition._asdict() for condition in job.conditions],
        "events": [event._asdict() for event in job.events],
        "counters": [counters._asdict() for counters in job.counters],
        "controller": [explanation._asdict() for explanation in job.explanations],
        "pods": [_pod(pod) for pod in job.pods],
    }


def _waiting(waiting: Waiting, start: int) -> dict[str, Any]:
    def since_start(time: float | None) -> int | None:
        return None if time is None else round((time - start) * SECOND)

    return {
        "waitingFor": waiting.waiting_for,
        "detail": waiting.detail or None,
        "since": since_start(waiting.since),
        "endedBy": waiting.ended_by,
        "endsAt": since_start(waiting.ends_at),
        "deadline": since_start(waiting.deadline),
        "hangs": waiting.hangs,
    }


def _pod(pod: PodRecord) -> dict[str, Any]:
    return {
        "name": pod.name,
        "index": pod.index,
        "attempt": pod.attempt,
        "phase": pod.phase,
        "created": pod.created,
        "scheduled": pod.scheduled,
        "pending": pod.pending or None,
        "started": pod.started,
        "restarts": pod.restarts,
        "deleted": pod.deleted,
        "ended": pod.ended,
        "disruption": pod.cause or None,
        "exitCode": pod.exit_code,
        "reason": pod.reason or None,
        "container": pod.container or None,
        "counted": pod.counted or None,
        "rule": rule_name(pod) if pod.failed else None,
    }


def variants_json(variants: Iterable[tuple[str, RunStatistics]]) -> dict[str, Any]:
    """Return the statistics of each variant, with its name, as a JSON object."""
    listed = [{"variant": name, **statistics_json(statistics)} for name, statistics in variants]
    return {"version": VERSION, "variants": listed}


def statistics_json(statistics: RunStatistics) -> dict[str, Any]:
    """Return the statistics of many runs as a JSON object."""
    return {
        "runs": statistics.runs,
        "complete": _interval(statistics.share("Complete")),
        "failed": _interval(statistics.share("Failed")),
        "unfinished": _interval(statistics.share("Unfinished")),
        "outcomes": [
            {"outcome": outcome, "reason": reason, "runs": number}
            for outcome, reason, number in statistics.outcomes
        ],
        "timeToComplete": {
            name: _interval(statistics.time(quantile))
            for name, quantile in (("p5", 0.05), ("p50", 0.5), ("p95", 0.95), ("max", 1.0))
        },
        "workDone": _interval(work_statistics.work_done(statistics)),
        "succeededIndexes": _interval(work_statistics.succeeded_indexes(statistics)),
        "timeTo90": {
            name: _endless(work_statistics.time_to_90_percent(statistics, quantile))
            for name, quantile in (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
        },
        "mostPods": _interval(work_statistics.most_pods(statistics)),
        "overlap": _interval(work_statistics.overlap(statistics)),
        "pods": _interval(statistics.pods),
        "podHours": _interval(statistics.pod_hours),
        "wastedPodHours": _interval(statistics.wasted_hours),
        "failedIndexes": _interval(statistics.failed_indexes),
        "failuresByRule": {rule: _interval(number) for rule, number in statistics.failures},
        **(
            {}
            if statistics.cron_job is None
            else {"cronJob": _cron_job_statistics(statistics.cron_job)}
        ),
        **(
            {}
            if statistics.job_set is None
            else {"jobSet": {name: _interval(of) for name, of in statistics.job_set.items()}}
        ),
    }


def _endless(interval: Interval | None) -> dict[str, float | None] | None:
    """Return an interval of times, of which the upper end may be never."""
    found = _interval(interval)
    if found is None:
        return None
    return {name: None if value >= NEVER else value for name, value in found.items()}


def _interval(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    value, low, high = map(_rounded, interval)
    return {"value": value, "low": low, "high": high}


def _rounded(value: float) -> float:
    return round(value, 6)
