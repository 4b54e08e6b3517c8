"""The simulator runs CronJobs as Kubernetes' own CronJob controller ran them.

``tests/cluster/controller/test_cron_jobs_agree.py`` runs and records them, on kube-controller-manager 1.36.1.
"""

from __future__ import annotations

import pytest

from support.simulation.cron_job_cases import CASES, TOLERANCE, Outcome, recorded, simulated


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    return simulated(tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("name", CASES)
def test_a_cron_job_runs_as_it_did_in_kubernetes(name: str, outcomes: dict[str, Outcome]) -> None:
    expected = recorded()[name]
    assert outcomes[name].differences(expected, TOLERANCE) == [], (outcomes[name], expected)


def test_every_case_was_recorded() -> None:
    assert sorted(recorded()) == sorted(CASES)
    assert len(CASES) >= 30
