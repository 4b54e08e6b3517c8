"""CronJobs in virtual time, as the CronJob controller of Kubernetes 1.36 runs them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jobsworth
from jobsworth.api.formats.cron import parse
from jobsworth.controller.cron_jobs.schedule_times import scheduled_between
from jobsworth.reports.timelines.cron_job_table import table_lines
from jobsworth.reports.timelines.local_times import local_time
from jobsworth.runs.run_record import RunRecord
from support.law_examples import number_of_examples
from support.simulation.simulated_runs import Object, pod_template, run, scenario

HOUR = 3_600_000
START = 1_798_761_600  # 2027-01-01T00:00:00Z, the start of a scenario


def cron_job(schedule: str, *, job: Object | None = None, **spec: Any) -> Object:
    template = {"spec": {"template": pod_template(), **(job or {})}}
    return jobsworth.default(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "report"},
            "spec": {"schedule": schedule, "jobTemplate": template, **spec},
        }
    )


def created(record: RunRecord) -> list[int]:
    """Return the minutes at which the Jobs were created."""
    return [job.created // 60_000 for job in record.jobs]


def test_a_run_starts_at_its_time_and_the_job_is_named_after_it() -> None:
    record = run(cron_job("*/15 * * * *"), scenario(until="1h"))
    assert created(record) == [15, 30, 45]
    assert record.jobs[0].name == f"report-{(START + 900) // 60}"
    assert {job.outcome for job in record.jobs} == {"Complete"}


def test_allowed_runs_overlap() -> None:
    record = run(cron_job("*/5 * * * *"), scenario(until="31m", pods={"duration": "12m"}))
    assert created(record) == [5, 10, 15, 20, 25, 30]


def test_a_forbidden_run_starts_late_when_the_previous_job_ends() -> None:
    manifest = cron_job("*/5 * * * *", concurrencyPolicy="Forbid")
    record = run(manifest, scenario(until="31m", pods={"duration": "12m"}))
    assert created(record) == [5, 17, 29]
    late = [(job.created - (job.scheduled or 0)) // 60_000 for job in record.jobs]
    assert late == [0, 2, 4]
    assert [missed.scheduled // 60_000 for missed in record.missed] == [10, 20, 30]
    assert "concurrencyPolicy: Forbid" in record.missed[0].why


def test_a_starting_deadline_keeps_a_late_run_from_starting() -> None:
    manifest = cron_job("*/5 * * * *", concurrencyPolicy="Forbid", startingDeadlineSeconds=60)
    record = run(manifest, scenario(until="31m", pods={"duration": "12m"}))
    assert created(record) == [5, 20]


def test_a_replaced_job_is_deleted_with_its_pods() -> None:
    manifest = cron_job("*/5 * * * *", concurrencyPolicy="Replace")
    record = run(manifest, scenario(until="16m", pods={"duration": "12m"}))
    assert created(record) == [5, 10, 15]
    assert [job.deleted is not None for job in record.jobs] == [True, True, False]
    assert record.jobs[0].pods[0].deleted == record.jobs[0].deleted


@pytest.mark.slow
def test_a_controller_that_was_away_starts_one_run_for_all_that_it_missed() -> None:
    """k/website issue 11512: down from 08:29 to 10:21, every minute; neither 112 runs nor none."""
    away = [{"from": "8h29m", "until": "10h21m"}]
    record = run(
        cron_job("* * * * *"),
        scenario(controllerAway=away, until="10h23m30s", pods={"duration": "10s"}),
    )
    after = [minute for minute in created(record) if minute >= 8 * 60 + 29]
    assert after == [10 * 60 + 21, 10 * 60 + 22, 10 * 60 + 23]
    assert "TooManyMissedTimes" in {event.reason for event in record.events}
    assert len(record.missed) == 112


@pytest.mark.slow
def test_a_starting_deadline_bounds_what_counts_as_missed() -> None:
    away = [{"from": "8h29m", "until": "10h21m"}]
    record = run(
        cron_job("* * * * *", startingDeadlineSeconds=200),
        scenario(controllerAway=away, until="10h22m30s", pods={"duration": "10s"}),
    )
    assert [minute for minute in created(record) if minute > 8 * 60 + 29] == [621, 622]
    assert "TooManyMissedTimes" not in {event.reason for event in record.events}


@pytest.mark.parametrize(
    ("start", "local"),
    [
        (
            "2023-10-27T12:00Z",
            [
                "Sat 2023-10-28 02:00:00 +0200",
                "Sun 2023-10-29 02:00:00 +0200",
                "Sun 2023-10-29 02:00:00 +0100",
            ],
        ),
        ("2023-03-24T12:00Z", ["Sat 2023-03-25 02:00:00 +0100"]),
    ],
)
def test_berlin_runs_twice_in_october_and_not_at_all_in_march(start: str, local: list[str]) -> None:
    """kubernetes/kubernetes issue 121594."""
    manifest = cron_job("0 2 * * *", timeZone="Europe/Berlin")
    record = run(manifest, scenario(start=start, until="48h"))
    assert [local_time(record, job.scheduled or 0) for job in record.jobs] == local


def test_an_edited_schedule_runs_once_more_at_the_old_time() -> None:
    """kubernetes/kubernetes issue 130838: 23:00 becomes 05:00, applied at noon."""
    changes = [{"at": "36h", "spec": {"schedule": "0 5 * * *"}}]
    record = run(cron_job("0 23 * * *"), scenario(changes=changes, until="72h"))
    assert [minute / 60 for minute in created(record)] == [23, 47, 53]
    assert (record.jobs[1].scheduled or 0) // HOUR == 29  # 05:00, 18 hours ago


def test_unsuspending_starts_the_latest_missed_run_at_once() -> None:
    """kubernetes/kubernetes issue 63371: a thousand mails."""
    changes = [
        {"at": "1h", "spec": {"suspend": True}},
        {"at": "63h", "spec": {"suspend": False}},
    ]
    record = run(cron_job("30 * * * *"), scenario(changes=changes, until="64h"))
    assert created(record) == [30, 63 * 60, 63 * 60 + 30]


def test_a_job_that_does_not_end_blocks_all_that_follow() -> None:
    wedged = {"runs": 1, "termination": "never", "duration": "never"}
    manifest = cron_job("0 * * * *", concurrencyPolicy="Forbid", job={"activeDeadlineSeconds": 600})
    record = run(manifest, scenario(wedged, until="12h30m"))
    assert created(record) == [60]
    assert record.jobs[0].outcome == "Unfinished"
    assert [missed.scheduled // HOUR for missed in record.missed] == list(range(2, 13))


def late(record: RunRecord) -> list[tuple[float, str]]:
    """Return the hours by which each late Job was late, and why."""
    return [
        ((job.created - job.scheduled) / HOUR, job.late)
        for job in record.jobs
        if job.scheduled is not None and job.late
    ]


def reasons(record: RunRecord) -> list[str]:
    return [missed.reason for missed in record.missed]


def test_an_edit_that_sets_the_same_schedule_is_synced_at_once() -> None:
    """kubernetes/kubernetes issue 63371: the run that was missed starts when the manifest is applied."""
    spec = {"suspend": False, "schedule": "0 3 * * *"}
    record = run(
        cron_job("0 3 * * *", suspend=True),
        scenario(changes=[{"at": "30h", "spec": spec}], until="40h"),
    )
    assert created(record) == [30 * 60]
    assert late(record) == [(3.0, "the CronJob was suspended")]
    assert reasons(record) == ["Suspended"]


def test_a_status_write_of_a_running_job_starts_the_run_that_an_edit_made_due() -> None:
    long = {"completions": 4, "parallelism": 1}
    changes = [{"at": "2h", "spec": {"schedule": "30 1 * * *"}}]
    record = run(
        cron_job("0 1 * * *", job=long),
        scenario(changes=changes, until="6h", pods={"duration": "25m"}),
    )
    finished = [pod.ended for pod in record.jobs[0].pods if pod.ended and pod.ended > 2 * HOUR]
    assert 0 < record.jobs[1].created - finished[0] < 10_000
    assert record.jobs[1].earliest == 2 * HOUR


@pytest.mark.parametrize("away", [("5h", "6h"), ("4h", "5h30m")])
def test_a_controller_that_starts_looks_at_every_cron_job(away: tuple[str, str]) -> None:
    begin, end = away
    changes = [{"at": "5h15m", "spec": {"schedule": "30 3 * * *"}}]
    record = run(
        cron_job("0 23 * * *"),
        scenario(changes=changes, controllerAway=[{"from": begin, "until": end}], until="20h"),
    )
    back = 6 * 60 if end == "6h" else 5 * 60 + 30
    assert created(record) == [back]


def test_after_an_edit_the_resync_of_the_informer_starts_the_run_within_a_day() -> None:
    changes = [{"at": "48h", "spec": {"schedule": "0 3 * * mon"}}]
    record = run(
        cron_job("0 1 1 * *", startingDeadlineSeconds=10 * 86_400),
        scenario(start="2027-02-08T02:00Z", changes=changes, until="120h"),
    )
    (job,) = record.jobs
    assert (job.created // HOUR, job.earliest) == (72, 48 * HOUR)
    assert job.late == "the schedule was edited to a time that had passed"


def test_a_run_whose_deadline_is_over_when_the_controller_is_back_names_both() -> None:
    record = run(
        cron_job("*/20 * * * *", startingDeadlineSeconds=5),
        scenario(controllerAway=[{"from": "19m", "until": "21m"}], until="50m"),
    )
    assert created(record) == [40]
    (missed,) = record.missed
    assert missed.reason == "StartingDeadline"
    assert missed.why == "startingDeadlineSeconds (5) was over: the controller did not run"


def test_runs_of_a_cron_job_that_stays_suspended_are_missed() -> None:
    record = run(
        cron_job("0 * * * *"),
        scenario(changes=[{"at": "150m", "spec": {"suspend": True}}], until="24h30m"),
    )
    assert len(record.jobs) == 2
    assert reasons(record) == ["Suspended"] * 22


def test_two_times_close_together_hide_a_missed_run_from_the_controller() -> None:
    away = [{"from": "23h", "until": "30h"}]
    record = run(cron_job("0,1 0 * * *"), scenario(controllerAway=away, until="40h"))
    assert created(record) == [1]
    assert reasons(record) == ["ControllerAway", "NothingFound"]


def test_a_manual_run_neither_waits_nor_makes_others_wait() -> None:
    forbid = cron_job("0 * * * *", concurrencyPolicy="Forbid")
    record = run(forbid, scenario(runNow=["50m", "70m"], until="2h30m", pods={"duration": "30m"}))
    assert created(record) == [50, 60, 70, 120]
    assert [job.scheduled is None for job in record.jobs] == [True, False, True, False]
    assert record.jobs[0].name == "report-manual-1"
    assert record.missed == []
    assert "UnexpectedJob" in {event.reason for event in record.events}


def test_a_manual_run_counts_for_the_history_limits() -> None:
    manifest = cron_job("0 * * * *", successfulJobsHistoryLimit=1)
    record = run(manifest, scenario(runNow="10m", until="90m"))
    assert [job.removed is not None for job in record.jobs] == [True, False]


SCHEDULES = ["*/5 * * * *", "*/7 * * * *", "0,1 * * * *", "@every 11m", "20 * * * *"]
EDITS = st.fixed_dictionaries(
    {},
    optional={
        "schedule": st.sampled_from(SCHEDULES),
        "suspend": st.booleans(),
        "startingDeadlineSeconds": st.sampled_from([None, 0, 30, 600]),
        "concurrencyPolicy": st.sampled_from(["Allow", "Forbid", "Replace"]),
    },
)


@settings(max_examples=number_of_examples(20), deadline=None)
@given(
    schedule=st.sampled_from(SCHEDULES),
    spec=EDITS,
    edits=st.lists(st.tuples(st.integers(1, 11_000), EDITS), max_size=4),
    away=st.lists(st.tuples(st.integers(0, 9000), st.integers(0, 3000)), max_size=2),
    others=st.tuples(st.lists(st.integers(0, 10_000), max_size=2), st.integers(1, 25)),
)
def test_every_run_that_is_due_starts_once_or_is_missed_once(
    schedule: str,
    spec: Object,
    edits: list[tuple[int, Object]],
    away: list[tuple[int, int]],
    others: tuple[list[int], int],
) -> None:
    manual, minutes = others
    known = {key: value for key, value in spec.items() if key != "schedule" and value is not None}
    record = run(
        cron_job(schedule, **known),
        scenario(
            changes=[{"at": f"{at}s", "spec": edit} for at, edit in edits],
            controllerAway=[{"from": f"{at}s", "until": f"{at + length}s"} for at, length in away],
            runNow=[f"{at}s" for at in manual],
            until="3h",
            pods={"duration": f"{minutes}m"},
        ),
    )
    started = [job.scheduled for job in record.jobs if job.scheduled is not None]
    missed = [missed.scheduled for missed in record.missed]
    assert len(set(started)) == len(started)
    assert len(set(missed)) == len(missed)
    assert not set(started) & set(missed)
    assert all(job.scheduled is None or job.scheduled <= job.created for job in record.jobs)
    assert started == sorted(started)
    if not any("schedule" in edit for _, edit in edits) and not schedule.startswith("@"):
        due = scheduled_between(parse(schedule), record.start, record.start + 3 * 3600 - 1)
        assert sorted(started + missed) == [(time - record.start) * 1000 for time in due]
    for job in record.jobs:
        if job.scheduled is not None and job.created - job.scheduled > 1000:
            assert job.late


def test_a_rejected_job_is_retried_with_the_backoff_of_the_controller() -> None:
    rejections = [{"from": "59m", "until": "1h20m", "of": "Jobs", "message": "no"}]
    record = run(cron_job("0 1 * * *"), scenario(rejections=rejections, until="20h"))
    tries = [event.at - HOUR for event in record.events if event.reason == "FailedCreate"]
    assert [later - earlier for earlier, later in pairwise(tries)] == [
        5 * 2**n for n in range(len(tries) - 1)
    ]
    (started,) = record.jobs
    assert started.created - HOUR == tries[0] + 5 * (2 ** len(tries) - 1) > 20 * 60_000
    assert started.late == "the API server rejected the Job"


def test_after_the_longest_pause_a_rejected_job_is_tried_every_1000_seconds() -> None:
    rejections = [{"from": "59m", "until": "9h", "of": "Jobs"}]
    record = run(cron_job("0 1 * * *"), scenario(rejections=rejections, until="20h"))
    tries = [event.at for event in record.events if event.reason == "FailedCreate"]
    assert {later - earlier for earlier, later in pairwise(tries[20:])} == {1_000_000}


def test_a_job_that_is_rejected_beyond_its_deadline_is_missed() -> None:
    rejections = [{"from": "59m", "until": "2h", "of": "Jobs"}]
    manifest = cron_job("0 1 * * *", startingDeadlineSeconds=600)
    record = run(manifest, scenario(rejections=rejections, until="20h"))
    assert record.jobs == []
    (missed,) = record.missed
    assert missed.why == "startingDeadlineSeconds (600) was over: the API server rejected the Job"


def test_the_next_job_starts_although_a_user_has_deleted_the_last_one() -> None:
    spec = scenario({"duration": "3h"}, deleteJob="1h30m", until="4h")
    record = run(cron_job("0 * * * *", concurrencyPolicy="Forbid"), spec)
    first, second = record.jobs
    assert (first.reason, first.deleted) == ("a user deleted it", HOUR + HOUR // 2)
    assert second.created // 1000 == 2 * HOUR // 1000
    assert "MissingJob" in [event.reason for event in record.events]


def test_the_time_that_a_clock_change_skips_is_a_row() -> None:
    manifest = cron_job("30 2 * * *", timeZone="Europe/Berlin")
    record = run(manifest, scenario(start="2027-03-27T12:00", until="48h"))
    assert record.start == 1_806_145_200, "12:00 in Berlin, where the CronJob has its clock"
    rows = list(table_lines(record))
    assert rows[0] == (
        "Sun 2027-03-28 03:00:00 +0200  no run: 02:30 is skipped, the next run is Mon 2027-03-29 02:30 +0200"
    )
    assert len(rows) == 2


def test_a_start_without_zone_is_utc_for_a_schedule_without_zone_and_may_have_an_offset() -> None:
    for text, start in (("2027-03-27T12:00", 0), ("2027-03-27T12:00+05:30", -19_800)):
        record = run(cron_job("0 1 * * *"), scenario(start=text, until="1h"))
        assert record.start == 1_806_148_800 + start
