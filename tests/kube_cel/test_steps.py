"""A step takes about the same time, whatever takes it: the bound of steps is a bound of time."""

from __future__ import annotations

import time

import pytest

from kube_cel import operators
from kube_cel.budget import Budget, OutOfBudget
from kube_cel.environment import JOB_POLICY, environment
from kube_cel.evaluation import Scope, compiled
from kube_cel.functions.table import FUNCTIONS
from kube_cel.loops import LOOPS
from kube_cel.parser import parse
from kube_cel.values import CelError
from support.cel.costly_calls import CALLS, variables

MOST = 5
"""The time of a step, as a multiple of that of a plain loop."""
SIZES = (3, 2_000)
STEPS = 5_000
PLAIN = "i >= 0"
UNBOUNDED = 10**12


def seconds_per_step(source: str, size: int, steps: int = STEPS) -> float:
    """Evaluate an expression until its steps are used up, without a checker before and a loop around."""
    evaluate = compiled(parse(source, environment(JOB_POLICY).macros))
    budget = Budget(steps, built=UNBOUNDED)
    scope = Scope({**variables(size), "i": 0}, budget)
    began = time.thread_time()
    while budget.steps >= 0:
        scope.names["i"] += 1
        try:
            budget.spend()
            evaluate(scope)
        except OutOfBudget:
            break
        except CelError:
            continue
    return (time.thread_time() - began) / steps


def ratio(source: str, size: int) -> float:
    """Return the time of a step in relation to a plain loop: the least of several, because others use the CPU."""
    found = float("inf")
    for attempt in range(1, 7):
        plain = seconds_per_step(PLAIN, size, STEPS * attempt)
        found = min(found, seconds_per_step(source, size, STEPS * attempt) / plain)
        if found < MOST:
            break
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_a_step_takes_at_most_five_times_that_of_a_plain_loop(name: str) -> None:
    for source in CALLS[name]:
        for size in SIZES:
            assert ratio(source, size) < MOST, (source, size)


def test_every_function_operator_and_macro_is_measured() -> None:
    known = {*FUNCTIONS, *operators.BINARY, *operators.UNARY, *LOOPS}
    assert known <= CALLS.keys()


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("size({true: 'a', 1: 'b'}) == 2", True),
        ("{true: 'a', 1: 'b'}[true] == 'a' && {true: 'a', 1: 'b'}[1] == 'b'", True),
        ("true in {1: 'a'} || 1 in {true: 'a'} || 0u in {false: 'a'}", False),
        ("1.0 in {1: 'a'} && 1u in {1: 'a'}", True),
        ("{true: 1} == {true: 1} && {true: 1} != {1: 1}", True),
        ("{true: 1}.all(k, k == true) && {true: 1}.transformMap(k, v, k)[true]", True),
        ("'%s'.format([{true: 1}]) == '{true:1}'", True),
        ("{true: 1}[?true].hasValue() && !{true: 1}[?1].hasValue()", True),
    ],
)
def test_a_boolean_is_a_key_of_its_own(expression: str, value: bool) -> None:
    evaluate = compiled(parse(expression, environment(JOB_POLICY).macros))
    assert evaluate(Scope({}, Budget())) is value
