"""Laws of expressions, whatever their text; tests/recorded holds single expressions to kube-apiserver."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kube_cel.budget import Budget, OutOfBudget
from kube_cel.compiling import compile_expression
from kube_cel.environment import NEWEST_RELEASE
from kube_cel.refusals import Refused
from kube_cel.values import CelError
from support.law_examples import number_of_examples

INT64 = st.integers(min_value=-(2**63) + 1, max_value=2**63 - 1)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
CONTAINERS = {"spec": {"items": [{"name": "a"}, {"name": "b"}], "n": 2, "on": True}}
PARTS = st.sampled_from(
    (
        "object", "object.spec", ".n", ".?n", ".items", "[0]", "[?0]", "1", "1u", "1.5", "'a'", "b'a'", "true",
        "null", "[1, 'a']", "{'a': 1}", "-", "!", "+", "*", "/", "%", "<", "==", "in", "&&", "||", "?", ":", ",",
        "(", ")", ".map(x, x)", ".all(i, x, x != i)", ".exists(x, x == 1)", ".orValue(1)", ".size()",
        ".matches('a+')", ".format([1])", "quantity('1k')", "ip('::1')", "semver('1.0.0')", "size(", "int(",
        "duration('1s')", "\\\\", "\"", "`", "//", "\n", "0x", "é", "\U0001f600",
    )
)  # fmt: skip


def value(expression: str, variables: Any = None, budget: Budget | None = None) -> Any:
    """The value of an expression, as the newest release accepts it."""
    compiled = compile_expression(expression, NEWEST_RELEASE)
    return compiled.value({"object": variables, "oldObject": None}, budget)


@given(st.lists(PARTS, max_size=12).map(" ".join))
@settings(max_examples=number_of_examples(75))
def test_an_expression_has_a_value_or_a_reason_and_no_other_error(expression: str) -> None:
    try:
        value(expression, CONTAINERS)
    except Refused as refused:
        places = [each.at for each in refused.refusals if each.at is not None]
        assert all(0 <= at <= len(expression) for at in places)
    except CelError as error:
        reason = str(error)
        assert reason


@given(TEXTS)
def test_a_text_is_its_own_value(text: str) -> None:
    assert value(json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")) == text


@given(INT64, INT64, st.sampled_from("+-*"))
def test_whole_numbers_are_exact_or_overflow(left: int, right: int, operator: str) -> None:
    exact = {"+": left + right, "-": left - right, "*": left * right}[operator]
    variables = {"l": left, "r": right}
    expression = f"object.l {operator} object.r"
    if -(2**63) <= exact < 2**63:
        assert value(expression, variables) == exact
    else:
        with pytest.raises(CelError, match="overflow"):
            value(expression, variables)


@given(INT64, INT64.filter(bool))
def test_a_quotient_and_its_remainder_make_the_number(number: int, by: int) -> None:
    assert value("object.n / object.by * object.by + object.n % object.by == object.n", {
        "n": number, "by": by,
    })  # fmt: skip


@given(st.lists(INT64, max_size=8))
def test_a_list_is_in_order_after_it_was_sorted(numbers: list[int]) -> None:
    assert value("object.sort().isSorted()", numbers) is True
    assert value("object.all(x, x in object) == !object.exists(x, !(x in object))", numbers) is True


@given(st.integers(min_value=2, max_value=60), st.integers(min_value=1, max_value=500))
def test_no_expression_takes_more_steps_than_it_may(size: int, steps: int) -> None:
    items = list(range(size))
    expression = "object.all(a, object.all(b, object.all(c, a + b + c >= 0)))"
    try:
        assert value(expression, items, Budget(steps=steps)) is True
    except OutOfBudget:
        assert size**3 > steps / 100
