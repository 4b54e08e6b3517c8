"""KEP-3939: when a Pod that terminates is replaced."""

from __future__ import annotations

import pytest

from cluster.controller.scenario import Scenario

FOREIGN = "example.com/held"
CREATED = "job_pods_creation_total"
BOTH_MODES = pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "non-indexed"])


@BOTH_MODES
def test_terminating_pods_are_replaced_at_once(scenario: Scenario, indexed: bool) -> None:
    job = scenario.job(
        indexed=indexed,
        parallelism=2,
        completions=2,
        pod_replacement_policy="TerminatingOrFailed",
        pod_finalizers=[FOREIGN],
    )
    job.reaches(active=2)
    pods = job.active_pods()
    for pod in pods:
        pod.deletes()
    job.reaches(active=2, failed=2, terminating=2)
    for pod in pods:
        pod.fails()
    job.reaches(active=2, failed=2)
    scenario.counted(CREATED, 2, reason="new", status="succeeded")
    scenario.counted(CREATED, 2, reason="recreate_terminating_or_failed", status="succeeded")
    scenario.counted(CREATED, 4)


@BOTH_MODES
def test_with_failed_they_are_replaced_when_they_have_ended(
    scenario: Scenario, indexed: bool
) -> None:
    job = scenario.job(
        indexed=indexed,
        parallelism=2,
        completions=2,
        pod_replacement_policy="Failed",
        pod_finalizers=[FOREIGN],
    )
    job.reaches(active=2)
    pods = job.active_pods()
    for pod in pods:
        pod.deletes()
    job.reaches(terminating=2)
    job.stays(terminating=2)
    for pod in pods:
        pod.fails()
    job.reaches(active=2, failed=2)
    scenario.counted(CREATED, 2, reason="new", status="succeeded")
    scenario.counted(CREATED, 2, reason="recreate_failed", status="succeeded")
    scenario.counted(CREATED, 4)
