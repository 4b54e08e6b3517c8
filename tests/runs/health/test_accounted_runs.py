"""Each scheduled time is started, skipped, waiting or unknown, as the stored objects show it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.health.health_objects import (
    DAY,
    HOUR,
    NOON,
    a_cron_job,
    a_job,
    an_event,
    health,
    health_of_one,
    runs,
)

KEEP = {"successfulJobsHistoryLimit": 1000, "failedJobsHistoryLimit": 1000}
FORBID = {"concurrencyPolicy": "Forbid", **KEEP}
MINUTE = 60


def ago(hours: int) -> int:
    return NOON - hours * HOUR


def test_the_jobs_of_the_window_are_its_runs() -> None:
    jobs = (a_job(ago(2)), a_job(ago(1), "Failed"), a_job(ago(0), ""))
    found = runs(health_of_one(a_cron_job(last=ago(0)), jobs=jobs))
    assert [found[hours].state for hours in (2, 1, 0)] == ["Succeeded", "Failed", "Running"]
    assert found[1].job == f"report-{ago(1) // 60}"


def test_the_window_begins_with_the_cron_job() -> None:
    found = health_of_one(a_cron_job(created=ago(3) + 60))
    assert found.window is not None
    assert [run.scheduled for run in found.window.runs] == [ago(2), ago(1), ago(0)]


def test_a_job_without_the_annotation_is_matched_by_its_name() -> None:
    found = runs(health_of_one(a_cron_job(last=ago(1)), jobs=(a_job(ago(1), annotated=False),)))
    assert found[1].state == "Succeeded"


def test_a_job_that_history_limits_may_have_removed_is_unknown() -> None:
    jobs = (a_job(ago(1)), a_job(ago(2)), a_job(ago(3)))
    found = runs(health_of_one(a_cron_job(last=ago(1)), jobs=jobs))
    assert (found[4].state, found[4].cause) == ("Unknown", "JobRemoved")


def test_a_job_that_no_history_limit_can_have_removed_may_have_been_deleted_by_a_user() -> None:
    jobs = (a_job(ago(1)), a_job(ago(3)))
    found = runs(health_of_one(a_cron_job(last=ago(1)), jobs=jobs))
    assert (found[2].state, found[2].cause) == ("Unknown", "NoJob")


def test_a_ttl_removes_jobs() -> None:
    cron_job = a_cron_job(last=ago(1), job={"ttlSecondsAfterFinished": 7200}, **KEEP)
    found = runs(health_of_one(cron_job, jobs=(a_job(ago(1)),)))
    assert (found[5].state, found[5].cause) == ("Unknown", "JobRemoved")


def test_the_last_started_run_is_known_from_the_status() -> None:
    found = runs(health_of_one(a_cron_job(last=ago(1))))
    assert found[1].state == "Started"


def test_what_an_event_shows_of_a_deleted_job_is_known() -> None:
    name = f"report-{ago(1) // 60}"
    seen = an_event("SawCompletedJob", f"Saw completed job: {name}, condition: Failed", NOON - 900)
    created = an_event("SuccessfulCreate", f"Created job report-{ago(2) // 60}", ago(2))
    found = runs(health_of_one(a_cron_job(last=ago(1)), events=(seen, created)))
    assert (found[1].state, found[2].state) == ("Failed", "Started")


def test_an_unfinished_job_holds_back_runs_with_forbid() -> None:
    job = a_job(ago(5), "")
    cron_job = a_cron_job(last=ago(5), active=(job["metadata"]["name"],), **FORBID)
    found = runs(health_of_one(cron_job, jobs=(job,)))
    assert [found[hours].state for hours in (5, 4, 1, 0)] == [
        "Running", "Skipped", "Skipped", "Waiting",
    ]  # fmt: skip
    assert found[4].cause == "JobAlreadyActive"
    assert found[4].behind == job["metadata"]["name"]


def test_a_run_behind_a_job_that_has_ended_is_skipped_unless_it_was_the_latest() -> None:
    jobs = (
        a_job(ago(6), ended=ago(3) - 20 * MINUTE),
        a_job(ago(3) - 3600, created=ago(3) - 20 * MINUTE),
    )
    found = runs(health_of_one(a_cron_job(last=ago(1), **FORBID), jobs=jobs))
    assert (found[5].state, found[5].cause) == ("Skipped", "JobAlreadyActive")


def test_a_late_run_behind_a_job_says_so() -> None:
    jobs = (a_job(ago(3), ended=ago(2) + 1200), a_job(ago(2), created=ago(2) + 1200))
    found = runs(health_of_one(a_cron_job(last=ago(2), **FORBID), jobs=jobs))
    assert (found[2].late, found[2].cause) == (1200, "JobAlreadyActive")
    assert found[2].behind == f"report-{ago(3) // 60}"


def test_a_suspended_cron_job_skips_runs_since_its_spec_was_written() -> None:
    cron_job = a_cron_job(last=ago(8), suspend=True, generation=2, written=ago(4) + 60, **KEEP)
    found = runs(health_of_one(cron_job, jobs=(a_job(ago(8)),)))
    assert (found[3].state, found[3].cause) == ("Skipped", "Suspended")
    assert (found[5].state, found[5].cause) == ("Unknown", "SpecEdited")
    assert found[8].state == "Succeeded"


@pytest.mark.parametrize("fields", [{"generation": 7}, {"generation": 7, "written": None}])
def test_an_edit_at_an_unknown_time_leaves_runs_unknown(fields: dict[str, Any]) -> None:
    found = runs(health_of_one(a_cron_job(last=ago(1), **fields)))
    assert found[3].cause == "SpecEdited"


def test_a_deadline_that_an_event_names_is_known() -> None:
    message = "Missed scheduled time to start a job: Wed, 03 Jun 2026 10:00:00 +0000"
    cron_job = a_cron_job(last=ago(1), startingDeadlineSeconds=60)
    found = runs(health_of_one(cron_job, events=(an_event("MissSchedule", message, ago(1)),)))
    assert (found[2].state, found[2].cause) == ("Skipped", "StartingDeadline")


def test_a_job_that_the_api_server_rejects_is_named() -> None:
    event = an_event("FailedCreate", "Error creating job: denied by a webhook", ago(0) + 1)
    found = health_of_one(a_cron_job(last=ago(1)), events=(event,), now=NOON + 300)
    assert runs(found)[0].cause == "JobRejected"
    assert found.block is not None
    assert (found.block.cause, found.block.message) == ("JobRejected", event["message"])


def test_a_run_that_was_due_a_moment_ago_is_no_concern() -> None:
    found = health_of_one(a_cron_job(last=ago(1)), now=NOON + 3)
    assert (runs(found)[0].state, runs(found)[0].cause) == ("Waiting", "NotYet")
    assert found.overdue_since is None


def test_an_interval_counts_from_the_last_run() -> None:
    cron_job = a_cron_job(schedule="@every 90m", last=ago(1), created=NOON - 3 * DAY - 17)
    found = health_of_one(cron_job, since=ago(7))
    assert found.window is not None
    expected = [ago(1) - number * 5400 for number in (3, 2, 1, 0)]
    assert [run.scheduled for run in found.window.runs] == expected
    assert found.following == ago(1) + 5400


@pytest.mark.slow
def test_only_the_latest_scheduled_times_are_accounted_for() -> None:
    found = health_of_one(a_cron_job(schedule="* * * * *"), since=NOON - 15 * DAY)
    assert found.window is not None
    assert (len(found.window.runs), found.window.incomplete) == (7 * 24 * 60, True)


def test_a_job_that_the_present_schedule_does_not_have_is_counted_apart() -> None:
    found = health_of_one(a_cron_job(last=ago(1)), jobs=(a_job(ago(3) + 1800),))
    assert found.window is not None
    assert found.window.unscheduled == 1


def test_two_cron_jobs_that_start_nothing_show_an_absence_of_the_controller() -> None:
    def one(name: str) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
        jobs = tuple(
            a_job(ago(hours), cron_job=name) for hours in range(23, -1, -1) if hours not in (5, 6)
        )
        return a_cron_job(name, last=ago(0), **KEEP), jobs

    (first, some), (second, others) = one("first"), one("second")
    both = health(first, second, jobs=(*some, *others))
    for each in both.cron_jobs:
        assert (runs(each)[5].state, runs(each)[5].cause) == ("Skipped", "ControllerAway")
    (absence,) = both.absences
    assert (absence.begin, absence.end, absence.cron_jobs) == (ago(6), ago(4), 2)
    alone = health_of_one(first, jobs=some)
    assert runs(alone)[5].cause == "NoJob"


def test_cron_jobs_of_which_no_job_is_stored_show_no_absence_before_their_last_run() -> None:
    names = ("first", "second")
    both = health(*(a_cron_job(name, last=ago(2), **KEEP) for name in names), jobs=())
    assert [(each.begin, each.end) for each in both.absences] == [(ago(1), None)]
    for each in both.cron_jobs:
        assert {run.cause for hours, run in runs(each).items() if hours > 2} == {"NoJob"}


@given(
    kept=st.sets(st.integers(0, 30)),
    outcomes=st.lists(st.sampled_from(("Complete", "Failed", "")), min_size=31, max_size=31),
    policy=st.sampled_from(("Allow", "Forbid", "Replace")),
    deadline=st.none() | st.integers(0, 7200),
    limits=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    last=st.integers(0, 30),
    suspended=st.booleans(),
)
def test_every_scheduled_time_has_one_state_and_stored_jobs_are_never_denied(
    *,
    kept: set[int],
    outcomes: list[str],
    policy: str,
    deadline: int | None,
    limits: tuple[int, int],
    last: int,
    suspended: bool,
) -> None:
    jobs = tuple(a_job(ago(hours), outcomes[hours]) for hours in kept if hours >= last)
    spec: dict[str, Any] = {} if deadline is None else {"startingDeadlineSeconds": deadline}
    cron_job = a_cron_job(
        last=ago(last), suspend=suspended, concurrencyPolicy=policy,
        successfulJobsHistoryLimit=limits[0], failedJobsHistoryLimit=limits[1], **spec,
    )  # fmt: skip
    found = health_of_one(cron_job, jobs=jobs, since=ago(30) - 1)
    assert found.window is not None
    counted = found.window.counts()
    assert sum(counted.values()) - counted["late"] == len(found.window.runs) == 31
    states = {"Complete": "Succeeded", "Failed": "Failed", "": "Running"}
    for hours, run in runs(found).items():
        if hours in kept and hours >= last:
            assert run.state == states[outcomes[hours]]
        elif hours < last:
            assert run.state in ("Skipped", "Waiting")
        elif hours > last:
            assert run.state in ("Skipped", "Unknown")
    assert Counter(run.state for run in found.window.runs)["Waiting"] <= 1
