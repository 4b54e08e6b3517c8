"""Statistics of many runs: how often a Job completes, when, and what it costs, with 95 % intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from jobsworth.runs.cause import Cause
from jobsworth.runs.cron_job_measures import MEASURES, CronJobSummary, cron_job_summary
from jobsworth.runs.job_measures import MEASURES as JOB_SET_MEASURES
from jobsworth.runs.job_measures import (
    JobMeasures,
    JobSetSummary,
    is_lost,
    is_stopped_by_success,
    job_set_summary,
    measure_job,
)
from jobsworth.runs.run_record import Outcome, PodRecord, RunRecord
from jobsworth.runs.virtual_time import HOUR, NEVER
from jobsworth.wording import plural

_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
NO_RULE = "no rule"


class RunSummary(NamedTuple):
    """The part of a run that the statistics need; for a CronJob or JobSet, the sums of its Jobs.

    Attributes:
        outcome: None for a CronJob: its Jobs have outcomes, and runs that did not start have none.
        reason: empty for a CronJob.
        finished: milliseconds until the Job or JobSet finished; None if it did not, and for a CronJob.
        used: milliseconds for which Pods ran.
        wasted: those of Pods that did not count as succeeded, or whose Job a restart of its JobSet replaced.
        failures: failed Pods by the rule that matched.
        steps: the work that it took.
        measures: what it did; None for a CronJob or JobSet.
        cron_job: the measures of a CronJob; None for others.
        job_set: the measures of a JobSet; None for others.
    """

    seed: int
    outcome: Outcome | None
    reason: str
    finished: int | None
    pods: int
    used: int
    wasted: int
    failed_indexes: int
    failures: tuple[tuple[str, int], ...]
    steps: int = 0
    measures: JobMeasures | None = None
    cron_job: CronJobSummary | None = None
    job_set: JobSetSummary | None = None


def summarize(record: RunRecord) -> RunSummary:
    """Return the summary of a run."""
    failures: Counter[str] = Counter()
    used = wasted = pods = failed_indexes = 0
    outcome: Outcome | None = None
    finished, reason, measures = None, "", None
    if record.kind == "Job":
        job = record.job
        outcome, reason = job.outcome, job.reason
        finished = None if job.finished is None else job.finished - job.created
        measures = measure_job(job, record.end)
    elif record.job_set is not None:
        job_set = record.job_set
        outcome, reason, finished = job_set.outcome, unfinished_reason(record), job_set.finished
    for job in record.jobs:
        lost, stopped = is_lost(job, record), is_stopped_by_success(job, record)
        end = record.end if job.finished is None else job.finished
        for pod in job.pods:
            time = pod.used(end if pod.deleted is None else max(end, pod.deleted))
            used += time
            if lost or (pod.counted != "succeeded" and (pod.failed or not stopped)):
                wasted += time
            if pod.failed:
                failures[rule_name(pod)] += 1
        pods += len(job.pods)
        failed_indexes += len(job.failed_indexes)
    return RunSummary(
        record.seed, outcome, reason, finished, pods, used, wasted, failed_indexes,
        tuple(sorted(failures.items())), record.steps, measures,
        cron_job_summary(record) if record.kind == "CronJob" else None,
        job_set_summary(record),
    )  # fmt: skip


def unfinished_reason(record: RunRecord) -> str:
    """Return the reason of the terminal condition of a JobSet; without one, what its first Job waits for."""
    job_set = record.job_set
    if job_set is None or job_set.reason:
        return "" if job_set is None else job_set.reason
    current = [job for job in record.jobs if job.run == job_set.attempts and job.finished is None]
    return current[0].reason if current else "no Job runs"


def rule_name(pod: PodRecord) -> str:
    """Return the rule that a failed Pod matched, with its action."""
    match = pod.match
    if match is None or match.action is None:
        return NO_RULE
    kind = "termination rule" if match.by_reason else "rule"
    return f"{kind} {match.position} {match.action}"


class Interval(NamedTuple):
    """An estimate, and the interval in which the true value lies with a probability of 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class CronJobStatistics:
    """Statistics of some runs of one CronJob.

    Attributes:
        means: by the names of :data:`jobsworth.runs.cron_job_measures.MEASURES`, per run.
        missed: scheduled times that started no Job, per run, by reason.
        flawless: the share of the runs in which every scheduled time started a Job on time, and no Job
            failed or was replaced.
    """

    means: dict[str, Interval]
    missed: tuple[tuple[Cause, Interval], ...]
    flawless: Interval


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """Statistics of some runs of one Job or CronJob in one scenario.

    Attributes:
        series: the runs are of a CronJob: they have no outcomes and no times.
        outcomes: the runs by outcome and reason.
        times: milliseconds to completion of the runs that completed, sorted.
        pods, pod_hours, wasted_hours, failed_indexes: per run.
        failures: failed Pods per run, by rule.
        measures: of the work of each run; empty for a CronJob.
        cron_job: of a CronJob; None for others.
        job_set: of a JobSet: the means of its measures per run, by name; None for others.
    """

    runs: int
    outcomes: tuple[tuple[Outcome, str, int], ...]
    times: tuple[int, ...]
    pods: Interval
    pod_hours: Interval
    wasted_hours: Interval
    failed_indexes: Interval
    failures: tuple[tuple[str, Interval], ...]
    series: bool = False
    measures: tuple[JobMeasures, ...] = ()
    cron_job: CronJobStatistics | None = None
    job_set: dict[str, Interval] | None = None

    def share(self, outcome: Outcome) -> Interval | None:
        """Return the share of the runs with an outcome; None for a CronJob."""
        if self.series:
            return None
        count = sum(number for known, _, number in self.outcomes if known == outcome)
        return proportion(count, self.runs)

    def time(self, quantile: float) -> Interval | None:
        """Return a quantile of the time to completion, in milliseconds; None without a completed run."""
        return quantile_of(self.times, quantile) if self.times else None


