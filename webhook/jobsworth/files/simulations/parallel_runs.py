"""Many runs of one or several variants, on all processors."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children
from typing import Any

from jobsworth.runs.run_statistics import RunSummary, summarize
from jobsworth.runs.simulation.run_limits import SimulationTooLarge, check_all_steps
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.runs.simulation.scenario_run import run_once

BATCH = 10
"""Runs in one task: they share the object and the scenario that are sent to a process."""


@dataclass(frozen=True, slots=True)
class Variant:
    """An object and a scenario to run it in.

    Attributes:
        children: of a JobSet, one Job of each ReplicatedJob.
        until: milliseconds after which a run ends; None for the scenario's.
    """

    name: str
    object: dict[str, Any]
    scenario: Scenario
    until: int | None = None
    children: tuple[dict[str, Any], ...] = ()


def run_all(
    variants: Sequence[Variant], seeds: range, processes: int, progress: Callable[[int, int], None]
) -> list[list[RunSummary]]:
    """Run every variant with every seed, and return the summaries in order.

    Raises:
        SimulationTooLarge: a run exceeds a limit, or all together do.
    """
    tasks = [
        (variant, seeds[start : start + BATCH])
        for variant in variants
        for start in range(0, len(seeds), BATCH)
    ]
    total, done, steps = len(variants) * len(seeds), 0, 0
    found: list[RunSummary] = []
    processes = min(processes, len(tasks))
    if processes <= 1:
        for variant, some in tasks:
            found += run_batch(variant, some)
            steps += sum(run.steps for run in found[-len(some) :])
            check_all_steps(steps)
            progress(len(found), total)
    else:
        with ProcessPoolExecutor(processes) as pool, _ending(pool):
            for batch in pool.map(run_batch, *zip(*tasks, strict=True)):
                found += batch
                done += len(batch)
                steps += sum(run.steps for run in batch)
                check_all_steps(steps)
                progress(done, total)
    return [found[start : start + len(seeds)] for start in range(0, total, len(seeds))]


@contextmanager
def _ending(pool: ProcessPoolExecutor) -> Iterator[None]:
    """End the processes of a pool at once if something goes wrong, such as Ctrl-C: a task takes seconds."""
    try:
        yield
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in active_children():
            process.terminate()
        raise


def run_batch(variant: Variant, seeds: range) -> list[RunSummary]:
    """Run a variant with some seeds.

    Raises:
        SimulationTooLarge: a run exceeds a limit.
    """
    try:
        summaries = [
            summarize(
                run_once(
                    variant.object,
                    variant.scenario,
                    seed,
                    variant.until,
                    children=variant.children,
                )
            )
            for seed in seeds
        ]
    except SimulationTooLarge as error:
        raise SimulationTooLarge(f"{variant.name}: {error}") from None
    gc.collect()  # the command line switches automatic collection off, and the runs leave cycles
    return summaries


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
