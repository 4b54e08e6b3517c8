"""Durations such as `2h` in seconds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jobsworth.findings.durations import seconds_of

SECONDS_OF_UNITS = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


@given(st.integers(0, 15_000), st.sampled_from(sorted(SECONDS_OF_UNITS)))
def test_a_duration_is_its_number_times_its_unit(number: int, unit: str) -> None:
    assert seconds_of(f"{number}{unit}") == number * SECONDS_OF_UNITS[unit]


@given(st.text(max_size=20))
def test_any_text_is_a_duration_or_none(text: str) -> None:
    assert seconds_of(text) is None or seconds_of(text) >= 0  # type: ignore[operator]
