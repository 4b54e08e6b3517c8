"""Statistics of many runs as text: one variant in full, several side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from jobsworth.runs import run_statistics
from jobsworth.runs.cause import MISSED
from jobsworth.runs.run_statistics import CronJobStatistics, Interval, RunStatistics, histogram
from jobsworth.runs.virtual_time import NEVER, spoken

Variants = Sequence[tuple[str, RunStatistics]]

_NUMBERS = (
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
_ALWAYS = ("due", "onTime", "late", "missed", "jobs", "failed")
_DURATIONS = (
    ("delay", "latest start, late by"),
    ("longest", "longest Job"),
    ("overlap", "overlap"),
)


SERIES = (
    "A simulation runs the CronJob for the whole period. Numbers are means of a simulation, summed over",
    "its Jobs. One simulation (without --runs) lists each Job, and each run that did not start.",
)
OF_JOB_SETS = (
    ("restarts", "restarts"),
    ("countedRestarts", "of them counted"),
    ("jobs", "Jobs"),
    ("lostHours", "Pod-hours lost"),
)
"""The measures of a JobSet with their labels: means of a run."""
_BINS = 12
_BAR = 40


def statistics_lines(statistics: RunStatistics) -> Iterator[str]:
    """Yield the lines of the report of one variant."""
    noun = "runs" if statistics.cron_job is None else "simulations"
    yield f"{statistics.runs} {noun}; in parentheses the 95 % interval"
    yield ""
    if statistics.cron_job is not None:
        yield from _cron_job_lines(statistics.cron_job, plain, spoken_time, percent)
        yield ""
    for label, interval in (
        ("complete", statistics.share("Complete")),
        ("failed", statistics.share("Failed")),
        ("unfinished", statistics.share("Unfinished")),
    ):
        if interval is not None and (interval.value or label != "unfinished"):
            yield f"{label:<22}{percent(interval)} of the runs"
    yield from _work(statistics)
    for name, label in OF_JOB_SETS:
        if statistics.job_set is not None:
            yield f"{label:<22}{plain(statistics.job_set[name])}"
    for label, quantile in (("median", 0.5), ("95th percentile", 0.95)):
        time = statistics.time(quantile)
        if time is not None:
            yield f"{'time, ' + label:<22}{spoken_time(time)}"
    yield f"{'Pods':<22}{plain(statistics.pods)}"
    yield f"{'Pod-hours':<22}{plain(statistics.pod_hours)}"
    yield f"{'of them wasted':<22}{plain(statistics.wasted_hours)}"
    if statistics.failed_indexes.value:
        yield f"{'failed indexes':<22}{plain(statistics.failed_indexes)}"
    if statistics.failures:
        yield ""
        per = "run" if statistics.cron_job is None else "simulation"
        yield f"Failed Pods per {per}, by rule"
        for rule, number in statistics.failures:
            yield f"  {rule:<20}{plain(number)}"
    yield ""
    if statistics.series:
        yield from SERIES
        return
    yield "Outcomes"
    for outcome, reason, count in statistics.outcomes:
        yield f"  {count:>7}  {outcome}{': ' + reason if reason else ''}"
    if len(statistics.times) > 1 and statistics.times[0] < statistics.times[-1]:
        yield ""
        yield "Time to completion"
        yield from _histogram(statistics.times)


def _work(statistics: RunStatistics) -> Iterator[str]:
    """Yield the work done by a Job of several completions, and its Pods at once."""
    done, of = run_statistics.work_done(statistics), run_statistics.completions(statistics)
    if done is not None and run_statistics.has_parts(statistics):
        yield f"{'work done':<22}{percent(done)} of the {of or 'completions'}"
        time = run_statistics.time_to_90_percent(statistics, 0.5)
        yield f"{'90 % done, median':<22}{'never' if time is None else spoken_time(time)}"
    most, overlap = run_statistics.most_pods(statistics), run_statistics.overlap(statistics)
    if most is not None and most.high > 1:
        yield f"{'most Pods at once':<22}{plain(most)}"
    if overlap is not None and overlap.value:
        yield f"{'done twice at once':<22}{spoken_time(overlap)}"


def comparison_lines(variants: Variants) -> Iterator[str]:
    """Yield a table of several variants."""
    runs = variants[0][1].runs
    if all(statistics.cron_job is not None for _, statistics in variants):
        yield from _cron_job_comparison(variants)
        return
    if runs == 1:
        yield "one run each, with the same luck"
        yield ""
        yield from _aligned(_single_rows(variants))
        return
    heads = _work_heads(variants)
    of_job_sets = all(statistics.job_set is not None for _, statistics in variants)
    restarts = tuple(RESTARTS) if of_job_sets else ()
    rows = [
        ["", "COMPLETE", *heads, *restarts, "TIME P50", "TIME P95", "PODS", "POD-HOURS", "WASTED"]
    ]
    for name, statistics in variants:
        median, late = statistics.time(0.5), statistics.time(0.95)
        rows.append(
            [
                name,
                percent_or_none(statistics.share("Complete")),
                *(_WORK[head](statistics) for head in heads),
                *(plain((statistics.job_set or {})[RESTARTS[head]]) for head in restarts),
                "-" if median is None else spoken(median.value),
                "-" if late is None else spoken(late.value),
                plain(statistics.pods),
                plain(statistics.pod_hours),
                plain(statistics.wasted_hours),
            ]
        )
    yield f"{runs} runs each, with the same luck; in parentheses the 95 % interval"
    if any(statistics.measures for _, statistics in variants):
        yield from _shares(variants)
    yield ""
    yield from _aligned(rows)


def _shares(variants: Variants) -> Iterator[str]:
    """Yield what the shares of the table are shares of."""
    yield "COMPLETE: share of the runs in which the Job completed"
    if WORK_DONE in _work_heads(variants):
        found = {run_statistics.completions(statistics) for _, statistics in variants}
        of = found.pop() if len(found) == 1 else ""
        yield f"WORK DONE: share of the {of or 'completions'} that succeeded, mean of the runs"
        yield "90% DONE: median of the time until nine tenths of them had succeeded"


def _work_heads(variants: Variants) -> list[str]:
    """Return the columns about work: only those that say something about these variants."""
    every = [each for _, statistics in variants for each in statistics.measures]
    shown = {
        WORK_DONE: any(each.completions > 1 for each in every),
        DONE_90: any(each.completions > 1 for each in every),
        MOST_PODS: any(each.most_pods > 1 for each in every),
        OVERLAP: any(each.overlap for each in every),
    }
    return [head for head in _WORK if shown[head]]


def _cron_job_comparison(variants: Variants) -> Iterator[str]:
    runs = variants[0][1].runs
    if runs == 1:
        yield "one simulation each, with the same luck"
    else:
        yield (
            f"{runs} simulations each, with the same luck: means of a simulation, in parentheses the 95 % "
            "interval"
        )
    yield ""
    yield from _aligned(_cron_job_rows(variants, plain, spoken_time))


def _single_rows(variants: Variants) -> Iterator[list[str]]:
    heads = _work_heads(variants)
    yield ["", "OUTCOME", *heads, "TIME", "PODS", "POD-HOURS", "WASTED"]
    for name, statistics in variants:
        time = statistics.time(1.0)
        (ending,) = [
            f"{outcome}: {reason}" if reason else outcome
            for outcome, reason, _ in statistics.outcomes
        ] or ["-"]
        yield [
            name,
            ending,
            *(_WORK[head](statistics) for head in heads),
            "-" if time is None else spoken(time.value),
            plain(statistics.pods),
            plain(statistics.pod_hours),
            plain(statistics.wasted_hours),
        ]


def _done(statistics: RunStatistics) -> str:
    """Return the share of the work, of a single run in numbers."""
    of = run_statistics.completions(statistics)
    if statistics.runs == 1:
        return f"{statistics.measures[0].succeeded:,} of {of}" if of else "-"
    return percent_or_none(run_statistics.work_done(statistics))


def _done_90(statistics: RunStatistics) -> str:
    time = run_statistics.time_to_90_percent(statistics, 0.5)
    return "never" if time is None else spoken(time.value)


def _most_pods(statistics: RunStatistics) -> str:
    most = run_statistics.most_pods(statistics)
    return "-" if most is None else _short(most.value)


def _overlap(statistics: RunStatistics) -> str:
    overlap = run_statistics.overlap(statistics)
    return "-" if overlap is None else spoken(overlap.value)


WORK_DONE, DONE_90, MOST_PODS, OVERLAP = "WORK DONE", "90% DONE", "MOST PODS", "OVERLAP"
RESTARTS = {"RESTARTS": "restarts", "LOST": "lostHours"}
"""The columns about a JobSet, with the measure of each."""
_WORK: dict[str, Callable[[RunStatistics], str]] = {
    WORK_DONE: _done,
    DONE_90: _done_90,
    MOST_PODS: _most_pods,
    OVERLAP: _overlap,
}


def _aligned(rows: Iterable[list[str]]) -> Iterator[str]:
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    for row in listed:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()


def _histogram(times: Sequence[int]) -> Iterator[str]:
    low, high = times[0], times[-1]
    counts = histogram(times, low, high, _BINS)
    for number, count in enumerate(counts):
        bar = "#" * -(-count * _BAR // max(counts))
        start = spoken(low + (high - low) * number / _BINS)
        yield f"  from {start:<14}{count:>7}  {bar}".rstrip()


def percent(interval: Interval) -> str:
    """Return a share with its interval."""
    value, low, high = (f"{part:.1%}" for part in interval)
    return value if low == high else f"{value} ({low} to {high})"


def percent_or_none(interval: Interval | None) -> str:
    """Return a share with its interval; "-" for that of a CronJob, which has none."""
    return "-" if interval is None else percent(interval)


def spoken_time(interval: Interval) -> str:
    """Return a duration with its interval."""
    value, low, high = ("never" if part >= NEVER else spoken(part) for part in interval)
    return value if value == low == high else f"{value} ({low} to {high})"


def plain(interval: Interval) -> str:
    """Return a number with its interval."""
    value, low, high = (_short(part) for part in interval)
    return value if value == low == high else f"{value} ({low} to {high})"


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _cron_job_lines(
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
    for name, label in _NUMBERS:
        if means[name].value or name in _ALWAYS:
            yield f"{label:<22}{plain(means[name])}"
        if name == "missed":
            for reason, number in statistics.missed:
                yield f"    {plain(number)}: {MISSED[reason]}"
    for name, label in _DURATIONS:
        if means[name].value:
            yield f"{label:<22}{spoken_time(means[name])}"
    yield ""
    yield f"{'without a fault':<22}{percent(statistics.flawless)} of the simulations: every run that was due"
    yield f"{'':<22}started on time, and no Job failed or was replaced"


def _cron_job_rows(
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
