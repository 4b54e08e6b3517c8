"""Damaged recordings are an error with words, or are explained; never a traceback."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import jobsworth
from support.law_examples import number_of_examples
from support.why.recorded_failures import recorded_failures

RECORDED = [each["items"] for each in recorded_failures()]
VALUES: list[Any] = [
    None,
    0,
    -1,
    3,
    2**40,
    "",
    "x",
    "\x1b[2J",
    [],
    {},
    [1],
    {"a": 1},
    True,
    1.5,
    ["x"],
    [{}],
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in items:
        found += places(part, (*path, key))
    return found


@settings(max_examples=number_of_examples(75), deadline=None)
@given(st.data())
def test_a_damaged_recording_is_explained_or_an_error(data: st.DataObject) -> None:
    items = copy.deepcopy(data.draw(st.sampled_from(RECORDED)))
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([each for each in places(items) if len(each) > 1]))
        parent: Any = items
        try:
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = copy.deepcopy(data.draw(st.sampled_from(VALUES)))
        except (KeyError, TypeError, IndexError):
            continue
    with suppress(ValueError):
        assert jobsworth.why_recorded(items).sentence.endswith(".")
