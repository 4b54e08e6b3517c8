"""Records: values that are declared once, and declared faster than dataclasses."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.record import Record, RecordType


class Point(Record):
    x: int
    y: int = 0


class Named(Record, kw_only=True):
    name: str
    _secret: str = ""


class Words(Record):
    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        fields: Any = self
        fields.words = words


def test_fields_are_given_by_position_or_name_and_have_defaults() -> None:
    assert Point(1, 2) == Point(x=1, y=2) == Point(1, y=2)
    assert Point(1) == Point(1, 0)


@pytest.mark.parametrize("count", range(10))
def test_every_number_of_fields_is_set_in_its_order(count: int) -> None:
    names = [f"field_{index}" for index in range(count)]
    namespace = {"__annotations__": dict.fromkeys(names, "int"), "__qualname__": "Many"}
    many = RecordType("Many", (Record,), namespace)(*range(count))
    assert [getattr(many, name) for name in names] == list(range(count))


@given(st.integers(), st.integers(), st.integers(), st.integers())
def test_equal_fields_make_equal_records_with_equal_hashes(x: int, y: int, u: int, v: int) -> None:
    assert (Point(x, y) == Point(u, v)) == ((x, y) == (u, v))
    assert hash(Point(x, y)) == hash(Point(x, y))


def test_records_of_different_classes_differ() -> None:
    class Other(Record):
        x: int
        y: int

    assert Point(1, 2) != Other(1, 2)


def test_no_field_can_be_added_and_type_checkers_forbid_to_change_one() -> None:
    point = Point(1)
    with pytest.raises(AttributeError):
        point.z = 2  # type: ignore[attr-defined]
    assert not hasattr(point, "__dict__")
    # mypy reports a comment that suppresses no error.
    point.x = 2  # type: ignore[misc]


class Shared(Record, shared=True):
    x: int
    y: int = 0


def test_a_shared_record_cannot_be_changed() -> None:
    shared = Shared(1)
    with pytest.raises(AttributeError, match=r"^Shared\.x cannot be changed$"):
        shared.x = 2  # type: ignore[misc]
    assert shared == Shared(1, 0)
    assert copy.deepcopy(shared) == pickle.loads(pickle.dumps(shared)) == shared
    assert shared.replace(y=1) == Shared(1, 1)


def test_replace_makes_another_record() -> None:
    point = Point(1, 2)
    assert (point.replace(y=3), point) == (Point(1, 3), Point(1, 2))
    assert Named(name="a", _secret="b").replace(name="c") == Named(name="c", _secret="b")
    with pytest.raises(TypeError, match="'z'"):
        point.replace(z=3)


@pytest.mark.parametrize("record", [Point(1, 2), Named(name="a", _secret="b"), Words("a", "b")])
def test_copies_and_other_processes_get_equal_records(record: Record) -> None:
    assert pickle.loads(pickle.dumps(record)) == record
    assert copy.deepcopy(record) == copy.copy(record) == record


def test_a_private_field_counts_but_is_not_shown() -> None:
    record = Named(name="a", _secret="b")
    assert repr(record) == "Named(name='a')"
    assert record != Named(name="a")


def test_a_wrong_call_names_the_class_and_the_argument() -> None:
    with pytest.raises(TypeError, match=r"^Point\.__init__\(\) missing .*'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^Named\.__init__\(\) takes 1 positional"):
        Named("a")  # type: ignore[call-arg]


def test_a_record_is_made_as_declared_also_where_its_class_fills_the_fields_itself() -> None:
    assert Words("a", "b").words == ("a", "b")
    assert repr(Words()) == "Words(words=())"
