"""A CronJob and its controller in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.formats import cron
from jobsworth.whatif.run_record import EmittedEvent, MissedRun
from jobsworth.whatif.simulation.cron_decision import (
    CronJobState,
    decide_run,
    scheduled_between,
    seconds_to_next,
)
from jobsworth.whatif.simulation.run_limits import MAX_SCHEDULED_TIMES, SCHEDULE_STEPS
from jobsworth.whatif.simulation.simulated_job import SimulatedJob
from jobsworth.whatif.virtual_time import MINUTE, NEVER, SECOND

if TYPE_CHECKING:
    from jobsworth.whatif.run_record import JobRecord, RunRecord
    from jobsworth.whatif.simulation.run_limits import RunLimits
    from jobsworth.whatif.simulation.scenario import Scenario
    from jobsworth.whatif.simulation.simulated_nodes import Nodes
    from jobsworth.whatif.virtual_time import EventQueue

NOT_LATEST = "a later run was due before it could start: only the latest is started"


class SimulatedCronJob:
    """A CronJob, created at the start of the scenario.

    Attributes:
        jobs: its Jobs that have not finished, and those being deleted.
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
        self._last: int | None = None
        self._due = NEVER
        self._skipped: dict[int, str] = {}
        self.jobs: list[SimulatedJob] = []
        self._runs = 0
        self._kept: dict[bool, list[JobRecord]] = {True: [], False: []}
        self._schedule = self._parsed()
        self._wake(0)

    def check_schedule(self, until: int) -> None:
        """Check at the start how many scheduled times there are, where that is certain.

        Args:
            until: the end of the run, in milliseconds.

        Raises:
            SimulationTooLarge: there are too many.
        """
        if self._manifest["spec"].get("suspend") or self._scenario.changes:
            return
        start, most = self._scenario.start, MAX_SCHEDULED_TIMES + 1
        if until // MINUTE < most:  # there is at most one a minute
            return
        found = scheduled_between(self._schedule, start, start + until // SECOND, most)
        if len(found) == most:
            self._limits.handle_scheduled_times(most)

    def edit(self, spec: dict[str, Any]) -> None:
        """Change fields of the spec; None removes one."""
        changed = {**self._manifest["spec"], **spec}
        self._manifest = {
            **self._manifest,
            "spec": {key: value for key, value in changed.items() if value is not None},
        }
        if "schedule" in spec or "timeZone" in spec:
            self._schedule = self._parsed()
            seconds = seconds_to_next(self._state(), self._seconds())
            if seconds is not None:
                self._wake(round(seconds * SECOND))
        else:
            self._wake(0)

    def close(self) -> None:
        """Record the runs that have not started when the simulation ends."""
        now = self._queue.now
        for scheduled in sorted(self._skipped):
            self._miss(now, scheduled, self._skipped[scheduled])

    def _parsed(self) -> cron.Schedule:
        spec = self._manifest["spec"]
        zone, schedule = spec.get("timeZone"), spec["schedule"]
        return cron.parse(f"TZ={zone} {schedule}" if zone and "TZ" not in schedule else schedule)

    def _seconds(self) -> float:
        return self._scenario.start + self._queue.now / SECOND

    def _wake(self, delay: int) -> None:
        """Sync after a delay, or earlier if that is planned, but not while the controller is away."""
        due = self._queue.now + delay
        for begin, end in self._scenario.away:
            if begin <= due < end:
                due = end
        if due < self._due:
            self._due = due
            self._queue.at(due, self._sync, due)

    def _state(self) -> CronJobState:
        spec = self._manifest["spec"]
        return CronJobState(
            schedule=self._schedule,
            concurrency=spec.get("concurrencyPolicy") or "Allow",
            starting_deadline=spec.get("startingDeadlineSeconds"),
            suspended=bool(spec.get("suspend")),
            created=self._scenario.start,
            last=self._last,
            active=sum(not job.finished for job in self.jobs),
        )

    def _sync(self, due: int) -> None:
        if due != self._due:
            return
        self._due = NEVER
        now = self._queue.now
        decision = decide_run(self._state(), self._seconds())
        # The time of the next check takes as many again.
        self._limits.spend(len(self.jobs) + 2 * decision.computed * SCHEDULE_STEPS)
        self._record.events += [
            EmittedEvent(now, event.type, event.reason, event.message) for event in decision.events
        ]
        if decision.skipped is not None:
            scheduled, why = decision.skipped
            if scheduled not in self._skipped:
                self._limits.handle_scheduled_times(1)
                self._skipped[scheduled] = why
        if decision.start is not None:
            if decision.replace:
                for job in self.jobs:
                    if not job.finished:
                        job.delete()
            self._start(decision.start)
        if decision.requeue is not None:
            self._wake(max(1, round(decision.requeue * SECOND)))

    def _start(self, scheduled: int) -> None:
        now = self._queue.now
        last = self._scenario.start if self._last is None else self._last
        missed = scheduled_between(self._schedule, last, scheduled, MAX_SCHEDULED_TIMES + 1)
        known = sum(time in self._skipped for time in (*missed, scheduled))
        self._limits.handle_scheduled_times(len(missed) + 1 - known)
        self._limits.spend(len(missed) * SCHEDULE_STEPS + len(self.jobs))
        for time in missed:
            self._miss(now, time, self._skipped.get(time, NOT_LATEST))
        self._skipped.clear()
        self._last = scheduled
        self._runs += 1
        self.jobs[:] = [job for job in self.jobs if not job.finished or job.pods]
        job = SimulatedJob(
            self._job(scheduled),
            self._scenario,
            self._queue,
            self._nodes,
            self._limits,
            run=self._runs,
            on_finish=self._finished,
        )
        job.record.scheduled = (scheduled - self._scenario.start) * SECOND
        self.jobs.append(job)
        self._record.jobs.append(job.record)

    def _finished(self, job: SimulatedJob) -> None:
        """Sync now, because a run may wait for this Job, and remove finished Jobs as the limits require."""
        self._wake(0)
        record = job.record
        if job.ttl is not None:
            self._queue.at(self._queue.now + job.ttl * SECOND, self._remove, record)
        complete = record.outcome == "Complete"
        kept = self._kept[complete]
        kept.append(record)
        limit = self._manifest["spec"].get(
            "successfulJobsHistoryLimit" if complete else "failedJobsHistoryLimit"
        )
        while limit is not None and len(kept) > limit:
            self._remove(kept[0])

    def _remove(self, record: JobRecord) -> None:
        kept = self._kept[record.outcome == "Complete"]
        if record in kept:
            kept.remove(record)
            record.removed = self._queue.now

    def _miss(self, now: int, scheduled: int, why: str) -> None:
        due = (scheduled - self._scenario.start) * SECOND
        self._record.missed.append(MissedRun(now, due, why))

    def _job(self, scheduled: int) -> dict[str, Any]:
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
                "name": f"{metadata['name']}-{scheduled // 60}",
                "namespace": metadata.get("namespace") or "",
            },
            "spec": spec,
        }
