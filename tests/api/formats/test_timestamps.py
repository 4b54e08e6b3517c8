"""Times, as metav1.Time and metav1.MicroTime read and print them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats.timestamps import (
    BadTime,
    canonical,
    canonical_micro,
    rfc3339,
    rfc3339_micro,
)


@pytest.mark.parametrize(
    ("written", "printed"),
    [
        ("2026-01-31T09:00:00Z", "2026-01-31T09:00:00Z"),
        ("2026-01-31T09:00:00.999Z", "2026-01-31T09:00:00Z"),
        ("2026-01-31T09:00:00+01:00", "2026-01-31T08:00:00Z"),
        ("2026-01-01T00:00:00+14:00", "2025-12-31T10:00:00Z"),
        ("2024-02-29T23:59:59-00:01", "2024-03-01T00:00:59Z"),
        ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"),
        ("2000-12-31T23:30:00-00:30", "2001-01-01T00:00:00Z"),
        ("1900-02-28T23:30:00-00:30", "1900-03-01T00:00:00Z"),
        ("2026-01-31T9:00:00Z", "2026-01-31T09:00:00Z"),
        ("2026-01-31T09:00:00,5Z", "2026-01-31T09:00:00Z"),
        ("2026-01-31T09:00:00+24:60", "2026-01-30T08:00:00Z"),
        ("9999-12-31T23:59:59-01:00", "10000-01-01T00:59:59Z"),
        ("0000-01-01T00:00:00+01:00", "-0001-12-31T23:00:00Z"),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T01:00:00+01:00", None),
    ],
)
def test_is_printed_in_utc_with_seconds(written: str, printed: str | None) -> None:
    assert rfc3339(written)
    assert canonical(written) == printed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "now",
        "2026-01-31",
        "2026-01-31 09:00:00Z",
        "2026-01-31t09:00:00Z",
        "2026-01-31T09:00:00z",
        "2026-01-31T09:00:00",
        "2026-01-31T09:00Z",
        "2026-02-29T09:00:00Z",
        "1900-02-29T09:00:00Z",
        "2026-13-01T09:00:00Z",
        "2026-00-01T09:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T09:60:00Z",
        "2026-01-31T09:00:60Z",
        "2026-01-31T09:00:00+0100",
        "2026-01-31T09:00:00+25:00",
        "2026-01-31T09:00:00.Z",
        "2026-01-31T09:00:00Z ",
        "٢٠٢٦-01-31T09:00:00Z",
    ],
)
def test_rejects_what_go_cannot_parse(text: str) -> None:
    assert not rfc3339(text)
    with pytest.raises(BadTime, match="is not an RFC 3339 time"):
        canonical(text)


def test_microseconds_have_six_digits() -> None:
    assert canonical_micro("2026-01-31T09:00:00.000001+01:00") == "2026-01-31T08:00:00.000001Z"
    assert canonical_micro("0001-01-01T00:00:00.000000Z") is None
    assert [
        rfc3339_micro(f"2026-01-31T09:00:00{fraction}Z")
        for fraction in ("", ".5", ".12345", ".123456", ".1234567", ",123456", ".+12345", ".-12345")
    ] == [False, False, False, True, False, True, True, False]


def test_answers_as_upstream(recorded: Callable[[str], list[Any]]) -> None:
    cases = recorded("timestamps")
    answers = [
        [
            text,
            rfc3339(text) and canonical(text),
            rfc3339_micro(text) and canonical_micro(text),
        ]
        for text, _, _ in cases
    ]
    assert answers == cases


offsets = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=offsets)


@given(times)
def test_agrees_with_the_calendar_of_python(time: datetime) -> None:
    in_utc = time.astimezone(UTC).replace(tzinfo=None)
    assert canonical(time.isoformat()) == in_utc.isoformat(timespec="seconds") + "Z"
    assert canonical_micro(time.isoformat(timespec="microseconds")) == (
        in_utc.isoformat(timespec="microseconds") + "Z"
    )


@given(times)
def test_canonical_of_canonical_is_the_same(time: datetime) -> None:
    printed = canonical(time.isoformat())
    assert printed is not None
    assert canonical(printed) == printed


@pytest.mark.parametrize("fraction", ["", ".1", ".12345", "x123456"])
def test_a_micro_time_has_six_digits_of_a_second(fraction: str) -> None:
    assert not rfc3339_micro(f"2026-01-31T09:00:00{fraction}Z")
