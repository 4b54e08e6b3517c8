"""Schedules of other schedulers: the dialect is named, with the schedule that Kubernetes has instead."""

from __future__ import annotations

import pytest

from jobsworth.api.formats.cron import parse
from jobsworth.evaluation.fixes.cron_dialects import recognized


@pytest.mark.parametrize(
    ("written", "words", "schedule", "sure"),
    [
        ("0 0 10 * * ?", "the first field, 0, is seconds (Quartz, Spring)", "0 10 * * ?", True),
        ("0 15 10 ? * MON-FRI", "is seconds", "15 10 ? * MON-FRI", True),
        ("0 0 0 ? * *", "the first field, 0, is seconds", "0 0 ? * *", True),
        ("30 0 0 * * *", "the first field, 30, is seconds", "0 0 * * *", False),
        ("*/10 * * * * *", "at most once a minute", "* * * * *", False),
        ("0 0 3 * * 1", "counts the days of the week from 0, Sunday", "0 3 * * 1", False),
        ("0 15 10 ? * 2", "and Quartz from 1", "", False),
        ("0 0 12 * * ? 2026", "the last field, 2026, is a year", "0 12 * * ?", False),
        ("0 0 12 1 1 ? *", "and the last field, *, is a year", "0 12 1 1 ?", True),
        ("0 12 * * * 2026", "the last field, 2026, is a year", "0 12 * * *", False),
        ("0 12 * * ? *", "the last field, *, is a year", "0 12 * * ?", True),
        ("0 15 10 ? * 6L", "L is Quartz syntax for the last such weekday", "", False),
        ("cron(0 12 * * ? *)", "cron() is Amazon EventBridge syntax", "0 12 * * ?", True),
        ("cron(0 18 ? * 2 *)", "and EventBridge from 1", "", False),
        ("cron(0 8 L * ? *)", "for the last day of a month", "", False),
        ("cron(0 8)", "write the five fields", "", False),
        ("rate(5 minutes)", "rate() is Amazon EventBridge syntax", "*/5 * * * *", False),
        ("rate(1 minute)", "rate() is", "* * * * *", False),
        ("rate(1 day)", "rate() is", "0 0 * * *", False),
        ("rate(7 minutes)", "write the five fields minute, hour", "", False),
        ("rate(x)", "rate() is", "", False),
        ("at(2026-01-01T00:00:00)", "create a Job instead", "", False),
        ("H 3 * * *", "H is Jenkins syntax", "", False),
        ("H/15 H * * *", "such as */15 3 * * *", "", False),
        ("0 0 L * *", "L is Quartz syntax for the last day of a month", "", False),
        ("0 0 15W * *", "W is Quartz syntax", "", False),
        ("0 9 * * MON#1", "# is Quartz syntax", "", False),
        ("@reboot", "is Vixie cron", "", False),
        ("@every 5 minutes", "@every takes a duration", "*/5 * * * *", False),
        ("@every 7 days", "write @every 168h", "", False),
        ("every 30 seconds", "at most once a minute", "", False),
        ("*-*-* 02:30:00", "a calendar event of systemd", "30 2 * * *", False),
        ("Mon..Fri 02:30", "a calendar event of systemd", "30 2 * * Mon-Fri", False),
        ("OnCalendar=weekly", "a calendar event of systemd", "", False),
        ("0 3 * * * /usr/bin/x", "this is a line of a crontab", "0 3 * * *", False),
        ("0 3 * * * root /usr/bin/x --all", "this is a line of a crontab", "0 3 * * *", False),
        ("*/5 * * * * php artisan schedule:run", "a line of a crontab", "*/5 * * * *", False),
        ("0 3 * * * backup.sh > /tmp/out", "this is a line of a crontab", "0 3 * * *", False),
        (
            "0 9 * * *  # daily",
            "the comment is inside the quotes: put it behind",
            "0 9 * * *",
            False,
        ),
        ("@daily #x", "the comment is inside the quotes", "@daily", False),
        ("0 9 * * MON #2", "# is Quartz syntax", "", False),
        ("0 3 * * * /usr/bin/x # x", "this is a line of a crontab", "0 3 * * *", False),
        ("@daily Europe/Berlin", "no time zone: set timeZone: Europe/Berlin instead", "", False),
        ("@daily /usr/bin/x", "this is a line of a crontab", "@daily", False),
        ("0 1, 2 * * *", "a space ends a field: write 1,2 without one", "0 1,2 * * *", True),
        ("0 3 , 15 * * *", "write 3,15 without one", "0 3,15 * * *", True),
        ("0 8 - 18 * * *", "write 8-18 without one", "0 8-18 * * *", True),
        ("*/ 5 * * * *", "write */5 without one", "*/5 * * * *", True),
        (
            "0,30 8 -18 * *",
            "write 8-18 without one; then a field is missing",
            "0,30 8-18 * * *",
            False,
        ),
    ],
)
def test_a_dialect_is_recognized(written: str, words: str, schedule: str, sure: bool) -> None:
    found = recognized(written)
    assert found is not None
    assert words in found.hint
    assert (found.schedule, found.sure) == (schedule, sure)
    if schedule:
        parse(schedule)


@pytest.mark.parametrize(
    "written", ["", "61 * * * *", "a b c", "* * * *", "x" * 1_000, "0 0 * * monday"]
)
def test_other_schedules_are_of_no_dialect(written: str) -> None:
    assert recognized(written) is None
