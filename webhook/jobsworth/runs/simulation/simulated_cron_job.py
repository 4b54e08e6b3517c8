"""A CronJob and its controller in virtual time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jobsworth.controller.cron_jobs.cron_job import (
    FORBID,
    CronJob,
    CronJobStatus,
    OwnedJob,
    read_cron_job,
)
from jobsworth.controller.cron_jobs.cron_job_sync import (
    MAX_RESYNC_PERIOD,
    CronJobSync,
    delay_after_update,
    sync_cron_job,
)
from jobsworth.controller.cron_jobs.schedule_times import NEXT_SCHEDULE_DELTA, scheduled_between
from jobsworth.controller.signals import WARNING, Event
from jobsworth.runs.cause import Cause
from jobsworth.runs.run_record import EmittedEvent, MissedRun, RunRecord
from jobsworth.runs.simulation.due_runs import DueRuns
from jobsworth.runs.simulation.run_limits import MAX_SCHEDULED_TIMES, SCHEDULE_STEPS, RunLimits
from jobsworth.runs.simulation.scenario import JobIdentity, Scenario
from jobsworth.runs.simulation.simulated_job import SimulatedJob
from jobsworth.runs.simulation.simulated_nodes import Nodes
from jobsworth.runs.virtual_time import MINUTE, NEVER, SECOND, EventQueue

RETRY_BASE, RETRY_CAP = 0.005, 1000.0
"""Seconds before the controller tries a rejected Job again: the first, doubled each time, and the longest
(``DefaultTypedControllerRateLimiter`` of client-go)."""
RESYNC = MAX_RESYNC_PERIOD * SECOND
"""The resync of the informer comes as late as it can, so that a simulated run is never later in a cluster."""


class SimulatedCronJob:
    """A CronJob, created at the start of the scenario.

    Attributes:
        jobs: its Jobs that exist, and deleted ones whose Pods terminate.
    """

    def __init__(
        self,
        manifest: dict[str, Any],
        scenario: Scenario,
        queue: EventQueue,
        nodes: Nodes,
        record: RunRecord,
        *,
        limits: RunLimits,
    ) -> None:
        self._manifest = manifest
        self._scenario = scenario
        self._queue = queue
        self._nodes = nodes
        self._record = record
        self._limits = limits
        self.jobs: list[SimulatedJob] = []
        self._ended: dict[str, OwnedJob] = {}
        self._runs = self._manual_runs = 0
        self._cron_job = self._read(CronJobStatus())
        self._due = DueRuns(self._cron_job)
        self._edited: int | None = None
        self._queued = False
        self._timer = NEVER
        self._rejections = 0
        for begin, end in scenario.away:
            queue.at(begin, self._stop_controller)
            queue.at(end, self._start_controller)
        for at in scenario.manual_runs:
            queue.at(at, self._run_now)
        for at in scenario.deletions:
            queue.at(at, self._delete_jobs)
        self._enqueue()

    def check_schedule(self, until: int) -> None:
        """Check at the start how many scheduled times there are, where that is certain.

        Args:
            until: the end of the run, in milliseconds.

        Raises:
            SimulationTooLarge: there are too many.
        """
        most = MAX_SCHEDULED_TIMES + 1
        if self._scenario.changes or until // MINUTE < most:  # there is at most one a minute
            return
        start = self._scenario.start
        found = scheduled_between(self._cron_job.schedule, start, start + until // SECOND)
        if sum(1 for _ in zip(range(most), found, strict=False)) == most:
            self._limits.handle_scheduled_times(most)

    def edit(self, spec: dict[str, Any]) -> None:
        """Change fields of the spec; None removes one."""
        self._pass_time()
        changed = {**self._manifest["spec"], **spec}
        self._manifest = {
            **self._manifest,
            "spec": {key: value for key, value in changed.items() if value is not None},
        }
        before, now = self._cron_job, self._seconds()
        self._cron_job = self._read(before.status)
        if before.time_zone != self._cron_job.time_zone:
            zone = self._cron_job.time_zone or ""
            self._record.zone_changes.append((self._queue.now, zone))
        if before.schedule != self._cron_job.schedule:
            self._due.edit_schedule(self._cron_job, now)
        if not self._away(self._queue.now):
            delay = delay_after_update(before, self._cron_job, now)
            if delay:
                self._enqueue_after(delay)
                self._edited = None if self._blocked() else self._queue.now
                self._queue.at(self._queue.now + RESYNC, self._enqueue)
            else:
                self._enqueue()

    def close(self) -> None:
        """Record the runs that have not started when the simulation ends."""
        self._pass_time()
        self._skip(NEVER)

    def _read(self, status: CronJobStatus) -> CronJob:
        name, spec = self._manifest["metadata"]["name"], self._manifest["spec"]
        return read_cron_job(name, spec, self._scenario.start, status)

    def _seconds(self) -> float:
        return self._scenario.start + self._queue.now / SECOND

    # The queue of the controller: the CronJob is in it at most once, and waits for at most one time.

    def _enqueue(self) -> None:
        """Sync now, unless the controller does not run."""
        if not self._queued and not self._away(self._queue.now):
            self._queued = True
            self._queue.at(self._queue.now, self._sync)

    def _enqueue_after(self, seconds: float) -> None:
        """Sync after a delay, or earlier if a sync is planned for an earlier time."""
        due = self._queue.now + max(1, round(seconds * SECOND))
        if due < self._timer:
            self._timer = due
            self._queue.at(due, self._expire, due)

    def _expire(self, due: int) -> None:
        if due == self._timer:
            self._timer = NEVER
            self._enqueue()

    def _away(self, now: int) -> bool:
        return any(begin <= now < end for begin, end in self._scenario.away)

    def _stop_controller(self) -> None:
        self._timer = NEVER

    def _start_controller(self) -> None:
        self._timer = NEVER
        self._edited = None
        self._rejections = 0
        self._enqueue()

    # A sync.

    def _sync(self) -> None:
        self._queued = False
        if self._away(self._queue.now):
            return
        self._pass_time()
        self.jobs[:] = [
            job
            for job in self.jobs
            if job.pods or (job.record.deleted, job.record.removed) == (None, None)
        ]
        owned = [self._owned(job) for job in self.jobs if _exists(job)]
        decided = self._tried(sync_cron_job(self._cron_job, owned, self._seconds()))
        self._limits.spend(len(self.jobs) + (1 + decided.computed) * SCHEDULE_STEPS)
        now = self._queue.now
        self._record.events += [
            EmittedEvent(now, event.type, event.reason, event.message) for event in decided.events
        ]
        for job in self.jobs:
            if job.record.name in decided.removed:
                self._remove(job)
            elif job.record.name in decided.replaced:
                job.delete()
        self._note(decided)
        changed = decided.status != self._cron_job.status
        if decided.start is not None:
            self._start(decided.start)
        self._cron_job = replace(self._cron_job, status=decided.status)
        if changed:
            self._enqueue()  # the update of its status is one of the CronJob
        if decided.requeue is not None:
            self._enqueue_after(decided.requeue)

    def _rejection(self) -> str | None:
        """Return the message with which the API server rejects Jobs now; None if it does not."""
        now = self._queue.now
        return next(
            (
                each.message
                for each in self._scenario.rejections
                if each.of == "Jobs" and each.since <= now < each.until
            ),
            None,
        )

    def _tried(self, decided: CronJobSync) -> CronJobSync:
        """Return the decisions, without the start of a Job that the API server rejects.

        The controller then retries with its exponential backoff (``AddRateLimited``).
        """
        message = self._rejection()
        if decided.start is None or message is None:
            self._rejections = 0
            return decided
        before, name = self._cron_job.status, self._cron_job.job_name(decided.start)
        self._due.hold(decided.start, Cause.JOB_REJECTED)
        delay = min(RETRY_BASE * 2.0**self._rejections, RETRY_CAP)
        self._rejections += 1
        active = tuple(each for each in decided.status.active if each != name)
        failed = Event(WARNING, "FailedCreate", f"Error creating job: {message}")
        return replace(
            decided,
            status=replace(decided.status, active=active, last_schedule=before.last_schedule),
            start=None,
            events=(*decided.events[:-1], failed),
            requeue=delay,
        )

    def _owned(self, job: SimulatedJob) -> OwnedJob:
        """Return a Job as the sync reads it; made once for a Job that has ended: there may be thousands."""
        ended = self._ended.get(job.record.name)
        if ended is not None:
            return ended
        status, outcome = job.job.status, job.record.outcome
        finished = "" if outcome == "Unfinished" else outcome
        owned = OwnedJob(job.record.name, finished, status.start_time, status.completion_time)
        if finished:
            self._ended[job.record.name] = owned
        return owned

    def _remove(self, job: SimulatedJob) -> None:
        """Delete a finished Job."""
        if _exists(job):
            job.record.removed = self._queue.now
            self._enqueue()

    # The runs that are due.

    def _pass_time(self) -> None:
        number = self._due.pass_time(self._cron_job, self._seconds(), self._hindrance)
        if number:
            self._limits.handle_scheduled_times(number)
            self._limits.spend(number * SCHEDULE_STEPS)

    def _hindrance(self, scheduled: int) -> Cause | None:
        if self._cron_job.suspended:
            return Cause.SUSPENDED
        sync = round((scheduled + NEXT_SCHEDULE_DELTA - self._scenario.start) * SECOND)
        return Cause.CONTROLLER_AWAY if self._away(sync) else None

    def _blocked(self, status: CronJobStatus | None = None) -> bool:
        """Return True if no sync starts a Job, whatever is due."""
        cron_job = self._cron_job
        active = (status or cron_job.status).active
        return cron_job.suspended or bool(cron_job.concurrency == FORBID and active)

    def _note(self, decided: CronJobSync) -> None:
        """Note why a sync does not start the runs that are due."""
        if decided.withheld == "JobAlreadyActive" and decided.scheduled is not None:
            self._due.hold(decided.scheduled, Cause.JOB_ALREADY_ACTIVE)
        elif decided.withheld == "NothingFound" and not self._blocked(decided.status):
            self._due.pass_over(self._cron_job, self._seconds())

    def _skip(self, before: int) -> None:
        now = self._queue.now
        self._record.missed += [
            MissedRun(now, (run.scheduled - self._scenario.start) * SECOND, run.reason, run.why)
            for run in self._due.skip(before, self._seconds())
        ]

    # Its Jobs.

    def _start(self, scheduled: int) -> None:
        in_time, late = self._due.start(scheduled)
        if not in_time:
            self._limits.handle_scheduled_times(1)
        self._skip(scheduled)
        job = self._create(self._cron_job.job_name(scheduled))
        job.record.scheduled = (scheduled - self._scenario.start) * SECOND
        job.record.late = late
        if not in_time:
            job.record.earliest = self._edited

    def _run_now(self) -> None:
        """Create a Job from the CronJob, as a user does: kubectl create job --from."""
        self._manual_runs += 1
        message = self._rejection()
        if message is not None:
            words = f"kubectl create job is rejected: {message}"
            self._record.events.append(
                EmittedEvent(self._queue.now, WARNING, "FailedCreate", words)
            )
            return
        self._create(f"{self._cron_job.name}-manual-{self._manual_runs}")

    def _delete_jobs(self) -> None:
        """Delete the Jobs that are not finished, as a user does: kubectl delete job."""
        for job in self.jobs:
            job.delete_by_user()
        self._enqueue()

    def _create(self, name: str) -> SimulatedJob:
        self._runs += 1
        job = SimulatedJob(
            self._job(name),
            self._scenario,
            self._queue,
            self._nodes,
            self._limits,
            identity=JobIdentity(self._runs),
            on_update=self._enqueue,
            on_finish=self._finished,
        )
        self.jobs.append(job)
        self._record.jobs.append(job.record)
        self._enqueue()
        return job

    def _finished(self, job: SimulatedJob) -> None:
        if job.ttl is not None:
            self._queue.at(self._queue.now + job.ttl * SECOND, self._remove, job)

    def _job(self, name: str) -> dict[str, Any]:
        """Return the Job of a run, with the defaults that the API server gives it when it is created."""
        metadata, template = self._manifest["metadata"], self._manifest["spec"]["jobTemplate"]
        spec = dict(template.get("spec") or {})
        if spec.get("completions") is None and spec.get("parallelism") is None:
            spec["completions"] = spec["parallelism"] = 1
        return {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {
                **(template.get("metadata") or {}),
                "name": name,
                "namespace": metadata.get("namespace") or "",
            },
            "spec": spec,
        }


def _exists(job: SimulatedJob) -> bool:
    return job.record.deleted is None and job.record.removed is None
