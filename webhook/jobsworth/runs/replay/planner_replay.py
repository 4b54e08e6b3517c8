"""Give the recorded facts to the Job controller's planner in the order of time, and note what it decides.

The planner sees the Job at each second in which a Pod changed, with the Pods as they were then. It creates
and deletes nothing: the Pods are those of the recording. Under another failure policy than the recorded one,
the Pods of an index that this policy has failed are left out, because they would not exist.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Literal, NamedTuple

from jobsworth.controller import well_known_names
from jobsworth.controller.actions import ActionResults
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.explanation import BACKING_OFF
from jobsworth.controller.failure_policy import FailurePolicyMatcher, Match
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import Job
from jobsworth.controller.plan import Memory, Plan, plan
from jobsworth.controller.pods import ACTIVE, POD_FAILED, TERMINATING, Pod
from jobsworth.controller.scaling import successor
from jobsworth.controller.settings import settings_of
from jobsworth.controller.status import Status
from jobsworth.runs.recorded.recording import RecordedFact, RecordedPod, Recording

Effect = Literal["FailJob", "FailIndex", "Count", "Ignore"]


class ReplayedEnd(NamedTuple):
    """The end of a Job, as the planner decides it from the recorded facts."""

    at: int
    success: bool
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class ReplayedFailure:
    """A failed Pod, and the decision of the planner about it.

    Attributes:
        at: when the Job controller took it as failed.
        view: the Pod as the planner saw it.
        number: the failures of the Job that count so far, with this one.
        index_number: the failures of its index that count so far, with this one.
    """

    pod: RecordedPod
    at: int
    view: Pod
    match: Match
    effect: Effect
    number: int
    index_number: int


@dataclass(frozen=True, slots=True)
class StatusCounters:
    """The Pods of the Job by its status at a time, and why the controller does what it does."""

    at: int
    active: int
    terminating: int
    succeeded: int
    failed: int
    because: str


@dataclass(slots=True)
class Replay:
    """The recorded facts under one failure policy.

    Attributes:
        failed_indexes: when each index failed for good.
        end: None if the facts do not end the Job.
        absent: UIDs of the Pods that would not exist under this policy.
        next_pod: when the controller would create a Pod that the recording does not have; None if it
            waits for none.
    """

    job: Job
    failures: list[ReplayedFailure] = field(default_factory=list)
    failed_indexes: dict[int, int] = field(default_factory=dict)
    counters: list[StatusCounters] = field(default_factory=list)
    end: ReplayedEnd | None = None
    absent: set[str] = field(default_factory=set)
    next_pod: int | None = None
    _by_pod: dict[str, ReplayedFailure] = field(default_factory=dict)

    def failure(self, pod: RecordedPod) -> ReplayedFailure | None:
        """Return the failure of a Pod; None if it has not failed under this policy."""
        return self._by_pod.get(pod.view.uid)

    def take(self, failure: ReplayedFailure) -> None:
        """Add a failure."""
        self.failures.append(failure)
        self._by_pod[failure.view.uid] = failure


def replay(recording: Recording, job: Job | None = None) -> Replay:
    """Replay a recording.

    Args:
        job: the Job with another failure policy; None for its own.
    """
    run = _Run(recording, recording.job if job is None else job, own=job is None)
    facts = recording.facts()
    for at, changes in groupby(facts, key=lambda fact: fact.at):
        run.step(at, changes)
        if run.replay.end is not None:
            return run.replay
    # Deadlines, and Pods that failed just before, are decided at the end.
    run.sync(recording.until if recording.end is None else recording.end.decided)
    return run.replay


class _Run:
    def __init__(self, recording: Recording, job: Job, *, own: bool) -> None:
        start = recording.job.status.start_time
        self._own = own
        self._job = replace(
            job,
            suspended=False,
            deleting=False,
            status=Status(start_time=recording.created if start is None else start),
        )
        self._pods = {pod.view.uid: pod for pod in recording.pods}
        self._views: dict[str, Pod] = {}
        self._failed: set[str] = set()
        self._last_failed: dict[int, Pod] = {}
        self._touched: list[str] = []  # UIDs of the Pods that changed since the last sync
        self._counted = 0
        self._backoff: BackoffRecord | None = None
        self._settings = settings_of(job.managed_by)
        self._matcher = FailurePolicyMatcher(job.failure_policy)
        self.replay = Replay(self._job)

    def step(self, at: int, changes: Iterable[RecordedFact]) -> None:
        """Apply the facts of a second, and sync if they can change a decision, or what it waits for."""
        decisive = False
        for fact in changes:
            self._apply(fact)
            decisive = decisive or fact.kind != "started"
        if decisive:
            self.sync(at)

    def sync(self, at: int) -> None:
        """Ask the planner what to do now."""
        failed = self._newly_failed(at)
        views = list(self._views.values())
        planned = plan(self._job, views, Memory(backoff=self._backoff), at, self._settings)
        self._record(at, planned, failed)

    def _apply(self, fact: RecordedFact) -> None:
        pod, now = fact.pod, fact.at
        uid = pod.view.uid
        if fact.kind == "created":
            if not self._own and pod.view.index in self.replay.failed_indexes:
                self.replay.absent.add(uid)
                return
            self._views[uid] = self._new(pod)
            return
        view = self._views.get(uid)
        if view is None:
            return
        self._touched.append(uid)
        if fact.kind == "started":
            view = replace(view, phase=well_known_names.RUNNING, ready=True, ready_since=now)
        elif fact.kind == "restarted":
            last = pod.view
            view = replace(view, restarts=last.restarts, container_restarts=last.container_restarts)
        elif fact.kind == "deleted":
            view = replace(
                view,
                state=TERMINATING,
                gone_by=pod.view.gone_by or now,
                finished_at=now,
                ready=False,
                conditions=pod.view.conditions,
                tracking=() if pod.scaled_down else view.tracking,
            )
        else:
            view = replace(
                pod.view,
                tracking=view.tracking,
                failure_count=view.failure_count,
                ignored_count=view.ignored_count,
            )
        self._views[uid] = view

    def _new(self, pod: RecordedPod) -> Pod:
        """Return a Pod as it was when it was created, with the failure counts of its index."""
        view = replace(
            pod.view,
            tracking=(self._job.finalizer,),
            phase=well_known_names.PENDING,
            state=ACTIVE,
            gone_by=0,
            finished_at=0,
            ready=False,
            restarts=0,
            container_restarts=0,
            sidecar_restarts=0,
            terminations=(),
            conditions=(),
        )
        if self._own:
            return view
        created = successor(view.index, self._last_failed.get(view.index), self._matcher)
        return replace(
            view, failure_count=created.failure_count or 0, ignored_count=created.ignored_count
        )

    def _newly_failed(self, at: int) -> list[Pod]:
        touched, self._touched = self._touched, []
        views = [self._views[uid] for uid in dict.fromkeys(touched) if uid in self._views]
        failed = [
            view
            for view in views
            if view.uid not in self._failed and view.tracking and self._has_failed(view)
        ]
        self._failed.update(view.uid for view in failed)
        return sorted(failed, key=lambda view: (view.finished_at, view.name))

    def _has_failed(self, view: Pod) -> bool:
        if view.state == TERMINATING:
            return not self._job.only_replace_failed
        return view.state == POD_FAILED

    def _record(self, at: int, planned: Plan, failed: list[Pod]) -> None:
        job = self._job
        deleted = frozenset(deletion.pod.uid for deletion in planned.deletions)
        ends = planned.interim is not None
        record = planned.after(ActionResults(deleted=deleted if ends else frozenset()))
        untracked = frozenset(pod.uid for pod in record.finalizer_removals)
        conclusion = record.after(untracked)
        status = conclusion.status or record.status or planned.interim or job.status
        self._backoff = record.backoff
        for uid in untracked:
            view = self._views[uid]
            if view.state in (ACTIVE, TERMINATING):
                self._views[uid] = replace(view, tracking=())
            else:
                del self._views[uid]
        self._job = replace(job, status=status)
        self._note_indexes(at, status)
        for view in failed:
            self.replay.take(self._failure(at, view))
            self._last_failed[view.index] = view
        self._note_end(at, status)
        self.replay.next_pod = None
        if self.replay.end is None and planned.creations:
            self.replay.next_pod = at
        elif planned.because == BACKING_OFF and conclusion.requeue_after is not None:
            self.replay.next_pod = at + round(conclusion.requeue_after)
        self.replay.counters.append(
            StatusCounters(
                at, status.active, status.terminating or 0, status.succeeded, status.failed,
                planned.because,
            )
        )  # fmt: skip

    def _failure(self, at: int, view: Pod) -> ReplayedFailure:
        match = self._matcher.match(view)
        self._counted += match.counts
        effect: Effect = "Count" if match.counts else "Ignore"
        if match.action == well_known_names.FAIL_JOB:
            effect = "FailJob"
        elif self.replay.failed_indexes.get(view.index) == at:
            effect = "FailIndex"
        return ReplayedFailure(
            self._pods[view.uid],
            at,
            view,
            match,
            effect,
            self._counted,
            view.failure_count + match.counts,
        )

    def _note_indexes(self, at: int, status: Status) -> None:
        for first, last in IndexSet.read(status.failed_indexes, self._job.size).intervals:
            for index in range(first, last + 1):
                self.replay.failed_indexes.setdefault(index, at)

    def _note_end(self, at: int, status: Status) -> None:
        for success, kinds in (
            (False, (well_known_names.FAILURE_TARGET, well_known_names.JOB_FAILED)),
            (True, (well_known_names.SUCCESS_CRITERIA_MET, well_known_names.COMPLETE)),
        ):
            for kind in kinds:
                condition = status.condition(kind)
                if condition is not None and condition.holds and self.replay.end is None:
                    self.replay.end = ReplayedEnd(at, success, condition.reason, condition.message)
