"""Documents that libyaml composes: the same values and positions as by its events, and no deep recursion."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.manifests import read_text
from jobsworth.manifests.parsing import fast_yaml
from jobsworth.manifests.parsing.fast_yaml import NeedsFullParser, ordinary_value
from jobsworth.manifests.parsing.libyaml import backend
from jobsworth.manifests.parsing.position_index import index_positions

needs_libyaml = pytest.mark.skipif(backend().kind != "libyaml", reason="PyYAML has no libyaml")

WORDS = st.sampled_from(["a", "b.c/d", "on", "x y", "12", "", "null", "#", "é"])
VALUES = st.recursive(
    WORDS | st.integers(-9, 9) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=12,
)


def outline(node: Any) -> Any:
    """Return everything that an outline says, below a node."""
    place = (node.position.line, node.position.column, node.position.index)
    children = node.children
    if isinstance(children, dict):
        below: Any = [(key, mark.index, outline(part)) for key, (mark, part) in children.items()]
    elif children is not None:
        below = list(map(outline, children))
    else:
        below = node.text
    return place, node.shown, below


@needs_libyaml
@given(VALUES, st.sampled_from([True, False, None]))
def test_positions_are_those_of_the_events(value: Any, flow: bool | None) -> None:
    data = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True).encode()
    try:
        _, node = ordinary_value(data)
    except NeedsFullParser:
        return
    assert node is not None
    assert not isinstance(node, list)
    composed, indexed = index_positions(data, node), index_positions(data)
    assert outline(composed) == outline(indexed)


@needs_libyaml
@pytest.mark.parametrize(
    "text",
    ["{}", "[]", "a: {}", "- []", "a:", "- ", "~", "'on': 1", '"<": 2', "a: {b: [c, {d: }]}"],
)
def test_small_documents_have_the_same_outline(text: str) -> None:
    value, node = ordinary_value(text.encode())
    assert value == yaml.safe_load(text)
    composed, indexed = index_positions(text.encode(), node), index_positions(text.encode())
    assert outline(composed) == outline(indexed)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [100, 600, 20_000])
@pytest.mark.parametrize(("before", "after"), [("[", "]"), ("{a: ", "}"), ("- ", ""), ("-\t", "")])
def test_deep_documents_are_not_composed(before: str, after: str, depth: int) -> None:
    data = (before * depth + "x" + after * depth).encode()
    found = read_text(data, "deep.yaml")
    assert len(found) == 1
    assert found[0].error is not None or depth <= 10_000


@needs_libyaml
@pytest.mark.parametrize("text", ["a: &x 1\nb: *x", "%YAML 1.1\n---\na: 1", "a: 1 & 2", "a: 5%"])
def test_anchors_and_directives_are_read_as_events(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def composed(data: bytes) -> bool:
        raise AssertionError(data)

    monkeypatch.setattr(fast_yaml, "_value", composed)
    try:
        ordinary_value(text.encode())
    except NeedsFullParser:
        assert text[0] == "%" or "*x" in text


@needs_libyaml
@pytest.mark.parametrize(
    "text", ["a: 1\na: 2", "on: 1", "1: 2", "[a]: b", "{a: b}: c", "<<: {a: 1}", "a: .inf", "a: *x"]
)
def test_what_is_not_ordinary_needs_the_full_parser(text: str) -> None:
    with pytest.raises(NeedsFullParser):
        ordinary_value(text.encode())


@pytest.mark.parametrize("text", ["a: '#!/bin/sh'", "a: http://b/?c=d", "a: echo hi!", "a: what?"])
def test_marks_inside_words_are_ordinary(text: str) -> None:
    assert ordinary_value(text.encode())[0] == yaml.safe_load(text)


@pytest.mark.parametrize(
    "text",
    ["a: !b c", "? a\n: b", "[a?b]", "{a: b?c}", "a: [!b c]", '{"a":!b c}', "!b a", "-\t!b c"],
)
def test_marks_that_may_have_a_meaning_need_the_full_parser(text: str) -> None:
    with pytest.raises(NeedsFullParser):
        ordinary_value(text.encode())
