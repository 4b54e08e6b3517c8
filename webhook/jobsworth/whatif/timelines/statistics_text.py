"""Statistics of many runs as text: one variant in full, several side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.whatif.run_statistics import histogram
from jobsworth.whatif.timelines.cron_job_statistics_text import cron_job_lines, cron_job_rows
from jobsworth.whatif.virtual_time import spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jobsworth.whatif.run_statistics import Interval, RunStatistics

SERIES = (
    "A simulation runs the CronJob for the whole period. Numbers are means of a simulation, summed over",
    "its Jobs. One simulation (without --runs) lists each Job, and each run that did not start.",
)
_BINS = 12
_BAR = 40


def statistics_lines(statistics: RunStatistics) -> Iterator[str]:
    """Yield the lines of the report of one variant."""
    noun = "runs" if statistics.cron_job is None else "simulations"
    yield f"{statistics.runs} {noun}; in parentheses the 95 % interval"
    yield ""
    if statistics.cron_job is not None:
        yield from cron_job_lines(statistics.cron_job, plain, spoken_time, percent)
        yield ""
    for label, interval in (
        ("complete", statistics.share("Complete")),
        ("failed", statistics.share("Failed")),
        ("unfinished", statistics.share("Unfinished")),
    ):
        if interval is not None and (interval.value or label != "unfinished"):
            yield f"{label:<22}{percent(interval)}"
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


def comparison_lines(variants: Sequence[tuple[str, RunStatistics]]) -> Iterator[str]:
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
    rows = [["", "COMPLETE", "TIME P50", "TIME P95", "PODS", "POD-HOURS", "WASTED"]]
    for name, statistics in variants:
        median, late = statistics.time(0.5), statistics.time(0.95)
        rows.append(
            [
                name,
                percent_or_none(statistics.share("Complete")),
                "-" if median is None else spoken(median.value),
                "-" if late is None else spoken(late.value),
                plain(statistics.pods),
                plain(statistics.pod_hours),
                plain(statistics.wasted_hours),
            ]
        )
    yield f"{runs} runs each, with the same luck; in parentheses the 95 % interval"
    yield ""
    yield from _aligned(rows)


def _cron_job_comparison(variants: Sequence[tuple[str, RunStatistics]]) -> Iterator[str]:
    runs = variants[0][1].runs
    if runs == 1:
        yield "one simulation each, with the same luck"
    else:
        yield (
            f"{runs} simulations each, with the same luck: means of a simulation, in parentheses the 95 % "
            "interval"
        )
    yield ""
    yield from _aligned(cron_job_rows(variants, plain, spoken_time))


def _single_rows(variants: Sequence[tuple[str, RunStatistics]]) -> Iterator[list[str]]:
    yield ["", "OUTCOME", "TIME", "PODS", "POD-HOURS", "WASTED"]
    for name, statistics in variants:
        time = statistics.time(1.0)
        (ending,) = [
            f"{outcome}: {reason}" if reason else outcome
            for outcome, reason, _ in statistics.outcomes
        ] or ["-"]
        yield [
            name,
            ending,
            "-" if time is None else spoken(time.value),
            plain(statistics.pods),
            plain(statistics.pod_hours),
            plain(statistics.wasted_hours),
        ]


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
    value, low, high = interval
    return f"{value:.1%} ({low:.1%} to {high:.1%})"


def percent_or_none(interval: Interval | None) -> str:
    """Return a share with its interval; "-" for that of a CronJob, which has none."""
    return "-" if interval is None else percent(interval)


def spoken_time(interval: Interval) -> str:
    """Return a duration with its interval."""
    value, low, high = map(spoken, interval)
    return value if value == low == high else f"{value} ({low} to {high})"


def plain(interval: Interval) -> str:
    """Return a number with its interval."""
    value, low, high = (_number(part) for part in interval)
    return value if value == low == high else f"{value} ({low} to {high})"


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
