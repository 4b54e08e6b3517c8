"""Expressions and values that are made to take time, memory or Python's stack: each has a value or a reason, soon."""

from __future__ import annotations

import json
import lzma
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kube_cel.budget import MAX_NESTING, Budget, OutOfBudget
from kube_cel.compiling import compile_expression
from kube_cel.environment import NEWEST_RELEASE
from kube_cel.functions.strings import compiled
from kube_cel.refusals import Refused
from kube_cel.values import CelError
from support.law_examples import number_of_examples

RECORD = Path(__file__).parents[1] / "recorded/data/cel.jsonl.xz"
LONG = "a" * 1_000_000
MANY = list(range(100_000))
LISTS = [list(range(100))] * 30


def value(expression: str, data: Any = None, budget: Budget | None = None) -> Any:
    """The value of an expression, as the newest release accepts it."""
    names = {"object": data, "oldObject": None, "request": {"operation": "CREATE"}}
    return compile_expression(expression, NEWEST_RELEASE).value(names, budget)


def nested(levels: int, of: Any = 1) -> Any:
    """A list in a list in a list."""
    for _ in range(levels):
        of = [of]
    return of


def doubled(times: int, item: str = "[x, x]") -> str:
    """An expression whose value has two to the power of `times` parts, and little memory."""
    return "[1]" + f".map(x, {item})" * times


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression",
    [
        f"{doubled(40)} == {doubled(40)}",
        f"{doubled(40)} in [{doubled(40)}]",
        doubled(40, "{'a': x, 'b': x}") + " != " + doubled(40, "{'a': x, 'b': x}"),
        f"'%s'.format([{doubled(40)}]) == ''",
        f"{doubled(40)}.flatten(100).size() > 0",
        f"sets.contains({doubled(40)}, {doubled(40)})",
        f"[{doubled(40)}].indexOf({doubled(40)}) == 0",
        f"[optional.of({doubled(40)})] == [optional.of({doubled(40)})]",
    ],
)
def test_a_value_that_holds_its_parts_twice_and_twice_again_is_out_of_budget(
    expression: str,
) -> None:
    with pytest.raises(OutOfBudget):
        value(expression)


@pytest.mark.parametrize(
    ("expression", "data"),
    [
        ("object.many.all(x, object.lists in [object.lists])", {"many": MANY, "lists": LISTS}),
        ("object.many.all(x, object.lists == object.lists)", {"many": MANY, "lists": LISTS}),
        ("object.many.all(x, object.text <= object.text)", {"many": MANY, "text": LONG}),
        ("object.many.map(x, object.text).max().size() > 0", {"many": MANY, "text": LONG}),
        ("object.many.map(x, object.text).isSorted()", {"many": MANY, "text": LONG}),
        ("object.many.map(x, object.text).sort().size() > 0", {"many": MANY, "text": LONG}),
        ("object.many.sortBy(x, object.text).size() > 0", {"many": MANY, "text": LONG}),
        ("object.many.all(x, object.text.matches('(a?){50}a{50}$'))", {"many": MANY, "text": LONG}),
        ("object.text.findAll('').size() > 0", {"text": LONG}),
        ("object.many.all(x, object.text.find('b') == '')", {"many": MANY, "text": LONG}),
        ("object.many.all(x, isURL('/' + object.text))", {"many": MANY, "text": LONG}),
        ("object.many.all(x, '%s'.format([[object.text]]) != '')", {"many": MANY, "text": LONG}),
        ("object.many.all(x, strings.quote(object.text) != '')", {"many": MANY, "text": LONG}),
        ("object.many.all(x, !isSemver('1.0.0-' + object.text))", {"many": MANY, "text": LONG}),
    ],
)  # fmt: skip
def test_work_inside_of_a_function_or_operator_counts(expression: str, data: Any) -> None:
    with pytest.raises(OutOfBudget):
        value(expression, data, Budget(steps=50_000))


def test_the_last_place_of_a_part_is_found_in_linear_time() -> None:
    data = {"text": LONG, "part": "ab" + LONG[:500_000]}
    assert value("object.text.lastIndexOf(object.part)", data) == -1


@given(st.text("ab", max_size=12), st.text("ab", max_size=3), st.integers(0, 14))
def test_the_last_place_of_a_part_is_the_last(text: str, part: str, start: int) -> None:
    data = {"text": text, "part": part, "start": start}
    assert value("object.text.lastIndexOf(object.part)", data) == text.rfind(part)
    if part and start < len(text):
        found = value("object.text.lastIndexOf(object.part, object.start)", data)
        assert found == text.rfind(part, 0, start + len(part))


def test_a_search_keeps_no_groups_for_each_state_of_a_pattern() -> None:
    """RE2 copies the groups of a pattern for each state: 5 GB for one of 100,000 characters."""
    assert value(
        "object.text.matches(object.pattern)", {"text": "abab", "pattern": "(a|b)*" * 9_000}
    )
    assert compiled("((a)|(b))*").groups == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    "expression",
    [
        "[1]" + ".map(x, {x: x})" * 30 + ".size() == 1",
        "[1]" + ".map(x, [x, x])" * 70 + ".size() == 1",
        "[" + ",".join(["{}"] * 20_000) + "].size() == 20000",
    ],
    ids=["maps", "lists", "unknown-types"],
)
def test_types_do_not_grow_without_end(expression: str) -> None:
    assert value(f"{expression} || true") is True


