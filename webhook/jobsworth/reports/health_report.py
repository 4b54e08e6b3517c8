"""The JSON report of ``jobsworth health``: its declaration, and a health as such a report.

Times are those of the API; null is for what is unknown.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from jobsworth.controller.times import write_time
from jobsworth.documents.declared import Meta, Report, Schema, doc, report_schema, report_text
from jobsworth.findings.finding import SEVERITIES
from jobsworth.reports.report_parts import (
    Count,
    Time,
    WaitingReport,
    among,
    rounded,
    time_text,
    waiting_report,
)
from jobsworth.runs.cause import MISSED_RUN_WORDS, Cause
from jobsworth.runs.health.accounted_runs import AccountedRun, AccountedWindow, RunState
from jobsworth.runs.health.cluster_health import ClusterHealth
from jobsworth.runs.health.cron_job_health import Block, CronJobHealth
from jobsworth.runs.health.failed_jobs import FailedJob
from jobsworth.runs.health.problems import CODES, problems_by_object
from jobsworth.runs.health.stuck_jobs import JobWait

PLAIN = frozenset(("Succeeded", "Failed", "Running", "Started"))

Numbers = dict[str, Count]


class ProblemReport(Report):
    """A problem of an object."""

    object: Annotated[str, doc("The object as namespace/Kind/name.")]
    severity: Annotated[str, Meta(more={"enum": list(SEVERITIES)})]
    code: Annotated[str, Meta(more={"enum": list(CODES)})]
    message: str


class BlockReport(Report):
    """What keeps the runs of a CronJob from starting."""

    cause: Annotated[Cause, doc("What the Job in the way waits for, or another cause.")]
    job: Annotated[str | None, doc("The unfinished Job in the way.")]
    pod: Annotated[str | None, doc("A Pod that keeps that Job unfinished.")]
    since: Annotated[Time | None, doc("When this began.")]
    message: Annotated[str | None, doc("The message of an Event that shows the cause.")]


class RunReport(Report):
    """A scheduled time of a CronJob."""

    scheduled: Time
    state: RunState
    cause: Annotated[
        Cause | None, among(MISSED_RUN_WORDS), doc("Why it did not start, or not on time.")
    ]
    behind: Annotated[str | None, doc("The unfinished Job that held it back.")]
    late_seconds: Annotated[Count, doc("Seconds after which its Job was created; 0 if on time.")]
    job: Annotated[str | None, doc("The Job that was created for it.")]


class WindowReport(Report):
    """The scheduled times of a CronJob in the window."""

    since: Annotated[Time, doc("The start of the window, or the creation of the CronJob.")]
    due: Annotated[Count, doc("The number of scheduled times, which is the sum of all states.")]
    succeeded: Count
    failed: Count
    running: Count
    started: Annotated[Count, doc("The number of runs that started and whose end is unknown.")]
    skipped: Count
    waiting: Count
    unknown: Count
    late: Annotated[Count, doc("The number of late starts; they count in their state, too.")]
    skipped_by_cause: Numbers
    unknown_by_cause: Numbers
    unscheduled: Annotated[
        Count, doc("The number of Jobs whose scheduled time the present schedule does not have.")
    ]
    incomplete: Annotated[bool, doc("True if only the latest runs are counted.")]
    notable: Annotated[list[RunReport], doc("The runs that did not start, or not on time.")]


class CronJobReport(Report):
    """A CronJob."""

    namespace: str
    name: str
    schedule: Annotated[str, doc("The field spec.schedule.")]
    time_zone: Annotated[str | None, doc("The field spec.timeZone.")]
    suspended: bool
    unchanged_since: Annotated[
        Time | None,
        doc("Since when its spec is as it is now; null if the object does not show it."),
    ]
    last_schedule_time: Annotated[Time | None, doc("The last scheduled time that started a Job.")]
    last_success: Annotated[Time | None, doc("When its last Job completed.")]
    next: Annotated[Time | None, doc("The next scheduled time.")]
    overdue_since: Annotated[
        Time | None, doc("The first scheduled time after the last one that started a Job.")
    ]
    overdue_seconds: Annotated[Count, doc("The age of overdue_since; 0 if no run is overdue.")]
    blocked: Annotated[BlockReport | None, doc("What keeps the overdue run from starting.")]
    consecutive_failures: Annotated[Count, doc("The number of failed runs since the last success.")]
    more_failures_possible: Annotated[
        bool, doc("True if history limits or a TTL may have removed further failed Jobs.")
    ]
    failed_jobs: Annotated[list[str], doc("The Jobs that consecutive_failures counts.")]
    manual_jobs: Annotated[list[str], doc("The Jobs that a user has created from it.")]
    runs: Annotated[WindowReport | None, doc("The scheduled times of the window.")]


class StuckJob(Report):
    """A Job that has waited for too long; a finished one waits for its deletion."""

    namespace: str
    name: str
    owner: Annotated[str | None, doc("The controller of the Job as Kind/name.")]
    waiting: WaitingReport[Time]
    seconds: Annotated[Count, doc("The duration of the wait.")]
    pod: Annotated[str | None, doc("One of the Pods that keep it waiting.")]
    pods: Annotated[Count, doc("The number of these Pods.")]


class FailedJobReport(Report):
    """A failed Job without a CronJob."""

    namespace: str
    name: str
    owner: Annotated[str | None, doc("The controller of the Job as Kind/name.")]
    generate_name: Annotated[str | None, doc("The field metadata.generateName.")]
    reason: Annotated[str | None, doc("The reason of its condition Failed.")]
    message: Annotated[str | None, doc("The message of its condition Failed, shortened.")]
    failed: Annotated[Time, doc("When it got its condition Failed.")]
    seconds: Annotated[Count, doc("The time since then.")]


class HealthReport(Report):
    """The health of CronJobs and Jobs."""

    version: Annotated[Literal[1], doc("The version of the structure; a new key keeps it.")] = 1
    cluster: Annotated[str, doc("The name of the cluster.")]
    time: Annotated[Time, doc("When the objects were read.")]
    since: Annotated[Time | None, doc("The start of the window.")]
    unseen: Annotated[list[Literal["Pods", "Events"]], doc("What could not be listed.")]
    problems: Annotated[list[ProblemReport], doc("The problems by object, the gravest first.")]
    cron_jobs: Annotated[list[CronJobReport], doc("The CronJobs by namespace and name.")]
    stuck_jobs: Annotated[list[StuckJob], doc("The stuck Jobs, the longest wait first.")]
    failed_jobs: Annotated[
        list[FailedJobReport],
        doc(
            "Jobs without a CronJob that failed in the window and that no later success is known of, the "
            "newest first."
        ),
    ]


def health_schema() -> Schema:
    """Return the schema of the report."""
    return report_schema("The JSON report of jobsworth health", HealthReport, {})


def render(health: ClusterHealth, cluster: str) -> str:
    """Render the health as one object."""
    return report_text(health_report(health, cluster))


def health_report(health: ClusterHealth, cluster: str) -> HealthReport:
    """Return the report about a cluster, or about files."""
    return HealthReport(
        cluster=cluster,
        time=write_time(health.now),
        since=time_text(health.since),
        unseen=list(health.unseen),
        problems=[
            ProblemReport(object=name, severity=each.severity, code=each.code, message=each.message)
            for name, found in problems_by_object(health)
            for each in found
        ],
        cron_jobs=[_cron_job(each, health.now) for each in health.cron_jobs],
        stuck_jobs=[_stuck(each, health.now) for each in health.stuck],
        failed_jobs=[_failed(each, health.now) for each in health.failed],
    )


def _cron_job(health: CronJobHealth, now: int) -> CronJobReport:
    evidence = health.evidence
    cron_job = evidence.cron_job
    return CronJobReport(
        namespace=evidence.namespace,
        name=cron_job.name,
        schedule=cron_job.written,
        time_zone=cron_job.time_zone,
        suspended=health.suspended,
        unchanged_since=time_text(evidence.settled),
        last_schedule_time=time_text(cron_job.status.last_schedule),
        last_success=time_text(health.last_success),
        next=time_text(health.following),
        overdue_since=time_text(health.overdue_since),
        overdue_seconds=health.overdue_seconds(now),
        blocked=None if health.block is None else _block(health.block),
        consecutive_failures=len(health.failures),
        more_failures_possible=health.more_failures,
        failed_jobs=[name for name, _ in health.failures],
        manual_jobs=[job.name for job in evidence.manual],
        runs=None if health.window is None else _window(health.window),
    )


def _block(block: Block) -> BlockReport:
    return BlockReport(
        cause=block.cause,
        job=block.job or None,
        pod=None if block.wait is None else block.wait.pod or None,
        since=time_text(block.since),
        message=block.message or None,
    )


def _window(window: AccountedWindow) -> WindowReport:
    return WindowReport(
        since=write_time(window.since),
        due=len(window.runs),
        **window.counts(),
        skipped_by_cause=_by_cause(window, "Skipped"),
        unknown_by_cause=_by_cause(window, "Unknown"),
        unscheduled=window.unscheduled,
        incomplete=window.incomplete,
        notable=[
            _run(run) for run in window.runs if run.late or run.state not in PLAIN or run.cause
        ],
    )


def _by_cause(window: AccountedWindow, state: RunState) -> dict[str, int]:
    causes = [run.cause.value for run in window.runs if run.state == state and run.cause]
    return dict(sorted(Counter(causes).items()))


def _run(run: AccountedRun) -> RunReport:
    return RunReport(
        scheduled=write_time(run.scheduled),
        state=run.state,
        cause=run.cause,
        behind=run.behind or None,
        late_seconds=run.late,
        job=run.job or None,
    )


def _stuck(wait: JobWait, now: int) -> StuckJob:
    return StuckJob(
        namespace=wait.job.namespace,
        name=wait.job.name,
        owner=wait.job.owner or None,
        waiting=waiting_report(wait.waiting, rounded),
        seconds=int(wait.seconds(now)),
        pod=wait.pod or None,
        pods=wait.pods,
    )


def _failed(failed: FailedJob, now: int) -> FailedJobReport:
    job = failed.job
    return FailedJobReport(
        namespace=job.namespace,
        name=job.name,
        owner=job.owner or None,
        generate_name=job.generate_name or None,
        reason=job.reason or None,
        message=failed.message or None,
        failed=write_time(failed.at),
        seconds=failed.seconds(now),
    )
