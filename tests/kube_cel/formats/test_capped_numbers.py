"""Whole numbers of any length, in linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube_cel.formats.go_numbers import MAX_INT64, capped


@given(st.integers(0, MAX_INT64), st.integers(0, 30))
def test_a_number_of_64_bits_is_itself_whatever_zeros_it_begins_with(
    number: int, zeros: int
) -> None:
    assert capped(f"{'0' * zeros}{number}") == number


@pytest.mark.parametrize("digits", ["9223372036854775808", "9" * 19, "9" * 20, "1" + "0" * 100_000])
def test_a_larger_number_is_above_64_bits(digits: str) -> None:
    assert capped(digits) > MAX_INT64
