"""Distributions of durations, by their inverse: a chance from 0 to 1 becomes milliseconds.

All randomness of a simulation comes from ``random.Random.random()``, the one generator whose sequence
Python promises to keep (https://docs.python.org/3/library/random.html#notes-on-reproducibility).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

from jobsworth.runs.virtual_time import NEVER

_P95 = 1.6448536269514722  # the 95th percentile of the standard normal distribution


@dataclass(frozen=True, slots=True)
class Fixed:
    """Always the same duration."""

    value: int

    def at(self, chance: float) -> int:
        """Return the duration, in milliseconds, below which this share of durations lies."""
        return self.value


@dataclass(frozen=True, slots=True)
class Uniform:
    """Every duration from `low` to `high` is as likely."""

    low: int
    high: int

    def at(self, chance: float) -> int:
        """Return the duration, in milliseconds, below which this share of durations lies."""
        return round(self.low + (self.high - self.low) * chance)


@dataclass(frozen=True, slots=True)
class Exponential:
    """The time to the next of events that happen at random, at a constant rate.

    >>> Exponential(60_000).at(0.5)
    41589
    """

    mean: int

    def at(self, chance: float) -> int:
        """Return the duration, in milliseconds, below which this share of durations lies."""
        return round(-self.mean * log(1 - chance))


@dataclass(frozen=True, slots=True)
class Weibull:
    """Failures that become rarer (`shape` below 1) or more frequent (above 1) with age."""

    scale: int
    shape: float

    def at(self, chance: float) -> int:
        """Return the duration, in milliseconds, below which this share of durations lies."""
        stretched: float = (-log(1 - chance)) ** (1 / self.shape)
        return min(NEVER, round(self.scale * stretched))


@dataclass(frozen=True, slots=True)
class Normal:
    """The normal distribution; a negative duration counts as 0."""

    mean: int
    deviation: int

    def at(self, chance: float) -> int:
        """Return the duration, in milliseconds, below which this share of durations lies."""
        return max(0, round(self.mean + self.deviation * standard_normal(chance)))


@dataclass(frozen=True, slots=True)
class LogNormal:
    """Durations as batch work has them: a median, and a long tail.

    >>> LogNormal(600_000, 1_200_000).at(0.5), LogNormal(600_000, 1_200_000).at(0.95)
    (600000, 1200000)
    """

    median: int
    p95: int

    def at(self, chance: float) -> int:
        """Return the duration, in milliseconds, below which this share of durations lies."""
        if not self.median:
            return 0
        spread = log(self.p95 / self.median) / _P95
        return min(NEVER, round(self.median * exp(spread * standard_normal(chance))))


@dataclass(frozen=True, slots=True)
class Observed:
    """Durations that were measured, each as likely."""

    values: tuple[int, ...]

    def at(self, chance: float) -> int:
        """Return the duration, in milliseconds, below which this share of durations lies."""
        return self.values[int(chance * len(self.values))]


Distribution = Fixed | Uniform | Exponential | Weibull | Normal | LogNormal | Observed


def standard_normal(chance: float) -> float:
    """Return the inverse of the standard normal distribution, with a relative error below 1.2e-9.

    Source: Peter J. Acklam, "An algorithm for computing the inverse normal cumulative distribution
    function" (2003).

    >>> round(standard_normal(0.975), 6), round(standard_normal(0.001), 6)
    (1.959964, -3.090232)
    """
    chance = min(max(chance, 1e-300), 1 - 2**-53)
    if chance < _LOW:
        q = sqrt(-2 * log(chance))
        return _ratio(_C, _D, q)
    if chance > 1 - _LOW:
        q = sqrt(-2 * log(1 - chance))
        return -_ratio(_C, _D, q)
    q = chance - 0.5
    return q * _ratio(_A, _B, q * q)


def _ratio(above: tuple[float, ...], below: tuple[float, ...], x: float) -> float:
    return _polynomial(above, x) / (_polynomial(below, x) * x + 1)


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    total = 0.0
    for coefficient in coefficients:
        total = total * x + coefficient
    return total


_LOW = 0.02425
_A = (
    -39.69683028665376, 220.9460984245205, -275.9285104469687,
    138.3577518672690, -30.66479806614716, 2.506628277459239,
)  # fmt: skip
_B = (
    -54.47609879822406, 161.5858368580409, -155.6989798598866,
    66.80131188771972, -13.28068155288572,
)  # fmt: skip
_C = (
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838,
    -2.549732539343734, 4.374664141464968, 2.938163982698783,
)  # fmt: skip
_D = (0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416)
