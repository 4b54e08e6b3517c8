"""Rules about the time zone of a CronJob."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

import pytest

from jobsworth.api.formats.clock_changes import ZONES
from jobsworth.api.formats.cron import parse
from jobsworth.api.formats.cron_times import next_times
from jobsworth.api.formats.time_zones import known, read_names
from jobsworth.lint.places import PLACES
from support.lint.linted_jobs import after_fix, cron_job, found, job

# The parser's own arithmetic goes wrong where an offset is not in whole hours.
WHOLE_HOURS = [
    read_names(names)[0]
    for names in ZONES.values()
    if not {"Australia/Lord_Howe", "Pacific/Chatham"} & set(read_names(names))
]


def in_zone(schedule: str, zone: str | None) -> dict[str, Any]:
    spec = {} if zone is None else {"timeZone": zone}
    return cron_job(job(), schedule=schedule, **spec)


@pytest.mark.parametrize(
    "schedule", ["30 4 * * *", "0 */6 * * *", "*/5 9-17 * * *", "*/5 * * * mon", "@daily"]
)
def test_a_schedule_that_depends_on_the_clock_names_a_zone(schedule: str) -> None:
    (finding,) = found("JW407", in_zone(schedule, None))
    assert (finding.field, finding.severity) == ("spec.schedule", "info")
    assert after_fix("JW407", in_zone(schedule, None))["spec"]["timeZone"] == "Etc/UTC"
    assert found("JW407", in_zone(schedule, "Europe/Berlin")) == []


@pytest.mark.parametrize(
    "schedule",
    ["*/5 * * * *", "0 * * * *", "@hourly", "@every 1h", "TZ=UTC 0 3 * * *", "0 0 31 2 *"],
)
def test_other_schedules_need_no_zone(schedule: str) -> None:
    assert found("JW407", in_zone(schedule, None)) == []


@pytest.mark.parametrize(
    ("schedule", "zone", "said"),
    [
        ("30 2 * * *", "Europe/Berlin", ["is skipped in March", "starts twice in October"]),
        ("0 2 * * sun", "America/New_York", ["is skipped in March"]),
        ("0 1 * * *", "America/New_York", ["starts twice in November"]),
        ("30 1 * * *", "Europe/London", ["is skipped in March", "starts twice in October"]),
        ("30 0 8-14 3 *", "America/Havana", ["is skipped in March"]),
        ("0,30 2 * * *", "Australia/Sydney", ["is skipped in October", "starts twice in April"]),
    ],
)
def test_a_run_within_a_clock_change_is_reported(schedule: str, zone: str, said: list[str]) -> None:
    (finding,) = found("JW408", in_zone(schedule, zone))
    for words in said:
        assert words in finding.message


@pytest.mark.parametrize(
    ("schedule", "zone"),
    [
        ("30 4 * * *", "Europe/Berlin"),
        ("30 2 * * *", "Etc/UTC"),
        ("30 2 * * *", "Asia/Tokyo"),
        ("30 2 * * mon-fri", "Europe/Berlin"),
        ("30 2 1 * *", "Europe/Berlin"),
        ("30 2 * 5 *", "Europe/Berlin"),
        ("30 2 8-14 3 mon", "Etc/UTC"),
        ("*/30 * * * *", "Europe/Berlin"),
        ("0 1-5 * * *", "Europe/Berlin"),
        ("@every 1h", "Europe/Berlin"),
    ],
)
def test_other_runs_are_left_alone(schedule: str, zone: str) -> None:
    assert found("JW408", in_zone(schedule, zone)) == []


@pytest.mark.parametrize("zone", sorted({*WHOLE_HOURS} & available_timezones()))
@pytest.mark.parametrize("hour", [0, 1, 2, 23])
def test_a_daily_run_is_reported_exactly_when_a_day_lacks_or_doubles_it(
    zone: str, hour: int
) -> None:
    schedule = f"30 {hour} * * *"
    runs = [runs_on(day, schedule, zone) for day in days_of_change(zone, 2027)]
    message = "".join(finding.message for finding in found("JW408", in_zone(schedule, zone)))
    assert ("is skipped" in message) == (0 in runs)
    assert ("starts twice" in message) == (2 in runs)


@cache
def days_of_change(zone: str, year: int) -> list[date]:
    """Return the days of a year that have more or less than 24 hours; a daily run starts once on all others."""
    midnights = [datetime(year, 1, 1, tzinfo=ZoneInfo(zone)) + timedelta(day) for day in range(366)]
    return [
        midnight.date()
        for midnight, next_midnight in pairwise(midnights)
        if midnight.utcoffset() != next_midnight.utcoffset()
    ]


def runs_on(day: date, schedule: str, zone: str) -> int:
    """Return the number of runs of a daily schedule on a day."""
    noon_before = datetime.combine(day, time(12), ZoneInfo(zone)) - timedelta(1)
    times = next_times(parse(schedule), noon_before, 3)
    return sum(run.date() == day for run in times)


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("Etc/GMT+5", "5 h behind UTC (UTC-5"),
        ("Etc/GMT-14", "14 h ahead of UTC (UTC+14"),
        ("EST", "Use America/New_York if you mean local time."),
        ("MST", "Use America/Denver if you mean local time."),
    ],
)
def test_a_misleading_zone_is_reported(zone: str, said: str) -> None:
    (finding,) = found("JW418", in_zone("30 4 * * *", zone))
    assert finding.field == "spec.timeZone"
    assert said in finding.message


@pytest.mark.parametrize(
    "zone", [None, "Etc/UTC", "Etc/GMT", "Etc/GMT+0", "Etc/GMT0", "HST", "EST5EDT", "Europe/Berlin"]
)
def test_another_zone_is_left_alone(zone: str | None) -> None:
    assert found("JW418", in_zone("30 4 * * *", zone)) == []


@pytest.mark.parametrize(
    ("zone", "parts", "meant"),
    [
        ("Etc/GMT+9", {"metadata": {"name": "tokyo-report"}}, "Asia/Tokyo"),
        ("Etc/GMT+9", {"metadata": {"name": "a", "labels": {"office": "osaka"}}}, "Asia/Tokyo"),
        ("Etc/GMT+9", {"metadata": {"name": "a", "annotations": {"region": "ap-northeast-2"}}}, "Asia/Seoul"),
        ("Etc/GMT+1", {"metadata": {"name": "a", "namespace": "berlin"}}, "Europe/Berlin"),
        ("Etc/GMT-5", {"metadata": {"name": "new-york-close"}}, "America/New_York"),
        ("Etc/GMT-9", {"metadata": {"name": "tokyo-report"}}, None),
        ("Etc/GMT+8", {"metadata": {"name": "tokyo-report"}}, None),
        ("Etc/GMT+9", {"metadata": {"name": "tokyoite"}}, None),
    ],
)  # fmt: skip
def test_an_inverted_sign_is_seen_beside_a_place(
    zone: str, parts: dict[str, Any], meant: str | None
) -> None:
    value = {**in_zone("30 4 * * *", zone), **parts}
    (finding,) = found("JW418", value)
    assert finding.severity == "warning"
    assert ("inverted" in finding.message) is (meant is not None)
    if meant is not None:
        assert after_fix("JW418", value)["spec"]["timeZone"] == meant


def test_each_place_has_a_known_zone_at_its_offset() -> None:
    for place in PLACES:
        assert place.zone in known()
        january = datetime(2026, 1, 15, tzinfo=ZoneInfo(place.zone))
        july = datetime(2026, 7, 15, tzinfo=ZoneInfo(place.zone))
        offset = min(january.utcoffset() or timedelta(), july.utcoffset() or timedelta())
        assert offset == timedelta(hours=place.hours), place.zone
