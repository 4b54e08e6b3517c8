"""A running Pod is not a black box: its containers show that the work is over, and which of them keeps it."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.agents import is_helper
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.pod_table import pod_rows
from support.replay.recorded_jobs import at, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
RUNS: Object = {"running": {"startedAt": at(2)}}


def ended(code: int, reason: str = "", seconds: int = 300) -> Object:
    return {
        "terminated": {
            "exitCode": code,
            "reason": reason or ("Error" if code else "Completed"),
            "finishedAt": at(seconds),
        }
    }


def running(name: str = "train-a", restart: str = "Never", **states: Object) -> Object:
    """Return a running Pod with a container for each state."""
    value = pod(name, 1, code=None)
    names = [each.replace("_", "-") for each in states]
    value["spec"] = {
        "restartPolicy": restart,
        "containers": [{"name": each, "image": "x:1"} for each in names],
    }
    value["status"] = {
        "phase": "Running",
        "containerStatuses": [
            {"name": each, "image": "x:1", "state": state}
            for each, state in zip(names, states.values(), strict=True)
        ],
    }
    return value


def diagnosed(*pods: Object, template: tuple[str, ...] = ()) -> Diagnosis:
    manifest = stored(job(), active=len(pods))
    spec = manifest["spec"]["template"]["spec"]
    names = template or [each["name"] for each in pods[0]["spec"]["containers"]]
    spec["containers"] = [{"name": each, "image": "x:1"} for each in names]
    spec["restartPolicy"] = pods[0]["spec"]["restartPolicy"]
    return diagnose(read_recording(manifest, pods, ()))


def test_a_proxy_that_runs_on_after_the_work_is_what_the_job_waits_for() -> None:
    found = diagnosed(running(main=ended(0), istio_proxy=RUNS))
    assert found.cause == "ContainerRunsOn"
    assert (
        f"since {at(300)} for container istio-proxy of Pod train-a, which runs on after main ended with "
        "exit code 0" in found.sentence
    )
    assert "this ends when istio-proxy exits, or the Pod is deleted" in found.sentence
    assert any("native sidecar" in each.text for each in found.advice)


@pytest.mark.parametrize(
    ("proxy", "annotation"),
    [
        ("istio_proxy", 'sidecar.istio.io/nativeSidecar: "true"'),
        ("linkerd_proxy", 'config.beta.linkerd.io/proxy-enable-native-sidecar: "true"'),
    ],
)
def test_the_webhook_of_a_mesh_is_asked_for_a_native_sidecar(proxy: str, annotation: str) -> None:
    found = diagnosed(running(main=ended(0), **{proxy: RUNS}), template=("main",))
    assert any(annotation in each.text for each in found.advice)


def test_a_container_that_was_killed_for_memory_is_named_with_its_limit() -> None:
    value = running(runner=ended(137, "OOMKilled"), dind=RUNS)
    value["spec"]["containers"][0]["resources"] = {"limits": {"memory": "4Gi"}}
    found = diagnosed(value)
    assert "dind" in found.sentence
    assert "after runner ended with exit code 137 (OOMKilled, limit 4Gi)" in found.sentence


def test_after_a_failure_whatever_runs_on_keeps_the_pod() -> None:
    found = diagnosed(running(first=ended(1), second=RUNS))
    assert found.cause == "ContainerRunsOn"
    assert "for container second of Pod train-a, which runs on after first ended" in found.sentence


def test_a_container_that_may_do_work_is_reported_and_not_blamed() -> None:
    found = diagnosed(running(download=ended(0), train=RUNS))
    assert found.cause == "Running"
    assert "download ended with exit code 0, and train runs on" in found.sentence


def test_a_container_that_is_not_in_the_template_was_injected() -> None:
    found = diagnosed(running(main=ended(0), mesh=RUNS), template=("main",))
    assert found.cause == "ContainerRunsOn"


@pytest.mark.parametrize("key", ["ports", "readinessProbe", "livenessProbe", "startupProbe"])
def test_a_container_that_serves_does_no_work_of_its_own(key: str) -> None:
    value = running(main=ended(0), database=RUNS)
    value["spec"]["containers"][1][key] = (
        [{"containerPort": 5432}] if key == "ports" else {"exec": {}}
    )
    assert diagnosed(value).cause == "ContainerRunsOn"


def test_a_container_that_is_started_again_has_not_ended() -> None:
    found = diagnosed(running(main=ended(1), istio_proxy=RUNS, restart="OnFailure"))
    assert found.cause == "Running"


def test_a_job_of_which_a_pod_works_goes_on() -> None:
    kept = running(main=ended(0), istio_proxy=RUNS)
    found = diagnosed(kept, running("train-b", main=RUNS, istio_proxy=RUNS))
    assert found.cause == "Running"
    assert "in Pod train-a main ended with exit code 0, and istio-proxy runs on" in found.sentence


def test_all_pods_are_kept_since_the_last_one_is() -> None:
    kept = running(main=ended(0), istio_proxy=RUNS)
    later = running("train-b", main=ended(0, seconds=400), istio_proxy=RUNS)
    assert (
        f"since {at(400)} for container istio-proxy of 2 Pods, such as train-a"
        in diagnosed(kept, later).sentence
    )


CRASHES: Object = {"waiting": {"reason": "CrashLoopBackOff"}}


@pytest.mark.parametrize(
    ("states", "cause"),
    [
        ({"main": CRASHES, "istio_proxy": RUNS}, "CrashLoop"),
        ({"main": RUNS, "istio_proxy": CRASHES}, "Running"),
        ({"main": RUNS, "other": CRASHES}, "Running"),
    ],
)
def test_a_crash_loop_is_an_obstacle_if_no_container_works(states: Any, cause: str) -> None:
    value = running(restart="OnFailure", **states)
    for each in value["status"]["containerStatuses"]:
        if each["state"] is CRASHES:
            each |= {"restartCount": 30, "lastState": ended(1)}
    assert diagnosed(value).cause == cause


def test_a_sidecar_that_does_not_pass_its_startup_probe_keeps_the_others_from_starting() -> None:
    value = running(main={"waiting": {"reason": "PodInitializing"}})
    value["spec"]["initContainers"] = [{"name": "proxy", "restartPolicy": "Always"}]
    value["status"] |= {
        "phase": "Pending",
        "initContainerStatuses": [{"name": "proxy", "started": False, "state": RUNS}],
    }
    found = diagnosed(value)
    assert found.cause == "Initializing"
    assert f"since {at(2)}" in found.sentence
    assert "the startup probe of its sidecar proxy has not succeeded" in found.sentence


@pytest.mark.parametrize(
    "name", ["istio-proxy", "cloud-sql-proxy", "dind", "vault-agent", "fluent-bit", "sidecar"]
)
def test_usual_names_of_helpers(name: str) -> None:
    assert is_helper(name, "x:1")


@pytest.mark.parametrize("name", ["main", "train", "worker-2", "agenda", "proximity", "catalogs"])
def test_usual_names_of_work(name: str) -> None:
    assert not is_helper(name, "example.com/etl:1")


def test_a_container_in_a_crash_loop_is_not_shown_as_running() -> None:
    waiting = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}}
    value = running(restart="OnFailure", main=waiting)
    value["status"]["containerStatuses"][0] |= {"restartCount": 5, "lastState": ended(2)}
    (row,) = pod_rows(diagnosed(value))
    assert row.how == "main in CrashLoopBackOff (5 restarts)"
