"""A JobSet and its controller in virtual time.

Source: ``reconcile`` in ``pkg/controllers/jobset_controller.go``, and ``depends_on.go``,
``startup_policy.go`` and ``success_policy.go`` beside it, JobSet 0.8 to 0.12. Its feature gates are
off, as by default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.api.jobset.failure_policy import FailedChildJob, decide, read_failure_policy
from jobsworth.api.jobset.names import REPLICATED_JOB, job_name
from jobsworth.runs.run_record import JobSetRecord, RunRecord
from jobsworth.runs.simulation.run_limits import RunLimits
from jobsworth.runs.simulation.scenario import JobIdentity, Scenario
from jobsworth.runs.simulation.simulated_job import SimulatedJob
from jobsworth.runs.simulation.simulated_nodes import Nodes
from jobsworth.runs.virtual_time import NEVER, SECOND, EventQueue

"""The label of a Job with the name of its ReplicatedJob."""
COMPLETED = "AllJobsCompleted"
"""The reason of a JobSet's Completed condition."""
READY_DELAY = SECOND
"""From the start of a Pod until the Job controller has counted it as ready."""


@dataclass(frozen=True, slots=True)
class ReplicatedJob:
    """A ReplicatedJob.

    Attributes:
        job: a Job of it, with the API server's defaults.
        depends_on: names of ReplicatedJobs with the status that they must have reached: Ready or Complete.
        first: the number of its first Job among all Jobs of the JobSet, from 0.
    """

    name: str
    replicas: int
    job: dict[str, Any]
    depends_on: tuple[tuple[str, str], ...]
    first: int


@dataclass(frozen=True, slots=True)
class Progress:
    """The Jobs of one ReplicatedJob by status.

    Attributes:
        started: they are ready, or have finished.
        succeeded: they are complete.
    """

    started: int
    succeeded: int


class SimulatedJobSet:
    """A JobSet, created at the start of the scenario.

    Args:
        manifest: the JobSet with the defaults of its CRD and webhook.
        children: for each ReplicatedJob one of its Jobs, with the API server's defaults.

    Attributes:
        jobs: its Jobs that exist, in the order of creation.
        finished: it has finished, and the Jobs that it deleted then are gone.
    """

    def __init__(
        self,
        manifest: dict[str, Any],
        scenario: Scenario,
        queue: EventQueue,
        nodes: Nodes,
        record: RunRecord,
        *,
        children: Sequence[dict[str, Any]],
        limits: RunLimits,
    ) -> None:
        spec = manifest["spec"]
        self._name: str = manifest["metadata"]["name"]
        self._scenario = scenario
        self._queue = queue
        self._nodes = nodes
        self._limits = limits
        self._run = record
        self._groups = read_replicated_jobs(spec, children)
        self._policy = read_failure_policy(spec)
        success = spec.get("successPolicy") or {}
        self._targets: tuple[str, ...] = tuple(success.get("targetReplicatedJobs") or ())
        self._needed = 1 if success.get("operator") == "Any" else self._targeted_replicas()
        startup = spec.get("startupPolicy") or {}
        self._in_order = startup.get("startupPolicyOrder") == "InOrder"
        self._suspended = bool(spec.get("suspend"))
        self.jobs: list[SimulatedJob] = []
        self.finished = False
        size = sum(group.replicas for group in self._groups)
        self.record = JobSetRecord(size, self._policy.max_restarts if self._policy else None)
        record.job_set = self.record
        self._counted = 0
        self._due = NEVER
        self._wake(0)

    def _targeted_replicas(self) -> int:
        return sum(group.replicas for group in self._groups if self._is_target(group.name))

    def _is_target(self, name: str) -> bool:
        return not self._targets or name in self._targets

    def edit(self, spec: dict[str, Any]) -> None:
        """Suspend or resume it."""
        self._suspended = bool(spec.get("suspend", self._suspended))
        self._wake(0)

    def pod_started(self) -> None:
        """Take notice of a Pod that has begun to run."""
        self._wake(READY_DELAY)

    # The queue of the controller.

    def _wake(self, delay: int) -> None:
        due = self._queue.now + delay
        if due < self._due:
            self._due = due
            self._queue.at(due, self._sync, due)

    def _sync(self, due: int) -> None:
        if due != self._due:
            return
        self._due = NEVER
        self._limits.spend(1 + len(self.jobs))
        self.jobs[:] = [job for job in self.jobs if not job.is_gone]
        if self.record.finished is not None:
            self._delete(job for job in self.jobs if not job.finished)
            self.finished = not any(job.record.deleted is not None for job in self.jobs)
            return
        attempt = self.record.attempts
        self._delete(job for job in self.jobs if job.identity.run < attempt)
        current = [job for job in self.jobs if job.identity.run == attempt]
        failed = [job for job in current if job.record.outcome == "Failed"]
        if failed:
            self._handle(failed)
            return
        succeeded = sum(
            job.record.outcome == "Complete" and self._is_target(job.identity.replicated_job)
            for job in current
        )
        if succeeded >= self._needed and any(job.record.outcome == "Complete" for job in current):
            self._finish()
            return
        self._start(current)

    def _delete(self, jobs: Iterable[SimulatedJob]) -> None:
        for job in jobs:
            if job.record.deleted is None:
                job.delete()
                if job.is_gone:
                    self._wake(0)

    # The ends of Jobs.

    def _handle(self, failed: Iterable[SimulatedJob]) -> None:
        """Restart all Jobs after a failure, or fail."""
        decision = decide(self._policy, [_failed_job(job) for job in failed], self._counted)
        self.record.decisions.append((self._queue.now, decision))
        self._counted += decision.counts
        if decision.fails:
            self.record.outcome, self.record.reason = "Failed", decision.fails
            self.record.finished = self._queue.now
        self._wake(0)

    def _finish(self) -> None:
        self.record.outcome, self.record.reason = "Complete", COMPLETED
        self.record.finished = self._queue.now
        self._wake(0)

    def _finished_job(self, job: SimulatedJob) -> None:
        if job.ttl is not None:
            self._queue.at(self._queue.now + job.ttl * SECOND, self._remove, job)
        self._wake(0)

    def _remove(self, job: SimulatedJob) -> None:
        """Delete a finished Job whose own TTL is over: the JobSet creates it again."""
        if job in self.jobs and job.record.deleted is None:
            job.record.removed = self._queue.now
            self.jobs.remove(job)
            self._wake(0)

    # The start of Jobs.

    def _start(self, current: list[SimulatedJob]) -> None:
        """Create and resume the Jobs whose turn it is, or suspend all."""
        progress = {group.name: _progress(group, current) for group in self._groups}
        for group in self._groups:
            if not _may_start(group, self._groups, progress):
                continue
            waits = self._in_order and not self._suspended
            if waits and progress[group.name].started == group.replicas:
                continue
            self._create(group)
            self._set_suspended(current, group.name)
            if waits:
                return
        if self._suspended:
            self._set_suspended(current, "")

    def _create(self, group: ReplicatedJob) -> None:
        blocking = self._policy is not None and self._policy.blocking
        if blocking and any(job.record.deleted is not None for job in self.jobs):
            return
        existing = {job.record.name for job in self.jobs}
        missing = [
            index
            for index in range(group.replicas)
            if job_name(self._name, group.name, index) not in existing
        ]
        self._limits.create_jobs(len(missing))
        for index in missing:
            self._create_job(group, index)

    def _create_job(self, group: ReplicatedJob, index: int) -> None:
        manifest = group.job
        name = job_name(self._name, group.name, index)
        job = SimulatedJob(
            {
                **manifest,
                "metadata": {**manifest["metadata"], "name": name},
                "spec": {**manifest["spec"], "suspend": self._suspended},
            },
            self._scenario,
            self._queue,
            self._nodes,
            self._limits,
            identity=JobIdentity(self.record.attempts, group.name, group.first + index),
            on_update=lambda: self._wake(0),
            on_finish=self._finished_job,
            on_gone=lambda: self._wake(0),
        )
        job.record.replicated_job = group.name
        self.jobs.append(job)
        self._run.jobs.append(job.record)

    def _set_suspended(self, jobs: Iterable[SimulatedJob], replicated_job: str) -> None:
        """Suspend or resume the Jobs of a ReplicatedJob, or of all."""
        for job in jobs:
            if replicated_job not in ("", job.identity.replicated_job):
                continue
            if not job.finished and job.job.suspended != self._suspended:
                job.edit({"suspend": self._suspended})


