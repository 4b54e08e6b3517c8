"""KEP-2232: suspended Jobs; and what of their Pod template may be changed meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.job import Job
from cluster.controller.scenario import Scenario

FOREIGN = "example.com/held"
CPU = {"requests": {"cpu": "250m"}}
RESOURCES = {"containers": [{"name": "main", "image": "busybox:1.36", "resources": CPU}]}
SELECTOR = {"nodeSelector": {"disk": "fast"}}


def suspended(job: Job) -> None:
    """Wait until it is, and no longer started."""
    job.has_condition("Suspended", "True")
    assert "startTime" not in job.status()


def resumed(job: Job) -> None:
    """Wait until it runs again, from now on."""
    job.has_condition("Suspended", "False")
    assert "startTime" in job.status()


def accepted(job: Job, pod: dict[str, Any], **spec: Any) -> None:
    answer = job.edit_template(pod, **spec)
    assert answer.code == 200, answer


def rejected(job: Job, pod: dict[str, Any]) -> None:
    answer = job.edit_template(pod)
    assert answer.code == 422, answer
    assert answer.body["reason"] == "Invalid"


def has_cpu(job: Job) -> None:
    for pod in job.active_pods():
        assert pod.stored["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "250m"


def test_a_running_job_is_suspended(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4)
    job.reaches(active=2)
    assert job.condition("Suspended") is None
    job.is_suspended()
    job.reaches(active=0)
    suspended(job)
    job.says("Suspended", "Job suspended")


def test_a_job_begins_suspended(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, suspend=True)
    suspended(job)
    job.reaches(active=0)
    job.says("Suspended", "Job suspended")
    job.is_resumed()
    job.reaches(active=2)
    resumed(job)
    job.says("Resumed", "Job resumed")


def test_it_starts_anew_when_it_is_resumed(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=2)
    job.reaches(active=1)
    job.is_suspended()
    job.reaches(active=0)
    suspended(job)
    job.is_resumed()
    job.reaches(active=1)
    resumed(job)


def test_with_nothing_to_do_it_is_complete_though_suspended(scenario: Scenario) -> None:
    job = scenario.job(completions=0, suspend=True)
    job.is_complete()


def test_it_stays_suspended_after_a_restart(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, suspend=True)
    suspended(job)
    scenario.controller.restart()
    job.stays(active=0)
    suspended(job)


def test_the_node_selector_may_change_until_it_runs(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, suspend=True)
    suspended(job)
    accepted(job, SELECTOR, suspend=False)
    job.reaches(active=1)
    assert job.pod().stored["spec"]["nodeSelector"] == {"disk": "fast"}
    rejected(job, {"nodeSelector": {"disk": "slow"}})


def test_the_resources_may_change_while_it_is_suspended(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, suspend=True)
    suspended(job)
    accepted(job, RESOURCES)
    job.is_resumed()
    job.reaches(active=1)
    has_cpu(job)


def test_the_resources_may_not_change_while_it_runs(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1)
    job.reaches(active=1)
    rejected(job, RESOURCES)


def test_the_resources_may_change_once_it_is_suspended_again(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1)
    job.reaches(active=1)
    job.is_suspended()
    suspended(job)
    accepted(job, RESOURCES)
    job.is_resumed()
    job.reaches(active=1)
    has_cpu(job)


def test_so_may_the_node_selector(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1)
    job.reaches(active=1)
    rejected(job, SELECTOR)
    job.is_suspended()
    job.reaches(active=0)
    suspended(job)
    accepted(job, SELECTOR)
    job.is_resumed()
    job.reaches(active=1)
    resumed(job)
    assert job.pod().stored["spec"]["nodeSelector"] == {"disk": "fast"}


@pytest.mark.parametrize("change", [SELECTOR, RESOURCES], ids=["scheduling", "resources"])
def test_both_may_change_before_it_was_ever_resumed(
    scenario: Scenario, change: dict[str, Any]
) -> None:
    job = scenario.job(parallelism=1, suspend=True)
    # Kubernetes 1.36.2 accepts the change at once, 1.36.1 only when the condition is in the status.
    suspended(job)
    accepted(job, change)
    suspended(job)


def test_terminating_pods_are_waited_for(scenario: Scenario) -> None:
    job = scenario.job(
        parallelism=2, completions=2, pod_replacement_policy="Failed", pod_finalizers=[FOREIGN]
    )
    job.reaches(active=2)
    pods = job.active_pods()
    job.is_suspended()
    job.reaches(terminating=2)
    suspended(job)
    accepted(job, RESOURCES)
    job.stays(terminating=2)
    job.has_pods(2)
    for pod in pods:
        pod.loses_finalizer(FOREIGN)
    job.reaches(terminating=0)
    job.is_resumed()
    job.reaches(active=2)
    has_cpu(job)
