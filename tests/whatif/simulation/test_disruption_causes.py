"""A disruption leaves of a simulated Pod what `jobsworth explain` says that its cause leaves."""

from __future__ import annotations

import pytest

from jobsworth.whatif.failure_causes import CAUSES, DISRUPTED, DISRUPTIONS
from jobsworth.whatif.simulation.scenario_run import run_once
from jobsworth.whatif.simulation.simulated_job import SimulatedJob
from jobsworth.whatif.simulation.simulated_nodes import SimulatedPod
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
