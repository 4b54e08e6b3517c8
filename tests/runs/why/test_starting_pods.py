"""Reasons for which Pods do not start: from their statuses, and from Events that no later one contradicts."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.times import write_time
from jobsworth.runs.recorded.pending_pods import gone_reason
from jobsworth.runs.recorded.recording import RecordedEvent
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.fixes import fixing_command
from jobsworth.runs.why.pod_table import pod_rows
from support.replay.recorded_jobs import at, event, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
SIDECAR = {"name": "proxy", "restartPolicy": "Always"}
FETCH = {"name": "fetch"}


def crashing(name: str) -> Object:
    return {
        "name": name,
        "restartCount": 5,
        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
        "lastState": {"terminated": {"exitCode": 2, "reason": "Error"}},
    }


def waiting(reason: str, message: str = "", name: str = "main") -> Object:
    return {"name": name, "state": {"waiting": {"reason": reason, "message": message}}}


def diagnosed(
    status: Object, *init: Object, events: tuple[Object, ...] = (), restart: str = "Never"
) -> Diagnosis:
    value = pod("train-a", 1, code=None)
    value["status"] = {"phase": "Pending", **status}
    value["spec"] = {"initContainers": list(init), "nodeName": "node-0"}
    manifest = stored(job(), active=1)
    manifest["spec"]["template"]["spec"]["restartPolicy"] = restart
    return diagnose(read_recording(manifest, [value], events))


def test_an_init_container_that_crashes_again_and_again_is_named() -> None:
    found = diagnosed({"initContainerStatuses": [crashing("fetch")]}, FETCH, restart="OnFailure")
    assert found.cause == "CrashLoop"
    assert "for init container fetch of Pod train-a, which fails again and again" in found.sentence
    assert (
        "5 restarts, last exit code 2); this ends when backoffLimit 6 is reached" in found.sentence
    )


def test_a_sidecar_that_crashes_is_named_and_reaches_no_limit() -> None:
    found = diagnosed({"initContainerStatuses": [crashing("proxy")]}, SIDECAR)
    assert found.cause == "CrashLoop"
    assert "for sidecar proxy of Pod train-a, which fails again and again" in found.sentence
    assert "this ends when the container no longer fails; nothing else" in found.sentence


def test_an_init_container_that_runs_is_what_the_pod_waits_for() -> None:
    found = diagnosed(
        {
            "initContainerStatuses": [{"name": "fetch", "state": {"running": {}}}],
            "containerStatuses": [waiting("PodInitializing")],
        },
        FETCH,
    )
    assert found.cause == "Initializing"
    assert (
        "(Pod train-a: its init container fetch runs); this ends when fetch succeeds"
        in found.sentence
    )


@pytest.mark.parametrize("reason", ["CreateContainerError", "RunContainerError"])
def test_a_container_that_the_runtime_cannot_create_is_no_missing_config(reason: str) -> None:
    found = diagnosed({"containerStatuses": [waiting(reason, "no command specified")]})
    assert found.cause == "StartError"
    assert f"(Pod train-a: {reason}: no command specified)" in found.sentence
    assert "ConfigMap" not in found.sentence


def test_a_pod_that_no_scheduler_has_considered_names_the_scheduler() -> None:
    value = pod("train-a", 1, code=None)
    value |= {"status": {"phase": "Pending"}, "spec": {"schedulerName": "volcano"}}
    found = diagnose(read_recording(stored(job(), active=1), [value], []))
    assert found.cause == "NoScheduler"
    assert "it has no node, and scheduler volcano has not reported on it" in found.sentence


def test_a_job_that_runs_names_the_container_that_was_restarted_most() -> None:
    value = pod("train-a", 1, started=2)
    value["status"]["containerStatuses"] = [
        {
            "name": "main",
            "restartCount": 4,
            "state": {"running": {}},
            "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
        }
    ]
    found = diagnose(read_recording(stored(job(), active=1), [value], []))
    assert found.cause == "Running"
    words = "container main of Pod train-a with 4 restarts, last exit code 137, OOMKilled)"
    assert words in found.sentence


def about(reason: str, seconds: int, message: str = "") -> Object:
    return event(reason, message, seconds, "train-a", "Pod")


def test_a_container_that_the_runtime_could_not_start_has_no_start() -> None:
    value = pod("train-a", 1, code=None)
    failed = {"exitCode": 128, "reason": "StartError", "startedAt": "1970-01-01T00:00:00Z"}
    value["status"]["containerStatuses"] = [
        {**crashing("main"), "lastState": {"terminated": failed | {"finishedAt": at(30)}}}
    ]
    (row,) = pod_rows(diagnose(read_recording(stored(job(), active=1), [value], [])))
    assert row.started == "-"


@pytest.mark.parametrize(("ready", "lost"), [("False", True), ("True", False)])
def test_a_job_that_runs_names_the_node_that_is_not_ready(ready: str, *, lost: bool) -> None:
    value = pod("train-a", 1, code=None, started=2)
    value["spec"]["nodeName"] = "node-0"
    value["status"]["conditions"] = [
        {"type": "Ready", "status": ready, "lastTransitionTime": at(90)}
    ]
    events = [about("NodeNotReady", 60, "Node is not ready")]
    found = diagnose(read_recording(stored(job(), active=1), [value], events))
    assert found.cause == "Running"
    assert ("node node-0 of Pod train-a is not ready" in found.sentence) == lost


def test_a_failure_to_schedule_is_over_with_the_scheduling() -> None:
    found = diagnosed(
        {"containerStatuses": [waiting("ContainerCreating")]},
        events=(
            about("FailedScheduling", 5, "0/3 nodes"),
            about("Scheduled", 60),
            about("Pulling", 61),
        ),
    )
    assert found.cause == "Pending"


@pytest.mark.parametrize(
    ("reasons", "cause"),
    [
        (("FailedScheduling",), "Unschedulable"),
        (("FailedScheduling", "Scheduled"), None),
        (("Scheduled", "FailedMount"), "Volume"),
        (("Scheduled", "FailedCreatePodSandBox"), "Sandbox"),
        (("FailedPrepareDynamicResources", "Pulled"), None),
        (("Scheduled", "FailedMount", "Pulling"), None),
        (("FailedMount", "Pulled", "Created"), None),
        (("Pulling", "BackOff"), "ImagePull"),
        (("BackOff", "Pulling"), "ImagePull"),
        (("BackOff", "Pulling", "Pulled"), None),
        (("Pulled", "Failed"), "MissingConfig"),
        (("Failed", "Pulled"), "MissingConfig"),
        (("Failed", "Pulled", "Created"), None),
    ],
)
def test_the_last_failure_counts_that_no_later_event_contradicts(
    reasons: tuple[str, ...], cause: str | None
) -> None:
    messages = {"BackOff": "Back-off pulling image", "Failed": 'configmap "x" not found'}
    events = [
        RecordedEvent(at, "Pod", "train-a", "Warning", reason, messages.get(reason, "timeout"), 1)
        for at, reason in enumerate(reasons)
    ]
    found = gone_reason(events)
    assert (None if found is None else found.cause) == cause


def test_of_the_same_second_the_failure_counts_except_before_scheduling() -> None:
    def at_once(*reasons: str) -> list[RecordedEvent]:
        return [RecordedEvent(1, "Pod", "a", "", each, "image", 1) for each in reasons]

    assert gone_reason(at_once("FailedScheduling", "Scheduled")) is None
    pulls = gone_reason(at_once("BackOff", "Pulled"))
    assert pulls is not None
    assert pulls.cause == "ImagePull"


def test_a_pod_that_cannot_start_is_the_cause_although_others_are_to_be_created() -> None:
    value = pod("train-a", 1, code=None)
    value["status"] = {
        "phase": "Pending",
        "containerStatuses": [waiting("ErrImagePull", "not found")],
    }
    found = diagnose(read_recording(stored(job(parallelism=3), active=1), [value], []))
    assert (found.cause, found.waiting and found.waiting.detail) == (
        "ImagePull",
        "Pod train-a: ErrImagePull: not found",
    )


def test_rejected_pods_are_the_cause_beside_the_progress_of_those_that_run() -> None:
    running = pod("train-a", 1, started=2)
    rejected = event("FailedCreate", "Error creating: exceeded quota: pods", 3)
    manifest = stored(job(parallelism=2, completions=2), active=1)
    found = diagnose(read_recording(manifest, [running], [rejected]))
    assert found.cause == "Quota"
    assert "(exceeded quota: pods; 1 Pod runs, 0 of 2 completions succeeded)" in found.sentence


UNMOUNTED = "Unable to attach or mount volumes: unmounted volumes=[data]: "
TIMED_OUT = f"{UNMOUNTED}timed out waiting for the condition"
MULTI_ATTACH = 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) old'


@pytest.mark.parametrize(
    ("reported", "cause"),
    [
        ([("FailedAttachVolume", MULTI_ATTACH)], MULTI_ATTACH),
        ([("FailedMount", "MountVolume.SetUp failed: exit status 32")], "exit status 32"),
        ([("FailedAttachVolume", MULTI_ATTACH), ("SuccessfulAttachVolume", "")], "timed out"),
        ([], "timed out"),
    ],
)
def test_a_mount_that_timed_out_has_the_cause_of_an_earlier_event(
    reported: list[tuple[str, str]], cause: str
) -> None:
    events = [
        event(reason, message, 10 + number, "train-a", "Pod")
        for number, (reason, message) in enumerate([*reported, ("FailedMount", TIMED_OUT)])
    ]
    found = diagnosed({}, events=tuple(events))
    assert found.cause == "Volume"
    assert cause in found.sentence


def test_a_mount_whose_context_expired_has_the_cause_of_an_earlier_event() -> None:
    events = (
        about("FailedAttachVolume", 10, MULTI_ATTACH),
        about("FailedMount", 90, f"{UNMOUNTED}context deadline exceeded"),
    )
    assert MULTI_ATTACH in diagnosed({}, events=events).sentence


def test_a_pod_whose_volumes_are_mounted_does_not_wait_for_them() -> None:
    prepared = {"type": "PodReadyToStartContainers", "status": "True"}
    failed = event("FailedMount", "not yet", 10, "train-a", "Pod")
    assert diagnosed({"conditions": [prepared]}, events=(failed,)).cause == "Pending"


def test_a_crash_loop_began_with_its_first_event() -> None:
    back_off = event(
        "BackOff", "Back-off restarting failed container fetch in pod", 900, "train-a", "Pod"
    )
    back_off["firstTimestamp"] = at(20)
    found = diagnosed(
        {"initContainerStatuses": [crashing("fetch")]},
        FETCH,
        events=(back_off,),
        restart="OnFailure",
    )
    assert found.waiting is not None
    assert write_time(round(found.waiting.since or 0)) == at(20)


LONG_MESSAGE = f"Back-off pulling image: {'failed to resolve reference ' * 5}not found"


def test_a_long_message_of_a_pod_that_does_not_start_stands_once() -> None:
    found = diagnosed({"containerStatuses": [waiting("ImagePullBackOff", LONG_MESSAGE)]})
    assert found.waiting is not None
    assert LONG_MESSAGE in found.waiting.details
    assert LONG_MESSAGE in next(pod_rows(found)).how
    assert next(pod_rows(found, found.waiting.details)).how == "Pending: ImagePullBackOff"


@pytest.mark.parametrize(
    ("others", "how"),
    [
        ((), "main in CrashLoopBackOff (5 restarts)"),
        (("work",), "work still running, main in CrashLoopBackOff (5 restarts)"),
    ],
)
def test_a_running_pod_whose_container_crashes_does_not_look_as_if_it_ran(
    others: tuple[str, ...], how: str
) -> None:
    main = crashing("main")
    main["lastState"]["terminated"]["startedAt"] = at(2)
    running = [{"name": name, "state": {"running": {"startedAt": at(2)}}} for name in others]
    found = diagnosed({"phase": "Running", "containerStatuses": [main, *running]})
    assert next(pod_rows(found)).how == how


def test_a_pod_waits_for_its_image_since_it_has_a_node() -> None:
    placed = {"type": "PodScheduled", "status": "True", "lastTransitionTime": at(3600)}
    status = {"containerStatuses": [waiting("ImagePullBackOff")], "conditions": [placed]}
    found = diagnosed(status)
    assert found.waiting is not None
    assert write_time(round(found.waiting.since or 0)) == at(3600)


def test_without_an_event_the_beginning_of_a_crash_loop_is_unknown() -> None:
    status = crashing("fetch")
    status["lastState"]["terminated"]["finishedAt"] = at(900)
    found = diagnosed({"initContainerStatuses": [status]}, FETCH, restart="OnFailure")
    assert found.waiting is not None
    assert found.waiting.since is None
    assert f"last exit code 2 at {at(900)}" in found.sentence


def test_the_log_of_a_sidecar_that_crashes_is_the_one_to_read() -> None:
    status = crashing("proxy")
    status["lastState"]["terminated"]["finishedAt"] = at(900)
    found = diagnosed({"initContainerStatuses": [status]}, SIDECAR)
    assert fixing_command(found) == "kubectl logs -n batch train-a -c proxy --previous"
