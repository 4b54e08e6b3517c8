"""Edits, rejections, absent controllers and causes of waiting: what they do, and that the timeline shows them."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.well_known_names import OUR_MANAGER
from jobsworth.whatif.run_record import RunRecord
from jobsworth.whatif.timelines.timeline_lines import timeline
from jobsworth.whatif.timelines.timeline_text import outcome_lines
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    indexed,
    job,
    outcome,
    run,
    scenario,
)

SECOND, MINUTE = 1000, 60_000


def words(record: RunRecord) -> list[tuple[int, str]]:
    return [(line.at // SECOND, line.text) for line in timeline(record)]


def headline(record: RunRecord) -> str:
    return next(iter(outcome_lines(record)))


def test_a_deadline_is_on_time_while_pods_are_rejected() -> None:
    record = run(
        job(activeDeadlineSeconds=545), scenario(rejections=[{"from": "0s", "until": "30m"}])
    )
    assert outcome(record) == ("Failed", "DeadlineExceeded")
    assert record.job.finished == 545 * SECOND


AWAY = {"controllerAway": [{"from": "2m20s", "until": "2m25s"}]}
FOUR_FAILURES = {"attempts": "1-4", "exitCode": 1, "duration": "10s"}


def test_the_built_in_controller_forgets_the_backoff_at_a_restart() -> None:
    record = run(job(), scenario(FOUR_FAILURES, **AWAY))
    assert record.job.pods[4].created == 145 * SECOND


def test_our_controller_and_a_backoff_per_index_survive_a_restart() -> None:
    ours = run(job(managedBy=OUR_MANAGER), scenario(FOUR_FAILURES, **AWAY))
    assert ours.job.pods[4].created == 210 * SECOND
    per_index = run(indexed(size=1, backoffLimitPerIndex=9), scenario(FOUR_FAILURES, **AWAY))
    assert per_index.job.pods[4].created == 210 * SECOND


def test_a_restart_forgets_no_failure_that_is_not_counted_yet() -> None:
    away = [{"from": "10s", "until": "30s"}]
    record = run(
        job(), scenario({"attempts": 1, "exitCode": 1, "duration": "10s"}, controllerAway=away)
    )
    assert record.job.pods[1].created == 30 * SECOND


def test_an_edit_is_a_line_with_the_old_and_the_new_value() -> None:
    changes = [{"at": "4m", "spec": {"backoffLimit": 1, "activeDeadlineSeconds": 600}}]
    record = run(job(backoffLimit=6), scenario({"exitCode": 1, "duration": "1m"}, changes=changes))
    assert (
        240,
        "Job edited: backoffLimit 6 -> 1, activeDeadlineSeconds set to 600",
    ) in words(record)
    assert outcome(record) == ("Failed", "BackoffLimitExceeded")


def test_edits_after_the_end_of_the_job_are_not_lines() -> None:
    record = run(job(), scenario(changes=[{"at": "4h", "spec": {"parallelism": 2}}]))
    assert not any("edited" in text for _, text in words(record))


def test_absent_controllers_rejections_and_capacity_are_lines() -> None:
    record = run(
        indexed(size=3),
        scenario(
            controllerAway=[{"from": "1m", "until": "2m"}],
            rejections=[{"from": "0s", "until": "10s", "message": "no"}],
            capacity=[{"at": "0s", "pods": 1}, {"at": "5m", "pods": 3}],
        ),
    )
    lines = words(record)
    assert (0, "API server rejects new Pods: no") in lines
    assert (60, "Job and CronJob controllers do not run") in lines
    assert any(at == 120 and "run again" in text for at, text in lines)
    assert (300, "the cluster has room for 3 Pods") in lines


def test_a_third_controller_is_named_once() -> None:
    record = run(job(managedBy="example.com/other"), scenario())
    assert words(record)[0] == (
        0,
        "managedBy example.com/other: simulated as Kubernetes' own controller would run the Job",
    )


@pytest.mark.parametrize(("manager", "shown"), [(None, False), (OUR_MANAGER, True)])
def test_events_of_our_controller_are_shown_for_its_jobs_only(manager: Any, shown: bool) -> None:
    managed = {} if manager is None else {"managedBy": manager}
    restarts = run(
        job(restart="OnFailure", backoffLimit=2, **managed),
        scenario({"exitCode": 1, "duration": "5s"}),
    )
    lost = run(
        job(IGNORE_DISRUPTIONS, **managed),
        scenario(disruptions=({"cause": "NodeLost", "at": "5m"},), until="2h"),
    )
    reasons = {event.reason for record in (restarts, lost) for event in record.job.events}
    ours = {"RestartsExceedBackoffLimit", "PodTerminationOverdue"}
    assert ours.issubset(reasons) if shown else ours.isdisjoint(reasons)


@pytest.mark.parametrize(
    ("manifest", "given", "begin"),
    [
        (job(suspend=True), scenario(until="1h"), "waiting since 0:00:00 for the Job to be resumed"),
        (
            job(parallelism=0, completions=3),
            scenario(until="1h"),
            "waiting since 0:00:00 for a parallelism above 0",
        ),
        (
            job(),
            scenario(pods={"startup": "never"}, until="1h"),
            "waiting since 0:00:00 for a start of its Pods",
        ),
        (
            job(podReplacementPolicy="Failed"),
            scenario(disruptions=({"cause": "NodeLost", "at": "5m"},), until="4h"),
            "waiting since 0:10:50 for terminating Pods to terminate (podReplacementPolicy is Failed",
        ),
        (
            job(),
            scenario(rejections=[{"from": "0s", "until": "9h"}], until="1h"),
            "waiting since 0:00:00 for the API server to accept its Pods (exceeded quota)",
        ),
        (
            indexed(size=2),
            scenario(capacity=[{"at": "0s", "pods": 0}], until="1h"),
            "waiting since 0:00:00 for a node with room for its Pods",
        ),
        (
            job(),
            scenario(pods={"duration": "never"}, until="1h"),
            "waiting since 0:00:05 for running Pods to exit",
        ),
        (
            job(),
            scenario(controllerAway=[{"from": "1m", "until": "9h"}], until="1h"),
            "waiting since 0:01:00 for its controller, which does not run",
        ),
    ],
    ids=[
        "suspended", "parallelism 0", "Pending", "node lost", "quota", "no room", "hangs", "away",
    ],
)  # fmt: skip
def test_an_unfinished_run_ends_in_a_sentence(manifest: Any, given: Any, begin: str) -> None:
    record = run(manifest, given)
    assert record.job.outcome == "Unfinished"
    assert headline(record).partition(": ")[2].startswith(begin)
    assert "as many Pods" not in record.job.reason


def test_a_deadline_is_named_as_the_end_of_a_wait() -> None:
    record = run(job(activeDeadlineSeconds=7200), scenario(pods={"startup": "never"}, until="1h"))
    assert headline(record).endswith("; activeDeadlineSeconds fails the Job at 2:00:00")