def statistics_of(summaries: Sequence[RunSummary]) -> RunStatistics:
    """Return the statistics of at least one run."""
    outcomes = Counter((run.outcome, run.reason) for run in summaries if run.outcome is not None)
    rules = sorted({rule for run in summaries for rule, _ in run.failures})
    return RunStatistics(
        runs=len(summaries),
        outcomes=tuple(
            (outcome, reason, number)
            for (outcome, reason), number in sorted(
                outcomes.items(), key=lambda item: (-item[1], item[0])
            )
        ),
        times=tuple(
            sorted(
                run.finished
                for run in summaries
                if run.outcome == "Complete" and run.finished is not None
            )
        ),
        pods=mean([run.pods for run in summaries]),
        pod_hours=mean([run.used / HOUR for run in summaries]),
        wasted_hours=mean([run.wasted / HOUR for run in summaries]),
        failed_indexes=mean([run.failed_indexes for run in summaries]),
        failures=tuple(
            (rule, mean([dict(run.failures).get(rule, 0) for run in summaries])) for rule in rules
        ),
        series=any(run.outcome is None for run in summaries),
        measures=tuple(run.measures for run in summaries if run.measures is not None),
        cron_job=_cron_job_statistics(
            [run.cron_job for run in summaries if run.cron_job is not None]
        ),
        job_set=_job_set_means([run.job_set for run in summaries if run.job_set is not None]),
    )


def _job_set_means(runs: Sequence[JobSetSummary]) -> dict[str, Interval] | None:
    if not runs:
        return None
    return {name: mean([of(run) for run in runs]) for name, of in JOB_SET_MEASURES.items()}


def _cron_job_statistics(runs: Sequence[CronJobSummary]) -> CronJobStatistics | None:
    if not runs:
        return None
    reasons = sorted({reason for run in runs for reason, _ in run.missed})
    return CronJobStatistics(
        means={name: mean([each.of(run) for run in runs]) for name, each in MEASURES.items()},
        missed=tuple(
            (reason, mean([dict(run.missed).get(reason, 0) for run in runs])) for reason in reasons
        ),
        flawless=proportion(sum(run.flawless for run in runs), len(runs)),
    )


def proportion(count: int, total: int) -> Interval:
    """Return a share with its Wilson score interval, which holds for shares near 0 and 1, too.

    >>> [round(part, 3) for part in proportion(95, 100)]
    [0.95, 0.888, 0.978]
    >>> [round(part, 3) for part in proportion(10, 10)]
    [1.0, 0.722, 1.0]
    """
    share, z2 = count / total, _Z * _Z
    center = (share + z2 / (2 * total)) / (1 + z2 / total)
    spread = _Z * sqrt(share * (1 - share) / total + z2 / (4 * total * total)) / (1 + z2 / total)
    return Interval(
        share, 0.0 if count == 0 else center - spread, 1.0 if count == total else center + spread
    )


def mean(values: Sequence[float]) -> Interval:
    """Return the mean of numbers from 0 on, with its interval by the normal distribution.

    >>> [round(part, 2) for part in mean([2, 4])]
    [3.0, 1.04, 4.96]
    """
    count = len(values)
    average = sum(values) / count
    if count == 1:
        return Interval(average, average, average)
    variance = sum((value - average) ** 2 for value in values) / (count - 1)
    spread = _Z * sqrt(variance / count)
    return Interval(average, max(0.0, average - spread), average + spread)


def quantile_of(ordered: Sequence[int], quantile: float) -> Interval:
    """Return a quantile of sorted values, with the interval that the order statistics give.

    >>> quantile_of(range(1, 101), 0.5)
    Interval(value=50, low=40, high=60)
    """
    count = len(ordered)
    spread = _Z * sqrt(count * quantile * (1 - quantile))

    def at(place: float) -> int:
        return ordered[min(max(round(place), 1), count) - 1]

    return Interval(
        at(count * quantile), at(count * quantile - spread), at(count * quantile + spread)
    )


def histogram(values: Sequence[int], low: int, high: int, bins: int) -> list[int]:
    """Return how many values fall into each of some bins of equal width.

    >>> histogram([0, 4, 5, 10], 0, 10, 2)
    [2, 2]
    """
    counts = [0] * bins
    for value in values:
        counts[min((value - low) * bins // max(1, high - low), bins - 1)] += 1
    return counts


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
