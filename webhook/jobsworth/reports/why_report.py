"""The declaration of the JSON report of ``jobsworth why``.

Times are those of the API; null is for what is unknown or does not apply.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from jobsworth.documents.declared import Report, Schema, doc, report_schema
from jobsworth.reports.report_parts import Action, Count, EventReport, Time, WaitingReport, among
from jobsworth.runs.cause import Cause

Outcome = Literal["Complete", "Failed", "Unfinished"]
Sentence = Annotated[str, doc("The cause in one sentence.")]
DecidingCause = Annotated[
    Cause,
    doc(
        "The cause: of the failure, or of the wait. PodsGone if the Pods that would show it are gone."
    ),
]


class Status(Report):
    """The status of a Job."""

    active: Count
    ready: Count | None
    terminating: Count | None
    succeeded: Count
    failed: Count
    completed_indexes: Annotated[str | None, doc("Indexes such as 0,3-5.")]
    failed_indexes: Annotated[str | None, doc("Indexes such as 0,3-5.")]


class Failure(Report):
    """Failed Pods with the same cause and effect."""

    cause: Annotated[Cause, doc("The cause of the failure.")]
    how: Annotated[str, doc("The failure as a clause, with a Pod as its subject.")]
    effect: Annotated[
        Action,
        doc(
            "The effect of each failure: the action of the rule that matched, or Count without one."
        ),
    ]
    rule: Annotated[str | None, doc("The rule that matched; null if none did.")]
    number: Annotated[Count, doc("The number of these Pods.")]
    indexes: Annotated[str | None, doc("Their completion indexes, such as 0,3-5.")]
    pods: Annotated[list[str], doc("Their names; at most 100.")]


class Row(Report):
    """A Pod, or several alike, in words; times count from the creation of the Job."""

    name: str
    completion_index: str
    node: str
    created: str
    started: str
    ended: str
    how: str
    followed: str


class Rule(Report):
    """A rule of the failure policy."""

    name: Annotated[str, doc("A name such as rules[0], or annotation rules[0] for the annotation.")]
    action: Action
    requirement: Annotated[str, doc("What a failed Pod must have, as a clause.")]
    matched: Annotated[Count, doc("The number of failed Pods that it matched, among those read.")]
    place: Annotated[str | None, doc("The file and line of the rule, if known.")]


class Log(Report):
    """The end of the log of a failed container."""

    pod: str
    container: str
    lines: Annotated[list[str], doc("The last lines, not escaped.")]
    problem: Annotated[str | None, doc("The reason why the log cannot be read; null if it was.")]


class Advice(Report):
    """A change that helps."""

    text: Annotated[str, doc("What to change.")]
    code: Annotated[str | None, doc("The lint rule that reports it.")]
    field: Annotated[str | None, doc("The field to change.")]


class Decision(Report):
    """The decision about a failed Pod."""

    at: Annotated[Time, doc("When the controller took the Pod as failed.")]
    rule: Annotated[str | None, doc("The rule that matched; null if none did.")]
    action: Annotated[Action | None, doc("The action of that rule.")]
    effect: Annotated[Action, doc("What followed, with the limits of the Job.")]
    failures_of_job: Annotated[Count, doc("The failures of the Job that count so far.")]
    failures_of_index: Annotated[
        Count | None, doc("Those of its index; null without backoffLimitPerIndex.")
    ]
    text: Annotated[str, doc("The decision in words.")]


class Container(Report):
    """A container that has ended."""

    name: str
    exit_code: int
    reason: str


class TimelinePod(Report):
    """A Pod of a recorded Job."""

    name: str
    index: Annotated[Count | None, doc("The completion index; null without one.")]
    phase: str
    created: Time
    scheduled: Time | None
    started: Annotated[Time | None, doc("When its first container started.")]
    deleted: Annotated[Time | None, doc("When its deletion was requested.")]
    ended: Annotated[Time | None, doc("When it became Succeeded or Failed.")]
    containers: list[Container]
    restarts: Annotated[Count, doc("The restarts of its containers in place.")]
    reason: Annotated[str | None, doc("The reason of its status.")]
    conditions: Annotated[list[str], doc("Its conditions, such as DisruptionTarget=True.")]
    disruption: Annotated[str | None, doc("The reason of its condition DisruptionTarget.")]
    how: Annotated[str, doc("How it ended, in words.")]
    failure: Annotated[Decision | None, doc("The decision about its failure; null without one.")]


class Limit(Report):
    """A limit of the Job, and what counted towards it."""

    name: Annotated[str, doc("The field with its value, such as backoffLimit 3.")]
    text: str


class FailedIndex(Report):
    """A completion index that failed for good."""

    index: Count
    at: Time


class Timeline(Report):
    """The recorded facts, and the planner's decisions about them."""

    recorded_until: Annotated[Time, doc("The last time that anything is known of.")]
    pods: Annotated[list[TimelinePod], doc("All recorded Pods in the order of creation.")]
    limits: list[Limit]
    failed_indexes: list[FailedIndex]


class Change(Report):
    """A field of the failure policy that differs."""

    field: str
    recorded: Any
    other: Any


class ComparedFailure(Report):
    """A failed Pod under both policies."""

    pod: str
    at: Time
    differs: bool
    recorded: Decision | None
    other: Annotated[Decision | None, doc("Null if the Pod would not exist, or after the end.")]


