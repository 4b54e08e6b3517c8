"""Random draws for a Pod: the same for the same seed, index and attempt, whatever the policy.

Every Pod has a generator of its own. So the runs of two policies that are compared differ by the policies
only, not by chance.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from jobsworth.runs.cause import Cause
from jobsworth.runs.simulation.scenario import PodCase, PodIdentity, Scenario

_BITS = 40
_EVERY_POD = PodCase()
DISRUPTIONS_STREAM = 2**_BITS - 1
"""The run number whose generators choose the Pods of disruptions."""


class PodDraw(NamedTuple):
    """The life of a Pod, in milliseconds, if nothing disturbs it.

    Attributes:
        pending: the cause for which it stays Pending until it starts; None for a usual start.
        chances: one for each disruption of the scenario: whether it concerns the Pod, and when.
    """

    startup: int
    duration: int
    termination: int
    exit_code: int
    reason: str
    container: str
    termination_exit_code: int
    chances: tuple[tuple[float, float], ...]
    pending: Cause | None = None


def generator(seed: int, run: int, index: int, attempt: int) -> Random:
    """Return the random generator of a Pod, or of a disruption."""
    return Random((((seed << _BITS) + run << _BITS) + index + 1 << _BITS) + attempt)


def draw(scenario: Scenario, seed: int, pod: PodIdentity) -> PodDraw:
    """Draw the life of a Pod."""
    random = generator(seed, pod.job.stream, pod.index, pod.attempt).random
    startup, duration, termination, which = random(), random(), random(), random()
    case = _case(scenario, which, pod) if scenario.cases else _EVERY_POD
    code = case.exit_code
    return PodDraw(
        (case.startup or scenario.startup).at(startup),
        (case.duration or scenario.duration).at(duration),
        (case.termination or scenario.termination).at(termination),
        code,
        case.reason or usual_reason(code),
        case.container,
        scenario.termination_exit_code
        if case.termination_exit_code is None
        else case.termination_exit_code,
        tuple([(random(), random()) for _ in scenario.disruptions]),
        scenario.pending if case.startup is None else case.pending,
    )


def usual_reason(code: int) -> str:
    """Return the termination reason that an exit code mostly has."""
    return {0: "Completed", 137: "OOMKilled"}.get(code, "Error")


def _case(scenario: Scenario, which: float, pod: PodIdentity) -> PodCase:
    """Return the case of a Pod; the probabilities of the cases that select it add up."""
    for case in scenario.cases:
        selector = case.selector
        if selector.selects(pod):
            if which < selector.probability:
                return case
            which -= selector.probability
    return _EVERY_POD
