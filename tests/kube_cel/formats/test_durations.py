"""Durations, as Go's time.ParseDuration reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube_cel.formats.duration import BadDuration, parse


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("1h30m", 5400 * 10**9),
        ("-1.5s", -1_500_000_000),
        (".5ms", 500_000),
        ("1us1µs1μs", 3000),
        ("2562047h47m16.854775807s", 2**63 - 1),
        ("-9223372036854775808ns", -(2**63)),
        ("9223372036854775808ns9223372036854775808ns", 0),  # Go's sum overflows
    ],
)
def test_is_read_in_nanoseconds(text: str, nanoseconds: int) -> None:
    assert parse(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'time: invalid duration ""'),
        ("-", 'time: invalid duration "-"'),
        (".s", 'time: invalid duration ".s"'),
        ("90", 'time: missing unit in duration "90"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("1h 30m", 'time: unknown unit "h " in duration "1h 30m"'),
        ("1é", 'time: unknown unit "\\xc3\\xa9" in duration "1\\xc3\\xa9"'),
        ('1"', 'time: unknown unit "\\"" in duration "1\\""'),
        ("9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'),
        ("9999999999999999999", 'time: invalid duration "9999999999999999999"'),
        ("3000000h", 'time: invalid duration "3000000h"'),
    ],
)
def test_rejects_with_the_message_of_go(text: str, message: str) -> None:
    with pytest.raises(BadDuration) as caught:
        parse(text)
    assert str(caught.value) == message


def test_reads_as_go(recorded: Callable[[str], list[Any]]) -> None:
    def answer(text: str) -> int | str:
        try:
            return parse(text)
        except BadDuration as error:
            return str(error)

    cases = recorded("durations")
    assert [(text, answer(text)) for text, _ in cases] == [
        (text, expected) for text, expected in cases
    ]


UNITS = {"h": 3600 * 10**9, "m": 60 * 10**9, "s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}


@given(st.lists(st.tuples(st.integers(0, 10**5), st.sampled_from(sorted(UNITS))), min_size=1))
def test_is_the_sum_of_its_parts(parts: list[tuple[int, str]]) -> None:
    text = "".join(f"{number}{unit}" for number, unit in parts)
    total = sum(number * UNITS[unit] for number, unit in parts)
    assert parse(text) == total
    assert parse("-" + text) == -total
