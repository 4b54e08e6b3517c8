"""Statistics of many runs of a CronJob as text: one variant in full, several side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.whatif.miss_reasons import WORDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from jobsworth.whatif.run_statistics import CronJobStatistics, Interval, RunStatistics

NUMBERS = (
    ("due", "runs due"),
    ("onTime", "  on time"),
    ("late", "  late"),
    ("missed", "  missed"),
    ("jobs", "Jobs"),
    ("failed", "  failed"),
    ("replaced", "  replaced"),
    ("unfinished", "  unfinished"),
    ("overlapping", "overlapping Jobs"),
    ("mostPods", "most Pods at once"),
)
ALWAYS = ("due", "onTime", "late", "missed", "jobs", "failed")
DURATIONS = (
    ("delay", "latest start, late by"),
    ("longest", "longest Job"),
    ("overlap", "overlap"),
)


def cron_job_lines(
    statistics: CronJobStatistics,
    plain: Callable[[Interval], str],
    spoken_time: Callable[[Interval], str],
    percent: Callable[[Interval], str],
) -> Iterator[str]:
    """Yield the measures of one variant: means of a simulation of the whole period.

    Args:
        plain, spoken_time, percent: return a number, a duration and a share with their intervals.
    """
    means = statistics.means
    for name, label in NUMBERS:
        if means[name].value or name in ALWAYS:
            yield f"{label:<22}{plain(means[name])}"
        if name == "missed":
            for reason, number in statistics.missed:
                yield f"    {plain(number)}: {WORDS[reason]}"
    for name, label in DURATIONS:
        if means[name].value:
            yield f"{label:<22}{spoken_time(means[name])}"
    yield ""
    yield f"{'without a fault':<22}{percent(statistics.flawless)} of the simulations: every run that was due"
    yield f"{'':<22}started on time, and no Job failed or was replaced"


def cron_job_rows(
    variants: Sequence[tuple[str, RunStatistics]],
    plain: Callable[[Interval], str],
    spoken_time: Callable[[Interval], str],
) -> Iterator[list[str]]:
    """Yield the rows of a table of several variants."""
    yield [
        *("", "DUE", "ON TIME", "LATE", "MISSED", "FAILED JOBS"),
        *("LATEST BY", "LONGEST JOB", "OVERLAP", "POD-HOURS"),
    ]
    for name, statistics in variants:
        if statistics.cron_job is None:
            continue
        means = statistics.cron_job.means
        numbers = ("due", "onTime", "late", "missed", "failed")
        durations = ("delay", "longest", "overlap")
        yield [
            name,
            *(plain(means[number]) for number in numbers),
            *(spoken_time(means[each]) if means[each].value else "-" for each in durations),
            plain(statistics.pod_hours),
        ]
