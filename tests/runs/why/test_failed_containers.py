"""The container with which a Pod failed is named where a Pod has several."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.diagnosis import diagnose
from support.replay.recorded_jobs import pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
SIDECAR = {"name": "proxy", "restartPolicy": "Always"}
FETCH = {"name": "fetch"}


def ended(name: str, code: int, reason: str = "Error") -> Object:
    return {"name": name, "state": {"terminated": {"exitCode": code, "reason": reason}}}


def sentence(init: Object, *of_init: Object, main: Object | None = None) -> str:
    value = pod("train-a", 1, 20, 1)
    value["status"]["initContainerStatuses"] = list(of_init)
    value["status"]["containerStatuses"] = [] if main is None else [main]
    value["spec"] = {"initContainers": [init], "containers": [{"name": "main"}]}
    end = (30, "Failed", "BackoffLimitExceeded")
    return diagnose(
        read_recording(stored(job(backoffLimit=0), end, failed=1), [value], [])
    ).sentence


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (ended("fetch", 3), "failed with exit code 3 in init container fetch;"),
        (
            ended("fetch", 128, "StartError"),
            "failed because init container fetch could not be started (StartError);",
        ),
    ],
)
def test_an_init_container_is_named(ending: Object, words: str) -> None:
    assert words in sentence(FETCH, ending)


@pytest.mark.parametrize("reason", ["Error", "OOMKilled"])
def test_a_sidecar_is_not_the_cause_of_a_failure(reason: str) -> None:
    found = sentence(SIDECAR, ended("proxy", 137, reason), main=ended("main", 1))
    assert "failed with exit code 1 in container main;" in found


def test_a_disruption_with_a_reason_of_another_component_is_named() -> None:
    value = pod("train-a", 1, 20, 143, disruption="Maintenance")
    end = (30, "Failed", "BackoffLimitExceeded")
    found = diagnose(read_recording(stored(job(backoffLimit=0), end, failed=1), [value], []))
    assert found.cause == "Disruption"
    assert "Pod train-a was disrupted (DisruptionTarget, Maintenance);" in found.sentence


def test_a_container_that_could_not_be_started_is_named_once() -> None:
    found = sentence(FETCH, ended("fetch", 0), main=ended("main", 128, "StartError"))
    assert "because container main could not be started (StartError);" in found
