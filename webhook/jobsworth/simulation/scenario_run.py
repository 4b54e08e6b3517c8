"""One run of a Job or CronJob in a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.simulation.nodes import Nodes
from jobsworth.simulation.run_record import RunRecord
from jobsworth.simulation.simulated_job import SimulatedJob
from jobsworth.simulation.virtual_time import EventQueue

if TYPE_CHECKING:
    from jobsworth.simulation.scenario import Scenario


def run_once(
    manifest: dict[str, Any], scenario: Scenario, seed: int, until: int | None = None
) -> RunRecord:
    """Run an object once.

    Args:
        manifest: the Job or CronJob with the API server's defaults.
        seed: of all that is left to chance.
        until: milliseconds after which the run ends; None for the scenario's.
    """
    queue = EventQueue()
    jobs: list[SimulatedJob] = []
    nodes = Nodes(scenario, seed, queue, lambda: jobs[0].pods.values())
    job = SimulatedJob(manifest, scenario, queue, nodes)
    jobs.append(job)
    for change in scenario.changes:
        queue.at(change.at, job.edit, change.spec)
    queue.run(scenario.until if until is None else until, lambda: job.finished)
    return RunRecord(
        name=job.job.name,
        kind="Job",
        scenario=scenario.name,
        seed=seed,
        start=scenario.start,
        end=queue.now,
        jobs=[job.record],
    )
