"""The yearly clock changes are those of the time zone database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest

from jobsworth.api.formats.clock_changes import ZONES, ClockChange, changes
from jobsworth.api.formats.time_zones import known, read_names

NAMES = [name for names in ZONES.values() for name in read_names(names)]
ONE_OF_EACH = [read_names(names)[0] for names in ZONES.values()]
HALF_AN_HOUR = timedelta(minutes=30)


def seen(zone: ZoneInfo, year: int) -> list[tuple[bool, datetime, int]]:
    """The changes of a year: whether clocks skip, the first minute concerned, how many there are."""
    found = []
    moment = datetime(year, 1, 1, tzinfo=UTC)
    before = moment.astimezone(zone).utcoffset() or timedelta()
    while moment.year == year:
        moment += HALF_AN_HOUR
        offset = moment.astimezone(zone).utcoffset() or timedelta()
        if offset != before:
            begin = min(moment + before, moment + offset)
            minutes = int(abs(offset - before).total_seconds()) // 60
            found.append((offset > before, begin, minutes))
            before = offset
    return found


def covers(change: ClockChange, skips: bool, begin: datetime, minutes: int) -> bool:
    minute = begin.hour * 60 + begin.minute
    return (
        change.skips == skips
        and change.month == begin.month
        and begin.day in change.days
        and change.weekday == begin.isoweekday() % 7
        and change.minutes == range(minute, minute + minutes)
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ONE_OF_EACH if name in available_timezones()])
def test_a_rule_predicts_clock_changes(name: str) -> None:
    for year in (2027, 2033):
        found = seen(ZoneInfo(name), year)
        assert len(found) == 2
        for change in found:
            assert any(covers(each, *change) for each in changes(name))


def test_zones_are_named_once_and_known() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert set(NAMES) <= known()


@pytest.mark.parametrize("name", NAMES)
def test_a_change_lies_within_a_day_and_a_month(name: str) -> None:
    for change in changes(name):
        assert change.minutes.start >= 0
        assert change.minutes.stop <= 24 * 60
        assert change.days.start >= 1
        assert len(change.days) == 7


@pytest.mark.parametrize("name", ["Etc/UTC", "Asia/Tokyo", "EST", "Africa/Casablanca", ""])
def test_other_zones_have_none(name: str) -> None:
    assert changes(name) == ()


@pytest.mark.parametrize(
    "zone",
    [
        "Europe/Berlin", "America/New_York", "America/Chicago", "Europe/Athens", "America/Denver",
        "Australia/Sydney", "America/Los_Angeles", "America/Anchorage", "America/Halifax", "Europe/London",
        "Europe/Lisbon", "Australia/Adelaide", "Pacific/Auckland", "America/Nuuk", "America/Adak",
        "Asia/Jerusalem", "Australia/Lord_Howe", "Pacific/Chatham", "America/Santiago", "Pacific/Easter",
        "America/Havana", "Asia/Gaza", "Europe/Chisinau", "Africa/Cairo", "Europe/Dublin",
        "America/St_Johns", "Antarctica/Troll", "Pacific/Norfolk", "Atlantic/Azores", "America/Miquelon",
        "Asia/Beirut",
    ],
)  # fmt: skip
def test_a_city_of_each_rule_changes_its_clocks_twice_a_year(zone: str) -> None:
    assert sorted(change.skips for change in changes(zone)) == [False, True]
