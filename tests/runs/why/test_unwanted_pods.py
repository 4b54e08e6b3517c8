"""Pods that are deleted for their Job are not failures, and what holds such a Job is named."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.times import write_time
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.fixes import fixing_command
from jobsworth.runs.why.pod_table import pod_rows
from support.replay.recorded_jobs import at, event, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
DELETED = pod("train-a", 1, started=2, deleted=40)


def diagnosed(
    *pods: Object, meta: Object | None = None, events: tuple[Object, ...] = (), **spec: Any
) -> Diagnosis:
    value = stored(job(**spec), terminating=1)
    value["metadata"] |= meta or {}
    if spec.get("suspend"):
        suspended = {"type": "Suspended", "status": "True", "lastTransitionTime": at(41)}
        value["status"]["conditions"] = [suspended]
    return diagnose(read_recording(value, pods, events, now=1_798_761_700))


def test_a_pod_of_a_job_that_is_deleted_is_no_failure() -> None:
    found = diagnosed(
        DELETED, meta={"deletionTimestamp": at(40), "finalizers": ["foregroundDeletion"]}
    )
    assert (found.cause, found.groups) == ("Deleting", ())
    assert "for its own deletion (Pod train-a" in found.sentence


def test_a_pod_that_was_deleted_before_its_job_is_a_failure() -> None:
    found = diagnosed(DELETED, meta={"deletionTimestamp": at(50)})
    assert [group.cause.name for group in found.groups] == ["Deletion"]


def test_the_finalizers_that_hold_a_job_are_named() -> None:
    names = ["example.com/a", "example.com/b", "example.com/c", "example.com/d"]
    found = diagnosed(meta={"deletionTimestamp": at(40), "finalizers": names})
    assert (
        "(held by finalizers example.com/a, example.com/b, example.com/c and 1 more)"
        in found.sentence
    )


def test_the_finalizer_of_a_pod_that_holds_a_deleted_job_is_named() -> None:
    held = pod("train-a", 1, 60, 143, started=2, deleted=40)
    held["metadata"]["finalizers"] = ["example.com/log-shipper"]
    found = diagnosed(
        held, meta={"deletionTimestamp": at(40), "finalizers": ["foregroundDeletion"]}
    )
    assert "(Pod train-a held by finalizer example.com/log-shipper)" in found.sentence
    assert found.waiting is not None
    assert (
        found.waiting.ends == "finalizer example.com/log-shipper is removed: its owner removes it"
    )
    assert fixing_command(found) == (
        'kubectl patch pod -n batch train-a --type=merge -p \'{"metadata":{"finalizers":null}}\''
    )
    assert next(iter(pod_rows(found))).how.endswith(", held by finalizer example.com/log-shipper")


def test_terminating_pods_are_waited_for_since_their_deletion() -> None:
    lost = pod("train-a", 1, started=2, deleted=40)
    unready = {"type": "Ready", "status": "False", "lastTransitionTime": at(20)}
    lost["status"].setdefault("conditions", []).append(unready)
    found = diagnosed(lost, podReplacementPolicy="Failed")
    assert found.waiting is not None
    assert (found.waiting.cause, write_time(round(found.waiting.since or 0))) == (
        "Terminating",
        at(40),
    )


@pytest.mark.parametrize(("restarts", "begun"), [(0, 60), (3, 1)])
@pytest.mark.parametrize("ready", ["True", "False"])
def test_a_job_runs_since_the_start_of_a_container_whatever_its_readiness(
    ready: str, restarts: int, begun: int
) -> None:
    running = pod("train-a", 1, started=60)
    running["status"]["containerStatuses"][0]["restartCount"] = restarts
    running["status"]["conditions"] = [
        {"type": "Ready", "status": ready, "lastTransitionTime": at(900)}
    ]
    value = stored(job(), active=1)
    found = diagnose(read_recording(value, [running], (), now=1_798_761_700))
    assert found.waiting is not None
    assert found.waiting.cause == "Running"
    assert write_time(round(found.waiting.since or 0)) == at(begun)


def test_a_pod_ended_with_the_last_of_its_containers() -> None:
    failed = pod("train-a", 1, 40, 1)
    ended = {"exitCode": 139, "startedAt": at(2), "finishedAt": at(55)}
    failed["status"]["initContainerStatuses"] = [{"name": "proxy", "state": {"terminated": ended}}]
    value = stored(job(backoffLimit=0), (60, "Failed", "BackoffLimitExceeded"), failed=1)
    recording = read_recording(value, [failed], ())
    assert write_time(recording.pods[0].ended or 0) == at(55)


def test_a_pod_whose_init_container_failed_ended_with_it() -> None:
    failed = pod("train-a", 1, code=None)
    ended = {"exitCode": 1, "startedAt": at(2), "finishedAt": at(50)}
    failed["status"] = {
        "phase": "Failed",
        "initContainerStatuses": [{"name": "migrate", "state": {"terminated": ended}}],
        "containerStatuses": [
            {"name": "main", "state": {"waiting": {"reason": "PodInitializing"}}}
        ],
    }
    value = stored(job(backoffLimit=0), (60, "Failed", "BackoffLimitExceeded"), failed=1)
    recording = read_recording(value, [failed], ())
    assert write_time(recording.pods[0].ended or 0) == at(50)


def test_a_pod_of_a_suspended_job_is_no_failure() -> None:
    found = diagnosed(DELETED, suspend=True)
    assert (found.cause, found.groups) == ("Suspended", ())


def test_a_pod_of_a_job_without_parallelism_is_no_failure() -> None:
    found = diagnosed(DELETED, parallelism=0)
    assert (found.cause, found.groups) == ("NoParallelism", ())
    assert "(spec.parallelism is 0)" in found.sentence


def test_a_job_in_a_queue_waits_for_its_admission() -> None:
    found = diagnosed(meta={"labels": {"kueue.x-k8s.io/queue-name": "team"}}, suspend=True)
    assert found.cause == "Suspended"
    assert "for its admission by Kueue, in queue team (spec.suspend is true)" in found.sentence


def test_a_deadline_names_the_pods_that_ran_and_that_others_were_rejected() -> None:
    end = (30, "Failed", "DeadlineExceeded")
    value = stored(job(parallelism=2, completions=2, activeDeadlineSeconds=30), end)
    stopped = pod("train-a", 1, started=2, deleted=30)
    rejected = event("FailedCreate", "Error creating: exceeded quota: pods", 2)
    found = diagnose(read_recording(value, [stopped], [rejected]))
    assert found.cause == "Running"
    assert "while Pod train-a ran (0 of 2 Pods had succeeded)" in found.sentence
    assert "; the API server rejected others (exceeded quota: pods)" in found.sentence
