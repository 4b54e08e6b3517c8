"""Cron schedules, as robfig/cron reads them for the API server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.api.formats.cron import BadSchedule, Schedule, parse
from jobsworth.api.formats.cron_times import next_times

Recorded = Callable[[str], list[Any]]


def rejected(schedule: str) -> str:
    with pytest.raises(BadSchedule) as caught:
        parse(schedule)
    return str(caught.value)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("0 0 * * * *", "expected exactly 5 fields, found 6: [0 0 * * * *]"),
        (" @daily", "expected exactly 5 fields, found 1: [@daily]"),
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("0 0 * * 7", "end of range (7) above maximum (6): 7"),
        ("0 0 * * sat-sun", "beginning of range (6) beyond end of range (0): sat-sun"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'),
        ("-1 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'),
        ("*/-1 * * * *", "negative number (-1) not allowed: -1"),
        (
            "9223372036854775808 * * * *",
            "failed to parse int from 9223372036854775808: "
            'strconv.Atoi: parsing "9223372036854775808": value out of range',
        ),
        (
            "0 0 * des *",
            'failed to parse int from des: strconv.Atoi: parsing "des": invalid syntax',
        ),
        ("@reboot", "unrecognized descriptor: @reboot"),
        ("@daily ", "unrecognized descriptor: @daily "),
        (
            "@every 5",
            'failed to parse duration @every 5: time: missing unit in duration "5"',
        ),
        ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
        ("TZ=Mars/X 0 0 * * *", "provided bad location Mars/X: unknown time zone Mars/X"),
    ],
)
def test_rejects_with_the_message_of_the_server(schedule: str, message: str) -> None:
    assert rejected(schedule) == message


@pytest.mark.parametrize(
    ("schedule", "same"),
    [
        ("@hourly", "0 * * * *"),
        ("@daily", "0 0 * * *"),
        ("@midnight", "0 0 * * *"),
        ("@weekly", "0 0 * * sun"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 jan *"),
        ("@annually", "0 0 1 1 ?"),
        ("0\t0 \u3000* * *", "0 0 * * *"),
        ("0 0 * JAN-MAR MON,Tue", "0 0 * 1-3 1,2"),
        ("5/15 * * * *", "5,20,35,50 * * * *"),
        ("*-7 * * * *", "* * * * *"),
        ("1,,2, * * * *", "1,2 * * * *"),
        ("0 0 * * FRİ", "0 0 * * 5"),
    ],
)
def test_two_ways_to_write_the_same(schedule: str, same: str) -> None:
    assert parse(schedule) == parse(same)
    assert hash(parse(schedule)) == hash(parse(same))


@pytest.mark.parametrize(
    ("schedule", "fires"),
    [
        ("0 0 29 2 *", True),
        ("0 0 30 2 *", False),
        ("0 0 31 4,6,9,11 *", False),
        ("0 0 31 4,5 *", True),
        ("0 0 30 2 1", True),
        ("0 0 30 2 */2", True),
        (", * * * *", False),
        ("0 0 * * ,", False),
        ("0 0 , * *", False),
        ("0 0 1 * ,", True),
        ("@every 1ms", True),
    ],
)
def test_knows_whether_it_ever_fires(schedule: str, fires: bool) -> None:
    assert parse(schedule).fires_ever() is fires
    assert bool(next_times(parse(schedule), datetime(2026, 1, 1, tzinfo=UTC), 1)) is fires


@pytest.mark.parametrize(
    ("schedule", "interval"),
    [
        ("@every 90m", 5400),
        ("@every 1.9s", 1),
        ("@every 10ms", 1),
        ("@every -1h", 1),
        ("@every 0", 1),
    ],
)
def test_intervals_are_whole_seconds_and_one_at_least(schedule: str, interval: int) -> None:
    assert parse(schedule).every == interval * 10**9


def test_two_restricted_days_are_alternatives_and_a_star_is_none() -> None:
    friday_13th = next_times(parse("0 0 13 * 5"), datetime(2026, 3, 1), 3)
    assert [time.day for time in friday_13th] == [6, 13, 20]
    every_other_weekday = next_times(parse("0 0 13 * */2"), datetime(2026, 3, 1), 3)
    assert [time.day for time in every_other_weekday] == [3, 5, 7]
    star = next_times(parse("0 0 13 * *"), datetime(2026, 3, 1), 2)
    assert [time.day for time in star] == [13, 13]


def test_only_white_space_of_go_separates_fields() -> None:
    spaces = "\t\v\f\x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000"
    for space in spaces:
        assert parse(space.join(["1", "2", "*", "*", "*"])) == parse("1 2 * * *")
    for other in "X\x1c\x1d\x1e\x1f\u200b\ufeff":
        assert rejected(f"1{other}2 * * *")
        assert rejected(f"1{other}2\xa0* * *")


def test_finds_nothing_beyond_five_years() -> None:
    assert next_times(parse("0 0 29 2 *"), datetime(2096, 3, 1), 1) == []


@pytest.mark.parametrize(
    ("schedule", "after", "times"),
    [
        # Clocks go forward from two to three on the 29th of March 2026 in Berlin.
        ("30 2 * * *", datetime(2026, 3, 28, 12), ["2026-03-30T02:30:00+02:00"]),
        # And back from three to two on the 25th of October.
        (
            "30 2 25 10 *",
            datetime(2026, 10, 24, 12),
            ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"],
        ),
        ("TZ=UTC 0 0 * * *", datetime(2026, 7, 1, 12), ["2026-07-02T02:00:00+02:00"]),
        ("@every 1h", datetime(2026, 3, 29, 1, 30, 0, 5), ["2026-03-29T03:30:00+02:00"]),
    ],
)
def test_clocks_that_change(schedule: str, after: datetime, times: list[str]) -> None:
    found = next_times(parse(schedule), after.replace(tzinfo=ZoneInfo("Europe/Berlin")), len(times))
    assert [time.isoformat() for time in found] == times


def test_a_day_that_a_zone_left_out_does_not_stop_the_clock() -> None:
    after = datetime(2011, 12, 28, 1, tzinfo=ZoneInfo("Pacific/Apia"))
    assert [time.day for time in next_times(parse("0 0 * * *"), after, 3)] == [29, 31, 1]


def test_a_date_whose_midnight_a_zone_left_out_is_missed_as_upstream_misses_it() -> None:
    # robfig/cron 3.0.1, spec.go: it goes back from one to midnight, which is the day before.
    noon = parse("TZ=Africa/Cairo 0 12 24 4 *")
    (found,) = next_times(noon, datetime(2026, 4, 20, tzinfo=UTC), 1)
    assert found == datetime(2027, 4, 24, 10, tzinfo=UTC)


def test_does_not_change() -> None:
    with pytest.raises(AttributeError):
        parse("@daily").every = 1


def mask(numbers: Iterable[int]) -> int:
    return sum(1 << number for number in numbers)


def test_reads_as_upstream(recorded: Recorded) -> None:
    def answer(text: str) -> Any:
        try:
            schedule = parse(text)
        except BadSchedule as error:
            return str(error)
        if schedule.every is not None:
            return schedule.every
        zone = {None: "Local", "": "UTC"}.get(schedule.time_zone, schedule.time_zone)
        return [
            mask(schedule.minutes),
            mask(schedule.hours),
            mask(schedule.days_of_month),
            mask(schedule.months),
            mask(schedule.days_of_week),
            schedule.any_day_of_month,
            schedule.any_day_of_week,
            zone,
        ]

    cases = recorded("cron_schedules")
    assert [(text, answer(text)) for text, _ in cases] == [
        (text, expected) for text, expected in cases
    ]


@pytest.mark.slow
def test_fires_when_upstream_does(recorded: Recorded) -> None:
    def answer(schedule: str, zone: str, after: int) -> list[int]:
        moment = datetime.fromtimestamp(after, ZoneInfo(zone))
        return [int(time.timestamp()) for time in next_times(parse(schedule), moment, 4)]

    wrong = [case for case in recorded("cron_times") if answer(*case[:3]) != case[3]]
    assert wrong == []


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 5))]
)
def test_a_cron_job_with_a_time_zone_runs_when_upstream_says(recorded: Recorded, part: int) -> None:
    def answer(schedule: str, zone: str, after: int) -> list[int]:
        moment = datetime.fromtimestamp(after, UTC)
        times = next_times(parse(f"TZ={zone} {schedule}"), moment, 5)
        return [
            int((later - earlier).total_seconds()) for earlier, later in pairwise([moment, *times])
        ]

    cases = list(recorded("cron_runs"))[part::5]
    wrong = [case for case in cases if answer(*case[:3]) != case[3]]
    assert wrong == []


def field(first: int, last: int) -> st.SearchStrategy[str]:
    number = st.integers(first, last)
    part = st.one_of(
        st.just("*"),
        number.map(str),
        st.tuples(number, number).map(lambda two: f"{min(two)}-{max(two)}"),
        st.tuples(number, st.integers(1, 70)).map(lambda two: f"{two[0]}/{two[1]}"),
        st.integers(1, 70).map(lambda step: f"*/{step}"),
    )
    return st.lists(part, min_size=1, max_size=3).map(",".join)


schedules = st.tuples(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6)).map(
    " ".join
)
moments = st.datetimes(datetime(2000, 1, 1), datetime(2080, 1, 1), timezones=st.just(UTC))


def is_due(schedule: Schedule, time: datetime) -> bool:
    date = time.day in schedule.days_of_month
    weekday = time.isoweekday() % 7 in schedule.days_of_week
    starred = schedule.any_day_of_month or schedule.any_day_of_week
    return (
        time.minute in schedule.minutes
        and time.hour in schedule.hours
        and time.month in schedule.months
        and ((date and weekday) if starred else (date or weekday))
    )


@given(schedules, moments)
def test_next_times_are_due_and_in_order(text: str, after: datetime) -> None:
    schedule = parse(text)
    times = next_times(schedule, after, 3)
    assert all(is_due(schedule, time) and time.second == 0 for time in times)
    assert [after, *times] == sorted({after, *times})


@given(schedules, moments)
def test_no_time_in_between_is_passed_over(text: str, after: datetime) -> None:
    schedule = parse(text)
    limit = after + timedelta(hours=6)
    first = next(iter(next_times(schedule, after, 1)), limit)
    minute = after.replace(second=0, microsecond=0) + timedelta(minutes=1)
    while minute < min(first, limit):
        assert not is_due(schedule, minute)
        minute += timedelta(minutes=1)


@given(st.text("0123456789*/-,?@ TZ=", max_size=20))
def test_any_text_is_read_or_rejected(text: str) -> None:
    try:
        schedule = parse(text)
    except BadSchedule:
        return
    assert parse(text) == schedule
