"""A Job and its controller in virtual time: the planner decides, its actions change simulated Pods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from jobsworth.controller.actions import ActionResults
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.failure_policy import FailurePolicyMatcher
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.jobs import read_job
from jobsworth.controller.plan import Creation, Memory, Plan, plan
from jobsworth.controller.pod_body import generate_name
from jobsworth.controller.pods import (
    ACTIVE,
    POD_FAILED,
    POD_SUCCEEDED,
    TERMINATING,
    UNKNOWN_INDEX,
    Pod,
)
from jobsworth.controller.pods_by_state import PodsByState
from jobsworth.controller.settings import BUILT_IN, OURS, built_in
from jobsworth.controller.signals import Event, creation_failed
from jobsworth.controller.status import Status
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.pending_pods import PendingReason
from jobsworth.runs.run_record import (
    ConditionChange,
    ControllerReason,
    Counted,
    Counters,
    EmittedEvent,
    JobRecord,
    PodRecord,
)
from jobsworth.runs.simulation.run_limits import SYNC_STEPS, RunLimits, check_size
from jobsworth.runs.simulation.scenario import ONLY_JOB, JobIdentity, Scenario
from jobsworth.runs.simulation.simulated_nodes import Nodes, PodTemplate, SimulatedPod
from jobsworth.runs.virtual_time import NEVER, SECOND, EventQueue
from jobsworth.runs.waiting import Observations, waiting_of

_BATCH = round(BUILT_IN.batch_delay * SECOND)
_PENDING_REASONS = {
    Cause.IMAGE_PULL: "ImagePullBackOff",
    Cause.MISSING_CONFIG: "CreateContainerConfigError",
    Cause.UNSCHEDULABLE: "Unschedulable",
}
"""The reason that the kubelet or the scheduler gives."""


class SimulatedJob:
    """A Job, its Pods, and the part of its controller that a real one keeps in memory.

    Args:
        manifest: the Job with the API server's defaults. Kubernetes' own controller runs it, unless its
            managedBy names ours.
        identity: of the Job in the run.
        on_update: called when the status of the Job has changed.
        on_finish: called when it has finished.
        on_gone: called when it was deleted and its last Pod has terminated.

    Attributes:
        ttl: ttlSecondsAfterFinished.
        pods: the Pods that the planner still needs, by UID: all but those that are counted and ended.
    """

    def __init__(
        self,
        manifest: dict[str, Any],
        scenario: Scenario,
        queue: EventQueue,
        nodes: Nodes,
        limits: RunLimits,
        *,
        identity: JobIdentity = ONLY_JOB,
        on_update: Callable[[], None] = lambda: None,
        on_finish: Callable[[SimulatedJob], None] = lambda job: None,
        on_gone: Callable[[], None] = lambda: None,
    ) -> None:
        self._manifest = manifest
        self._scenario = scenario
        self._queue = queue
        self._nodes = nodes
        self._limits = limits
        self.identity = identity
        self._on_update = on_update
        self._on_finish = on_finish
        self._on_gone = on_gone
        managed_by = manifest["spec"].get("managedBy")
        self._settings = OURS if OURS.manages(managed_by) else built_in(scenario.server)
        self.job = replace(read_job(manifest, self._settings), uid=f"job-{identity.stream}")
        check_size(self.job)
        self.pods: dict[str, SimulatedPod] = {}
        self._views = PodsByState()
        self._touched: dict[str, SimulatedPod] = {}
        self.finished = False
        self.ttl: int | None = manifest["spec"].get("ttlSecondsAfterFinished")
        self._template = PodTemplate(self.job.template)
        self._matcher = FailurePolicyMatcher(self.job.failure_policy)
        self._backoff: BackoffRecord | None = None
        self._attempts: dict[int, int] = {}
        self._due = NEVER
        self._echo = 0
        self._retries = 0
        self._rejected: tuple[str, float] | None = None
        job = self.job
        self.record = JobRecord(
            job.name,
            identity.run,
            queue.now,
            job.indexed,
            job.parallelism,
            job.completions,
            manifest=manifest,
            job=job,
        )
        for _, end in scenario.away:
            if end > queue.now:
                queue.at(end, self._controller_back)
        self._wake(0)

    # The queue of the controller.

    def _controller_back(self) -> None:
        """Sync as a controller does that has just started, with the memory that survives."""
        if not self._settings.backoff_survives_restart:
            self._backoff = BackoffRecord()
        self._retries = 0
        self._wake(0)

    def _wake(self, delay: int) -> None:
        """Sync after a delay, or earlier if a sync is due earlier, but not while the controller is away."""
        due = self._queue.now + delay
        for begin, end in self._scenario.away:
            if begin <= due < end:
                due = end
        if due < self._due and not self.finished:
            self._due = due
            self._queue.at(due, self._sync, due)

    def _pod_changed(self, pod: SimulatedPod) -> None:
        """Take notice of a Pod that has ended, terminates or was restarted."""
        view = pod.view
        if view.state in (POD_FAILED, TERMINATING) and pod.record.match is None:
            self._match(pod)
        if not view.tracking and view.state in (POD_FAILED, POD_SUCCEEDED):
            # Released before it ended: it is gone now, and does not count.
            self._forget(pod)
            if pod.record.counted == "":
                pod.record.counted = "uncounted"
            if self.is_gone:
                self._on_gone()
        # The controller's own writes are events, too: they may have woken it for an earlier time.
        now = self._queue.now
        self._wake(min(_BATCH, self._echo - now) if self._echo > now else _BATCH)

    def _match(self, pod: SimulatedPod) -> None:
        if pod.view.state == POD_FAILED or not self.job.only_replace_failed:
            pod.record.match = self._matcher.match(pod.view)

    def edit(self, spec: dict[str, Any]) -> None:
        """Change fields of the spec; None removes one."""
        if self.finished:
            return
        changed = {**self._manifest["spec"], **spec}
        self._manifest = {
            **self._manifest,
            "spec": {key: value for key, value in changed.items() if value is not None},
        }
        self.job = replace(
            read_job(self._manifest, self._settings), uid=self.job.uid, status=self.job.status
        )
        check_size(self.job)
        record, job = self.record, self.job
        record.manifest, record.job = self._manifest, job
        record.parallelism, record.size = job.parallelism, job.completions
        self._wake(0)

    @property
    def is_gone(self) -> bool:
        """True if it was deleted, and its Pods have terminated."""
        return self.record.deleted is not None and not self.pods

    def delete(self) -> None:
        """Delete the Job with its Pods, as the CronJob controller replaces it, and JobSet restarts it."""
        self.finished = True
        self.record.deleted = self._queue.now
        for pod in list(self.pods.values()):
            pod.view = replace(pod.view, tracking=())
            if pod.record.ended is None:
                self._nodes.delete(pod)
            else:
                self._forget(pod)
                pod.record.counted = pod.record.counted or "uncounted"

    def delete_by_user(self) -> None:
        """Delete the Job as a user does, unless it is finished."""
        if not self.finished:
            self.record.by_user = True
            self.delete()

    def close(self) -> None:
        """Record at the end of the run what an unfinished Job waits for."""
        if self.finished:
            return
        settings, start, now = self._settings, self._scenario.start, self._queue.now
        job = self.job
        if not settings.manages(
            job.managed_by
        ):  # a third controller: the built-in one stands for it
            job = replace(job, managed_by=None)
        away = [begin for begin, end in self._scenario.away if begin <= now < end]
        pods = self.pods.values()
        message, since = self._rejected or ("", None)
        self.record.waiting = waiting_of(
            job,
            [pod.view for pod in pods],
            start + now / SECOND,
            settings=settings,
            memory=Memory(backoff=self._backoff),
            seen=Observations(
                pending={
                    pod.view.name: PendingReason(cause, _PENDING_REASONS[cause], "")
                    for pod in pods
                    if (cause := pod.pending_cause) is not None
                },
                rejected=message,
                rejected_since=since,
                away_since=start + away[0] / SECOND if away else None,
            ),
        )

    # A sync.

    def _sync(self, due: int) -> None:
        if due != self._due or self.finished:
            return
        self._due = NEVER
        self._limits.spend(SYNC_STEPS + self._look())
        now = self._scenario.start + self._queue.now / SECOND
        planned = plan(self.job, self._views, Memory(backoff=self._backoff), now, self._settings)
        self._explain(planned.because)
        if planned.interim is not None:
            self._store(planned.interim)
        results = self._act(planned)
        record = planned.after(results)
        if record.status is not None:
            self._store(record.status)
        self._backoff = record.backoff
        self._emit(record.events)
        self._untrack(record.finalizer_removals)
        conclusion = record.after(frozenset([pod.uid for pod in record.finalizer_removals]))
        if conclusion.finished:
            self.finished = True
            self.record.finished = self._queue.now
        if conclusion.status is not None:
            self._store(conclusion.status)
        self._emit(conclusion.events)
        if planned.interim or record.status or record.finalizer_removals or conclusion.status:
            self._echo = self._queue.now + _BATCH
        self._schedule(planned, results, conclusion.requeue_after)
        if self.finished:
            self._on_finish(self)

    def _look(self) -> int:
        """Take what has changed into the Pods that the planner sees; return the number it looks at."""
        touched = len(self._touched)
        for uid, pod in self._touched.items():
            if uid in self.pods:
                self._views.put(pod.view)
            else:
                self._views.remove(uid)
        self._touched.clear()
        return len(self.pods) if self.job.restarts_on_failure else touched

    def _forget(self, pod: SimulatedPod) -> None:
        self.pods.pop(pod.view.uid, None)
        self._touched[pod.view.uid] = pod

    def _schedule(self, planned: Plan, results: ActionResults, requeue: float | None) -> None:
        """Plan the next sync: when the planner asks for one, and after actions that a sync has to see."""
        if results.rejected:
            settings = self._settings
            delay = min(settings.retry_base * 2**self._retries, settings.retry_cap)
            self._retries = min(self._retries + 1, 10)
            self._wake(round(delay * SECOND))
        else:
            self._retries = 0
            if planned.deletions or planned.creations:
                self._wake(_BATCH)
        if requeue is not None:
            # What is waited for lies at a whole second, which virtual time hits exactly.
            self._wake(max(1, round(requeue * SECOND)))

    def _act(self, planned: Plan) -> ActionResults:
        if planned.deletions:
            deleted = []
            for deletion in planned.deletions:
                pod = self.pods[deletion.pod.uid]
                if deletion.untrack_first:
                    pod.view = replace(pod.view, tracking=())
                self._nodes.delete(pod)
                deleted.append(deletion.pod.uid)
            return ActionResults(deleted=frozenset(deleted))
        return self._create(planned.creations) if planned.creations else ActionResults()

    def _create(self, creations: tuple[Creation, ...]) -> ActionResults:
        now = self._queue.now
        for rejections in self._scenario.rejections:
            if rejections.of == "Pods" and rejections.since <= now < rejections.until:
                self._emit([creation_failed(rejections.message)])
                if self._rejected is None:
                    self._rejected = rejections.message, self._scenario.start + now / SECOND
                return ActionResults(rejected=1)
        self._rejected = None
        second = self._nodes.seconds()
        self._limits.create_pods(len(creations))
        for creation in creations:
            self._create_pod(creation, second)
        return ActionResults(created=len(creations))

    def _create_pod(self, creation: Creation, second: int) -> None:
        job, index = self.job, creation.index
        key = UNKNOWN_INDEX if index is None else index
        attempt = self._attempts[key] = self._attempts.get(key, 0) + 1
        name = f"{generate_name(job.name, index)}{attempt}"
        view = Pod(
            job.namespace,
            name,
            name,
            tracking=(job.finalizer,),
            created=second,
            finished_at=second,
            index=key,
            failure_count=creation.failure_count or 0,
            ignored_count=creation.ignored_count,
        )
        record = PodRecord(name, index, attempt, self._queue.now)
        pod = SimulatedPod(
            view, record, self._template, self.identity, self._pod_changed, touched=self._touched
        )
        self.record.pods.append(record)
        self.pods[name] = pod
        self._nodes.add(pod)

    def _untrack(self, pods: Iterable[Pod]) -> None:
        """Remove the finalizer of counted Pods, and note how the Job counted them."""
        status = self.job.status
        failed = frozenset(status.uncounted_failed)
        for view in pods:
            pod = self.pods[view.uid]
            pod.record.counted = self._counted(pod, failed)
            if pod.view.state in (ACTIVE, TERMINATING):
                pod.view = replace(pod.view, tracking=())
            else:
                self._forget(pod)

    def _counted(self, pod: SimulatedPod, failed: frozenset[str]) -> Counted:
        view = pod.view
        if view.uid in failed:
            return "failed"
        if view.state == POD_SUCCEEDED:
            return "succeeded"
        match = pod.record.match
        return "ignored" if match is not None and not match.counts else "uncounted"

    # The record.

    def _explain(self, because: str) -> None:
        explanations = self.record.explanations
        if not explanations or explanations[-1].because != because:
            explanations.append(ControllerReason(self._queue.now, because))

    def _emit(self, events: Iterable[Event]) -> None:
        now = self._queue.now
        self.record.events += [
            EmittedEvent(now, event.type, event.reason, event.message) for event in events
        ]

    def _store(self, status: Status) -> None:
        before, now, record = self.job.status, self._queue.now, self.record
        self.job = record.job = replace(self.job, status=status)
        if status != before:
            self._on_update()
        if status.conditions is not before.conditions:
            known = {(each.type, each.status): each for each in before.conditions}
            record.conditions += [
                ConditionChange(now, each.type, each.status, each.reason, each.message)
                for each in status.conditions
                if known.get((each.type, each.status)) != each
            ]
        if status.failed_indexes != before.failed_indexes:
            old = IndexSet.read(before.failed_indexes, self.job.size)
            new = IndexSet.read(status.failed_indexes, self.job.size)
            record.failed_indexes += [
                (now, index)
                for first, last in new.intervals
                for index in range(first, last + 1)
                if index not in old
            ]
        counters = Counters(
            now, status.active, status.terminating or 0, status.succeeded, status.failed
        )
        if record.counters and record.counters[-1].at == now:
            record.counters[-1] = counters
        elif not record.counters or record.counters[-1][1:] != counters[1:]:
            record.counters.append(counters)
