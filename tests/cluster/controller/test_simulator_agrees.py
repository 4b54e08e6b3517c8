"""The same scenarios, in virtual time and on a control plane: the same outcomes.

The scenarios are those of ``tests/runs/simulation/agreement``. ``jobsworth simulate`` runs them; on the bed, a kubelet plays
them, and the real controller decides. Both have the default delays of Kubernetes, whose own controller knows no others.
``JOBSWORTH_AGREEMENT_ROUNDS=3`` repeats it. With ``JOBSWORTH_SCENARIOS=built-in`` and ``JOBSWORTH_RENEW=1`` the outcomes
are recorded, for ``tests/runs/simulation/test_agrees_with_kubernetes.py``, which takes no control plane.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cluster.available_beds import bed_or_skip
from cluster.controller.controller_beds import BESIDE, controller_of
from support.simulation import job_outcomes
from support.simulation.job_outcomes import JobOutcome, simulated

if TYPE_CHECKING:
    from cluster.controller.controllers import Controller

ROUNDS = range(1, 1 + int(os.environ.get("JOBSWORTH_AGREEMENT_ROUNDS", "1")))
DEFAULT_DELAYS = {"batch_period": "1s", "pod_failure_backoff": "10s"}


@pytest.fixture(scope="module")
def controller() -> Iterator[Controller]:
    """The controller with the default delays, beside the garbage collector of Pods."""
    controllers = f"{BESIDE},pod-garbage-collector-controller"
    with bed_or_skip(controllers=controllers, qps=200, burst=400, audit=False) as bed:
        from cluster.bed import stages

        bed.create(stages.node())
        controller = controller_of(bed)
        if not controller.built_in:
            controller.start(**DEFAULT_DELAYS)
        yield controller
        controller.kill()


@pytest.fixture(scope="module")
def played(controller: Controller) -> list[dict[str, JobOutcome]]:
    """The outcomes of all scenarios on the bed, by round."""
    from cluster.controller.scenario_kubelet import PlayedJobs

    documents = {
        name: job_outcomes.documents(name, controller.manager) for name in job_outcomes.NAMES
    }
    outcomes = [PlayedJobs(controller.bed).play(documents, seed) for seed in ROUNDS]
    if controller.built_in and os.environ.get("JOBSWORTH_RENEW"):
        job_outcomes.record(outcomes[0])
    return outcomes


@pytest.mark.parametrize("name", job_outcomes.NAMES)
def test_the_outcome_is_that_of_the_simulator(
    name: str, controller: Controller, played: list[dict[str, JobOutcome]], tmp_path: Path
) -> None:
    for seed, outcomes in zip(ROUNDS, played, strict=True):
        expected = simulated(name, tmp_path, seed, controller.manager)
        assert outcomes[name]._asdict() == expected._asdict(), f"round {seed}"
        print(f"round {seed}: {expected.words}")
