"""A calendar counts the runs of CronJobs by hour, names the busiest minutes, and what changes of clocks do."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.controller.cron_jobs.schedule_times import scheduled_between
from jobsworth.documents.declared import report_text
from jobsworth.reports import calendar_words
from jobsworth.reports.calendar_page import calendar_page
from jobsworth.reports.schedule_report import calendar_report
from jobsworth.runs import calendar
from jobsworth.runs.calendar import TooManyStarts
from support.simulation.calendars import MONDAY, a_calendar, a_week, an_entry

HOUR = 3600


def test_runs_are_counted_by_day_and_hour_of_the_zone() -> None:
    found = a_calendar(an_entry("nightly", "30 23 * * *"), zone="Asia/Kolkata")
    assert found.total == 7
    assert found.starts["2027-03-23", 5] == 1
    assert {hour for (_, hour), number in found.starts.items() if number} == {5}


def test_a_suspended_cron_job_starts_no_run() -> None:
    found = a_calendar(an_entry("paused", "0 * * * *", suspend=True))
    assert (found.total, [entry.title for entry in found.suspended]) == (0, ["team/paused"])


def test_minutes_at_which_the_same_cron_jobs_start_are_one_peak() -> None:
    found = a_calendar(
        an_entry("a", "0 * * * *", job={"parallelism": 5, "completions": 20}),
        an_entry("b", "0 12 * * *", job={"parallelism": 3, "completions": 2}),
    )
    (peak,) = found.peaks
    assert [each - MONDAY for each in peak.minutes] == [
        day * 24 * HOUR + 12 * HOUR for day in range(7)
    ]
    assert (peak.pods, peak.requests.cpu, peak.requests.memory) == (7, 7 * 250, 7 * 512 * 2**20)
    assert found.busiest == 2


def test_a_suspended_job_starts_no_pods() -> None:
    assert an_entry("held", "0 * * * *", job={"suspend": True, "parallelism": 9}).pods == 0


def test_a_change_of_the_clocks_skips_a_run() -> None:
    found = a_calendar(
        an_entry("backup", "30 2 * * *", zone="Europe/Berlin"),
        an_entry("hourly", "0 * * * *", zone="Europe/Berlin"),
        an_entry("in-utc", "30 2 * * *"),
    )
    (change,) = found.changes
    assert (change.zone, change.change.after - change.change.before) == ("Europe/Berlin", HOUR)
    ((entry, effect),) = change.effects
    assert entry.cron_job.name == "backup"
    assert effect == "02:30 is skipped, the next run is Mon 2027-03-29 02:30 +0200"
    assert change.others == 1
    assert {entry.cron_job.name: number for entry, number in found.runs}["backup"] == 6


def test_a_change_of_the_clocks_doubles_a_run() -> None:
    autumn = int(datetime(2027, 10, 25, tzinfo=ZoneInfo("UTC")).timestamp())
    entry = an_entry("backup", "30 2 * * *", zone="Europe/Berlin")
    found = calendar.calendar_of([entry], autumn, 7, "Europe/Berlin")
    assert found.changes[0].effects[0][1] == "02:30 runs twice"
    assert found.starts["2027-10-31", 2] == 2
    assert found.total == 8


def test_the_days_of_a_zone_have_the_length_that_its_clocks_give_them() -> None:
    found = a_calendar(an_entry("hourly", "0 * * * *"), zone="Europe/Berlin")
    start = int(datetime(2027, 3, 22, tzinfo=ZoneInfo("Europe/Berlin")).timestamp())
    whole = calendar.calendar_of([an_entry("hourly", "0 * * * *")], start, 7, "Europe/Berlin")
    assert whole.total == 7 * 24 - 1
    assert len(found.days) == 8  # it begins at one in the morning
    assert ("2027-03-22", 0) not in found.starts
    assert ("2027-03-28", 2) not in whole.starts
    assert len(whole.starts) == 7 * 24 - 1


def test_an_interval_counts_from_the_begin_of_the_calendar_if_nothing_is_stored() -> None:
    found = a_calendar(an_entry("interval", "@every 90m"), days=1)
    assert found.total == 16


@pytest.mark.slow
def test_too_many_runs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calendar, "MAX_STARTS", 100)
    with pytest.raises(TooManyStarts, match="more than 100 runs start within 7 days"):
        a_calendar(an_entry("often", "* * * * *"))


SCHEDULES = ("0 * * * *", "*/20 3-6 * * *", "0 0 29 2 *", "30 2 * * *", "@every 17m", "0 0 30 2 *")


@given(
    schedules=st.lists(st.sampled_from(SCHEDULES), max_size=6),
    zone=st.sampled_from(("UTC", "Europe/Berlin", "Asia/Kathmandu", "Pacific/Apia")),
    days=st.integers(1, 10),
)
def test_the_hours_and_the_runs_of_each_cron_job_are_the_scheduled_times(
    schedules: list[str], zone: str, days: int
) -> None:
    entries = [
        an_entry(f"c{number}", schedule, zone=None if schedule.startswith("@") else zone)
        for number, schedule in enumerate(schedules)
    ]
    found = a_calendar(*entries, days=days, zone=zone)
    assert sum(found.starts.values()) == found.total == sum(number for _, number in found.runs)
    for entry, number in found.runs:
        if entry.cron_job.schedule.every is None:
            times = scheduled_between(entry.cron_job.schedule, found.start - 1, found.end - 1)
            assert number == sum(1 for _ in times)
    assert {day for day, _ in found.starts} <= set(found.days)


@pytest.mark.slow
def test_reports_show_the_same_numbers() -> None:
    found = a_week()
    text = "\n".join(calendar_words.render(found, width=None))
    page, json = calendar_page(found), report_text(calendar_report(found))
    for report in (text, page):
        assert "19 CronJobs start" in report
        assert "1 suspended" in report
        assert "02:30 is skipped" in report
    assert f'"runs": {found.total}' in json


def test_reports_of_nothing_are_no_errors() -> None:
    found = a_calendar()
    assert "0 CronJobs start 0 runs" in "\n".join(calendar_words.render(found, width=80))
    assert calendar_page(found)
    assert report_text(calendar_report(found))


def test_a_hostile_name_controls_neither_page_nor_terminal() -> None:
    entry = an_entry("a", "0 * * * *")
    bad = "<script>\x1b[31m\u202e"
    hostile = calendar.CronCalendar(
        **{
            **{name: getattr(a_calendar(entry), name) for name in calendar.CronCalendar.__slots__},
            "unknown_zones": (bad,),
        }
    )
    assert "<script>" not in calendar_page(hostile)
    for report in (calendar_page(hostile), "\n".join(calendar_words.render(hostile, width=None))):
        assert "\x1b" not in report
        assert "\u202e" not in report
