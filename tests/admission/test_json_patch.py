"""A patch makes the one object of the other: as another implementation of RFC 6902 applies it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.admission.json_patch import patch
from support.admission.admission_reviews import patched
from support.law_examples import number_of_examples

KEYS = st.sampled_from(["a", "b", "a/b", "~", "~1", "", "ä", "0", "-"])
SCALARS = st.sampled_from([None, True, False, 0, 1, 1.0, 2.5, "", "a", "1"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)


def exactly(value: Any) -> Any:
    """A value that equals another only where JSON does not distinguish them."""
    if isinstance(value, dict):
        return {key: exactly(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [exactly(inner) for inner in value]
    return type(value).__name__, value


@pytest.mark.slow
@given(OBJECTS, OBJECTS)
@settings(max_examples=number_of_examples(100))
def test_the_patch_makes_the_one_of_the_other(before: Any, after: Any) -> None:
    kept = copy.deepcopy((before, after))
    assert exactly(patched(before, patch(before, after))) == exactly(after)
    assert (before, after) == kept


@given(OBJECTS)
def test_equal_values_need_no_patch(value: Any) -> None:
    assert patch(value, copy.deepcopy(value)) == []


RULES = [{"action": "FailJob", "n": n} for n in range(3)]


@pytest.mark.parametrize(
    ("before", "after", "operations"),
    [
        ({"a": 1}, {"a": 2}, [("add", "/a", 2)]),
        ({"a": 1}, {"a": True}, [("add", "/a", True)]),
        ({"a": 1, "b": 2}, {"b": 2}, [("remove", "/a", None)]),
        ({}, {"a": {"b": 1}}, [("add", "/a", {"b": 1})]),
        ({"a": {}}, {"a": {"example.com/team": "x"}}, [("add", "/a/example.com~1team", "x")]),
        ({"a": RULES}, {"a": ["new", *RULES]}, [("add", "/a/0", "new")]),
        ({"a": RULES}, {"a": [*RULES, "new"]}, [("add", "/a/3", "new")]),
        ({"a": RULES}, {"a": RULES[:1] + RULES[2:]}, [("remove", "/a/1", None)]),
        ({"a": RULES}, {"a": [RULES[0], {**RULES[1], "n": 7}, RULES[2]]}, [("add", "/a/1/n", 7)]),
        ({"a": RULES}, {"a": []}, [("remove", f"/a/{n}", None) for n in (2, 1, 0)]),
    ],
)  # fmt: skip
def test_a_patch_has_no_more_than_it_takes(
    before: Any, after: Any, operations: list[tuple[str, str, Any]]
) -> None:
    found = patch(before, after)
    assert [(one["op"], one["path"], one.get("value")) for one in found] == operations
