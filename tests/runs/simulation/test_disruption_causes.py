"""A disruption leaves of a simulated Pod what `jobsworth explain` says that its cause leaves."""

from __future__ import annotations

import pytest

from jobsworth.runs.failure_causes import CAUSES, DISRUPTED, DISRUPTIONS
from jobsworth.runs.simulation.scenario_run import run_once
from jobsworth.runs.simulation.simulated_job import SimulatedJob
from jobsworth.runs.simulation.simulated_nodes import SimulatedPod
from support.simulation.simulated_runs import job, scenario


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> list[SimulatedPod]:
    """The Pods that have ended or terminate, as their controller is told."""
    pods: list[SimulatedPod] = []
    changed = SimulatedJob._pod_changed

    def note(self: SimulatedJob, pod: SimulatedPod) -> None:
        pods.append(pod)
        changed(self, pod)

    monkeypatch.setattr(SimulatedJob, "_pod_changed", note)
    return pods


@pytest.mark.parametrize("termination", ["1s", "1h"], ids=["SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("name", DISRUPTIONS)
def test_a_disruption_leaves_the_codes_and_conditions_of_its_cause(
    name: str, termination: str, ended: list[SimulatedPod]
) -> None:
    cause = DISRUPTIONS[name].failure
    given = scenario(
        disruptions=({"cause": name, "at": "1m"},),
        pods={"duration": "never", "termination": termination},
        until="10m",
    )
    run_once(job(backoffLimit=0, podReplacementPolicy="Failed"), given, 1)
    view = ended[-1].view
    codes = {each.exit_code for each in view.terminations}
    assert codes <= set(cause.codes)
    assert bool(codes) == bool(cause.codes)
    assert (DISRUPTED in view.conditions) == (cause.condition == DISRUPTED)


@pytest.mark.parametrize("name", DISRUPTIONS)
def test_the_cause_of_a_disruption_is_one_that_explain_lists(name: str) -> None:
    disruption = DISRUPTIONS[name]
    assert disruption.failure in CAUSES
    assert bool(disruption.reason) == bool(disruption.failure.condition)


@pytest.mark.parametrize(
    ("name", "fails"),
    [
        ("NodePressure", True),
        ("SoftEviction", True),
        ("StorageLimit", True),
        ("CriticalPod", True),
        ("NodeShutdown", False),
        ("EvictionAPI", False),
    ],
)
def test_a_program_that_exits_with_0_on_sigterm_fails_only_where_the_kubelet_says_so(
    name: str, fails: bool, ended: list[SimulatedPod]
) -> None:
    """Source: the phase that the kubelet sets by its function of the status, Kubernetes 1.36."""
    given = scenario(
        disruptions=({"cause": name, "at": "1m"},),
        pods={"duration": "never", "termination": "1s", "terminationExitCode": 0},
        until="10m",
    )
    run_once(job(backoffLimit=0), given, 1)
    assert ended[-1].record.phase == ("Failed" if fails else "Succeeded")
    assert ended[-1].view.terminations == ()


@pytest.mark.parametrize(("termination", "code"), [("1s", 143), ("20s", 137)])
def test_a_hard_eviction_leaves_two_seconds_and_a_soft_one_the_grace_period(
    termination: str, code: int, ended: list[SimulatedPod]
) -> None:
    for name, expected in (("NodePressure", code), ("StorageLimit", code), ("SoftEviction", 143)):
        given = scenario(
            disruptions=({"cause": name, "at": "1m"},),
            pods={"duration": "never", "termination": termination},
            until="10m",
        )
        run_once(job(backoffLimit=0), given, 1)
        assert ended[-1].record.exit_code == expected


@pytest.mark.parametrize(("termination", "code"), [("1s", 143), ("1h", 137)])
def test_the_deadline_of_a_pod_stops_it_with_its_grace_period(
    termination: str, code: int, ended: list[SimulatedPod]
) -> None:
    """Source: pkg/kubelet/active_deadline.go: the reason is that of the Pod, not of its container."""
    given = scenario(pods={"duration": "never", "termination": termination}, until="10m")
    run_once(job(backoffLimit=0, pod={"activeDeadlineSeconds": 60}), given, 1)
    pod = ended[-1]
    assert (pod.record.phase, pod.record.reason) == ("Failed", "DeadlineExceeded")
    assert [(each.exit_code, each.reason) for each in pod.view.terminations] == [(code, "Error")]
    assert pod.view.conditions == ()
