"""Patterns of Kyverno, as expressions that give the same verdict."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.kyverno.patterns import matches, matches_any
from jobsworth.policy.kyverno.untranslatable import Untranslatable
from kube_cel.compiling import compile_expression
from kube_cel.environment import JOB_POLICY


def verdict(expression: str, value: Any) -> bool:
    found: bool = compile_expression(expression, JOB_POLICY).value({"object": value})
    return found


@pytest.mark.parametrize(
    ("pattern", "passing", "failing"),
    [
        ({"a": "x"}, {"a": "x"}, {"a": "y"}),
        ({"a": "x"}, {"a": "x", "b": 1}, {}),
        ({"a": {"b": True}}, {"a": {"b": True}}, {"a": {"b": False}}),
        ({"a": 3}, {"a": 3}, {"a": 4}),
        ({"a": "*"}, {"a": None}, {}),
        ({"a": "?*"}, {"a": "x"}, {"a": ""}),
        ({"a": "x-*.y?"}, {"a": "x-1.yz"}, {"a": "x-1zyz"}),
        ({"a": "x | y"}, {"a": "y"}, {"a": "z"}),
        ({"a": "!x & !y"}, {"a": "z"}, {"a": "x"}),
        ({"a": "<=1Gi"}, {"a": "1024Mi"}, {"a": "2Gi"}),
        ({"a": ">0"}, {"a": 1}, {"a": 0}),
        ({"a": "1-5"}, {"a": 5}, {"a": 6}),
        ({"a": "!1-5"}, {"a": 6}, {"a": 1}),
        ({"=(a)": "x"}, {}, {"a": "y"}),
        ({"X(a)": "null"}, {}, {"a": "y"}),
        ({"a.b/c": "x"}, {"a.b/c": "x"}, {}),
        ({"X(a.b/c)": "null"}, {}, {"a.b/c": "x"}),
        ({"=(a.b/*)": "x"}, {"other": "y"}, {"a.b/c": "y"}),
        ({"a.b/*": "x"}, {"a.b/c": "x"}, {"other": "x"}),
        ({"X(a.b/*)": "null"}, {"other": "y"}, {"a.b/c": "y"}),
        ({"l": [{"n": "x"}]}, {"l": [{"n": "x"}, {"n": "x"}]}, {"l": [{"n": "x"}, {"n": "y"}]}),
        ({"l": ["x"]}, {"l": ["x"]}, {"l": ["x", "y"]}),
        ({"^(l)": [{"n": "x"}]}, {"l": [{"n": "y"}, {"n": "x"}]}, {"l": [{"n": "y"}]}),
        ({"drop": "ALL"}, {"drop": ["ALL"]}, {"drop": ["A"]}),
        ({"(a)": "x", "b": "y"}, {"a": "z"}, {"a": "x", "b": "z"}),
        (
            {"l": [{"(image)": "*:latest", "policy": "Always"}]},
            {"l": [{"image": "a:1"}, {"image": "b:latest", "policy": "Always"}]},
            {"l": [{"image": "a:1"}, {"image": "b:latest", "policy": "Never"}]},
        ),
        (
            {"label": "yes", "(spec)": {"(l)": [{"(path)": "/sock"}]}},
            {"spec": {"l": [{"path": "/other"}]}},
            {"spec": {"l": [{"path": "/other"}, {"path": "/sock"}]}},
        ),
    ],
)
def test_a_pattern_has_the_verdict_of_kyverno(pattern: Any, passing: Any, failing: Any) -> None:
    expression = matches(pattern, "object")
    assert verdict(expression, passing)
    assert not verdict(expression, failing)


def test_one_of_several_patterns_must_match() -> None:
    expression = matches_any([{"a": "x"}, {"(b)": "y", "c": "z"}], "object")
    assert verdict(expression, {"a": "x"})
    assert verdict(expression, {"b": "y", "c": "z"})
    assert not verdict(expression, {"b": "other"})


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ({"a": "{{ request.namespace }}"}, "a pattern of it has a variable"),
        ({"+(a)": "x"}, "a pattern of it has the anchor +(a)"),
        ({"<(a)": "x"}, "a pattern of it has the anchor <(a)"),
        ({"a": None}, "a pattern of it is null"),
        ({"l": [1, 2]}, "a list in its pattern has not exactly one item"),
        ({"a": ">1h"}, "a pattern of it compares with 1h, which is not a quantity"),
    ],
)
def test_what_has_no_translation(pattern: Any, reason: str) -> None:
    with pytest.raises(Untranslatable) as raised:
        matches(pattern, "object")
    assert str(raised.value) == reason
