"""One run of a Job or CronJob in a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.whatif.run_record import RunRecord
from jobsworth.whatif.simulation.occurrences import occurrences
from jobsworth.whatif.simulation.run_limits import RunLimits, check_period
from jobsworth.whatif.simulation.simulated_cron_job import SimulatedCronJob
from jobsworth.whatif.simulation.simulated_job import SimulatedJob
from jobsworth.whatif.simulation.simulated_job_set import SimulatedJobSet
from jobsworth.whatif.simulation.simulated_nodes import Nodes
from jobsworth.whatif.virtual_time import MINUTE, EventQueue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jobsworth.whatif.simulation.scenario import Scenario
    from jobsworth.whatif.simulation.simulated_nodes import SimulatedPod


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
        queue.run(end, lambda: job.finished)
    for job in jobs:
        job.close()
    record.end, record.steps = queue.now, limits.steps
    record.occurrences = occurrences(manifest, scenario, record.end)
    return record


def _done(record: RunRecord, queue: EventQueue, end: int) -> tuple[int, int]:
    """Return how far a run is, and how far it goes at most."""
    size = record.job.size if record.kind == "Job" and record.jobs else None
    if size and size > 1:
        counters = record.job.counters
        return (counters[-1].succeeded if counters else 0), size
    return queue.now // MINUTE, max(1, end // MINUTE)
