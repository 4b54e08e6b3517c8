"""Statistics of the work that the runs of a Job do: its share and of what, times, Pods at once."""

from __future__ import annotations

from jobsworth.runs.run_statistics import Interval, RunStatistics, mean, quantile_of
from jobsworth.runs.virtual_time import NEVER
from jobsworth.wording import plural


def has_parts(statistics: RunStatistics) -> bool:
    """Return True for a Job of several completions, which may do a part of its work."""
    return any(each.completions > 1 for each in statistics.measures)


def work_done(statistics: RunStatistics) -> Interval | None:
    """Return the share of the completions that succeeded; None for a work queue or a CronJob."""
    shares = [each.work_done for each in statistics.measures if each.work_done is not None]
    return mean(shares) if shares else None


def succeeded_indexes(statistics: RunStatistics) -> Interval | None:
    """Return the share of the indexes that succeeded; None if the Job is not Indexed."""
    indexed = any(each.indexed for each in statistics.measures)
    return work_done(statistics) if indexed else None


def time_to_90_percent(statistics: RunStatistics, quantile: float) -> Interval | None:
    """Return a quantile of the time until nine tenths of the completions have succeeded.

    Runs in which that never happens count as endless: None if the quantile is one of them.
    """
    times = sorted(
        NEVER if each.to_90_percent is None else each.to_90_percent for each in statistics.measures
    )
    found = quantile_of(times, quantile) if times else None
    return None if found is None or found.value >= NEVER else found


def most_pods(statistics: RunStatistics) -> Interval | None:
    """Return the greatest number of Pods at once, mean of the runs; None for a CronJob."""
    return mean([each.most_pods for each in statistics.measures]) if statistics.measures else None


def most_pods_of_all(statistics: RunStatistics) -> Interval | None:
    """Return the greatest number of Pods at once in any run; None for a CronJob."""
    most = max((each.most_pods for each in statistics.measures), default=None)
    return None if most is None else Interval(most, most, most)


def overlap(statistics: RunStatistics) -> Interval | None:
    """Return how many milliseconds work is done twice at once, mean of the runs; None for a CronJob."""
    return mean([each.overlap for each in statistics.measures]) if statistics.measures else None


def completions(statistics: RunStatistics) -> str:
    """Return what the share of the work is a share of: ``40 indexes``; empty if there is no such number."""
    numbers = {each.completions for each in statistics.measures}
    if len(numbers) != 1 or numbers == {0}:
        return ""
    indexed = any(each.indexed for each in statistics.measures)
    (number,) = numbers
    return f"{number:,} {plural('index' if indexed else 'completion', number)}"
