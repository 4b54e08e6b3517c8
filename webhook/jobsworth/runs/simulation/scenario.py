"""A scenario: what happens to Pods, nodes and the controller while a Job runs. Times in milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from jobsworth.api.api_server import ApiServer
from jobsworth.runs.cause import Cause
from jobsworth.runs.failure_causes import SIGTERM_CODE, DisruptionCause
from jobsworth.runs.simulation.distributions import Distribution, Fixed
from jobsworth.runs.virtual_time import DAY, MINUTE, NEVER, SECOND

PATTERN = r"^[0-9]{1,9}(-([0-9]{1,9})?)?(,[0-9]{1,9}(-([0-9]{1,9})?)?)*$"
_ENDLESS = 10**9


@dataclass(frozen=True, slots=True)
class NumberRanges:
    """Ranges of numbers, both ends inclusive.

    >>> ranges = read_ranges("0-2,5,7-")
    >>> [number for number in range(10) if number in ranges]
    [0, 1, 2, 5, 7, 8, 9]
    """

    ranges: tuple[tuple[int, int], ...]

    def __contains__(self, number: int) -> bool:
        return any(first <= number <= last for first, last in self.ranges)


def read_ranges(value: str | int) -> NumberRanges:
    """Read a number, or a text that matches :data:`PATTERN`."""
    found = []
    for piece in str(value).split(","):
        first, dash, last = piece.partition("-")
        end = _ENDLESS if dash and not last else int(last or first)
        found.append((int(first), end))
    return NumberRanges(tuple(found))


API_VERSION, KIND = "jobsworth.dev/v1alpha1", "JobScenario"

MAX_ATTEMPT_BITS = 20
"""Attempts of a JobSet, or Jobs of a CronJob, that have draws of their own, as a power of two."""

DEFAULT_START = 1_798_761_600  # 2027-01-01T00:00:00Z
DEFAULT_UNTIL = 7 * DAY
DEFAULT_STARTUP = Fixed(5 * SECOND)
DEFAULT_DURATION = Fixed(10 * MINUTE)
DEFAULT_TERMINATION = Fixed(2 * SECOND)


@dataclass(frozen=True, slots=True)
class JobIdentity:
    """The identity of a Job in a run.

    Attributes:
        run: of a CronJob, the number of the Job; of a JobSet, that of the attempt to which the Job belongs.
            Both from 1.
        replicated_job: of a JobSet, the name of its ReplicatedJob; empty for other Jobs.
        position: of a JobSet, the number of the Job among all Jobs of an attempt, from 0.
    """

    run: int = 1
    replicated_job: str = ""
    position: int = 0

    @property
    def stream(self) -> int:
        """The number of its random draws: of its own for each Job."""
        return (self.position << MAX_ATTEMPT_BITS) + self.run


ONLY_JOB = JobIdentity()
"""The identity of a Job that a user creates."""


@dataclass(frozen=True, slots=True)
class PodIdentity:
    """The identity of a Pod in a run.

    Attributes:
        job: its Job.
        index: completion index; -1 without one.
        attempt: of its index, or of the Job, from 1.
        created: milliseconds since the start.
    """

    job: JobIdentity
    index: int
    attempt: int
    created: int


@dataclass(frozen=True, slots=True)
class PodSelector:
    """The Pods that a part of a scenario concerns.

    Attributes:
        indexes: completion indexes; None for any.
        attempts: the first Pod of an index is attempt 1. Of a Job that is not Indexed, the number of
            the Pod, in the order of creation.
        runs: of a CronJob, the number of the Job, in the order of creation; of a JobSet, the number of the
            attempt: 1 before the first restart.
        replicated_jobs: of a JobSet, the names of ReplicatedJobs; empty for any.
        since, until: when the Pod was created.
        probability: the share of these Pods that is concerned.
    """

    indexes: NumberRanges | None = None
    attempts: NumberRanges | None = None
    runs: NumberRanges | None = None
    replicated_jobs: tuple[str, ...] = ()
    since: int = 0
    until: int = NEVER
    probability: float = 1.0

    def selects(self, pod: PodIdentity) -> bool:
        """Return True for a Pod that is meant, leaving the probability aside."""
        return self.since <= pod.created < self.until and self.names(pod)

    def names(self, pod: PodIdentity) -> bool:
        """Return True for a Pod that is meant, whenever it was created."""
        return (
            (self.indexes is None or pod.index in self.indexes)
            and (self.attempts is None or pod.attempt in self.attempts)
            and (self.runs is None or pod.job.run in self.runs)
            and (not self.replicated_jobs or pod.job.replicated_job in self.replicated_jobs)
        )


@dataclass(frozen=True, slots=True)
class PodCase:
    """The course of some Pods; None where they are like all others.

    Attributes:
        selector: the Pods.
        startup: from a free place on a node to running.
        pending: the cause for which they stay Pending meanwhile; empty for a usual start.
        duration: from running to its exit.
        exit_code: of its container.
        reason: termination reason; empty for the usual one of the exit code.
        container: the container that exits with it; empty for the first.
        termination: from SIGTERM to its exit.
        termination_exit_code: its exit code after SIGTERM.
    """

    selector: PodSelector = field(default_factory=PodSelector)
    startup: Distribution | None = None
    pending: Cause | None = None
    duration: Distribution | None = None
    exit_code: int = 0
    reason: str = ""
    container: str = ""
    termination: Distribution | None = None
    termination_exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class Disruption:
    """A disruption of running Pods.

    Attributes:
        cause: what happens to them.
        name: the name of the cause.
        selector: the Pods that may be concerned.
        times: when; empty if it depends on the Pod.
        every: repeats it after each such time; the distribution of the gap; None if it does not repeat.
        pods: how many of the selected Pods at these times; None for all, or `share` of them.
        after: when it depends on the Pod: from its start.
        grace: milliseconds that the Pod has to terminate at most; None for its grace period.
        node_gone: of a lost node: from the loss until the node is removed from the cluster.
    """

    cause: DisruptionCause
    name: str
    selector: PodSelector = field(default_factory=PodSelector)
    times: tuple[int, ...] = ()
    every: Distribution | None = None
    pods: int | None = None
    share: float | None = None
    after: Distribution | None = None
    grace: int | None = None
    node_gone: int = NEVER


@dataclass(frozen=True, slots=True)
class CapacityChange:
    """From a time on, the cluster has capacity for so many Pods; running Pods are not stopped."""

    at: int
    pods: int


@dataclass(frozen=True, slots=True)
class Rejections:
    """A period in which the API server rejects new Pods, or the Jobs of a CronJob, with a message."""

    since: int
    until: int
    message: str
    of: Literal["Pods", "Jobs"] = "Pods"


@dataclass(frozen=True, slots=True)
class SpecChange:
    """An edit of the spec of the Job or CronJob: the fields to set; None removes one."""

    at: int
    spec: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scenario:
    """The conditions under which a Job runs: its Pods, disruptions, capacity, edits.

    Attributes:
        start: when it begins, in seconds since 1970.
        until: when the simulation ends at the latest.
        startup, pending, duration, termination, termination_exit_code: of Pods, as in a case.
        cases: the course of some Pods; the first that selects a Pod applies.
        away: periods in which the Job and CronJob controllers do not run.
        manual_runs: when a user creates a Job from the CronJob.
        deletions: when a user deletes the Jobs that are not finished.
        server: the API server, whose release decides how Kubernetes' own controllers act.
        local: `start` is a time of the clocks in the time zone of the CronJob, read as UTC.
    """

    name: str = "default"
    description: str = ""
    start: int = DEFAULT_START
    until: int = DEFAULT_UNTIL
    startup: Distribution = DEFAULT_STARTUP
    pending: Cause | None = None
    duration: Distribution = DEFAULT_DURATION
    termination: Distribution = DEFAULT_TERMINATION
    termination_exit_code: int = SIGTERM_CODE
    cases: tuple[PodCase, ...] = ()
    disruptions: tuple[Disruption, ...] = ()
    capacity: tuple[CapacityChange, ...] = ()
    rejections: tuple[Rejections, ...] = ()
    changes: tuple[SpecChange, ...] = ()
    away: tuple[tuple[int, int], ...] = ()
    manual_runs: tuple[int, ...] = ()
    deletions: tuple[int, ...] = ()
    server: ApiServer = field(default_factory=ApiServer)
    local: bool = False
