"""Schedules that other crons take."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

import pytest

from jobsworth.api.formats.cron import BadSchedule, parse
from jobsworth.evaluation.fixes.schedule_fixes import fixed_schedule

NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")


def days(first: int, last: int, step: int = 1) -> frozenset[int]:
    """The days of the week of a range that may run over its end, where 0 and 7 are Sunday."""
    if first > last:
        last += 7
    return frozenset(day % 7 for day in range(first, last + 1, step))


def is_read(schedule: str) -> bool:
    try:
        parse(schedule)
    except BadSchedule:
        return False
    return True


@pytest.mark.parametrize(("first", "last"), list(product(range(8), range(8))))
def test_a_range_of_days_means_what_it_meant(first: int, last: int) -> None:
    schedule = f"0 6 * * {first}-{last}"
    if is_read(schedule):
        assert fixed_schedule(schedule) is None
        return
    found = fixed_schedule(schedule)
    assert found is not None
    assert parse(found.schedule).days_of_week == days(first, last)
    assert not parse(found.schedule).any_day_of_week
    assert found.sure


def test_names_that_are_written_in_full_mean_what_they_say() -> None:
    for number in range(1, 13):
        name = datetime(2026, number, 1, tzinfo=UTC).strftime("%B")
        for month in (name, name.lower(), name.upper()):
            if not is_read(f"0 6 1 {month} *"):  # "May" is short enough
                found = fixed_schedule(f"0 6 1 {month} *")
                assert found is not None
                assert parse(found.schedule).months == {number}
    for number in range(7):
        name = datetime(2026, 11, 22 + number, tzinfo=UTC).strftime("%A")
        found = fixed_schedule(f"0 6 * * {name}")
        assert found is not None
        assert parse(found.schedule).days_of_week == {number}


@pytest.mark.parametrize(("first", "last"), list(product(range(8), range(8))))
def test_a_range_of_named_days_means_what_it_meant(first: int, last: int) -> None:
    schedule = f"0 6 * * {NAMES[first].upper()}-{NAMES[last]}"
    if is_read(schedule):
        return
    found = fixed_schedule(schedule)
    assert found is not None
    assert parse(found.schedule).days_of_week == days(first % 7, last % 7)


@pytest.mark.parametrize(("first", "last", "step"), list(product(range(8), range(8), (2, 3))))
def test_steps_go_on_over_the_end_of_the_week(first: int, last: int, step: int) -> None:
    schedule = f"0 6 * * {first}-{last}/{step}"
    if is_read(schedule):
        return
    found = fixed_schedule(schedule)
    assert found is not None
    if first <= last:
        assert parse(found.schedule).days_of_week == days(first, last, step)


@pytest.mark.parametrize(
    ("schedule", "wanted", "zone"),
    [
        ("0 6 * * 7", "0 6 * * 0", None),
        ("0 6 * * 1,7", "0 6 * * 1,0", None),
        ("0 6 * * 0,7", "0 6 * * 0", None),
        ("0 6 * * sat-sun", "0 6 * * sat,sun", None),
        ("0 6 * * fri-mon", "0 6 * * fri-sat,sun-mon", None),
        ("0 6 * January Tuesday", "0 6 * Jan Tue", None),
        ("TZ=Europe/Berlin 0 6 * * *", "0 6 * * *", "Europe/Berlin"),
        ("CRON_TZ=UTC  @daily", "@daily", "UTC"),
        ("@daily Europe/Berlin", "@daily", "Europe/Berlin"),
        ("0 6 * * 7 UTC", "0 6 * * 0", "UTC"),
        ("CRON_TZ=UTC 0 6 * * 7", "0 6 * * 0", "UTC"),
    ],
)
def test_safe_schedule_fixes(schedule: str, wanted: str, zone: str | None) -> None:
    found = fixed_schedule(schedule)
    assert found is not None
    assert (found.schedule, found.time_zone, found.sure) == (wanted, zone, True)


@pytest.mark.parametrize(
    ("schedule", "wanted"),
    [
        ("0 22-2 * * *", "0 22-23,0-2 * * *"),
        ("50-10 6 * * *", "50-59,0-10 6 * * *"),
        ("0 6 25-5 * *", "0 6 25-31,1-5 * *"),
        ("0 6 * nov-feb *", "0 6 * nov-dec,jan-feb *"),
    ],
)
def test_other_ranges_that_run_backwards_may_be_a_slip(schedule: str, wanted: str) -> None:
    found = fixed_schedule(schedule)
    assert found is not None
    assert (found.schedule, found.sure) == (wanted, False)


@pytest.mark.parametrize(
    "schedule",
    [
        "", "0 6 * * *", "0 6 * *", "0 0 6 * * *", "@reboot", "0 6 * * 8", "0 6 * * 7/2", "61 * * * *",
        "0 6 * * x-sun", "TZ=UTC", "TZ= 0 6 * * *", "0 6 * * 1-7/0", "0 6 * * */0", "0 6 * * 1-2-7",
    ],
)  # fmt: skip
def test_ambiguous_schedules_are_left_alone(schedule: str) -> None:
    assert fixed_schedule(schedule) is None


LONG = "9" * 5000


@pytest.mark.parametrize(
    "schedule",
    [
        pytest.param("0 6 * * 5-1/00", id="a step of two zeros"),
        pytest.param(f"0 6 * * 5-{LONG}", id="an end of 5,000 digits"),
        pytest.param(f"0 6 * * {LONG}-1", id="a beginning of 5,000 digits"),
        pytest.param(f"0 6 * {LONG} *", id="a month of 5,000 digits"),
        pytest.param(f"50-10/{'0' * 5000} * * * *", id="a step of 5,000 zeros"),
    ],
)
def test_a_number_without_a_plausible_meaning_has_no_fix(schedule: str) -> None:
    assert not is_read(schedule)
    assert fixed_schedule(schedule) is None
