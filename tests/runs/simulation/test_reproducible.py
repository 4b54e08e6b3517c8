"""The same seed gives the same bytes, and luck does not depend on the policy."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.documents.declared import json_value
from jobsworth.reports.simulation_report import run_report
from jobsworth.runs.simulation.default_scenario import default_scenario
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.runs.simulation.scenario_reader import read_scenario
from jobsworth.runs.simulation.simulated_job import SimulatedJob
from jobsworth.runs.simulation.simulated_nodes import SimulatedPod
from support.simulation.simulated_runs import (
    IGNORE_DISRUPTIONS,
    Object,
    indexed,
    job,
    on_exit,
    run,
    scenario,
)

POLICY = (IGNORE_DISRUPTIONS, on_exit("FailIndex", 42), on_exit("FailJob", 99))
BAD_LUCK = scenario(
    {"probability": 0.2, "exitCode": 1},
    {"probability": 0.1, "exitCode": 137, "duration": {"uniform": {"min": "1m", "max": "5m"}}},
    {"probability": 0.05, "exitCode": 42},
    {"probability": 0.01, "exitCode": 99},
    disruptions=(
        {"cause": "EvictionAPI", "after": {"exponential": {"mean": "1h"}}},
        {"cause": "SpotReclaim", "every": {"exponential": {"mean": "20m"}}, "share": 0.2},
        {"cause": "NodeLost", "every": "3h", "pods": 1, "nodeGoneAfter": "10m"},
    ),
    pods={
        "startup": {"uniform": {"min": "1s", "max": "30s"}},
        "duration": {"logNormal": {"median": "10m", "p95": "40m"}},
        "termination": {"normal": {"mean": "10s", "deviation": "20s"}},
    },
    capacity=[{"at": "0s", "pods": 12}, {"at": "30m", "pods": 6}, {"at": "2h", "pods": 30}],
    until="24h",
)


def printed(record: Any) -> bytes:
    return json.dumps(json_value(run_report(record)), sort_keys=True).encode()


def jobs() -> st.SearchStrategy[Object]:
    limits = st.integers(0, 4)
    return st.one_of(
        st.builds(lambda limit: indexed(*POLICY, size=15, backoffLimitPerIndex=limit), limits),
        st.builds(lambda limit: indexed(*POLICY[::2], size=9, backoffLimit=limit * 4), limits),
        st.builds(
            lambda limit, policy: job(
                parallelism=4, completions=12, backoffLimit=limit * 5, podReplacementPolicy=policy
            ),
            limits,
            st.sampled_from(["Failed", "TerminatingOrFailed"]),
        ),
        st.builds(
            lambda limit: job(parallelism=3, restart="OnFailure", backoffLimit=limit * 3), limits
        ),
    )


def test_a_run_has_the_same_bytes_on_every_platform_and_version_of_python() -> None:
    manifest = indexed(*POLICY, size=40, parallelism=10, backoffLimitPerIndex=2)
    digest = hashlib.sha256(printed(run(manifest, BAD_LUCK, seed=7))).hexdigest()
    assert digest == "658b020ff7d2a874731b907b50e4fd18285f4d415bcb9a32b69c738d67b40324"


@given(jobs(), st.integers(1, 10**6))
def test_the_same_seed_gives_the_same_run(manifest: Object, seed: int) -> None:
    assert printed(run(manifest, BAD_LUCK, seed)) == printed(run(manifest, BAD_LUCK, seed))


def test_another_seed_gives_another_run() -> None:
    manifest = indexed(*POLICY, size=10, backoffLimitPerIndex=2)
    assert printed(run(manifest, BAD_LUCK, 1)) != printed(run(manifest, BAD_LUCK, 2))


def test_a_pod_has_the_same_luck_under_another_policy() -> None:
    lucks = [
        {
            (pod.index, pod.attempt): (pod.started or 0) - (pod.scheduled or 0)
            for pod in run(indexed(size=10, backoffLimitPerIndex=limit), BAD_LUCK).job.pods
            if pod.started is not None
        }
        for limit in (0, 3)
    ]
    shared = lucks[0].keys() & lucks[1].keys()
    assert len(shared) >= 10
    assert all(lucks[0][pod] == lucks[1][pod] for pod in shared)


@pytest.fixture
def _as_a_real_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sync after every write, and plan with every Pod that still exists, counted or not."""
    schedule = SimulatedJob._schedule
    begin = SimulatedJob.__init__

    def and_look_again(self: Any, *arguments: Any) -> None:
        schedule(self, *arguments)
        if self._echo > self._queue.now:
            self._wake(self._echo - self._queue.now)

    def begin_with_all_pods(self: Any, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        self.pods = AllPods()

    monkeypatch.setattr(SimulatedJob, "_schedule", and_look_again)
    monkeypatch.setattr(SimulatedJob, "__init__", begin_with_all_pods)


class AllPods(dict[str, SimulatedPod]):
    """Keeps the Pods that are counted, without their finalizer."""

    def __delitem__(self, name: str) -> None:
        pod = self[name]
        pod.view = replace(pod.view, tracking=())


MANIFESTS = (
    indexed(*POLICY, size=12, backoffLimitPerIndex=2),
    indexed(*POLICY[::2], size=9, backoffLimit=20),
    job(parallelism=4, completions=12, backoffLimit=20),
    job(parallelism=3, restart="OnFailure", backoffLimit=9),
)
NO_CLOCK = replace(BAD_LUCK, disruptions=BAD_LUCK.disruptions[:1], capacity=())
"""Luck that depends on the Pods only: more syncs move some actions by less than a second."""


def decisions(manifest: Object, seed: int) -> Object:
    (job_record,) = json_value(run_report(run(manifest, NO_CLOCK, seed)))["jobs"]
    return {
        "outcome": (job_record["outcome"], job_record["reason"]),
        "failed indexes": [each["index"] for each in job_record["failed_indexes"]],
        "pods": sorted(
            (pod["name"], pod["exit_code"], pod["counted"], pod["rule"], pod["disruption"])
            for pod in job_record["pods"]
        ),
    }


EXPECTED = [[decisions(manifest, seed) for seed in range(1, 11)] for manifest in MANIFESTS]


@pytest.mark.usefixtures("_as_a_real_controller")
@pytest.mark.parametrize("number", range(len(MANIFESTS)))
def test_leaving_out_pods_and_syncs_that_decide_nothing_changes_nothing(number: int) -> None:
    for seed, expected in enumerate(EXPECTED[number], 1):
        assert decisions(MANIFESTS[number], seed) == expected, seed


def test_the_default_scenario_is_one() -> None:
    manifest = indexed(*POLICY, size=4, backoffLimitPerIndex=1)
    found = read_scenario(default_scenario(manifest))
    assert isinstance(found, Scenario)
    assert [case.exit_code for case in found.cases] == [1, 42, 99, 137]
