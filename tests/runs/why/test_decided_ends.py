"""The end of a Job is decided: what it still waits for, which Pods it deleted, and that it can only fail."""

from __future__ import annotations

from typing import Any

from jobsworth.reports.timelines.pod_chart import chart_lines
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.replay.planner_replay import replay
from jobsworth.runs.why.decisions import gaps
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.pod_table import pod_rows
from jobsworth.runs.why.run_forms import recorded_timeline
from support.replay.recorded_jobs import at, created, event, pod, recording, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
TRACKED = ["batch.kubernetes.io/job-tracking"]


def deciding(kind: str, reason: str, **status: Any) -> Object:
    """Return a Job with an interim condition."""
    value = stored(
        job(completions=2, parallelism=2, backoffLimit=0), (360, "Failed", reason), **status
    )
    value["status"]["conditions"] = [{**value["status"]["conditions"][0], "type": kind}]
    return value


def deleted(name: str, seconds: int) -> Object:
    return event("SuccessfulDelete", f"Deleted pod: {name}", seconds)


def test_a_job_that_is_failing_names_the_pod_that_does_not_terminate() -> None:
    lost = pod("train-b", 0, started=2, deleted=360)
    lost["spec"]["nodeName"] = "n1"
    value = deciding("FailureTarget", "BackoffLimitExceeded", failed=1)
    found = diagnose(
        read_recording(value, [pod("train-a", 0, 300, 1), lost], (), now=1_798_765_200)
    )
    assert "is failing after 6 min: Pod train-a failed with exit code 1" in found.sentence
    assert (
        f"it is waiting since {at(360)} for terminating Pods before it is Failed (Pod train-b on node n1 "
        "beyond its grace period" in found.sentence
    )
    assert "Delete the Node object" in found.advice[0].text


def test_a_job_that_is_completing_says_so_of_pods_that_its_controller_has_not_deleted_or_recorded() -> (
    None
):
    value = deciding("SuccessCriteriaMet", "SuccessPolicy", succeeded=1)
    running = pod("train-b", 0, started=2)
    assert (
        "for its controller to delete Pod train-b before it is Complete"
        in diagnose(recording(value, running)).sentence
    )
    ended = pod("train-b", 0, 300)
    ended["metadata"]["finalizers"] = TRACKED
    assert (
        "for its controller to record Pod train-b before it is Complete"
        in diagnose(recording(value, ended)).sentence
    )


def test_a_pod_that_is_deleted_in_the_second_of_success_is_stopped_by_it() -> None:
    value = deciding("SuccessCriteriaMet", "SuccessPolicy", succeeded=1)
    found = diagnose(
        recording(value, pod("train-a", 0, 350), pod("train-b", 0, started=2, deleted=360))
    )
    assert not found.groups
    assert "deleted while it ran" not in found.sentence


def parallel() -> tuple[Object, tuple[Object, ...]]:
    value = stored(
        job(completions=3, parallelism=3, completionMode="Indexed", backoffLimit=0),
        (360, "Failed", "BackoffLimitExceeded"),
        failed=3,
    )
    names = ("train-0-aaaaa", "train-1-bbbbb", "train-2-ccccc")
    events = (*(created(each, 1) for each in names), *(deleted(each, 360) for each in names[1:]))
    return value, events


def test_pods_that_the_failed_job_deleted_are_known_by_its_events() -> None:
    value, events = parallel()
    found = recording(value, pod("train-0-aaaaa", 1, 355, 1, index=0), events=events)
    assert [(each.name, each.index, each.gone) for each in found.pods] == [
        ("train-0-aaaaa", 0, False), ("train-1-bbbbb", 1, True), ("train-2-ccccc", 2, True),
    ]  # fmt: skip
    assert not found.unseen
    assert not list(gaps(found, replay(found)))
    diagnosis = diagnose(found)
    assert "gone" not in diagnosis.sentence
    assert [each.how for each in pod_rows(diagnosis)] == [
        "main exit 1",
        "stopped with the Job",
        "stopped with the Job",
    ]


def test_a_pod_that_was_deleted_before_the_end_stays_unknown() -> None:
    value, events = parallel()
    surplus = (created("train-1-zzzzz", 1), deleted("train-1-zzzzz", 100))
    found = recording(value, pod("train-0-aaaaa", 1, 355, 1, index=0), events=(*events, *surplus))
    assert [each.name for each in found.unseen] == ["train-1-zzzzz"]


def test_pods_that_a_deadline_deleted_are_no_riddle() -> None:
    value, events = parallel()
    for condition in value["status"]["conditions"]:
        condition["reason"] = "DeadlineExceeded"
    value["spec"]["activeDeadlineSeconds"] = 300
    found = diagnose(recording(value, events=events))
    assert (
        "activeDeadlineSeconds 300 ran out (0 of 3 indexes had succeeded): 2 Pods were"
        in found.sentence
    )
    ran = event("Started", "Started container main", 3, "train-1-bbbbb", "Pod")
    assert (
        "ran out while Pod train-1-bbbbb ran"
        in diagnose(recording(value, events=(*events, ran))).sentence
    )


def failing(**spec: Any) -> Diagnosis:
    value = stored(
        job(completions=3, parallelism=3, completionMode="Indexed", backoffLimitPerIndex=0, **spec),
        active=2,
        failed=1,
        failedIndexes="1",
    )
    return diagnose(recording(value, pod("train-0", 0, started=1, index=0)))


def test_an_index_that_failed_for_good_dooms_the_job() -> None:
    assert "index 1 failed for good, so the Job fails (FailedIndexes)" in failing().sentence


def test_a_success_policy_that_can_be_met_saves_it() -> None:
    rules = [{"succeededIndexes": "0,2"}]
    assert "FailedIndexes" not in failing(successPolicy={"rules": rules}).sentence
    rules = [{"succeededIndexes": "0-1"}]
    found = failing(successPolicy={"rules": rules}).sentence
    assert "no rule of successPolicy can be met, so the Job fails (FailedIndexes)" in found


def test_an_index_that_only_events_name_has_a_row() -> None:
    value, _ = parallel()
    value["status"]["completedIndexes"] = "2"
    gone = (
        created("train-2-ddddd", 1),
        created("train-1-zzzzz", 1),
        event("Started", "Started", 5, "train-1-zzzzz", "Pod"),
    )
    killed = event("Killing", "Stopping container main", 100, "train-1-zzzzz", "Pod")
    found = recording(value, pod("train-0-aaaaa", 1, 355, 1, index=0), events=(*gone, killed))
    record = recorded_timeline(found, replay(found)).jobs[0]
    drawn = [(each.index, each.started, each.ended, each.counted) for each in record.pods]
    assert drawn == [
        (0, 1_000, 355_000, "failed"),
        (2, None, 1_000, "succeeded"),
        (1, 5_000, 100_000, "unknown"),
    ]
    assert "? gone, end unknown" in "\n".join(chart_lines(record, 360_000))
