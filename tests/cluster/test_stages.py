"""The stages of a Pod on the simulated kubelet, without a cluster."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.bed.stages import Stage, ended, exit_code, next_stage, run_time, running

NOW = "2030-01-02T03:04:05Z"


def pod(
    phase: str = "Pending", said: dict[str, str] | None = None, **metadata: Any
) -> dict[str, Any]:
    return {
        "metadata": {"annotations": said or {}, **metadata},
        "spec": {"containers": [{"name": "main", "image": "busybox"}]},
        "status": {"phase": phase},
    }


DELETED = {"deletionTimestamp": NOW}


@pytest.mark.parametrize(
    ("seen", "stage"),
    [
        (pod("Pending"), Stage.RUN),
        (pod("Running"), Stage.END),
        (pod("Running", {"bed/exit-code": "never"}), None),
        (pod("Succeeded"), None),
        (pod("Failed"), None),
        (pod("Running", **DELETED, deletionGracePeriodSeconds=30), Stage.DELETE),
        (pod("Running", **DELETED, deletionGracePeriodSeconds=0), None),
    ],
)
def test_a_pod_waits_for_its_next_stage(seen: dict[str, Any], stage: Stage | None) -> None:
    assert next_stage(seen) is stage


def test_the_exit_code_of_an_index_goes_before_that_of_all() -> None:
    said = {"bed/exit-code": "1", "bed/exit-code.3": "42"}
    index = "batch.kubernetes.io/job-completion-index"
    assert exit_code(pod()) == "0"
    assert exit_code(pod(said=said)) == "1"
    assert exit_code(pod(said=said | {index: "2"})) == "1"
    assert exit_code(pod(said=said | {index: "3"})) == "42"


@pytest.mark.parametrize(
    ("text", "seconds"), [("300ms", 0.3), ("2s", 2), ("5m", 300), ("1h", 3600)]
)
def test_it_runs_as_long_as_its_annotation_says(text: str, seconds: float) -> None:
    assert run_time(pod(said={"bed/run-for": text})) == seconds


def test_without_the_annotation_it_ends_at_once() -> None:
    assert run_time(pod()) == 0


def test_a_duration_without_unit_is_an_error() -> None:
    with pytest.raises(ValueError, match="write 500ms, 2s, 5m or 1h"):
        run_time(pod(said={"bed/run-for": "500"}))


def test_container_statuses_show_exit_codes() -> None:
    seen = pod(said={"bed/exit-code": "42"})
    seen["status"] = running(seen, NOW)
    status = ended(seen, "2030-01-02T03:04:09Z")
    assert status["phase"] == "Failed"
    assert status["containerStatuses"][0]["state"]["terminated"] == {
        "exitCode": 42,
        "reason": "Error",
        "startedAt": NOW,
        "finishedAt": "2030-01-02T03:04:09Z",
    }
