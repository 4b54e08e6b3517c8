"""The JSON reports of ``jobsworth simulate``: of one run, or the statistics of many.

Times are milliseconds since the start of the scenario, and durations milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar, get_args

from jobsworth.documents.declared import Meta, Report, Schema, doc, report_schema
from jobsworth.reports.report_parts import WaitingReport, among, waiting_report
from jobsworth.runs import run_statistics
from jobsworth.runs.cause import MISSED, Cause
from jobsworth.runs.cron_job_measures import MEASURES, CronJobSummary
from jobsworth.runs.job_measures import MEASURES as JOB_SET_MEASURES
from jobsworth.runs.job_measures import JobMeasures
from jobsworth.runs.run_record import (
    Counted,
    JobRecord,
    JobSetRecord,
    Occurrence,
    Outcome,
    PodRecord,
    RunRecord,
)
from jobsworth.runs.run_statistics import (
    CronJobStatistics,
    Interval,
    RunStatistics,
    RunSummary,
    rule_name,
    summarize,
)
from jobsworth.runs.virtual_time import HOUR, NEVER, SECOND
from jobsworth.runs.why.diagnosis import diagnose
from jobsworth.runs.why.run_forms import simulated_recording

T = TypeVar("T")
Number = Annotated[int, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0)]
Time = Annotated[int, doc("Milliseconds since the start of the scenario.")]
ByReason = Annotated[
    dict[str, T],
    Meta("By reason.", more={"propertyNames": {"enum": [each.value for each in MISSED]}}),
]
ByRule = Annotated[dict[str, T], doc("Failed Pods, by rule of the failure policy.")]


class EventReport(Report):
    """An Event."""

    at: Time
    type: Literal["Normal", "Warning"]
    reason: str
    message: str


class PodReport(Report):
    """A Pod of a run."""

    name: str
    index: Annotated[Number | None, doc("The completion index; null without one.")]
    attempt: Annotated[Number, doc("Number of the attempt of its index, or of the Job, from 1.")]
    phase: Annotated[
        str, Meta(more={"enum": ["Pending", "Running", "Succeeded", "Failed", "Unknown"]})
    ]
    created: Time
    scheduled: Annotated[int | None, doc("It got a place on a node.")]
    pending: Annotated[Cause | None, doc("The cause for which it stays Pending.")]
    started: Annotated[int | None, doc("It began to run.")]
    restarts: Annotated[list[Time], doc("Restarts of its container in place.")]
    deleted: Annotated[int | None, doc("Its deletion was requested.")]
    ended: Annotated[int | None, doc("It became Succeeded or Failed.")]
    disruption: Annotated[str | None, doc("The disruption that ended it.")]
    exit_code: Annotated[Number | None, doc("Null if no container ended.")]
    reason: Annotated[str | None, doc("Reason of the container's termination, or of the Pod.")]
    container: Annotated[str | None, doc("That container.")]
    counted: Annotated[
        Annotated[str, Meta(more={"enum": [each.capitalize() for each in get_args(Counted)[1:-1]]})]
        | None,
        doc("How the Job counts it; null if it does not yet."),
    ]
    rule: Annotated[str | None, doc("Rule that decided on a failed Pod.")]


class ConditionReport(Report):
    """A condition that a Job got."""

    at: Time
    type: str
    status: Annotated[str, Meta(more={"enum": ["True", "False", "Unknown"]})]
    reason: str
    message: str


class CountersReport(Report):
    """The Pods of a Job by its status."""

    at: Time
    active: Number
    terminating: Number
    succeeded: Number
    failed: Number


class FailedIndex(Report):
    """An index that failed for good."""

    at: Time
    index: Number


class Decision(Report):
    """The reason for what the controller does, from a time on."""

    at: Time
    because: str


class JobReport(Report):
    """A Job of a run."""

    name: str
    run: Annotated[
        Number, doc("From 1: of a CronJob the number of the Job, of a JobSet that of the attempt.")
    ]
    replicated_job: Annotated[str | None, doc("Name of the ReplicatedJob of a JobSet.")]
    created: Time
    scheduled: Annotated[
        int | None, doc("Time at which the run of a CronJob was due; null if a user created it.")
    ]
    late: Annotated[
        str | None, doc("Reason why the run of a CronJob was not created when it was due.")
    ]
    earliest: Annotated[int | None, doc("First resync that could have created a late Job.")]
    finished: Annotated[int | None, doc("It got its terminal condition.")]
    deleted: Annotated[int | None, doc("The CronJob or JobSet controller deleted it.")]
    removed: Annotated[
        int | None, doc("It was deleted after its end: by its TTL or a history limit.")
    ]
    outcome: Outcome
    reason: Annotated[
        str, doc("Reason of the terminal condition; without one, what the Job waits for.")
    ]
    waiting: Annotated[WaitingReport[Time] | None, doc("Null if it has finished or was deleted.")]
    cause: Annotated[
        Cause | None,
        doc("The cause of its failure or wait, as jobsworth why names it; null if deleted."),
    ]
    sentence: Annotated[str | None, doc("The cause in one sentence; null if it was deleted.")]
    failed_indexes: Annotated[list[FailedIndex], doc("When each failed for good.")]
    conditions: Annotated[list[ConditionReport], doc("In the order of time.")]
    events: Annotated[list[EventReport], doc("About the Job.")]
    counters: Annotated[list[CountersReport], doc("Its status; an entry for each change.")]
    controller: Annotated[
        list[Decision], doc("The reason for the controller's decisions, from a time on.")
    ]
    pods: Annotated[list[PodReport], doc("In the order of creation.")]


class MeasuresReport(Report):
    """The work of a Job."""

    completions: Annotated[Number | None, doc("Null for a work queue.")]
    succeeded: Annotated[Number, doc("Succeeded completions.")]
    work_done: Annotated[Amount | None, doc("The share of the completions that succeeded.")]
    time_to_90: Annotated[Number | None, doc("Until 90 % had succeeded; null if they never had.")]
    most_pods: Annotated[Number, doc("The greatest number of Pods that run at a time.")]
    overlap: Annotated[Number, doc("The time in which two Pods of one index ran.")]


class CronJobMeasures(Report, Generic[T]):
    """The measures of a CronJob: numbers of one run, or means of many."""

    due: Annotated[T, doc("Runs that were due.")]
    on_time: Annotated[T, doc("Runs that started on time.")]
    late: Annotated[T, doc("Runs that started late.")]
    missed: Annotated[T, doc("Runs that did not start.")]
    delay: Annotated[T, doc("The longest delay of a late run.")]
    jobs: Annotated[T, doc("Jobs.")]
    failed: Annotated[T, doc("Jobs that failed.")]
    replaced: Annotated[T, doc("Jobs that were deleted to start the next one.")]
    deleted: Annotated[T, doc("Jobs that a user deleted before they had finished.")]
    unfinished: Annotated[T, doc("Jobs that had not finished at the end.")]
    longest: Annotated[T, doc("The longest duration of a Job.")]
    overlapping: Annotated[T, doc("Jobs that ran beside another one.")]
    overlap: Annotated[T, doc("The time in which two Jobs ran.")]
    most_pods: Annotated[T, doc("The greatest number of Pods at a time.")]
    missed_by_reason: ByReason[T]


class CronJobReport(CronJobMeasures[Number]):
    """A run of a CronJob."""

    manual: Annotated[Number, doc("Jobs that a user created from it.")]


class JobSetDecision(Report):
    """A decision of the JobSet controller about a failed Job."""

    at: Time
    job: Annotated[str, doc("The Job that failed.")]
    replicated_job: Annotated[str, doc("Its ReplicatedJob.")]
    job_reason: Annotated[str, doc("The reason of its Failed condition.")]
    rule: Annotated[Number | None, doc("The index of the rule that matches; null without one.")]
    action: Annotated[
        str | None, doc("The action of the rule; null if nothing is left to restart.")
    ]
    counted: Annotated[bool, doc("It counts towards maxRestarts.")]
    job_set_reason: Annotated[
        str | None, doc("The reason for which the JobSet fails; null for a restart.")
    ]


class JobSetMeasures(Report, Generic[T]):
    """The measures of a JobSet: numbers of one run, or means of many."""

    restarts: Annotated[T, doc("Restarts.")]
    counted_restarts: Annotated[T, doc("Those that count towards maxRestarts.")]
    lost_hours: Annotated[T, doc("Pod-hours in Jobs that a restart replaced.")]
    jobs: Annotated[T, doc("Jobs of all attempts.")]


class JobSetReport(JobSetMeasures[Amount]):
    """A run of a JobSet."""

    finished: Annotated[Number | None, doc("When it got its terminal condition.")]
    jobs_per_attempt: Number
    max_restarts: Annotated[Number | None, doc("Null without a failure policy.")]
    decisions: Annotated[list[JobSetDecision], doc("About failed Jobs.")]


class Missed(Report):
    """A run of a CronJob that did not start."""

    at: Annotated[int, doc("When it became clear.")]
    scheduled: Annotated[int, doc("When the run was due.")]
    reason: Annotated[Cause, among(MISSED)]
    why: Annotated[str, doc("The reason in words, with what kept it from starting.")]


class OccurrenceReport(Report):
    """An intervention of the scenario."""

    at: Time
    until: Annotated[int, doc("Its end; equal to at if it has none.")]
    kind: Literal["Edit", "Away", "Back", "Rejections", "Capacity", "Note"]
    words: str


class RunReport(Report):
    """One run."""

    version: Annotated[Literal[1], doc("The version of this structure.")] = 1
    kind: Literal["Job", "CronJob", "JobSet"]
    name: Annotated[str, doc("Name of the object.")]
    scenario: Annotated[str, doc("The name of the scenario.")]
    seed: Annotated[int, doc("The seed of all that is left to chance.")]
    start: Annotated[int, doc("When the scenario begins, in seconds since 1970.")]
    end: Annotated[int, doc("The last Job had finished, or the time given was over.")]
    outcome: Annotated[Outcome | None, doc("Null for a CronJob, which does not end.")]
    reason: Annotated[
        str | None,
        doc("The reason of the terminal condition; without one, what the Job waits for."),
    ]
    pod_hours: Annotated[Amount, doc("Hours for which Pods ran.")]
    wasted_pod_hours: Annotated[Amount, doc("Hours of Pods whose work was lost.")]
    failures_by_rule: ByRule[Number]
    measures: Annotated[MeasuresReport | None, doc("Null for other kinds than Job.")]
    cron_job: Annotated[CronJobReport | None, doc("Null for other kinds than CronJob.")]
    job_set: Annotated[JobSetReport | None, doc("Null for other kinds than JobSet.")]
    jobs: Annotated[list[JobReport], doc("In the order of creation.")]
    most_job_objects: Annotated[Number, doc("The greatest number of Jobs that exist at a time.")]
    missed: Annotated[list[Missed], doc("Runs of a CronJob that were due and did not start.")]
    events: Annotated[list[EventReport], doc("About the CronJob or JobSet.")]
    occurrences: Annotated[
        list[OccurrenceReport],
        doc("Interventions of the scenario that no Pod or condition shows."),
    ]


class Estimate(Report):
    """An estimate, and where the true value lies with a probability of 95 %."""

    value: Annotated[Amount | None, doc("Null for never.")]
    low: Amount | None
    high: Amount | None


class OutcomeShare(Report):
    """The number of runs with an outcome."""

    outcome: Outcome
    reason: str
    runs: Number


class Quantiles(Report):
    """Quantiles of the time to completion, of the runs that complete."""

    p5: Estimate | None
    p50: Estimate | None
    p95: Estimate | None
    max: Estimate | None


class WorkQuantiles(Report):
    """Quantiles of the time until 90 % had succeeded."""

    p50: Estimate | None
    p95: Estimate | None
    max: Estimate | None


class CronJobVariant(CronJobMeasures[Estimate]):
    """Many runs of a CronJob."""

    without_fault: Annotated[Estimate, doc("Runs in which each run that was due started on time.")]


class VariantReport(Report):
    """The statistics of a variant."""

    variant: Annotated[str, doc("The file, or the value of the sweep.")]
    runs: Annotated[Number, doc("The number of simulations.")]
    complete: Annotated[Estimate | None, doc("Complete: the share of the runs; null of CronJobs.")]
    failed: Annotated[Estimate | None, doc("Failed: the share of the runs; null of CronJobs.")]
    unfinished: Annotated[
        Estimate | None, doc("Unfinished: the share of the runs; null of CronJobs.")
    ]
    outcomes: Annotated[list[OutcomeShare], doc("The most frequent first.")]
    time_to_complete: Annotated[Quantiles, doc("Time to completion of the runs that complete.")]
    work_done: Annotated[Estimate | None, doc("The share of the completions that succeeded.")]
    succeeded_indexes: Annotated[Estimate | None, doc("Succeeded completions.")]
    time_to_90: Annotated[WorkQuantiles, doc("Until 90 % had succeeded.")]
    most_pods: Annotated[Estimate | None, doc("The greatest number of Pods that run at a time.")]
    overlap: Annotated[Estimate | None, doc("The time in which two Pods of one index ran.")]
    pods: Annotated[Estimate, doc("Created Pods.")]
    pod_hours: Annotated[Estimate, doc("Hours for which Pods ran.")]
    wasted_pod_hours: Annotated[Estimate, doc("Hours of Pods whose work was lost.")]
    failed_indexes: Annotated[Estimate, doc("Indexes that failed for good.")]
    failures_by_rule: ByRule[Estimate]
    cron_job: Annotated[CronJobVariant | None, doc("Null for other kinds than CronJob.")]
    job_set: Annotated[JobSetMeasures[Estimate] | None, doc("Null for other kinds than JobSet.")]


class VariantsReport(Report):
    """The statistics of many runs."""

    version: Annotated[Literal[1], doc("The version of this structure.")] = 1
    variants: Annotated[list[VariantReport], doc("Each with its statistics.")]


def simulation_schema() -> Schema:
    """Return the JSON Schema of the reports."""
    names = {
        RunReport: "run",
        JobReport: "job",
        PodReport: "pod",
        EventReport: "event",
        VariantsReport: "variants",
        Estimate: "estimate",
    }
    return report_schema(
        "The JSON reports of jobsworth simulate", RunReport | VariantsReport, names
    )


def run_report(record: RunRecord) -> RunReport:
    """Return the report of a run."""
    summary = summarize(record)
    return RunReport(
        kind=record.kind,
        name=record.name,
        scenario=record.scenario,
        seed=record.seed,
        start=record.start,
        end=record.end,
        outcome=summary.outcome,
        reason=None if summary.outcome is None else summary.reason,
        pod_hours=_rounded(summary.used / HOUR),
        wasted_pod_hours=_rounded(summary.wasted / HOUR),
        failures_by_rule=dict(summary.failures),
        measures=None if summary.measures is None else _measures(summary.measures),
        cron_job=None if summary.cron_job is None else _cron_job(summary.cron_job),
        job_set=None if record.job_set is None else _job_set(record.job_set, summary),
        jobs=[_job(job, record) for job in record.jobs],
        most_job_objects=record.most_objects,
        missed=[
            Missed(at=each.at, scheduled=each.scheduled, reason=each.reason, why=each.why)
            for each in record.missed
        ],
        events=[EventReport(**event._asdict()) for event in record.events],
        occurrences=[_occurrence(each) for each in record.occurrences],
    )


def _occurrence(occurrence: Occurrence) -> OccurrenceReport:
    kind: Any = occurrence.kind.capitalize()
    return OccurrenceReport(
        at=occurrence.at, until=occurrence.until, kind=kind, words=occurrence.words
    )


def _measures(measures: JobMeasures) -> MeasuresReport:
    done = measures.work_done
    return MeasuresReport(
        completions=measures.completions or None,
        succeeded=measures.succeeded,
        work_done=None if done is None else _rounded(done),
        time_to_90=measures.to_90_percent,
        most_pods=measures.most_pods,
        overlap=measures.overlap,
    )


def _cron_job(summary: CronJobSummary) -> CronJobReport:
    values: dict[str, Any] = {name: each.of(summary) for name, each in MEASURES.items()}
    return CronJobReport(
        **_by_key(values), manual=summary.manual, missed_by_reason=dict(summary.missed)
    )


def _job_set(job_set: JobSetRecord, summary: RunSummary) -> JobSetReport:
    found = summary.job_set
    assert found is not None  # the summary of a run of a JobSet has its measures
    values: dict[str, Any] = {name: _rounded(of(found)) for name, of in JOB_SET_MEASURES.items()}
    return JobSetReport(
        finished=job_set.finished,
        jobs_per_attempt=job_set.size,
        max_restarts=job_set.max_restarts,
        **_by_key(values),
        decisions=[
            JobSetDecision(
                at=at,
                job=decision.job.name,
                replicated_job=decision.job.replicated_job,
                job_reason=decision.job.reason,
                rule=decision.rule,
                action=decision.action or None,
                counted=decision.counts,
                job_set_reason=decision.fails or None,
            )
            for at, decision in job_set.decisions
        ],
    )


def _job(job: JobRecord, record: RunRecord) -> JobReport:
    found = None if job.deleted is not None else diagnose(simulated_recording(record, job))
    return JobReport(
        name=job.name,
        run=job.run,
        replicated_job=job.replicated_job or None,
        created=job.created,
        scheduled=job.scheduled,
        late=job.late or None,
        earliest=job.earliest,
        finished=job.finished,
        deleted=job.deleted,
        removed=job.removed,
        outcome=job.outcome,
        reason=job.reason,
        waiting=None if job.waiting is None else waiting_report(job.waiting, _since(record.start)),
        cause=None if found is None else found.cause,
        sentence=None if found is None else found.sentence,
        failed_indexes=[FailedIndex(at=at, index=index) for at, index in job.failed_indexes],
        conditions=[ConditionReport(**each._asdict()) for each in job.conditions],
        events=[EventReport(**each._asdict()) for each in job.events],
        counters=[CountersReport(**each._asdict()) for each in job.counters],
        controller=[Decision(**each._asdict()) for each in job.explanations],
        pods=[_pod(pod) for pod in job.pods],
    )


def _since(start: int) -> Callable[[float], int]:
    return lambda time: round((time - start) * SECOND)


def _pod(pod: PodRecord) -> PodReport:
    return PodReport(
        name=pod.name,
        index=pod.index,
        attempt=pod.attempt,
        phase=pod.phase,
        created=pod.created,
        scheduled=pod.scheduled,
        pending=pod.pending or None,
        started=pod.started,
        restarts=pod.restarts,
        deleted=pod.deleted,
        ended=pod.ended,
        disruption=pod.cause or None,
        exit_code=pod.exit_code,
        reason=pod.reason or None,
        container=pod.container or None,
        counted=pod.counted.capitalize() or None,
        rule=rule_name(pod) if pod.failed else None,
    )


def variants_report(variants: Iterable[tuple[str, RunStatistics]]) -> VariantsReport:
    """Return the report of the statistics of each variant, by its name."""
    return VariantsReport(variants=[variant_report(*each) for each in variants])


def variant_report(name: str, statistics: RunStatistics) -> VariantReport:
    """Return the report of the statistics of many runs."""
    cron_job, job_set = statistics.cron_job, statistics.job_set
    return VariantReport(
        variant=name,
        runs=statistics.runs,
        complete=_share(statistics.share("Complete")),
        failed=_share(statistics.share("Failed")),
        unfinished=_share(statistics.share("Unfinished")),
        outcomes=[
            OutcomeShare(outcome=outcome, reason=reason, runs=number)
            for outcome, reason, number in statistics.outcomes
        ],
        time_to_complete=Quantiles(
            p5=_share(statistics.time(0.05)),
            p50=_share(statistics.time(0.5)),
            p95=_share(statistics.time(0.95)),
            max=_share(statistics.time(1.0)),
        ),
        work_done=_share(run_statistics.work_done(statistics)),
        succeeded_indexes=_share(run_statistics.succeeded_indexes(statistics)),
        time_to_90=WorkQuantiles(
            p50=_share(run_statistics.time_to_90_percent(statistics, 0.5)),
            p95=_share(run_statistics.time_to_90_percent(statistics, 0.95)),
            max=_share(run_statistics.time_to_90_percent(statistics, 1.0)),
        ),
        most_pods=_share(run_statistics.most_pods(statistics)),
        overlap=_share(run_statistics.overlap(statistics)),
        pods=_estimate(statistics.pods),
        pod_hours=_estimate(statistics.pod_hours),
        wasted_pod_hours=_estimate(statistics.wasted_hours),
        failed_indexes=_estimate(statistics.failed_indexes),
        failures_by_rule=_estimates(statistics.failures),
        cron_job=None if cron_job is None else _cron_job_variant(cron_job),
        job_set=None if job_set is None else JobSetMeasures(**_by_key(_estimates(job_set.items()))),
    )


def _cron_job_variant(statistics: CronJobStatistics) -> CronJobVariant:
    return CronJobVariant(
        **_by_key(_estimates(statistics.means.items())),
        missed_by_reason=_estimates(statistics.missed),
        without_fault=_estimate(statistics.flawless),
    )


def _by_key(measures: Mapping[str, T]) -> dict[str, T]:
    """Return measures, which requirements name in camelCase, by the keys of a report."""
    return {
        re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name): value
        for name, value in measures.items()
    }


def _estimates(intervals: Iterable[tuple[str, Interval]]) -> dict[str, Estimate]:
    return {name: _estimate(interval) for name, interval in intervals}


def _share(interval: Interval | None) -> Estimate | None:
    return None if interval is None else _estimate(interval)


def _estimate(interval: Interval) -> Estimate:
    """Return an interval; a time may be never."""
    value, low, high = (None if each >= NEVER else _rounded(each) for each in interval)
    return Estimate(value=value, low=low, high=high)


def _rounded(value: float) -> float:
    return round(value, 6)
