"""Clusters without the built-in controller: ``--adopt-unmanaged`` takes Jobs without managedBy."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest

from cluster.available_beds import bed_or_skip
from cluster.controller import test_backoff_limit_per_index as per_index
from cluster.controller import test_pod_failure_policy as failures
from cluster.controller import test_success_policy as successes
from cluster.controller import test_suspending as suspending
from cluster.controller import test_tracking as tracking
from cluster.controller.controller_beds import built_in
from cluster.controller.controllers import BuiltIn, Controller, Jobsworth
from cluster.controller.scenario import Scenario
from cluster.controller.waiting import eventually
from jobsworth.controller.well_known_names import (
    OUR_FINALIZER,
    OUR_MANAGER,
    RESERVED_FINALIZER,
    RESERVED_MANAGER,
)

pytestmark = pytest.mark.skipif(built_in(), reason="it is about clusters without it")

AGAIN = (
    failures.test_a_fail_job_rule_fails_the_job,
    failures.test_an_ignored_failure_is_not_counted,
    failures.test_a_counted_failure_is_counted,
    successes.test_the_only_index_of_a_rule_succeeds,
    successes.test_failure_policy_is_evaluated_before_success_policy,
    per_index.test_a_failed_pod_that_is_deleted_is_counted_all_the_same,
    per_index.test_an_index_fails_when_its_limit_is_exceeded,
    per_index.test_too_many_failed_indexes_fail_the_job,
    per_index.test_a_fail_index_rule_takes_an_index_its_retries,
    tracking.test_a_work_queue,
    tracking.test_an_indexed_job,
    suspending.test_a_running_job_is_suspended,
    suspending.test_a_job_begins_suspended,
    suspending.test_so_may_the_node_selector,
)
"""Some of each kind: all of them run beside the built-in controller."""


@pytest.fixture(scope="module")
def controller() -> Iterator[Controller]:
    """The controller for Jobs without managedBy, beside every built-in controller but that of Jobs."""
    with bed_or_skip(controllers="*,-job-controller", qps=200, burst=400) as bed:
        controller = Jobsworth(bed, "--adopt-unmanaged")
        controller.as_usual()
        yield controller
        controller.kill()


@pytest.mark.parametrize("story", AGAIN, ids=lambda story: story.__name__.removeprefix("test_"))
def test_it_does_as_it_does_beside_the_built_in(
    scenario: Scenario, story: Callable[[Scenario], None]
) -> None:
    story(scenario)


@pytest.mark.parametrize(
    ("manager", "finalizer"),
    [
        (None, RESERVED_FINALIZER),
        (RESERVED_MANAGER, RESERVED_FINALIZER),
        (OUR_MANAGER, OUR_FINALIZER),
    ],
    ids=["nobody", "the built-in controller", "us"],
)
def test_the_finalizer_is_that_of_whom_the_job_names(
    scenario: Scenario, manager: str | None, finalizer: str
) -> None:
    job = scenario.job(managed_by=manager, parallelism=1, completions=1)
    job.reaches(active=1)
    pod = job.pod()
    assert pod.finalizers == [finalizer]
    pod.succeeds()
    job.is_complete(succeeded=1)


def test_a_job_of_another_controller_is_left_alone(scenario: Scenario) -> None:
    scenario.job(managed_by="example.com/other-controller").is_left_alone()


def test_a_finished_job_is_removed_when_its_time_is_up(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1, ttl_seconds_after_finished=1)
    job.pod().succeeds()
    job.is_gone()
    eventually(lambda: "Pods are left" if scenario.pods() else "", explain=scenario.described)


def test_a_deleted_namespace_goes(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2)
    job.reaches(active=2)
    bed, path = scenario.controller.bed, f"/api/v1/namespaces/{scenario.namespace}"
    assert bed.request("DELETE", path).code == 200
    eventually(
        lambda: "it is there" if bed.request("GET", path).code == 200 else "",
        within=60,
        explain=scenario.described,
    )


def test_jobsworth_does_not_adopt_beside_the_built_in_controller(
    beside_the_built_in: Controller,
) -> None:
    bed = beside_the_built_in.bed
    rejected = Jobsworth(bed, "--adopt-unmanaged")
    with pytest.raises(RuntimeError, match="the built-in Job controller is active"):
        rejected.start()


@pytest.fixture
def both(beside_the_built_in: Controller) -> Iterator[tuple[BuiltIn, Jobsworth]]:
    """The built-in controller, at work, and ours that may take its place."""
    beside_the_built_in.kill()
    built_in = BuiltIn(beside_the_built_in.bed)
    ours = Jobsworth(beside_the_built_in.bed, "--adopt-unmanaged")
    yield built_in, ours
    ours.kill()
    built_in.as_usual()  # other modules share the bed
    beside_the_built_in.as_usual()


def test_a_cluster_changes_hands_and_back(both: tuple[BuiltIn, Jobsworth]) -> None:
    built_in, ours = both
    scenario = Scenario(built_in)
    job = scenario.job(indexed=True, parallelism=2, completions=4, backoff_limit_per_index=1)
    job.reaches(active=2, active_indexes="0,1", failed_indexes="")
    job.pod(index=0).fails()
    built_in.kill()
    ours.start()
    job.reaches(active=2, active_indexes="0,1", failed=1, failed_indexes="")
    assert job.pod(index=0).failure_count == "1"
    job.pod(index=0).fails()
    job.reaches(active=2, active_indexes="1,2", failed=2, failed_indexes="0")
    job.pod(index=1).succeeds()
    ours.kill()
    built_in.start()
    job.reaches(
        active=2,
        active_indexes="2,3",
        succeeded=1,
        failed=2,
        completed_indexes="1",
        failed_indexes="0",
    )
    for index in (2, 3):
        job.pod(index).succeeds()
    job.has_failed(
        "FailedIndexes", succeeded=3, failed=2, completed_indexes="1-3", failed_indexes="0"
    )
    scenario.ends()


def test_it_stops_once_the_built_in_controller_is_at_work(both: tuple[BuiltIn, Jobsworth]) -> None:
    built_in, ours = both
    built_in.kill()
    ours.start()
    scenario = Scenario(ours)
    built_in.start()
    numbers = itertools.count()

    def goes_on() -> str:
        scenario.job(f"job-{next(numbers)}", suspend=True)
        log = ours.log()
        return "" if "stopping: the built-in Job controller is active" in log else "it goes on"

    eventually(goes_on, within=60, explain=ours.log)


def test_it_counts_jobs_of_other_controllers_like_the_built_in(scenario: Scenario) -> None:
    other = "example.com/other-controller"
    job = scenario.job("other", managed_by=other, parallelism=2)
    scenario.job("reserved", managed_by=RESERVED_MANAGER, parallelism=1).reaches(active=1)
    metric = "jobs_by_external_controller_total"
    scenario.counted(metric, 1, controller_name=other)
    scenario.counted(metric, 1)
    assert job.status() == {}


def test_it_names_the_rule_that_takes_a_failure_and_logs_the_finished_job(
    scenario: Scenario,
) -> None:
    rule = failures.on_exit_codes("Ignore", 5)
    job = scenario.job(completions=1, pod_failure_policy=failures.failure_policy(rule))
    pod = job.pod()
    pod.fails(5)
    job.says(
        "PodFailurePolicyMatched",
        f"Container main for pod {scenario.namespace}/{pod.name} failed with exit code 5 matching "
        "Ignore rule at index 0. The failure does not count towards the backoff limits. Further "
        "failures that this rule matches are not reported",
    )
    job.pod().succeeds()
    job.is_complete(succeeded=1)
    finished = f"Job finished job={scenario.namespace}/job uid={job.uid} result=Complete"
    eventually(lambda: "" if finished in scenario.controller.log() else "no line in the log")
