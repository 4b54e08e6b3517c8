"""The document JobScenario, from which its JSON Schema and its reader follow."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from jobsworth.documents.declared import (
    Document,
    Meta,
    Schema,
    doc,
    key,
    published_schema,
    schema_of,
)
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import DISRUPTIONS
from jobsworth.runs.simulation import scenario
from jobsworth.runs.simulation.scenario import API_VERSION, KIND

IDENTIFIER = "https://jobsworth.dev/schemas/jobscenario.json"

DURATION = r"^([0-9]+(\.[0-9]+)?(ms|s|m|h|d))+$|^0$"
DURATION_OR_NEVER = rf"{DURATION}|^never$"
START = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"
PATTERNS = {
    DURATION: "a duration, such as 90s, 1h30m or 7d",
    DURATION_OR_NEVER: "a duration, such as 90s, 1h30m or 7d, or never",
    START: "a date or a time, such as 2027-01-01, 2027-01-01T06:30Z or 2027-01-01T06:30+01:00",
    scenario.PATTERN: "a number or ranges, such as 3, 0-4,7 or 5-",
}
"""A phrase for each pattern of the schema, which completes "must be …"."""

PENDING_CAUSES = (Cause.IMAGE_PULL, Cause.UNSCHEDULABLE, Cause.MISSING_CONFIG, Cause.QUOTA)

T = TypeVar("T")
Text = Annotated[str, Meta(max_length=4096)]
Duration = Annotated[str, Meta(pattern=DURATION, max_length=40)]
Listed = Annotated[list[T], Meta(max_length=1000)]
Count = Annotated[int, Meta(ge=0, le=10**6)]
ExitCode = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Share = Annotated[float, Meta(ge=0, le=1)]
Ranges = Annotated[
    Annotated[str, Meta(pattern=scenario.PATTERN, max_length=4096)]
    | Annotated[int, Meta(ge=0, le=999999999)],
    Meta(),
]


def _time(text: str) -> Meta:
    return doc(f"{text} A duration such as 90s, 1h30m or 7d.")


class UniformSpread(Document):
    """Evenly distributed durations."""

    min: Annotated[Duration, _time("The shortest.")]
    max: Annotated[Duration, _time("The longest.")]


class ExponentialSpread(Document):
    """The time to the next of random events."""

    mean: Annotated[Duration, _time("The mean.")]


class NormalSpread(Document):
    """A bell curve."""

    mean: Annotated[Duration, _time("The mean.")]
    deviation: Annotated[Duration, _time("The standard deviation.")]


class LogNormalSpread(Document):
    """A median and a long tail."""

    median: Annotated[Duration, _time("The median.")]
    p95: Annotated[Duration, _time("The 95th percentile.")]


class WeibullSpread(Document):
    """Wear or early failures."""

    scale: Annotated[Duration, _time("The scale: 63 % are shorter.")]
    shape: Annotated[float, Meta("Wear above 1, early failures below 1.", ge=0.05, le=100)]


class Spread(Document):
    """A distribution of durations: one of the fields is set."""

    keywords: ClassVar[Schema] = {"minProperties": 1, "maxProperties": 1}
    uniform: Annotated[UniformSpread | None, doc("Evenly.")] = None
    exponential: Annotated[
        ExponentialSpread | None, doc("The time to the next of random events.")
    ] = None
    normal: Annotated[NormalSpread | None, doc("A bell curve.")] = None
    log_normal: Annotated[LogNormalSpread | None, doc("A median and a long tail.")] = None
    weibull: Annotated[
        WeibullSpread | None, doc("Wear (shape above 1) or early failures (below 1).")
    ] = None
    observed: Annotated[
        Annotated[list[Duration], Meta(min_length=1, max_length=100000)] | None,
        doc("Measured durations, each as likely."),
    ] = None


OneOrMore = Annotated[T | Listed[T], Meta()]
Durations = Annotated[str, Meta(pattern=DURATION_OR_NEVER)] | Spread


def _durations(text: str) -> Meta:
    return doc(f"{text} A duration, never, or a distribution.")


class Selected(Document):
    """The Pods that a part of a scenario concerns."""

    indexes: Annotated[Ranges | None, doc("Completion indexes: 3, 0-4,7 or 5-.")] = None
    attempts: Annotated[
        Ranges | None,
        doc(
            "Attempts: 1 is the first Pod of an index. Of a Job that is not Indexed, the number of the "
            "Pod in the order of creation."
        ),
    ] = None
    runs: Annotated[
        Ranges | None,
        doc(
            "The Jobs of a CronJob, or the attempts of a JobSet, counted from 1: attempt 2 follows the "
            "first restart."
        ),
    ] = None
    replicated_jobs: Annotated[
        OneOrMore[Text] | None,
        doc("The ReplicatedJobs of a JobSet, by name; by default all. One name or a list."),
    ] = None
    since: Annotated[Duration | None, _time("The start of their creation.")] = key("from", None)
    until: Annotated[Duration | None, _time("The end of their creation, exclusive.")] = None
    probability: Annotated[Share | None, doc("The share of these Pods; 1 by default.")] = None


class Life(Document):
    """The course of Pods."""

    startup: Annotated[
        Durations | None, _durations("From a free place on a node to Running; 5s by default.")
    ] = None
    cause: Annotated[
        Annotated[str, Meta(more={"enum": [each.value for each in PENDING_CAUSES]})] | None,
        doc(
            "The cause for which the Pods do not start: for good, or until startup is over if that is "
            "set. With Quota the API server rejects them, in the period of the case."
        ),
    ] = None
    duration: Annotated[
        Durations | None,
        _durations("From Running to the exit of the container; 10m by default."),
    ] = None
    termination: Annotated[
        Durations | None,
        _durations(
            "From SIGTERM to the exit of the container; at the end of the grace period it is killed "
            "with 137; 2s by default."
        ),
    ] = None
    termination_exit_code: Annotated[
        ExitCode | None, doc("The exit code after SIGTERM; 143 by default.")
    ] = None


class Case(Life, Selected):
    """Pods that go differently. What is not set is as for all others."""

    exit_code: Annotated[
        ExitCode, doc("The exit code of the container at the end of its duration.")
    ] = 0
    reason: Annotated[
        Text | None,
        doc("The termination reason; by default Completed, Error, or OOMKilled for 137."),
    ] = None
    container: Annotated[Text | None, doc("The container that exits; by default the first.")] = None


class Pods(Life):
    """The course of all Pods."""

    cases: Annotated[
        Listed[Case] | None,
        doc(
            "Pods that go differently. The first case that selects a Pod applies. The probabilities of "
            "cases add up: with 0.02 and 0.01, the second applies to 1 % of all Pods."
        ),
    ] = None


class DisruptionEvent(Selected):
    """A disruption: at times, or after a time that each Pod has run."""

    cause: Annotated[str, Meta("What happens to the Pods.", more={"enum": list(DISRUPTIONS)})]
    at: Annotated[OneOrMore[Duration] | None, doc("When; one time or a list.")] = None
    every: Annotated[Durations | None, _durations("Repeat it: the time from one to the next.")] = (
        None
    )
    pods: Annotated[
        Count | None, doc("How many of the selected Pods; by default all, or the share.")
    ] = None
    share: Annotated[Share | None, doc("The share of the selected running Pods, rounded up.")] = (
        None
    )
    after: Annotated[Durations | None, _durations("How long a Pod has run.")] = None
    grace_period: Annotated[
        Duration | None,
        _time("The longest time from SIGTERM to SIGKILL; by default that of the Pod or the cause."),
    ] = None
    node_gone_after: Annotated[
        Duration | None,
        _time(
            "Of NodeLost: from the loss until the node object is deleted, so that its Pods end; by "
            "default they stay Terminating."
        ),
    ] = None


class Capacity(Document):
    """A change of the capacity."""

    at: Annotated[Duration, _time("When.")]
    pods: Annotated[Count, doc("For how many Pods.")]


class Period(Document):
    """A period of time."""

    since: Annotated[Duration, _time("The start.")] = key("from")
    until: Annotated[Duration, _time("The end, exclusive.")]


class RejectionPeriod(Period):
    """A period in which the API server rejects new Pods, or the Jobs of a CronJob."""

    of: Annotated[
        Literal["Pods", "Jobs"],
        doc(
            "Pods, or the Jobs of a CronJob: its controller retries them after 5 ms, doubled up to 1000 s."
        ),
    ] = "Pods"

    message: Annotated[Text | None, doc("The message of the API server.")] = None


class Change(Document):
    """An edit of the Job or CronJob."""

    at: Annotated[Duration, _time("When.")]
    spec: Annotated[
        dict[str, Any],
        doc(
            "Fields of the spec with their new values: suspend, parallelism, schedule and others that "
            "the API server lets change."
        ),
    ]


class ScenarioSpec(Document):
    """What happens."""

    description: Annotated[Text, doc("What the scenario is about.")] = ""
    start: Annotated[
        Annotated[str, Meta(pattern=START)] | None,
        doc(
            "The date (UTC), or date and time, at which it starts; 2027-01-01 by default. A time without Z "
            "or offset is local: in the time zone of the CronJob, else in UTC."
        ),
    ] = None
    until: Annotated[
        Duration | None, _time("The time at which the simulation ends; 168h by default.")
    ] = None
    pods: Annotated[Pods | None, doc("How Pods go.")] = None
    disruptions: Annotated[Listed[DisruptionEvent] | None, doc("What disrupts running Pods.")] = (
        None
    )
    capacity: Annotated[
        Listed[Capacity] | None,
        doc(
            "The number of Pods for which the cluster has room. Further Pods stay Pending. A smaller "
            "number stops no Pod: add a disruption."
        ),
    ] = None
    rejections: Annotated[
        Listed[RejectionPeriod] | None,
        doc("Periods in which the API server rejects new Pods or Jobs."),
    ] = None
    changes: Annotated[Listed[Change] | None, doc("Edits of the Job or CronJob.")] = None
    controller_away: Annotated[
        Listed[Period] | None,
        doc("Periods in which the Job and CronJob controllers do not run."),
    ] = None
    run_now: Annotated[
        OneOrMore[Duration] | None,
        doc(
            "When a user creates a Job from the CronJob (kubectl create job --from); one time or a list."
        ),
    ] = None
    delete_job: Annotated[
        OneOrMore[Duration] | None,
        doc(
            "When a user deletes the Jobs that are not finished (kubectl delete job); one time or a list."
        ),
    ] = None


class ScenarioMetadata(Document):
    """The metadata of a scenario."""

    name: Annotated[Text, doc("The name, shown in reports.")]


class JobScenario(Document):
    """What happens to Pods, nodes and the controller while a Job or CronJob runs."""

    keywords: ClassVar[Schema] = {
        "description": "What happens to Pods, nodes and the controller while a Job or CronJob runs."
    }
    api_version: Annotated[Literal["jobsworth.dev/v1alpha1"], doc("The version of the format.")]
    kind: Annotated[Literal["JobScenario"], doc("The kind of the document.")]
    metadata: Annotated[ScenarioMetadata | None, doc("The metadata of the scenario.")] = None
    spec: Annotated[ScenarioSpec, doc("The scenario. All times count from its start.")]


@cache
def scenario_schema() -> Schema:
    """Return the JSON Schema of a JobScenario."""
    return published_schema(schema_of(JobScenario), IDENTIFIER, f"{KIND} ({API_VERSION})")
