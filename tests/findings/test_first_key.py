"""The keys of a map at which a field path is split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.findings.edits import first_key, locate
from support.scaling.cost_growth import MAX_GROWTH, Action, superlinear_calls, time_growth

TEXT = st.text("ab.[]\"'0", max_size=8)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.c", ("a", ".c")),
        (".a.c", ("a", ".c")),
        ("a.b.c", ("a.b", ".c")),
        ("a.b[0]", ("a.b", "[0]")),
        ("ab.c", None),
        ("[a.b].c", ("a.b", ".c")),
        ('["a.b"].c', ("a.b", ".c")),
        ("[x]y].c", ("x]y", ".c")),
        ("[b].c", None),
        ("", None),
    ],
)
def test_a_path_begins_with_the_longest_key(path: str, expected: tuple[str, str] | None) -> None:
    keys = {"a": 1, "a.b": 2, "x]y": 3, "x": 4}
    assert first_key(keys, path) == expected
    assert first_key({**keys, **dict.fromkeys(map(str, range(40)))}, path) == expected


@given(st.lists(TEXT, max_size=3), TEXT, TEXT)
def test_the_number_of_other_keys_changes_nothing(keys: list[str], key: str, rest: str) -> None:
    others = {f"z{number}": None for number in range(40)}
    few: dict[str, None] = dict.fromkeys([key, *keys])
    for path in (f"{key}{rest}", f".{key}{rest}", f"[{key}]{rest}", f'["{key}"]{rest}'):
        assert first_key(few, path) == first_key({**others, **few}, path)


def _paths_of_many_keys(count: int) -> Action:
    keys = {f"example.com/k{number}": None for number in range(count)}
    return lambda: [first_key(keys, f"[{key}]") for key in keys]


def _a_key_with_many_dots(count: int) -> Action:
    key = "a." * count
    return lambda: first_key({key: None}, key)


def _a_path_with_many_dots(count: int) -> Action:
    path = "b." + "a." * count
    return lambda: locate({"b": {}, "c": 1}, path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "sized", [_paths_of_many_keys, _a_key_with_many_dots, _a_path_with_many_dots]
)
def test_splitting_takes_linear_time(sized: object) -> None:
    assert superlinear_calls(sized) == {}  # type: ignore[arg-type]
    assert time_growth(sized, 5000) <= MAX_GROWTH  # type: ignore[arg-type]


def test_a_position_of_thousands_of_digits_is_a_missing_key() -> None:
    digits = "9" * 5000
    assert locate({"list": [1]}, f"list[{digits}]").missing == (digits,)
    assert locate({}, f"labels[{digits}]").missing == ("labels", digits)
