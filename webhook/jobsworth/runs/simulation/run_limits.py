"""The limits of a simulation, so that no field of a manifest or scenario keeps it running without end.

A step is about a microsecond of work. Legitimate simulations stay far below: a Job of 100,000 indexes that
all run at once takes some 30 million steps, a thousand runs of 100 indexes some 30 million together.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from jobsworth.controller.jobs import Job
from jobsworth.runs.virtual_time import SECOND

MAX_PODS = 200_000
"""Pods that one run creates."""
MAX_JOBS = 20_000
"""Jobs of a JobSet that one run creates, those of all attempts together."""
MAX_SCHEDULED_TIMES = 20_000
"""Scheduled times of a CronJob in one run, with those that start no Job: two weeks of every minute."""
MAX_STEPS = 200_000_000
"""Steps of one run."""
MAX_ALL_STEPS = 2_000_000_000
"""Steps of all runs of an invocation."""
MAX_VARIANTS = 1_000
"""Variants of an invocation: files times values of --sweep."""
MAX_RUNS = 100_000
"""Runs of an invocation: variants times --runs."""
MAX_YEAR = 2200
"""A simulation begins in 1970 or later and ends before this year."""

REPORT_STEPS = 200_000
"""Steps between two reports of the progress, some tenths of a second."""
POD_STEPS, SYNC_STEPS, SCHEDULE_STEPS = 100, 200, 400
"""The steps of a Pod created, of a sync beside one for each Pod, of the computation of a scheduled time."""

_FIRST_SECOND = 0
_LAST_SECOND = int(datetime(MAX_YEAR, 1, 1, tzinfo=UTC).timestamp())


class SimulationTooLarge(Exception):
    """Raised for a simulation beyond a limit; the message names the limit and what to do."""


class RunLimits:
    """Counts what one run does.

    Args:
        report: called every REPORT_STEPS steps.

    Attributes:
        pods: Pods created.
        jobs: Jobs of a JobSet created.
        scheduled: scheduled times of its CronJob.
        steps: the work done.
    """

    __slots__ = ("_next", "_report", "jobs", "pods", "scheduled", "steps")

    def __init__(self, report: Callable[[], None] | None = None) -> None:
        self.pods = 0
        self.jobs = 0
        self.scheduled = 0
        self.steps = 0
        self._report = report
        self._next = REPORT_STEPS

    def spend(self, steps: int) -> None:
        """Count some steps.

        Raises:
            SimulationTooLarge: the run takes too many.
        """
        self.steps += steps
        if self._report is not None and self.steps >= self._next:
            self._next = self.steps + REPORT_STEPS
            self._report()
        if self.steps > MAX_STEPS:
            raise SimulationTooLarge(
                f"the run is too long: it takes more than {MAX_STEPS:,} steps (events of Pods, and Pods that "
                "a controller looks at). Set a shorter --until, a lower parallelism, or fewer disruptions"
            )

    def create_pods(self, number: int) -> None:
        """Count Pods that are created.

        Raises:
            SimulationTooLarge: the run creates too many.
        """
        self.pods += number
        if self.pods > MAX_PODS:
            raise SimulationTooLarge(
                f"the run creates more than {MAX_PODS:,} Pods, the most that one run may. Set a shorter "
                "--until, lower completions or backoffLimit, or simulate a smaller Job of the same shape"
            )
        self.spend(number * POD_STEPS)

    def create_jobs(self, number: int) -> None:
        """Count Jobs that a JobSet creates.

        Raises:
            SimulationTooLarge: the run creates too many.
        """
        self.jobs += number
        if self.jobs > MAX_JOBS:
            raise SimulationTooLarge(
                f"the JobSet creates more than {MAX_JOBS:,} Jobs, the most that one run may, with those "
                "of its restarts. Set a shorter --until, or lower maxRestarts or replicas"
            )
        self.spend(number * SYNC_STEPS)

    def handle_scheduled_times(self, number: int) -> None:
        """Count scheduled times of a CronJob.

        Raises:
            SimulationTooLarge: the run has too many.
        """
        self.scheduled += number
        if self.scheduled > MAX_SCHEDULED_TIMES:
            raise SimulationTooLarge(
                f"the CronJob has more than {MAX_SCHEDULED_TIMES:,} scheduled times in the simulated period, "
                "the most that one run may. Set a shorter --until"
            )


def check_size(job: Job) -> None:
    """Check how many Pods a Job runs at a time, and how many it needs to complete.

    Raises:
        SimulationTooLarge: it runs or needs more Pods than a simulation may create.
    """
    wanted = job.parallelism if job.completions is None else min(job.parallelism, job.completions)
    if wanted > MAX_PODS:
        raise SimulationTooLarge(
            f"the Job runs {wanted:,} Pods at a time, and one run creates at most {MAX_PODS:,}. "
            "Set a lower parallelism"
        )
    if job.completions is not None and job.completions > MAX_PODS:
        raise SimulationTooLarge(
            f"the Job needs {job.completions:,} Pods, one for each completion, and one run creates at most "
            f"{MAX_PODS:,}. Simulate a smaller Job of the same shape"
        )


def check_period(start: int, until: int) -> None:
    """Check when a simulation begins and ends.

    Args:
        start: seconds since 1970.
        until: milliseconds after it.

    Raises:
        SimulationTooLarge: it begins before 1970, or ends too late.
    """
    if start < _FIRST_SECOND or start + until // SECOND >= _LAST_SECOND:
        raise SimulationTooLarge(
            f"the simulated period must begin in 1970 or later and end before {MAX_YEAR}. Set --from or "
            "--until (in the scenario: start, until)"
        )


def check_runs(variants: int, runs: int) -> None:
    """Check how many simulations an invocation makes.

    Raises:
        SimulationTooLarge: it makes too many.
    """
    if variants > MAX_VARIANTS:
        raise SimulationTooLarge(
            f"--sweep and --compare make {variants:,} variants, and one invocation simulates at most "
            f"{MAX_VARIANTS:,}. Sweep fewer values"
        )
    if variants * runs > MAX_RUNS:
        times = f"{variants:,} variants times {runs:,} runs" if variants > 1 else f"{runs:,} runs"
        raise SimulationTooLarge(
            f"{times} are more than the {MAX_RUNS:,} runs that one invocation makes. Set lower --runs"
        )


def check_all_steps(steps: int) -> None:
    """Check the work of all runs so far.

    Raises:
        SimulationTooLarge: it is too much for one invocation.
    """
    if steps > MAX_ALL_STEPS:
        raise SimulationTooLarge(
            f"all runs together take more than {MAX_ALL_STEPS:,} steps, the most that one invocation may. "
            "Set lower --runs, sweep fewer values, or simulate a smaller Job of the same shape"
        )
