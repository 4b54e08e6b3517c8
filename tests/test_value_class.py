"""Dataclasses that type checkers hold to be frozen."""

from __future__ import annotations

from dataclasses import field, replace

import pytest

from jobsworth.value_class import value_class


@value_class()
class Range:
    first: int
    last: int = 255
    note: str = field(default="", compare=False)


@value_class(kw_only=True)
class Named:
    name: str


def test_values_are_compared_and_hashed_by_their_fields() -> None:
    assert Range(1) == Range(1, 255, "a")
    assert hash(Range(1)) == hash(Range(1, 255, "a"))
    assert replace(Range(1), last=2) == Range(1, 2)
    assert Range(1) != Range(2)


def test_no_field_can_be_added_and_type_checkers_forbid_to_change_one() -> None:
    found = Range(1)
    with pytest.raises(AttributeError):
        found.other = 2  # type: ignore[attr-defined]
    # mypy reports a comment that suppresses no error.
    found.last = 2  # type: ignore[misc]


def test_keywords_only() -> None:
    assert Named(name="a").name == "a"
    with pytest.raises(TypeError, match="positional"):
        Named("a")  # type: ignore[call-arg]
