"""KEP-4368: only the controller that a Job names in managedBy reconciles it."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.controllers import BuiltIn
from cluster.controller.job import Job
from cluster.controller.pod import MERGE
from cluster.controller.scenario import Scenario
from cluster.controller.scraped_metrics import total
from cluster.controller.waiting import eventually
from jobsworth.controller.well_known_names import RESERVED_FINALIZER, RESERVED_MANAGER

OTHER = "example.com/other-controller"
KUBERNETES = "kube-controller-manager"  # as the writer of a field


class Elsewhere:
    """Count the Jobs of other controllers that the built-in one has seen."""

    def __init__(self, scenario: Scenario) -> None:
        self._built_in = BuiltIn(scenario.controller.bed)
        self._before = self._count()

    def _count(self, **labels: str) -> int:
        return total(self._built_in.counters(), "jobs_by_external_controller_total", labels)

    def counts(self, more: int) -> None:
        eventually(lambda: "" if self._count() == self._before + more else f"not {more} more")


@pytest.mark.parametrize(
    "manager", [None, RESERVED_MANAGER], ids=["nobody", "the built-in controller"]
)
def test_the_built_in_controller_takes_jobs_without_managed_by_or_with_its_own_name(
    scenario: Scenario, manager: str | None
) -> None:
    elsewhere = Elsewhere(scenario)
    job = scenario.job(managed_by=manager, parallelism=2)
    job.reaches(active=2)
    assert all(pod.finalizers == [RESERVED_FINALIZER] for pod in job.pods())
    assert writers(job) == {KUBERNETES}
    elsewhere.counts(0)


@pytest.mark.parametrize("suspend", [False, True], ids=["running", "suspended"])
def test_no_controller_takes_a_job_with_another_managed_by(
    scenario: Scenario, suspend: bool
) -> None:
    elsewhere = Elsewhere(scenario)
    job = scenario.job(managed_by=OTHER, parallelism=2, suspend=suspend)
    elsewhere.counts(1)
    job.is_left_alone()
    assert job.pods() == []


@pytest.mark.ours_only("it is about a Job that names jobsworth")
@pytest.mark.parametrize("suspend", [False, True], ids=["running", "suspended"])
def test_the_built_in_controller_leaves_jobs_managed_by_jobsworth_alone(
    scenario: Scenario, suspend: bool
) -> None:
    elsewhere = Elsewhere(scenario)
    job = scenario.job(parallelism=2, suspend=suspend)
    job.reaches(active=0 if suspend else 2)
    if suspend:
        job.has_condition("Suspended", "True")
    elsewhere.counts(1)
    assert KUBERNETES not in writers(job)


@pytest.mark.ours_only("nobody writes the status of its Jobs while it is away")
def test_no_controller_takes_jobs_managed_by_jobsworth_while_it_is_down(scenario: Scenario) -> None:
    scenario.controller.kill()
    job = scenario.job(parallelism=2)
    job.is_left_alone(seconds=3)
    scenario.controller.as_usual()
    job.reaches(active=2)


def test_a_job_made_again_does_not_inherit_the_back_off(scenario: Scenario) -> None:
    scenario.long_ago = False
    if not scenario.controller.built_in:
        scenario.controller.restart(pod_failure_backoff="30m", max_pod_failure_backoff="1h")
    jobs = [scenario.job(f"job-{number}", parallelism=1, completions=1) for number in range(3)]
    for job in jobs:
        job.pod().fails()
    for job in jobs:
        job.reaches(failed=1)
    for job in jobs:
        job.is_deleted("Background")
        job.is_gone()
    for job in [scenario.job(job.name, parallelism=1, completions=1) for job in jobs]:
        job.reaches(active=1)


def test_a_job_made_again_for_another_is_left_alone(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1)
    job.reaches(active=1)
    job.pod().succeeds()
    job.is_deleted("Background")
    again = scenario.job(managed_by=OTHER, parallelism=1, completions=1)
    again.is_left_alone()


def test_pods_of_another_controller_keep_the_jobsworth_finalizer(scenario: Scenario) -> None:
    finalizer = scenario.controller.finalizer
    job = scenario.job(managed_by=OTHER, parallelism=1, completions=1)
    scenario.controller.bed.create(pod_of(job, finalizer), scenario.namespace)
    (pod,) = job.pods()
    pod.succeeds()
    status = {
        "startTime": "2026-01-01T00:00:00Z",
        "conditions": [{"type": "SuccessCriteriaMet", "status": "True"}],
    }
    bed = scenario.controller.bed
    answer = bed.request("PATCH", f"{job.path}/status", {"status": status}, content_type=MERGE)
    assert answer.code == 200, answer
    pod.is_changed({"metadata": {"annotations": {"seen": "again"}}})
    scenario.job("another", parallelism=1).reaches(active=1)  # it is at work
    kept = pod.again()
    assert kept is not None
    assert kept.finalizers == [finalizer]
    kept.loses_finalizer(finalizer)


def pod_of(job: Job, finalizer: str) -> dict[str, Any]:
    """A Pod as the Job's controller would make it."""
    template = job.created["spec"]["template"]
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": job.name,
        "uid": job.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"{job.name}-by-hand",
            "labels": template["metadata"]["labels"],
            "finalizers": [finalizer],
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    }


def writers(job: Job) -> set[str]:
    """Return the managers that wrote the Job's status."""
    return {
        entry["manager"]
        for entry in job.read()["metadata"]["managedFields"]
        if entry.get("subresource") == "status"
    }
