"""What an edit of a CronJob starts at once, later, or not at all; the cluster tests compare it with Kubernetes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.edited_cron_job import (
    EditEffect,
    NextRun,
    Window,
    effect_of_edit,
    last_time,
    next_run,
    unsafe_window,
)
from jobsworth.controller.cron_jobs.schedule_times import next_time, scheduled_between

START = 1_798_761_600  # Fri 2027-01-01T00:00:00Z
MINUTE, HOUR, DAY = 60, 3600, 86_400
NOON = START + DAY + 12 * HOUR  # Sat 2027-01-02T12:00:00Z
AT_23 = {"schedule": "0 23 * * *"}
AT_5 = {"schedule": "0 5 * * *"}
LAST_23 = START + 23 * HOUR
SATURDAY_5 = START + DAY + 5 * HOUR


def stored(spec: dict[str, Any], *active: str, last: int | None = LAST_23) -> CronJob:
    return read_cron_job("mail", spec, START, CronJobStatus(active, last))


def effect(
    before: dict[str, Any], after: dict[str, Any], *active: str, last: int | None = LAST_23
) -> EditEffect:
    return effect_of_edit(
        stored(before, *active, last=last), stored(after, *active, last=last), NOON
    )


def test_an_edit_to_a_passed_time_starts_it_at_the_old_time() -> None:
    found = effect(AT_23, AT_5)
    assert found.started == NextRun(SATURDAY_5, pytest.approx(START + DAY + 23 * HOUR + 0.1))


def test_a_starting_deadline_below_the_delay_starts_nothing() -> None:
    found = effect(AT_23, {**AT_5, "startingDeadlineSeconds": 6 * HOUR})
    assert found.started is None
    assert found.following == NextRun(SATURDAY_5 + DAY, pytest.approx(SATURDAY_5 + DAY + 0.1))


def test_an_edit_to_a_coming_time_starts_nothing_late() -> None:
    assert effect(AT_23, {"schedule": "0 18 * * *"}).started is None


def test_an_edit_of_the_time_zone_is_one_of_the_times() -> None:
    found = effect(
        {"schedule": "0 14 * * *", "timeZone": "UTC"},
        {"schedule": "0 14 * * *", "timeZone": "Asia/Tokyo"},
        last=START + 14 * HOUR,
    )
    assert found.started is not None
    assert found.started.scheduled == START + DAY + 5 * HOUR


def test_ending_a_suspension_starts_the_latest_missed_run_within_seconds() -> None:
    found = effect({**AT_5, "suspend": True}, AT_5)
    assert found.started == NextRun(SATURDAY_5, NOON)


def test_ending_a_suspension_together_with_a_new_schedule_waits_for_the_next_time() -> None:
    found = effect({**AT_5, "suspend": True}, AT_23)
    assert found.started is None


def test_a_longer_starting_deadline_starts_the_run_that_missed_the_old_one() -> None:
    found = effect({**AT_5, "startingDeadlineSeconds": HOUR}, AT_5)
    assert found.started == NextRun(SATURDAY_5, NOON)


def test_allowing_concurrent_runs_starts_the_one_that_waits() -> None:
    found = effect({**AT_5, "concurrencyPolicy": "Forbid"}, AT_5, "mail-1")
    assert found.started == NextRun(SATURDAY_5, NOON)


def test_a_run_that_waits_for_a_running_job_is_given_up_with_its_schedule_or_its_deadline() -> None:
    waiting = {**AT_5, "concurrencyPolicy": "Forbid"}
    assert effect(waiting, {**waiting, **AT_23}, "mail-1").given_up == SATURDAY_5
    shorter = {**waiting, "startingDeadlineSeconds": HOUR}
    assert effect(waiting, shorter, "mail-1").given_up == SATURDAY_5
    longer = {**waiting, "startingDeadlineSeconds": 8 * HOUR}
    assert effect(waiting, longer, "mail-1").given_up is None
    assert effect(waiting, {**waiting, "suspend": True}, "mail-1").given_up is None


def test_a_gap_that_neither_schedule_has_leaves_a_run_out() -> None:
    deadline = {"startingDeadlineSeconds": HOUR}
    found = effect(AT_23, {"schedule": "0 1 * * *", **deadline})
    assert found.left_out == START + DAY + 23 * HOUR
    assert effect(AT_23, {"schedule": "0 18 * * *"}).left_out is None
    assert effect(AT_23, {"schedule": "0 1 * * 1", **deadline}).left_out is None, "it is weekly now"


def test_a_cron_job_created_again_starts_no_passed_time() -> None:
    created = read_cron_job("mail", AT_5, NOON, CronJobStatus())
    assert next_run(None, created, NOON) == NextRun(
        SATURDAY_5 + DAY, pytest.approx(SATURDAY_5 + DAY + 0.1)
    )


def test_an_edit_without_an_effect_on_times_has_none_here() -> None:
    assert effect(AT_23, {**AT_23, "successfulJobsHistoryLimit": 5}).started is None


def test_the_unsafe_hours_of_an_edit_are_between_the_new_time_and_the_old_one() -> None:
    before, after = stored(AT_23), stored(AT_5)
    tonight, tomorrow = START + DAY + 23 * HOUR, START + 2 * DAY + 5 * HOUR
    found = unsafe_window(before, after, NOON)
    assert found == Window(NOON, tonight, NextRun(SATURDAY_5, pytest.approx(tonight + 0.1)))
    later = unsafe_window(before, after, tonight + HOUR)
    assert later is not None
    assert (later.begin, later.end) == (tomorrow, tomorrow + 18 * HOUR)
    assert unsafe_window(before, stored({"schedule": "0 23 * * 1"}), NOON) is None


def test_the_last_time_of_a_schedule() -> None:
    assert last_time(stored({"schedule": "0 3 29 2 *"}).schedule, NOON) == 1_709_175_600  # 2024
    assert last_time(stored({"schedule": "0 0 30 2 *"}).schedule, NOON) is None
    assert last_time(stored({"schedule": "* * * * *"}).schedule, NOON + 59) == NOON


@given(
    text=st.sampled_from(
        ["* * * * *", "0 * * 1 *", "30 2 * * 6,0", "0 0 29 2 *", "CRON_TZ=Europe/Berlin 30 2 * * *"]
    ),
    now=st.floats(START, START + 5 * 366 * DAY),
)
def test_between_the_last_time_of_a_schedule_and_now_there_is_no_other(
    text: str, now: float
) -> None:
    schedule = stored({"schedule": text}).schedule
    last = last_time(schedule, now)
    assert last is not None
    assert last <= now < next_time(schedule, last)
    assert next_time(schedule, last - 1) == last


SCHEDULES = ["* * * * *", "*/7 * * * *", "30 6-16/4 * * *", "0 3 * * 1", "0 23 * * *", "0 5 * * *"]
specs = st.fixed_dictionaries(
    {
        "schedule": st.sampled_from(SCHEDULES),
        "suspend": st.booleans(),
        "startingDeadlineSeconds": st.none() | st.integers(0, 100_000),
        "concurrencyPolicy": st.sampled_from(["Allow", "Forbid", "Replace"]),
    }
)


@given(before=specs, after=specs, elapsed=st.integers(0, 20 * DAY), active=st.booleans())
def test_what_an_edit_starts_has_passed_since_the_last_run_and_keeps_the_deadline(
    before: dict[str, Any], after: dict[str, Any], elapsed: int, active: bool
) -> None:
    names = ("mail-1",) if active else ()
    now = LAST_23 + elapsed
    old, new = stored(before, *names), stored(after, *names)
    found = effect_of_edit(old, new, now)
    if found.started is None:
        return
    run = found.started
    assert LAST_23 < run.scheduled <= now <= run.at
    assert run.scheduled in scheduled_between(new.schedule, run.scheduled - 1, now)
    assert not after["suspend"]
    deadline = after["startingDeadlineSeconds"]
    assert deadline is None or run.at <= run.scheduled + deadline
    assert (run.at > now) <= (before["schedule"] != after["schedule"])


@given(spec=specs, elapsed=st.integers(0, 20 * DAY), active=st.booleans())
def test_an_update_that_changes_nothing_starts_nothing(
    spec: dict[str, Any], elapsed: int, active: bool
) -> None:
    cron_job = stored(spec, *(("mail-1",) if active else ()))
    found = effect_of_edit(cron_job, cron_job, LAST_23 + elapsed)
    assert (found.started, found.given_up, found.left_out) == (None, None, None)
