"""CronJobs in virtual time, as the CronJob controller of Kubernetes 1.36 runs them."""

from __future__ import annotations

from typing import Any

import pytest

import jobsworth
from jobsworth.api.formats import cron
from jobsworth.whatif.run_record import RunRecord
from jobsworth.whatif.simulation.cron_decision import CronJobState, decide_run, scheduled_between
from jobsworth.whatif.timelines.timeline_text import local_time
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


def state(schedule: str, **known: Any) -> CronJobState:
    usual = {
        "concurrency": "Allow",
        "starting_deadline": None,
        "suspended": False,
        "created": START,
    }
    return CronJobState(
        schedule=cron.parse(schedule), **{**usual, "last": None, "active": 0, **known}
    )


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


def test_a_scheduled_time_runs_once() -> None:
    due = START + 3600
    assert decide_run(state("0 * * * *"), due).start == due
    assert decide_run(state("0 * * * *", last=due), due).start is None
    assert decide_run(state("0 * * * *"), due - 1).start is None


def test_of_an_irregular_schedule_the_latest_missed_time_is_found() -> None:
    """Hours 6, 10 and 14 of a day: the gap from one to the next is 4 or 16 hours."""
    schedule = "30 6-16/4 * * *"
    now = START + 3 * 86_400 + 7 * 3600
    expected = scheduled_between(cron.parse(schedule), START, now, 100)[-1]
    assert decide_run(state(schedule), now).start == expected


def test_the_next_look_is_a_moment_after_the_next_time() -> None:
    requeue = decide_run(state("0 * * * *"), START + 60).requeue
    assert requeue == pytest.approx(3600 - 60 + 0.1)
