"""Requirements on the statistics of a simulation: ``complete >= 0.95``, ``time.p95 <= 2h``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isfinite
from operator import eq, ge, gt, le, lt

from jobsworth.findings.durations import nanoseconds_of
from jobsworth.findings.near_names import did_you_mean
from jobsworth.runs import cron_job_measures, job_measures, run_statistics
from jobsworth.runs.run_statistics import Interval, RunStatistics, mean
from jobsworth.runs.virtual_time import NEVER, SECOND, spoken


class BadRequirement(ValueError):
    """A requirement that cannot be read; the message says what is expected."""


_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": ge,
    "<=": le,
    "==": eq,
    ">": gt,
    "<": lt,
}
_MEASURES: dict[str, Callable[[RunStatistics], Interval | None]] = {
    "complete": lambda statistics: statistics.share("Complete"),
    "failed": lambda statistics: statistics.share("Failed"),
    "unfinished": lambda statistics: statistics.share("Unfinished"),
    "time.mean": lambda statistics: mean(statistics.times) if statistics.times else None,
    "time.p50": lambda statistics: statistics.time(0.5),
    "time.p90": lambda statistics: statistics.time(0.9),
    "time.p95": lambda statistics: statistics.time(0.95),
    "time.p99": lambda statistics: statistics.time(0.99),
    "time.max": lambda statistics: statistics.time(1.0),
    "pods": lambda statistics: statistics.pods,
    "podHours": lambda statistics: statistics.pod_hours,
    "wastedHours": lambda statistics: statistics.wasted_hours,
    "failedIndexes": lambda statistics: statistics.failed_indexes,
    "succeededIndexes": run_statistics.succeeded_indexes,
    "workDone": run_statistics.work_done,
    "timeTo90.p50": lambda statistics: run_statistics.time_to_90_percent(statistics, 0.5),
    "timeTo90.p95": lambda statistics: run_statistics.time_to_90_percent(statistics, 0.95),
    "timeTo90.max": lambda statistics: run_statistics.time_to_90_percent(statistics, 1.0),
    "mostPods": run_statistics.most_pods,
    "mostPods.max": run_statistics.most_pods_of_all,
    "overlap": run_statistics.overlap,
}
SHARES = ("complete", "failed", "unfinished", "succeededIndexes", "workDone")
"""Measures that may be shares, of which a bound may be in percent."""
_DURATIONS = ("time.", "timeTo90.", "overlap")
_NO_VALUE = {
    "time.": "no run completed",
    "timeTo90.": "in too many runs nine tenths of the completions never succeeded",
    "succeededIndexes": "the Job is not Indexed. Assert workDone",
    "workDone": "the Job has no number of completions",
}
"""The reason for which a measure has no value, by the beginning of its name."""


SUMS = ("pods", "podHours", "wastedHours", "failedIndexes")
"""Measures that are sums over the Jobs of a run, so that they exist for a CronJob, too."""

OF_JOB_SETS = (
    *("complete", "failed", "unfinished"),
    *(name for name in _MEASURES if name.startswith("time.")),
    *SUMS,
    *job_measures.MEASURES,
)
"""Measures of a JobSet."""
SERIES = (*cron_job_measures.MEASURES, *SUMS)
"""Measures of a CronJob: means of a simulation."""
ALL = tuple(dict.fromkeys((*_MEASURES, *SERIES, *OF_JOB_SETS)))
_BY_SPELLING = {name.lower(): name for name in ALL}


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """The result of a requirement. If the measure has no value, it does not hold.

    Attributes:
        runs: the number of runs that were measured.
    """

    text: str
    measure: str
    holds: bool
    value: Interval | None
    runs: int

    def __str__(self) -> str:
        """Return the result in one line."""
        word = "holds" if self.holds else "does not hold"
        if self.value is None:
            why = next(why for name, why in _NO_VALUE.items() if self.measure.startswith(name))
            return f"{self.text} {word}: {why}"
        measured, low, high = (_measure_text(self.measure, part) for part in self.value)
        if self.runs == 1:
            return (
                f"{self.text} {word}: {measured} in this one run, which shows what may happen; more "
                "runs show how likely it is"
            )
        return f"{self.text} {word}: {measured} (95 % interval {low} to {high})"


@dataclass(frozen=True, slots=True)
class RunRequirement:
    """A requirement: a measure, a comparison and a bound (milliseconds for times)."""

    text: str
    measure: str
    operator: str
    bound: float

    def applies_to(self, kind: str) -> bool:
        """Return True if objects of a kind, Job, CronJob or JobSet, have the measure."""
        return self.measure in measures_of(kind)

    def check(self, statistics: RunStatistics) -> RequirementResult:
        """Compare the measured value; its interval is only reported."""
        series = statistics.cron_job
        of_job_set = statistics.job_set or {}
        if series is not None and self.measure in series.means:
            value: Interval | None = series.means[self.measure]
        elif self.measure in of_job_set:
            value = of_job_set[self.measure]
        else:
            value = _MEASURES[self.measure](statistics)
        holds = value is not None and _OPERATORS[self.operator](value.value, self.bound)
        return RequirementResult(self.text, self.measure, holds, value, statistics.runs)


def measures_of(kind: str) -> Iterable[str]:
    """Return the names of the measures that objects of a kind have."""
    return {"CronJob": SERIES, "JobSet": OF_JOB_SETS}.get(kind, _MEASURES)


def read_requirement(text: str) -> RunRequirement:
    """Read a requirement; ``succeeded_indexes`` is another spelling of ``succeededIndexes``.

    Raises:
        BadRequirement: it has another form.

    >>> read_requirement("time.p95 <= 2h").bound
    7200000.0
    """
    for operator in _OPERATORS:
        name, found, bound = (part.strip() for part in text.partition(operator))
        if found:
            break
    else:
        raise BadRequirement(f'"{text}" is not a comparison. Write, for example, complete >= 0.95')
    name = _BY_SPELLING.get(name.replace("_", "").lower(), name)
    if name not in ALL:
        hint = did_you_mean(name, ALL) or f"use one of {', '.join(ALL)}"
        raise BadRequirement(f'"{name}" is unknown; {hint}')
    return RunRequirement(text, name, operator, _bound(name, bound))


def _is_duration(name: str) -> bool:
    series = cron_job_measures.MEASURES.get(name)
    return name.startswith(_DURATIONS) or (series is not None and series.duration)


def _bound(name: str, text: str) -> float:
    if text.endswith("%") and name not in SHARES:
        raise BadRequirement(f'"{text}": {name} is not a share; give a number without %')
    try:
        if _is_duration(name):
            return nanoseconds_of(text) / 10**9 * SECOND
        number = float(text[:-1]) / 100 if text.endswith("%") else float(text)
        if not isfinite(number):  # no value compares with NaN
            raise ValueError(text)
        return number
    except ValueError:
        wanted = "a duration such as 2h" if _is_duration(name) else "a number"
        raise BadRequirement(f'"{text}" is not {wanted}') from None


def _measure_text(name: str, value: float) -> str:
    if not _is_duration(name):
        return f"{value:.4g}"
    return "never" if value >= NEVER else spoken(value)