class Divergence(Report):
    """The first decision that differs."""

    at: Time
    pod: Annotated[str | None, doc("The failed Pod that it is about; null without one.")]
    recorded: str | None
    other: str | None


class End(Report):
    """The end of the Job."""

    at: Time
    condition: Literal["Complete", "Failed"]
    reason: str
    message: str


class Comparison(Report):
    """The same failures under another failure policy."""

    name: Annotated[str, doc("The file with the other policy.")]
    changes: Annotated[
        list[Change], doc("The fields that differ, with both values; null where one is unset.")
    ]
    failures: list[ComparedFailure]
    divergence: Annotated[Divergence | None, doc("Null if both policies decide the same.")]
    end: Annotated[End | None, doc("The end under the other policy; null if it is not known.")]
    pods_that_would_not_exist: list[str]
    pod_seconds_less: Annotated[Count, doc("Seconds for which Pods ran that would not have run.")]
    retried_indexes: Annotated[
        list[Count], doc("Indexes that failed for good, and would be retried.")
    ]
    consequences: Annotated[list[str], doc("What follows, in sentences.")]


class _Subject(Report):
    kind: str
    namespace: Annotated[str | None, doc("The namespace; null if unknown.")]
    name: str
    uid: Annotated[str | None, doc("The UID; null if unknown.")]
    cause: DecidingCause
    sentence: Sentence


class JobReport(_Subject):
    """The report about a Job."""

    kind: Literal["Job"] = "Job"
    outcome: Outcome
    reason: Annotated[str | None, doc("The reason of its condition; null while it is unfinished.")]
    created: Annotated[Time, doc("When the Job was created.")]
    finished: Annotated[Time | None, doc("When it got the condition Complete or Failed.")]
    status: Status
    failures: Annotated[list[Failure], doc("The failed Pods, by cause and effect.")]
    waiting: Annotated[
        WaitingReport[Time] | None,
        doc("What an unfinished Job waits for; null if that is unknown."),
    ]
    pods: Annotated[list[Row], doc("Its Pods in words; many Pods alike share a row.")]
    all_pods_read: Annotated[bool, doc("False for a Job with very many Pods.")]
    rules: Annotated[list[Rule], doc("The rules of its failure policy.")]
    logs: Annotated[list[Log], doc("The ends of the logs of failed containers.")]
    events: Annotated[list[EventReport], doc("Events about the Job.")]
    unknown: Annotated[list[str], doc("What is not known, in sentences.")]
    advice: Annotated[list[Advice], doc("What to change.")]
    timeline: Annotated[Timeline | None, doc("Null without --timeline.")]
    comparison: Annotated[Comparison | None, doc("Null without --with.")]


class Run(Report):
    """A Job of a CronJob."""

    name: str
    scheduled: Annotated[
        Time, doc("The time for which it was created; if by hand, that of its creation.")
    ]
    by_hand: Annotated[bool, doc("True if a user created it from the CronJob.")]
    state: Annotated[Cause, among((Cause.FAILED, Cause.RUNNING, Cause.COMPLETE))]
    reason: Annotated[str | None, doc("The reason of its condition.")]
    ended: Annotated[Time | None, doc("When it got the condition Complete or Failed.")]


class CronJobReport(_Subject):
    """The report about a CronJob."""

    kind: Literal["CronJob"] = "CronJob"
    runs: Annotated[list[Run], doc("The Jobs that exist, newest first; at most 100.")]
    missed: Annotated[Time | None, doc("The last scheduled time that has passed without a Job.")]
    next_run: Annotated[Time | None, doc("The next scheduled time.")]
    events: Annotated[list[EventReport], doc("Events about the CronJob.")]
    job: Annotated[JobReport | None, doc("The Job that decides; null without one.")]


class ChildJob(Report):
    """A Job of a JobSet."""

    name: str
    replicated_job: Annotated[str | None, doc("The name of its ReplicatedJob.")]
    failed: Annotated[Time | None, doc("When it failed.")]
    complete: bool
    suspended: bool
    pods_not_ready: Annotated[Count, doc("The number of active Pods that are not ready.")]


class JobSetReport(_Subject):
    """The report about a JobSet."""

    kind: Literal["JobSet"] = "JobSet"
    outcome: Outcome
    reason: Annotated[str | None, doc("The reason of its condition; null while it is unfinished.")]
    restarts: Annotated[Count, doc("The number of its restarts, by its status.")]
    jobs: Annotated[list[ChildJob], doc("Its Jobs that exist; at most 100.")]
    job: Annotated[JobReport | None, doc("The Job that decides; null without one.")]


WhyReport = JobReport | CronJobReport | JobSetReport
VERSION = 1
"""The version of the structure; a new key keeps it."""
_NAMES = {
    JobReport: "job",
    CronJobReport: "cron_job",
    JobSetReport: "job_set",
    EventReport: "event",
}


def why_schema() -> Schema:
    """Return the schema of the report."""
    schema = report_schema("The JSON report of jobsworth why", WhyReport, _NAMES)
    version = {"const": VERSION, "description": "The version of the structure."}
    return schema | {"required": ["version"], "properties": {"version": version}}
