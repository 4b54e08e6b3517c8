"""Builders of CEL: whatever a user writes stays a text."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jobsworth.policy.export.cel_text import (
    HOLE,
    all_of,
    any_of,
    either,
    literal,
    message,
    negated,
    shown,
)
from jobsworth.policy.export.match_conditions import is_among, of_labels
from jobsworth.wording import one_line
from kube_cel.lexer import tokens

TEXTS = st.text(st.characters() | st.sampled_from("\"'\\\n\r\u2028\ufffc$`{}()*?[]!-^#\0"))


def without_texts(expression: str) -> list[str]:
    """The tokens of an expression, each text replaced by the same word."""
    found = [each for each in tokens(expression) if each.kind != "end"]
    return ["text" if each.kind == "string" else each.text for each in found]


@given(TEXTS)
def test_a_literal_is_one_token_on_one_line_with_the_same_value(text: str) -> None:
    expression = literal(text)
    assert without_texts(expression) == ["text"]
    assert "\n" not in expression
    assert "\r" not in expression
    expression.encode()


@given(TEXTS, TEXTS)
def test_no_text_changes_the_structure_of_an_expression(text: str, other: str) -> None:
    selector = {"matchLabels": {text: other}}
    builders: list[Any] = [
        lambda one, two: message(one, literal(two)) if HOLE in one else message(one),
        lambda one, two: literal([one, two]),
        lambda one, two: all_of([f"a == {literal(one)}", negated(f"b == {literal(two)}")]),
    ]
    for build in builders[1:]:
        assert without_texts(build(text, other)) == without_texts(build("a", "b"))
    assert set(without_texts(message(text))) <= {"(", ")", "text"}
    labels = of_labels("object.metadata.labels", selector)
    plain = of_labels("object.metadata.labels", {"matchLabels": {"a": "b"}})
    assert isinstance(labels, str)
    assert isinstance(plain, str)
    assert without_texts(labels) == without_texts(plain)
    among = is_among("request.namespace", [text])
    assert isinstance(among, str)
    assert set(without_texts(among)) <= {*["request.namespace", "matches", "in", "text", "(", ")", "[", "]", "|"], *"."} | {
        "request", "namespace"
    }  # fmt: skip


@given(TEXTS)
def test_a_message_is_on_one_line_and_says_the_same(text: str) -> None:
    words = one_line(text)
    assert "\n" not in words
    assert words.split() == text.split()


def test_conditions_that_are_known_disappear() -> None:
    assert any_of([True, "a"]) is True
    assert all_of([True, "a", "a"]) == "a"
    assert either(False, "1", "2") == "2"


def test_a_long_value_is_cut() -> None:
    assert ".substring(0, 64)" in shown("object.metadata.name", quote=True)
    assert shown("object.spec.parallelism", quote=False) == "string(object.spec.parallelism)"
