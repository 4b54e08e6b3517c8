"""Requirements on the statistics of a simulation: ``complete >= 0.95``, ``time.p95 <= 2h``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING

from jobsworth.api.formats import duration
from jobsworth.findings.near_names import did_you_mean
from jobsworth.whatif import cron_job_measures
from jobsworth.whatif.run_statistics import mean
from jobsworth.whatif.virtual_time import SECOND, spoken

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.whatif.run_statistics import Interval, RunStatistics


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
}


SUMS = ("pods", "podHours", "wastedHours", "failedIndexes")
"""Measures that are sums over the Jobs of a run, so that they exist for a CronJob, too."""

SERIES = (*cron_job_measures.MEASURES, *SUMS)
"""Measures of a CronJob: means of a simulation."""


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """The result of a requirement. If no run completed, `value` is None, and it does not hold."""

    text: str
    holds: bool
    value: Interval | None

    def __str__(self) -> str:
        """Return the result in one line."""
        word = "holds" if self.holds else "does not hold"
        if self.value is None:
            return f"{self.text} {word}: no run completed"
        measured, low, high = (_shown(self.text, part) for part in self.value)
        return f"{self.text} {word}: {measured} (95 % interval {low} to {high})"


@dataclass(frozen=True, slots=True)
class RunRequirement:
    """A requirement: a measure, a comparison and a bound (milliseconds for times)."""

    text: str
    measure: str
    operator: str
    bound: float

    def applies_to(self, kind: str) -> bool:
        """Return True if objects of a kind, Job or CronJob, have the measure."""
        return self.measure in (SERIES if kind == "CronJob" else _MEASURES)

    def check(self, statistics: RunStatistics) -> RequirementResult:
        """Compare the measured value; its interval is only reported."""
        series = statistics.cron_job
        if series is not None and self.measure in series.means:
            value: Interval | None = series.means[self.measure]
        else:
            value = _MEASURES[self.measure](statistics)
        holds = value is not None and _OPERATORS[self.operator](value.value, self.bound)
        return RequirementResult(self.text, holds, value)


def read_requirement(text: str) -> RunRequirement:
    """Read a requirement.

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
        raise BadRequirement(f'"{text}" is no comparison. Write, for example, complete >= 0.95')
    if name not in _MEASURES and name not in SERIES:
        known = dict.fromkeys((*_MEASURES, *SERIES))
        hint = did_you_mean(name, known) or f"Known are {', '.join(known)}"
        raise BadRequirement(f'"{name}" is unknown. {hint}')
    return RunRequirement(text, name, operator, _bound(name, bound))


def _is_duration(name: str) -> bool:
    series = cron_job_measures.MEASURES.get(name)
    return name.startswith("time.") or (series is not None and series.duration)


def _bound(name: str, text: str) -> float:
    try:
        if _is_duration(name):
            return duration.parse(text) / 10**9 * SECOND
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        wanted = "a duration such as 2h" if _is_duration(name) else "a number"
        raise BadRequirement(f'"{text}" is not {wanted}') from None


def _shown(text: str, value: float) -> str:
    return spoken(value) if _is_duration(re.split("[ <>=]", text)[0]) else f"{value:.4g}"
