"""One run of a Job or CronJob in a scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from jobsworth.controller.cron_jobs.cron_job import CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.schedule_times import zone_of
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.simulation.occurrences import occurrences
from jobsworth.runs.simulation.run_limits import RunLimits, check_period
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.runs.simulation.simulated_cron_job import SimulatedCronJob
from jobsworth.runs.simulation.simulated_job import SimulatedJob
from jobsworth.runs.simulation.simulated_job_set import SimulatedJobSet
from jobsworth.runs.simulation.simulated_nodes import Nodes, SimulatedPod
from jobsworth.runs.virtual_time import MINUTE, EventQueue


def run_once(
    manifest: dict[str, Any],
    scenario: Scenario,
    seed: int,
    until: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    *,
    children: Sequence[dict[str, Any]] = (),
) -> RunRecord:
    """Run an object once.

    Args:
        manifest: the Job, CronJob or JobSet with the API server's defaults.
        seed: of all that is left to chance.
        until: milliseconds after which the run ends; None for the scenario's.
        progress: called now and then with the completions of a Job that are done and their number; of
            a CronJob, JobSet or work queue, with the minutes that are simulated and their number.
        children: of a JobSet, for each ReplicatedJob one of its Jobs, with the API server's defaults.

    Raises:
        SimulationTooLarge: the run exceeds a limit.
    """
    if scenario.local:
        scenario = replace(scenario, start=_local_start(manifest, scenario.start), local=False)
    end = scenario.until if until is None else until
    check_period(scenario.start, end)
    limits = RunLimits(None if progress is None else lambda: progress(*_done(record, queue, end)))
    queue = EventQueue(limits.spend)
    jobs: list[SimulatedJob] = []
    job_sets: list[SimulatedJobSet] = []

    def running() -> Iterator[SimulatedPod]:
        for job in jobs:
            yield from list(job.pods.values())

    def started() -> None:
        for job_set in job_sets:
            job_set.pod_started()

    nodes = Nodes(scenario, seed, queue, running, started)
    record = RunRecord(
        manifest["metadata"]["name"], manifest["kind"], scenario.name, seed, scenario.start
    )
    if manifest["kind"] == "CronJob":
        record.time_zone = manifest["spec"].get("timeZone") or ""
        cron_job = SimulatedCronJob(manifest, scenario, queue, nodes, record, limits=limits)
        cron_job.check_schedule(end)
        jobs = cron_job.jobs
        for change in scenario.changes:
            queue.at(change.at, cron_job.edit, change.spec)
        queue.run(end, lambda: False)
        cron_job.close()
    elif manifest["kind"] == "JobSet":
        job_set = SimulatedJobSet(
            manifest, scenario, queue, nodes, record, children=children, limits=limits
        )
        job_sets.append(job_set)
        jobs = job_set.jobs
        for change in scenario.changes:
            queue.at(change.at, job_set.edit, change.spec)
        queue.run(end, lambda: job_set.finished)
    else:
        job = SimulatedJob(manifest, scenario, queue, nodes, limits)
        jobs.append(job)
        record.jobs.append(job.record)
        for change in scenario.changes:
            queue.at(change.at, job.edit, change.spec)
        for at in scenario.deletions:
            queue.at(at, job.delete_by_user)
        queue.run(end, lambda: job.is_gone or (job.finished and not job.record.by_user))
    for job in jobs:
        job.close()
    record.end, record.steps = queue.now, limits.steps
    record.occurrences = occurrences(manifest, scenario, record.end, nodes.missed)
    return record


def _local_start(manifest: dict[str, Any], start: int) -> int:
    """Return the time at which the clocks of a CronJob's time zone show a time that is read as UTC."""
    name, spec = manifest["metadata"]["name"], manifest["spec"]
    if manifest["kind"] != "CronJob":
        return start
    zone = zone_of(read_cron_job(name, spec, start, CronJobStatus()))
    return int(datetime.fromtimestamp(start, UTC).replace(tzinfo=zone).timestamp())


def _done(record: RunRecord, queue: EventQueue, end: int) -> tuple[int, int]:
    """Return how far a run is, and how far it goes at most."""
    size = record.job.size if record.kind == "Job" and record.jobs else None
    if size and size > 1:
        counters = record.job.counters
        return (counters[-1].succeeded if counters else 0), size
    return queue.now // MINUTE, max(1, end // MINUTE)
