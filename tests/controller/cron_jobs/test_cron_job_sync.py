"""One sync of a CronJob: as syncCronJob of Kubernetes 1.36 decides."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, OwnedJob, read_cron_job
from jobsworth.controller.cron_jobs.cron_job_sync import (
    CronJobSync,
    delay_after_update,
    sync_cron_job,
)
from jobsworth.controller.cron_jobs.schedule_times import scheduled_between

START = 1_798_761_600  # Fri 2027-01-01T00:00:00Z
MINUTE, HOUR, DAY = 60, 3600, 86_400


def cron_job(
    schedule: str = "0 * * * *", *active: str, last: int | None = None, **spec: Any
) -> CronJob:
    status = CronJobStatus(active, last)
    return read_cron_job("report", {"schedule": schedule, **spec}, START, status)


def running(*names: str) -> list[OwnedJob]:
    return [OwnedJob(name, started=START) for name in names]


def reasons(sync: CronJobSync) -> list[str]:
    return [event.reason for event in sync.events]


def name_of(due: int) -> str:
    return f"report-{due // 60}"


def test_a_scheduled_time_starts_one_job_named_after_its_minute() -> None:
    due = START + HOUR
    started = sync_cron_job(cron_job(), [], due)
    assert started.start == due
    assert started.status == CronJobStatus((name_of(due),), due)
    assert reasons(started) == ["SuccessfulCreate"]
    again = sync_cron_job(cron_job("0 * * * *", name_of(due), last=due), running(name_of(due)), due)
    assert (again.start, again.withheld) == (None, "NothingFound")


def test_nothing_starts_before_its_time() -> None:
    assert sync_cron_job(cron_job(), [], START + HOUR - 1).start is None


def test_the_next_sync_is_a_tenth_of_a_second_after_the_next_time() -> None:
    assert sync_cron_job(cron_job(), [], START + 60).requeue == pytest.approx(3600 - 60 + 0.1)


def test_of_many_missed_times_only_the_latest_starts() -> None:
    found = sync_cron_job(cron_job("* * * * *"), [], START + 2 * HOUR + 30)
    assert found.start == START + 2 * HOUR
    assert reasons(found) == ["TooManyMissedTimes", "SuccessfulCreate"]


def test_of_an_irregular_schedule_the_latest_missed_time_is_found() -> None:
    """Hours 6, 10 and 14 of a day: the gap from one to the next is 4 or 16 hours."""
    irregular = cron_job("30 6-16/4 * * *")
    now = START + 3 * DAY + 7 * HOUR
    assert sync_cron_job(irregular, [], now).start == START + 3 * DAY + 6 * HOUR + 30 * MINUTE


def test_two_times_close_together_hide_a_missed_time_from_the_estimate() -> None:
    """The gap of one minute is taken for that of all times, and the last minute before now has none."""
    found = sync_cron_job(cron_job("0,1 0 * * *", last=START - MINUTE), [], START + 12 * HOUR)
    assert (found.start, found.withheld) == (None, "NothingFound")


def test_a_deadline_shorter_than_the_delay_of_the_timer_lets_nothing_start() -> None:
    found = sync_cron_job(cron_job(startingDeadlineSeconds=0), [], START + HOUR + 0.1)
    assert (found.start, found.withheld, reasons(found)) == (None, "NothingFound", [])


def test_forbid_withholds_a_run_while_a_job_is_active() -> None:
    due = START + 2 * HOUR
    forbid = cron_job("0 * * * *", "report-1", last=START + HOUR, concurrencyPolicy="Forbid")
    held = sync_cron_job(forbid, running("report-1"), due)
    assert (held.start, held.withheld, held.scheduled) == (None, "JobAlreadyActive", due)
    freed = sync_cron_job(forbid, [OwnedJob("report-1", "Failed", START)], due)
    assert freed.start == due
    assert reasons(freed) == ["SawCompletedJob", "SuccessfulCreate"]


def test_replace_deletes_all_active_jobs_first() -> None:
    replace = cron_job("0 * * * *", "report-1", last=START + HOUR, concurrencyPolicy="Replace")
    found = sync_cron_job(replace, running("report-1"), START + 2 * HOUR)
    assert found.replaced == ("report-1",)
    assert found.status.active == (name_of(START + 2 * HOUR),)


@pytest.mark.parametrize("policy", ["Forbid", "Replace"])
def test_a_job_that_a_user_created_neither_blocks_nor_is_replaced(policy: str) -> None:
    found = sync_cron_job(cron_job(concurrencyPolicy=policy), running("by-hand"), START + HOUR)
    assert (found.start, found.replaced) == (START + HOUR, ())
    assert reasons(found) == ["UnexpectedJob", "SuccessfulCreate"]


def test_a_job_that_vanished_is_not_active_any_more() -> None:
    forbid = cron_job("0 * * * *", "report-1", last=START + HOUR, concurrencyPolicy="Forbid")
    found = sync_cron_job(forbid, [], START + 2 * HOUR)
    assert reasons(found) == ["MissingJob", "SuccessfulCreate"]


def test_a_suspended_cron_job_waits_for_a_change() -> None:
    found = sync_cron_job(cron_job(suspend=True), [], START + HOUR)
    assert (found.start, found.withheld, found.requeue) == (None, "Suspended", None)


def test_history_limits_delete_the_oldest_finished_jobs_of_each_kind() -> None:
    jobs = [
        OwnedJob(f"ok-{number}", "Complete", START + number, START + number) for number in (3, 1, 2)
    ]
    jobs += [OwnedJob(f"no-{number}", "Failed", START + number) for number in (1, 2)]
    limits = {"successfulJobsHistoryLimit": 1, "failedJobsHistoryLimit": 1}
    found = sync_cron_job(cron_job(**limits), jobs, START + 60)
    assert found.removed == ("ok-1", "ok-2", "no-1")
    assert found.status.last_successful == START + 3


def test_a_schedule_that_never_fires_is_invalid_and_is_not_looked_at_again() -> None:
    found = sync_cron_job(cron_job("0 0 30 2 *"), [], START + DAY)
    assert (reasons(found), found.requeue) == (["InvalidSchedule"], None)


def test_an_edited_schedule_waits_for_its_next_time_and_every_other_edit_is_synced_now() -> None:
    now, before = START + 12 * HOUR, cron_job("0 23 * * *")
    assert delay_after_update(before, cron_job("0 5 * * *"), now) == pytest.approx(17 * HOUR + 0.1)
    zone = cron_job("0 23 * * *", timeZone="Europe/Berlin")
    assert delay_after_update(before, zone, now) == pytest.approx(10 * HOUR + 0.1)
    assert delay_after_update(before, cron_job("0 23 * * *", suspend=True), now) == 0
    assert delay_after_update(before, before, now) == 0  # as the informer's resync does


SCHEDULES = ["* * * * *", "*/7 * * * *", "30 6-16/4 * * *", "0 3 * * 1", "@every 90m", "@hourly"]


@given(
    schedule=st.sampled_from(SCHEDULES),
    policy=st.sampled_from(["Allow", "Forbid", "Replace"]),
    deadline=st.none() | st.integers(0, 7200),
    elapsed=st.floats(0, 20 * DAY),
    active=st.booleans(),
)
def test_what_starts_is_due_is_new_and_is_in_its_deadline(
    schedule: str, policy: str, deadline: int | None, elapsed: float, active: bool
) -> None:
    spec = {"concurrencyPolicy": policy, "startingDeadlineSeconds": deadline}
    names = ("report-1",) if active else ()
    given_, now = cron_job(schedule, *names, **spec), START + elapsed
    found = sync_cron_job(given_, running(*names), now)
    if found.start is None:
        assert found.status == given_.status
        return
    assert given_.earliest < found.start <= now
    assert deadline is None or found.start + deadline >= now
    assert not (policy == "Forbid" and active)
    assert (found.replaced != ()) == (policy == "Replace" and active)
    if deadline is None:
        assert not list(scheduled_between(given_.schedule, found.start, int(now)))
    assert found.requeue is not None