@pytest.mark.parametrize(
    ("expression", "data"),
    [
        ("object == object", nested(900)),
        ("object in [object]", nested(900)),
        ("'%s'.format([object]) == ''", nested(900)),
        (
            "object.a == object.b",
            {"a": {"x": nested(MAX_NESTING)}, "b": {"x": nested(MAX_NESTING)}},
        ),
    ],
)
def test_deep_values_are_read_to_a_depth(expression: str, data: Any) -> None:
    with pytest.raises(CelError):
        value(expression, data)


def test_values_of_ordinary_depth_are_compared() -> None:
    assert value("object == [object][0]", nested(MAX_NESTING - 2)) is True


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 49 + "1" + ")" * 49 + " == 1",
        "!(" * 49 + "true" + ")" * 49 + " || true",
        "1" + " + 1" * 148 + " == 149",
        "object" + ".?a" * 147 + " == optional.none()",
        "[1]" + ".filter(x, x > 0)" * 145 + ".size() == 1",
        "[1].all(x, " * 24 + "true" + ")" * 24,
        "optional.of(1)" + ".optMap(x, x)" * 147 + ".hasValue()",
        "[" * 49 + "]" * 49 + ".size() == 1",
        "{1: " * 48 + "1" + "}" * 48 + ".size() == 1",
        "true ? " + "(true ? " * 23 + "true" + ": false)" * 23 + " : false",
    ],
)
def test_the_deepest_expressions_have_a_value_below_the_calls_of_a_server(expression: str) -> None:
    def below(calls: int) -> Any:
        return below(calls - 1) if calls else value(expression, {})

    assert below(120) is True


@pytest.mark.parametrize(
    ("expression", "data"),
    [
        ("[1][?object]", float("nan")),
        ("[1][?object]", float("inf")),
        ("[1][object]", float("inf")),
        ("object == 1.0 || object < 1.0", 10**300),
        ("object == 1.0 || object < 1.0", 10**400),
        ("double(object) < 1.0", -(10**400)),
        ("object + 1", 10**400),
        ("{optional.of([1]): 1}.size()", None),
        ("semver(object).compareTo(semver(object + '1')) == -1", "1.0.0-" + "1" * 5_000),
        ("quantity(object).asApproximateFloat() > 0.0", "9" * 5_000),
        ("object.matches('a')", "\ud800"),
        ("object.find('a')", "\ud800"),
        ("object.findAll('a')", "\ud800"),
        ("'a'.matches(object)", "\ud800"),
        ("url(object)", "http://\ud800/\ud800"),
        ("bytes(object) == b'' || object < 'a' || '%s%x'.format([object, object]) == ''", "\ud800"),
    ],
)
def test_odd_values_have_a_value_or_a_reason(expression: str, data: Any) -> None:
    with suppress(CelError):
        value(expression, data)


@given(st.integers(-(10**900), 10**900), st.integers(-9, 300))
def test_a_quantity_of_many_digits_is_its_nearest_double(mantissa: int, exponent: int) -> None:
    text = f"{mantissa}e{exponent}"
    assert value("quantity(object).asApproximateFloat()", text) == float(text)


@cache
def recorded() -> list[str]:
    """The texts of the recorded expressions."""
    with lzma.open(RECORD, "rt", encoding="utf-8") as lines:
        found = (json.loads(line).get("expression") for line in lines)
        return [text for text in found if isinstance(text, str)]


ODD = st.sampled_from(
    (
        None, True, -1, 2**63, 10**400, float("nan"), float("inf"), "", "\ud800", "a" * 50, "1" * 5_000, [], {},
        [None, 1, "a"], {"a": {"b": [1]}}, nested(150), "9" * 20_000, "1.0.0-" + "1" * 5_000, "2020-02-30T00:00:00Z",
    )
)  # fmt: skip


@given(st.data(), ODD, ODD)
@settings(max_examples=number_of_examples(100), deadline=None)
def test_changed_expressions_of_the_record_have_a_value_or_a_reason(
    data: st.DataObject, one: Any, other: Any
) -> None:
    texts = recorded()
    assert len(texts) > 1_000
    first, second = data.draw(st.sampled_from(texts)), data.draw(st.sampled_from(texts))
    at, to = data.draw(st.integers(0, len(first))), data.draw(st.integers(0, len(second)))
    change = data.draw(st.sampled_from(("none", "joined", "cut", "inserted")))
    expression = {
        "none": first,
        "joined": first[:at] + second[to:],
        "cut": first[:at] + first[at + 1 :],
        "inserted": first[:at]
        + data.draw(st.sampled_from(tuple("()[]{}.,?:'\"\\0aé`")))
        + first[at:],
    }[change]
    names = {
        "object": {"spec": one, "metadata": other, "a": one},
        "oldObject": other,
        "request": {},
    }
    names |= {"params": one, "namespaceObject": other, "variables": one}
    with suppress(Refused, CelError):
        compile_expression(expression, NEWEST_RELEASE, params=True).value(names)
