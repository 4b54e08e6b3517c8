"""The meaning of a schedule, compared with the times at which it fires."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.api.formats.cron import parse
from jobsworth.api.formats.cron_times import next_times
from jobsworth.lint.schedule_timing import every_day, months_left_out, names_day, shortest_gap
from support.law_examples import number_of_examples

START = datetime(2025, 12, 31, 23, 59, tzinfo=UTC)


def numbers(low: int, high: int) -> st.SearchStrategy[str]:
    some = st.lists(st.integers(low, high), min_size=1, max_size=3).map(
        lambda values: ",".join(map(str, values))
    )
    return st.one_of(st.just("*"), some)


schedules = st.tuples(
    st.one_of(st.just("*/20"), numbers(0, 59)),
    numbers(0, 23),
    numbers(1, 31),
    numbers(1, 12),
    numbers(0, 6),
).map(" ".join)


@settings(max_examples=number_of_examples(20), deadline=None)
@given(schedules)
def test_no_gap_is_shorter_than_the_shortest(text: str) -> None:
    schedule = parse(text)
    times = [START, *next_times(schedule, START, 120)]
    gaps = [later - earlier for earlier, later in pairwise(times[1:])]
    shortest = shortest_gap(text)
    if gaps:
        assert shortest is not None
        assert min(gaps) >= timedelta(seconds=shortest)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("* * * * *", 60),
        ("*/7 * * * *", 4 * 60),
        ("0 * * * *", 3600),
        ("0 22,4 * * *", 6 * 3600),
        ("0 3 * * *", 24 * 3600),
        ("30 4 * * mon-fri", 24 * 3600),
        ("0 3 * * 0", 7 * 24 * 3600),
        ("0 9 * * mon,thu", 3 * 24 * 3600),
        ("0 3 1 * *", 28 * 24 * 3600),
        ("0 3 1,31 * *", 24 * 3600),
        ("0 23,1 1 * *", 22 * 3600),
        ("0 0 29 2 *", 1461 * 24 * 3600),
        ("0 0 1 1 *", 365 * 24 * 3600),
        ("@every 90s", 90),
        ("0 0 31 2 *", None),
    ],
)
def test_the_shortest_gap(text: str, seconds: int | None) -> None:
    assert shortest_gap(text) == seconds


@settings(max_examples=number_of_examples(20), deadline=None)
@given(schedules)
def test_it_fires_on_the_days_that_it_names(text: str) -> None:
    schedule = parse(text)
    for time in next_times(schedule, START, 50):
        assert names_day(schedule, time.month, time.day, time.isoweekday() % 7)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("0 3 * * *", True),
        ("0 3 * * 0-6", True),
        ("0 3 1-31 * 1", True),
        ("0 3 1-30 * 1", False),
        ("0 3 * * 1-5", False),
        ("0 3 * 1-11 *", False),
    ],
)
def test_schedules_that_fire_every_day(text: str, answer: bool) -> None:
    assert every_day(parse(text)) is answer


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("0 0 31 * *", [2, 4, 6, 9, 11]),
        ("0 0 30 * *", [2]),
        ("0 0 29-31 * *", [2]),
        ("0 0 28-31 * *", []),
        ("0 0 31 1,3 *", []),
        ("0 0 31 * 1", []),
        ("0 0 * * *", []),
    ],
)
def test_months_that_are_too_short(text: str, months: list[int]) -> None:
    assert months_left_out(parse(text)) == months
