"""The record of a simulated run: what every Pod, Job and CronJob did, and when.

Times are milliseconds since the start of the scenario; None for what has not happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

from jobsworth.api.jobset.failure_policy import FailureDecision
from jobsworth.controller.explanation import BACKING_OFF
from jobsworth.controller.failure_policy import Match
from jobsworth.controller.jobs import Job
from jobsworth.controller.pods import Pod
from jobsworth.runs.cause import Cause
from jobsworth.runs.waiting import Waiting

Counted = Literal["", "succeeded", "failed", "ignored", "uncounted", "unknown"]
"""The count of a Pod by its Job: not yet, as success, as failure; a failure that its failure policy ignores;
or not at all, because the Job deleted it or its index had a result."""

Outcome = Literal["Complete", "Failed", "Unfinished"]


@dataclass(slots=True, eq=False)
class PodRecord:
    """The record of a Pod in a run.

    Attributes:
        index: completion index; None if the Job is not Indexed.
        attempt: of its index, or of the Job, from 1.
        scheduled: it got a place on a node.
        pending: the cause for which it stays Pending; None for a usual start.
        started: it began to run.
        restarts: the times at which its container was started again in place.
        deleted: its deletion was requested.
        cause: the disruption that ended it; empty without one.
        ended: it became Succeeded or Failed.
        exit_code: of the container that ended with another code than 0, or 0; None if no container ended.
        reason: termination reason of the container, or reason of the Pod.
        container: that container.
        counted: how the Job counted it; "unknown" of one that only Events name.
        match: the rule of the failure policy that matched; None if it did not fail.
        view: the Pod as the planner sees it; None if the run is a recorded one.
    """

    name: str
    index: int | None
    attempt: int
    created: int
    scheduled: int | None = None
    pending: Cause | None = None
    started: int | None = None
    restarts: list[int] = field(default_factory=list)
    deleted: int | None = None
    cause: str = ""
    ended: int | None = None
    phase: str = "Pending"
    exit_code: int | None = None
    reason: str = ""
    container: str = ""
    counted: Counted = ""
    match: Match | None = None
    view: Pod | None = None

    @property
    def failed(self) -> bool:
        """True if it is a failure that the Job has to handle, not a Pod that the Job itself removed."""
        return self.match is not None and self.counted != "uncounted"

    def used(self, now: int) -> int:
        """Return the milliseconds for which it has run."""
        if self.started is None:
            return 0
        return (now if self.ended is None else self.ended) - self.started


class Counters(NamedTuple):
    """The Pods of a Job by its status."""

    at: int
    active: int
    terminating: int
    succeeded: int
    failed: int


class ConditionChange(NamedTuple):
    """A condition that a Job got."""

    at: int
    type: str
    status: str
    reason: str
    message: str


class EmittedEvent(NamedTuple):
    """A Kubernetes event about a Job or CronJob."""

    at: int
    type: str
    reason: str
    message: str


class Occurrence(NamedTuple):
    """An intervention of the scenario that no Pod or condition shows.

    Attributes:
        until: its end; equal to `at` if it has none.
        kind: an edit, the absence of the controllers, rejected Pods or Jobs, another capacity, a time of a
            schedule that the clocks skip.
    """

    at: int
    until: int
    kind: Literal["edit", "away", "back", "rejections", "capacity", "skipped", "note"]
    words: str


class ControllerReason(NamedTuple):
    """The reason for the decisions of the controller, from a time on."""

    at: int
    because: str


@dataclass(slots=True, eq=False)
class JobRecord:
    """The record of a Job in a run.

    Attributes:
        run: of a CronJob the number of the Job, of a JobSet that of the attempt; 1 for a single Job.
        replicated_job: of a JobSet: the name of its ReplicatedJob; empty for other Jobs.
        scheduled: of a CronJob: when the Job was due; None if a user created it from the CronJob.
        late: of a CronJob: why the Job was not created when it was due; empty if it was.
        earliest: of a late Job that waited for a sync of the CronJob: when the resync of the controller's
            informer could have caused one at the earliest.
        size: its completions; None for a work queue.
        failed_indexes: when each index failed.
        finished: when it got its terminal condition.
        deleted: the CronJob controller deleted it, to replace it, or JobSet did, to restart or to end, or a
            user did.
        by_user: a user deleted it.
        removed: the object was deleted after it had finished: ttlSecondsAfterFinished, history limits.
        waiting: what it waits for at the end of the run; None if it has finished or was deleted.
        manifest, job: its last state; empty and None if the run is a recorded one.
    """

    name: str
    run: int
    created: int
    indexed: bool
    parallelism: int
    size: int | None
    replicated_job: str = ""
    scheduled: int | None = None
    late: str = ""
    earliest: int | None = None
    pods: list[PodRecord] = field(default_factory=list)
    counters: list[Counters] = field(default_factory=list)
    conditions: list[ConditionChange] = field(default_factory=list)
    events: list[EmittedEvent] = field(default_factory=list)
    explanations: list[ControllerReason] = field(default_factory=list)
    failed_indexes: list[tuple[int, int]] = field(default_factory=list)
    finished: int | None = None
    deleted: int | None = None
    by_user: bool = False
    removed: int | None = None
    waiting: Waiting | None = None
    manifest: dict[str, Any] = field(default_factory=dict)
    job: Job | None = None

    @property
    def terminal(self) -> ConditionChange | None:
        """The condition with which it finished; None if it has not."""
        return self.conditions[-1] if self.conditions and self.finished is not None else None

    @property
    def outcome(self) -> Outcome:
        """The result of the Job."""
        if self.terminal is None:
            return "Unfinished"
        return "Complete" if self.terminal.type == "Complete" else "Failed"

    @property
    def reason(self) -> str:
        """The reason of the terminal condition; without one, what the Job waits for."""
        if self.terminal is not None:
            return self.terminal.reason
        if self.by_user:
            return "a user deleted it"
        if self.deleted is not None and self.replicated_job:
            return "deleted by its JobSet"
        if self.deleted is not None:
            return "deleted to start the next Job (concurrencyPolicy: Replace)"
        if self.waiting is not None:
            return f"waiting for {self.waiting.waiting_for}"
        return self.explanations[-1].because if self.explanations else ""

    def waits(self, until: int) -> Iterator[tuple[int, int]]:
        """Yield the periods in which the controller created no Pod because of a backoff."""
        explained = [*self.explanations, ControllerReason(until, "")]
        for this, following in pairwise(explained):
            if this.because == BACKING_OFF:
                yield this.at, following.at


@dataclass(slots=True, eq=False)
class JobSetRecord:
    """The record of a JobSet in a run.

    Attributes:
        size: the Jobs of one attempt.
        max_restarts: restarts that count, at most; None without a failure policy.
        decisions: about failed Jobs: when, and what.
        finished: when it got its terminal condition.
        outcome: its result.
        reason: the reason of the terminal condition; empty without one.
    """

    size: int
    max_restarts: int | None
    decisions: list[tuple[int, FailureDecision]] = field(default_factory=list)
    finished: int | None = None
    outcome: Outcome = "Unfinished"
    reason: str = ""

    @property
    def restarts(self) -> list[tuple[int, FailureDecision]]:
        """The decisions to restart."""
        return [(at, decision) for at, decision in self.decisions if not decision.fails]

    @property
    def attempts(self) -> int:
        """The number of the current attempt, from 1."""
        return 1 + len(self.restarts)


@dataclass(slots=True, eq=False)
class MissedRun:
    """A run of a CronJob that was due and did not start.

    Attributes:
        at: when this became clear.
        scheduled: when it was due.
        why: the reason in words, with what kept it from starting at its time.
    """

    at: int
    scheduled: int
    reason: Cause
    why: str


@dataclass(slots=True, eq=False)
class RunRecord:
    """One run of a scenario.

    Attributes:
        start: of the scenario, in seconds since 1970.
        end: of the run: the last Job finished, or the time given was over.
        time_zone: of a CronJob at the start; empty if its spec has none.
        zone_changes: of a CronJob: when its time zone was edited, and to which.
        missed: of a CronJob: the runs that did not start.
        events: about the CronJob.
        occurrences: interventions of the scenario, in the order of time.
        job_set: of a JobSet; None for other objects.
        steps: the work that it took (:mod:`jobsworth.runs.simulation.run_limits`).
    """

    name: str
    kind: Literal["Job", "CronJob", "JobSet"]
    scenario: str
    seed: int
    start: int
    end: int = 0
    time_zone: str = ""
    zone_changes: list[tuple[int, str]] = field(default_factory=list)
    jobs: list[JobRecord] = field(default_factory=list)
    missed: list[MissedRun] = field(default_factory=list)
    events: list[EmittedEvent] = field(default_factory=list)
    occurrences: list[Occurrence] = field(default_factory=list)
    job_set: JobSetRecord | None = None
    steps: int = 0

    @property
    def most_objects(self) -> int:
        """The greatest number of Job objects that exist at a time."""
        changes = [(job.created, 1) for job in self.jobs]
        for job in self.jobs:
            gone = [time for time in (job.deleted, job.removed) if time is not None]
            changes += [(min(gone), -1)] if gone else []
        return max(accumulate(change for _, change in sorted(changes)), default=0)

    @property
    def job(self) -> JobRecord:
        """The only Job of a run of a Job."""
        return self.jobs[0]
