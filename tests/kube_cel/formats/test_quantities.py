"""Quantities, as resource.Quantity reads, prints, rounds and compares them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube_cel.formats.quantity import BadQuantity, Quantity, parse

NOT_A_QUANTITY = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
NOT_A_SUFFIX = "unable to parse quantity's suffix"
NOT_A_NUMBER = "unable to parse numeric part of quantity"


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("1", "1"),
        ("100m", "100m"),
        ("0.5", "500m"),
        ("1.5", "1500m"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("1000", "1k"),
        ("1e3", "1e3"),
        ("1E3", "1E3"),
        ("1e4", "10e3"),
        ("12e6", "12e6"),
        ("1024Mi", "1Gi"),
        ("1.5Gi", "1536Mi"),
        ("1025Ki", "1025Ki"),
        ("0.5Ki", "512"),
        ("0.1Ki", "102400m"),
        ("-0.5Gi", "-512Mi"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("0Gi", "0"),
    ],
)
def test_is_stored_in_canonical_form(written: str, stored: str) -> None:
    assert parse(written).canonical() == stored


@pytest.mark.parametrize("written", ["+5", "05", "5.", "1.500", "1.250k", "+3Gi", "007Mi"])
def test_keeps_a_text_that_looks_canonical_at_a_glance(written: str) -> None:
    assert parse(written).canonical() == written


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("9223372036854775807", "9223372036854775807"),
        ("8Ei", "9223372036854775807"),
        ("-9Ei", "-9223372036854775807"),
    ],
)
def test_binary_quantities_are_capped_at_64_bits(written: str, stored: str) -> None:
    assert parse(written).canonical() == stored


def test_decimal_quantities_beyond_exa_lose_their_suffix_as_upstream() -> None:
    assert parse("1000E").canonical() == "1"
    assert parse("1000E") > parse("999E")


@pytest.mark.parametrize(
    ("number", "stored"),
    [
        (1, "1"),
        (0, "0"),
        (-3, "-3"),
        (1000, "1k"),
        (0.5, "500m"),
        (1e-7, "100e-9"),
        (1e20, "100E"),
        (1e21, "1e+21"),
        (-0.0, "0"),
    ],
)
def test_reads_numbers_as_go_writes_them(number: float, stored: str) -> None:
    assert parse(number).canonical() == stored


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", NOT_A_QUANTITY),
        ("abc", NOT_A_QUANTITY),
        ("1 Gi", NOT_A_QUANTITY),
        ("1GB", NOT_A_QUANTITY),
        ("1,5", NOT_A_QUANTITY),
        ("0x10", NOT_A_QUANTITY),
        ("½", NOT_A_QUANTITY),
        ("٣", NOT_A_QUANTITY),
        ("1\n", NOT_A_QUANTITY),
        (True, NOT_A_QUANTITY),
        (float("inf"), NOT_A_QUANTITY),
        (float("nan"), NOT_A_QUANTITY),
        ("1gi", NOT_A_QUANTITY),
        ("1mi", NOT_A_SUFFIX),
        ("1KiB", NOT_A_QUANTITY),
        ("1K", NOT_A_SUFFIX),
        ("1e", NOT_A_SUFFIX),
        ("1e99999999999999999999", NOT_A_SUFFIX),
        ("Ei", NOT_A_NUMBER),
        ("e-10", NOT_A_NUMBER),
    ],
)
def test_rejects_with_the_message_of_the_server(written: str | float, message: str) -> None:
    with pytest.raises(BadQuantity) as caught:
        parse(written)
    assert str(caught.value) == message


@pytest.mark.parametrize("written", ["+", ".", "k", "Ki", "-.m"])
def test_takes_for_zero_what_upstream_takes_for_zero(written: str) -> None:
    assert parse(written).canonical() == "0"


@pytest.mark.parametrize(
    ("written", "value", "milli_value"),
    [
        ("1", 1, 1000),
        ("100m", 1, 100),
        ("1500m", 2, 1500),
        ("-1500m", -2, -1500),
        ("1u", 1, 1),
        ("1Gi", 2**30, 2**30 * 1000),
        ("1000E", 0, 0),
        ("0", 0, 0),
    ],
)
def test_rounds_up_to_whole_numbers(written: str, value: int, milli_value: int) -> None:
    assert (parse(written).value(), parse(written).milli_value()) == (value, milli_value)


def test_whole_numbers_are_distinguished_from_fractions() -> None:
    assert [parse(text).is_integer() for text in ("2", "2000m", "1Gi", "0.5", "1.0001")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_is_defaulted_to_thousandths() -> None:
    assert parse("0.0001").rounded_up_to_milli().canonical() == "1m"
    assert parse("100m").rounded_up_to_milli() is parse("100m")


@pytest.mark.parametrize(
    "huge", ["1e2147483647", "1e-2147483648", "0e-2000000000", "9e2000000000", "1" * 10_000]
)
def test_answers_at_once_however_large_the_exponent(huge: str) -> None:
    quantity = parse(huge)
    assert quantity.compare(parse("1Gi")) in (-1, 1)
    assert quantity.canonical()
    assert quantity.rounded_up_to_milli().value() >= 0
    assert (quantity + parse("1n")).sign >= 0


def test_does_not_read_more_digits_than_anybody_needs() -> None:
    with pytest.raises(BadQuantity, match="more than 10000 digits"):
        parse("1" * 10_001)


def test_reads_as_upstream(recorded: Callable[[str], list[Any]]) -> None:
    def answer(text: str) -> Any:
        try:
            quantity = parse(text)
        except BadQuantity as error:
            return str(error)
        rounded = quantity.rounded_up_to_milli()
        return [
            quantity.canonical(),
            quantity.value(),
            quantity.milli_value(),
            quantity.format,
            rounded.canonical(),
        ]

    cases = recorded("quantities")
    assert [(text, answer(text)) for text, _ in cases] == [
        (text, expected) for text, expected in cases
    ]


def test_compares_and_adds_as_upstream(recorded: Callable[[str], list[Any]]) -> None:
    wrong = [
        (left, right)
        for left, right, order, total in recorded("quantity_pairs")
        if parse(left).compare(parse(right)) != order
        or (parse(left) + parse(right)).canonical() != total
    ]
    assert wrong == []


SUFFIXES = ("", "n", "u", "m", "k", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti", "e3", "E-2", "e+5")
numbers = st.one_of(
    st.integers(-(10**12), 10**12).map(str),
    st.decimals(-(10**6), 10**6, places=4, allow_nan=False).map(lambda number: f"{number:f}"),
    st.tuples(st.integers(0, 999), st.text("0123456789", max_size=20)).map(
        lambda two: f"{two[0]}.{two[1]}"
    ),
)
texts = st.tuples(numbers, st.sampled_from(SUFFIXES)).map("".join)


def exact(quantity: Quantity) -> Fraction:
    return quantity.mantissa * Fraction(10) ** quantity.exponent


quantities = texts.map(parse).filter(lambda quantity: abs(exact(quantity)) < 10**21)


@given(quantities)
def test_parse_of_canonical_is_the_same_quantity(quantity: Quantity) -> None:
    again = parse(quantity.canonical())
    assert again == quantity
    assert hash(again) == hash(quantity)
    assert again.canonical() == quantity.canonical()


@given(quantities, quantities)
def test_order_is_that_of_the_exact_numbers(left: Quantity, right: Quantity) -> None:
    assert (left < right, left == right, left > right) == (
        exact(left) < exact(right),
        exact(left) == exact(right),
        exact(left) > exact(right),
    )
    assert (left <= right, left >= right) == (not left > right, not left < right)
    assert left != right or hash(left) == hash(right)


@given(quantities, quantities)
def test_sum_is_exact_in_either_order(left: Quantity, right: Quantity) -> None:
    assert exact(left + right) == exact(left) + exact(right)
    assert left + right == right + left


@given(quantities)
def test_rounding_to_milli_goes_away_from_zero_and_less_than_one_step(quantity: Quantity) -> None:
    rounded = exact(quantity.rounded_up_to_milli())
    assert 0 <= abs(rounded) - abs(exact(quantity)) < Fraction(1, 1000)
    assert (rounded * 1000).denominator == 1


@given(st.text("0123456789.+-eEinumkKMGTP ", max_size=12))
def test_any_text_is_read_or_rejected(text: str) -> None:
    try:
        canonical = parse(text).canonical()
    except BadQuantity:
        return
    assert parse(canonical).canonical() == canonical


@pytest.mark.parametrize("suffix", ["e0", "E0", "e00", "e-0", "E+00"])
def test_an_exponent_of_zero_changes_nothing(suffix: str) -> None:
    assert (parse(f"7{suffix}") + parse("0")).canonical() == "7"


@pytest.mark.parametrize(
    ("one", "other", "long"),
    [
        ("1", "1", False),
        ("9E", "1", False),
        ("9E", "999999999999999999", True),
        ("9223372036854775808", "1", True),
        ("1", "9223372036854775808", True),
        ("9223372036854775808", "-9223372036854775808", True),
    ],
)
def test_a_sum_is_long_if_a_term_or_the_sum_exceeds_64_bits(
    one: str, other: str, long: bool
) -> None:
    assert (parse(one) + parse(other)).long is long
