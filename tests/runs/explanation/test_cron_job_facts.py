"""When a CronJob starts its Jobs, in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from jobsworth.runs.explanation.cron_job_facts import cron_job_facts

NOW = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp())


def facts(schedule: str, job: dict[str, Any] | None = None, **spec: Any) -> dict[str, str]:
    return dict(cron_job_facts({"schedule": schedule, **spec}, job or {}, NOW))


def test_the_next_runs_are_in_the_time_zone() -> None:
    found = facts("30 2 * * *", timeZone="Europe/Berlin")
    assert found["schedule"] == (
        "30 2 * * *: next Tue 2026-12-01 02:30 +0100, Wed 2026-12-02 02:30 +0100, "
        "Thu 2026-12-03 02:30 +0100"
    )
    assert found["time zone"] == "Europe/Berlin"
    assert facts("TZ=Asia/Tokyo 0 9 * * *")["time zone"] == "Asia/Tokyo"
    assert (
        "0 9 * * *: next Wed 2026-12-02 09:00 +0900" in facts("TZ=Asia/Tokyo 0 9 * * *")["schedule"]
    )


@pytest.mark.parametrize("schedule", ["0 0 30 2 *", "@every 90m"])
def test_a_schedule_without_certain_times_names_none(schedule: str) -> None:
    assert "next" not in facts(schedule)["schedule"]


def test_without_a_time_zone_it_is_that_of_the_controller() -> None:
    found = facts("30 2 * * *")
    assert found["time zone"].startswith("that of kube-controller-manager, on most clusters UTC")
    assert found["clock changes"] == "none in the coming year"


@pytest.mark.parametrize(
    ("schedule", "zone", "words"),
    [
        (
            "30 2 * * *",
            "Europe/Berlin",
            "Sun 2027-03-28 forward by 1 h: 02:30 is skipped, the next run is Mon 2027-03-29 02:30 +0200; "
            "Sun 2027-10-31 back by 1 h: 02:30 runs twice",
        ),
        (
            "0,30 1 * * *",
            "America/New_York",
            "Sun 2027-03-14 forward by 1 h: no run is affected; "
            "Sun 2027-11-07 back by 1 h: 01:00 and 01:30 run twice",
        ),
        (
            "15 2 * * *",
            "Australia/Lord_Howe",
            "Sun 2027-04-04 back by 30 min: no run is affected; Sun 2027-10-03 forward by 30 min: 02:15 is "
            "skipped, the next run is Mon 2027-10-04 02:15 +1100",
        ),
        (
            "*/15 * * * *",
            "Europe/Berlin",
            "no run is skipped or repeated (Sun 2027-03-28, Sun 2027-10-31)",
        ),
        (
            "0 9 * * *",
            "Europe/Berlin",
            "no run is skipped or repeated (Sun 2027-03-28, Sun 2027-10-31)",
        ),
        (
            "0 2 * * 1",
            "Europe/Berlin",
            "no run is skipped or repeated (Sun 2027-03-28, Sun 2027-10-31)",
        ),
        ("@every 1h", "Europe/Berlin", "of no effect on an interval"),
        ("0 9 * * *", "Asia/Tokyo", "none in the coming year"),
    ],
)
def test_clock_changes_skip_and_repeat_runs(schedule: str, zone: str, words: str) -> None:
    assert facts(schedule, timeZone=zone)["clock changes"] == words


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        (None, "Allow: runs overlap"),
        (
            "Allow",
            "Allow: runs overlap if a Job takes longer than the time to the next (runs are due at least ",
        ),
        (
            "Replace",
            "Replace: a run deletes the previous Job if it has not finished, and does not wait ",
        ),
        (
            "Forbid",
            "Forbid: a run that is due while the previous Job has not finished starts when it has",
        ),
    ],
)
def test_each_concurrency_policy_says_what_a_long_job_does(policy: str | None, words: str) -> None:
    assert facts("*/10 * * * *", concurrencyPolicy=policy)["concurrency"].startswith(words)


def test_forbid_says_if_a_job_can_block_all_others() -> None:
    forbid = {"concurrencyPolicy": "Forbid"}
    assert facts("0 * * * *", **forbid)["concurrency"].endswith(
        "blocks all runs: set activeDeadlineSeconds"
    )
    bounded = facts("0 * * * *", {"activeDeadlineSeconds": 7200}, **forbid)["concurrency"]
    assert bounded.endswith("activeDeadlineSeconds ends a Job after 2 h")


@pytest.mark.parametrize(
    ("deadline", "words"),
    [
        (None, "none: after a suspension, an absence of the controller or an edit"),
        (0, "0 s: no run ever starts"),
        (
            5,
            "5 s: a run that could not start by then is never started, without an event (less than 10 s",
        ),
        (600, "10 min: a run that could not start by then is never started, without an event"),
    ],
)
def test_a_starting_deadline_says_what_becomes_of_a_late_run(
    deadline: int | None, words: str
) -> None:
    assert facts("0 * * * *", startingDeadlineSeconds=deadline)["starting deadline"].startswith(
        words
    )


def test_a_suspended_cron_job_says_what_its_resumption_does() -> None:
    assert "suspended" not in facts("0 * * * *")
    assert "the latest missed run starts at once" in facts("0 * * * *", suspend=True)["suspended"]


def test_history_limits_have_the_defaults_of_the_api_server() -> None:
    assert facts("0 * * * *")["kept Jobs"] == "3 complete, 1 failed"
    assert facts("0 * * * *", failedJobsHistoryLimit=0)["kept Jobs"] == "3 complete, 0 failed"
