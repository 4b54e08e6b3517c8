"""KEP-3329: Pod failure policies."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.job import Job
from cluster.controller.job_policies import failure_policy, on_condition, on_exit_codes
from cluster.controller.scenario import Scenario
from cluster.controller.waiting import eventually

HANDLED = "pod_failures_handled_by_failure_policy_total"
FINISHED = "jobs_finished_total"
POLICY = failure_policy(
    on_condition("Ignore"), on_exit_codes("Count", 10), on_exit_codes("FailJob", 5, 6, 7)
)


def job_with_policy(scenario: Scenario) -> Job:
    job = scenario.job(parallelism=1, completions=1, pod_failure_policy=POLICY)
    job.reaches(active=1)
    return job


def then_the_next_pod_succeeds(scenario: Scenario, job: Job, failed: int = 0) -> None:
    job.pod().succeeds()
    job.is_complete(succeeded=1, failed=failed)
    scenario.counted(
        FINISHED, 1, completion_mode="NonIndexed", result="succeeded", reason="CompletionsReached"
    )


def test_the_failure_target_outlives_the_controller_and_the_pod(scenario: Scenario) -> None:
    job = scenario.job(
        parallelism=3, completions=3, pod_failure_policy=failure_policy(on_exit_codes("FailJob", 5))
    )
    job.reaches(active=3)
    if not scenario.controller.built_in:  # whose calls are limited once for the whole bed
        scenario.controller.restart(kube_api_qps="1", kube_api_burst="1")
    pod = job.pod()
    pod.fails(exit_code=5)

    def still_tracked() -> str:
        now = pod.again()
        tracked = now is not None and scenario.controller.finalizer in now.finalizers
        return "the Pod is still tracked" if tracked else ""

    eventually(still_tracked, within=40)
    scenario.controller.kill()
    pod.deletes(seconds=0)
    scenario.controller.as_usual()
    job.has_failed(
        "PodFailurePolicy",
        f"Container main for pod {scenario.namespace}/{pod.name} failed with exit code 5 "
        "matching FailJob rule at index 0",
        failed=3,
    )
    scenario.all_pods_are_free()


def test_a_fail_job_rule_fails_the_job(scenario: Scenario) -> None:
    job = job_with_policy(scenario)
    pod = job.pod()
    pod.fails(exit_code=5)
    message = (
        f"Container main for pod {scenario.namespace}/{pod.name} failed with exit code 5 "
        "matching FailJob rule at index 2"
    )
    job.has_failed("PodFailurePolicy", message, failed=1)
    job.says("PodFailurePolicy", message)
    scenario.counted(
        FINISHED, 1, completion_mode="NonIndexed", result="failed", reason="PodFailurePolicy"
    )
    scenario.counted(HANDLED, 1, action="FailJob")


def test_a_fail_job_rule_fails_the_job_after_a_restart(scenario: Scenario) -> None:
    job = job_with_policy(scenario)
    job.pod().fails(exit_code=5)
    scenario.controller.restart()
    job.has_failed("PodFailurePolicy", failed=1)


def test_an_ignored_failure_is_not_counted(scenario: Scenario) -> None:
    job = job_with_policy(scenario)
    pod = job.pod()
    pod.fails(condition="DisruptionTarget")
    eventually(lambda: "" if len(job.pods()) == 2 else "the Pod is not replaced")
    job.reaches(active=1, failed=0)
    scenario.counted(HANDLED, 1, action="Ignore")
    then_the_next_pod_succeeds(scenario, job)


def test_a_counted_failure_is_counted(scenario: Scenario) -> None:
    job = job_with_policy(scenario)
    job.pod().fails(exit_code=10)
    job.reaches(active=1, failed=1)
    scenario.counted(HANDLED, 1, action="Count")
    then_the_next_pod_succeeds(scenario, job, failed=1)


def test_a_failure_with_exit_code_0_matches_no_rule(scenario: Scenario) -> None:
    job = job_with_policy(scenario)
    job.pod().fails(exit_code=0)
    job.reaches(active=1, failed=1)
    scenario.counted(HANDLED, 0)
    then_the_next_pod_succeeds(scenario, job, failed=1)


@pytest.mark.parametrize("exit_code", [-1073741510, 137])
def test_exit_codes_of_windows_are_negative(scenario: Scenario, exit_code: int) -> None:
    policy = failure_policy(on_exit_codes("FailJob", -1073741510, 137))
    job = scenario.job(parallelism=1, completions=1, pod_failure_policy=policy)
    job.pod().fails(exit_code=exit_code)
    job.has_failed("PodFailurePolicy", failed=1)
    scenario.counted(HANDLED, 1, action="FailJob")


@pytest.mark.parametrize(
    "change", [{"suspend": True}, {"parallelism": 1}], ids=["suspend", "scale"]
)
def test_a_pod_that_the_job_deleted_fails_it_if_it_is_seen_to_have_failed(
    scenario: Scenario, change: dict[str, Any]
) -> None:
    """No limit counts such a Pod, but a FailJob rule matches it until it is removed from the API server."""
    job = scenario.job(
        parallelism=2,
        completions=2,
        pod_failure_policy=failure_policy(on_exit_codes("FailJob", 143)),
        pod_finalizers=["example.com/held"],
    )
    job.reaches(active=2)
    job.changes(**change)
    eventually(lambda: "" if any(pod.deleted for pod in job.pods()) else "no Pod is deleted")
    (deleted, *_) = [pod for pod in job.pods() if pod.deleted]
    deleted.fails(exit_code=143)
    job.has_condition("FailureTarget", "True")
    condition = job.condition("FailureTarget")
    assert condition is not None
    assert condition["reason"] == "PodFailurePolicy"