def read_replicated_jobs(
    spec: dict[str, Any], children: Sequence[dict[str, Any]]
) -> list[ReplicatedJob]:
    """Return the ReplicatedJobs of a JobSet that have Jobs.

    Args:
        spec: of the JobSet.
        children: for each of them one of its Jobs, with the label that names it.
    """
    by_name = {job["metadata"]["labels"][REPLICATED_JOB]: job for job in children}
    groups, first = [], 0
    for replicated in spec.get("replicatedJobs") or ():
        name, replicas = replicated["name"], replicated.get("replicas", 1)
        if name not in by_name:
            continue
        depends_on = tuple(
            (each["name"], each["status"]) for each in replicated.get("dependsOn") or ()
        )
        groups.append(ReplicatedJob(name, replicas, by_name[name], depends_on, first))
        first += replicas
    return groups


def _failed_job(job: SimulatedJob) -> FailedChildJob:
    record = job.record
    message = record.terminal.message if record.terminal is not None else ""
    at = record.finished or 0
    # A condition has the time in whole seconds.
    return FailedChildJob(record.name, record.replicated_job, at // SECOND, record.reason, message)


def _may_start(
    group: ReplicatedJob, groups: Iterable[ReplicatedJob], progress: dict[str, Progress]
) -> bool:
    """Return True if the ReplicatedJobs that it depends on have reached their status."""
    replicas = {each.name: each.replicas for each in groups}
    for name, status in group.depends_on:
        if name not in progress:
            continue  # it has no replicas
        reached = progress[name].succeeded if status == "Complete" else progress[name].started
        if reached != replicas[name]:
            return False
    return True


def _progress(group: ReplicatedJob, jobs: Iterable[SimulatedJob]) -> Progress:
    own = [job for job in jobs if job.identity.replicated_job == group.name]
    return Progress(
        sum(job.finished or _is_ready(job) for job in own),
        sum(job.record.outcome == "Complete" for job in own),
    )


def _is_ready(job: SimulatedJob) -> bool:
    planned = job.job
    wanted = planned.parallelism
    if planned.completions is not None:
        wanted = min(wanted, planned.completions)
    ready = sum(pod.view.ready for pod in job.pods.values())
    return (planned.status.succeeded or 0) + ready >= wanted
