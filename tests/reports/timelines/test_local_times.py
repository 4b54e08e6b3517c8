"""The times of a run of a CronJob, in its time zone and over changes of its clocks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jobsworth.reports.timelines.local_times import local_time, offset_changes, offset_words
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.virtual_time import DAY, HOUR


def record(start: str, days: int, zone: str, *edits: tuple[int, str]) -> RunRecord:
    begin = int(datetime.fromisoformat(start).replace(tzinfo=UTC).timestamp())
    return RunRecord(
        "report", "CronJob", "test", 1, begin, days * DAY, time_zone=zone, zone_changes=list(edits)
    )


def changes(given: RunRecord) -> list[tuple[str, str]]:
    return [
        (local_time(given, change.at), offset_words(change.seconds))
        for change in offset_changes(given)
    ]


@pytest.mark.parametrize(
    ("start", "zone", "expected"),
    [
        ("2026-10-24", "Europe/London", ("Sun 2026-10-25 01:00:00 +0000", "+0000")),
        ("2026-03-28", "Europe/London", ("Sun 2026-03-29 02:00:00 +0100", "+0100")),
        ("2026-10-31", "America/New_York", ("Sun 2026-11-01 01:00:00 -0500", "-0500")),
        ("2026-04-04", "Australia/Lord_Howe", ("Sun 2026-04-05 01:30:00 +1030", "+1030")),
    ],
)
def test_the_second_of_a_clock_change_is_found(
    start: str, zone: str, expected: tuple[str, str]
) -> None:
    assert changes(record(start, 3, zone))[1:] == [expected]


def test_a_zone_without_clock_changes_has_one_offset() -> None:
    assert changes(record("2026-01-01", 700, "Asia/Kolkata")) == [
        ("Thu 2026-01-01 05:30:00 +0530", "+0530")
    ]
    assert changes(record("2026-01-01", 3, "")) == [("Thu 2026-01-01 00:00:00 +0000", "+0000")]


def test_an_edit_of_the_zone_changes_the_offset_and_its_clocks_count_from_then_on() -> None:
    given = record("2026-10-24", 3, "Europe/London", (2 * HOUR, "America/New_York"))
    assert [offset for _, offset in changes(given)] == ["+0100", "-0400"]


def test_every_clock_change_of_some_years_is_found() -> None:
    assert len(offset_changes(record("2020-01-01", 3653, "Europe/Paris"))) == 21
