"""KEP-3850: a back-off limit for each index."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.job import Job
from cluster.controller.job_policies import failure_policy, on_condition, on_exit_codes
from cluster.controller.scenario import Scenario

INDEXES = "job_finished_indexes_total"


def job_of(scenario: Scenario, size: int, backoff_limit_per_index: int, **spec: Any) -> Job:
    """An Indexed Job of so many indexes that all run at once."""
    job = scenario.job(
        indexed=True,
        parallelism=size,
        completions=size,
        backoff_limit_per_index=backoff_limit_per_index,
        **spec,
    )
    job.reaches(active=size, failed_indexes="")
    return job


def finished_indexes(scenario: Scenario, *, succeeded: int = 0, failed: int = 0) -> None:
    for status, times in (("succeeded", succeeded), ("failed", failed)):
        scenario.counted(INDEXES, times, status=status, backoffLimit="perIndex")


def test_a_failed_pod_that_is_deleted_is_counted_all_the_same(scenario: Scenario) -> None:
    job = job_of(scenario, 1, 1)
    pod = job.pod(index=0)
    pod.fails()
    pod.deletes()
    job.reaches(active=1, failed=1, failed_indexes="")
    assert job.pod(index=0).failure_count == "1"
    job.pod(index=0).succeeds()
    job.is_complete(succeeded=1, failed=1, completed_indexes="0", failed_indexes="")


def test_a_failed_index_is_tried_again(scenario: Scenario) -> None:
    job = job_of(scenario, 2, 1)
    assert {pod.failure_count for pod in job.active_pods()} == {"0"}
    job.pod(index=0).fails()
    job.reaches(active=2, failed=1, failed_indexes="")
    assert job.pod(index=0).failure_count == "1"
    for index in (0, 1):
        job.pod(index).succeeds()
    job.is_complete(succeeded=2, failed=1, completed_indexes="0,1", failed_indexes="")
    finished_indexes(scenario, succeeded=2)


def test_an_index_fails_when_its_limit_is_exceeded(scenario: Scenario) -> None:
    job = job_of(scenario, 2, 2)
    for failures in ("1", "2"):
        job.pod(index=0).fails()
        job.reaches(active=2, failed=int(failures), failed_indexes="")
        assert job.pod(index=0).failure_count == failures
    job.pod(index=0).fails()
    job.reaches(active=1, active_indexes="1", failed=3, failed_indexes="0")
    job.pod(index=1).succeeds()
    job.has_failed(
        "FailedIndexes", succeeded=1, failed=3, completed_indexes="1", failed_indexes="0"
    )
    finished_indexes(scenario, failed=1, succeeded=1)


def test_the_limit_of_the_whole_job_holds_too(scenario: Scenario) -> None:
    job = job_of(scenario, 3, 1, backoff_limit=2)
    for index in (0, 1):
        job.pod(index).fails()
        job.reaches(active=3, failed=index + 1, failed_indexes="")
    job.pod(index=2).fails()
    job.has_failed("BackoffLimitExceeded", failed=5, failed_indexes="")
    finished_indexes(scenario)


def test_without_retries_an_index_fails_at_once(scenario: Scenario) -> None:
    job = job_of(scenario, 2, 0)
    job.pod(index=0).fails()
    job.reaches(active=1, active_indexes="1", failed=1, failed_indexes="0")
    job.pod(index=1).succeeds()
    job.has_failed(
        "FailedIndexes", succeeded=1, failed=1, completed_indexes="1", failed_indexes="0"
    )
    finished_indexes(scenario, failed=1, succeeded=1)


def test_too_many_failed_indexes_fail_the_job(scenario: Scenario) -> None:
    job = job_of(scenario, 3, 0, max_failed_indexes=1)
    job.pod(index=0).fails()
    job.reaches(active=2, active_indexes="1,2", failed=1, failed_indexes="0")
    job.pod(index=1).fails()
    job.has_failed("MaxFailedIndexesExceeded", failed=3, failed_indexes="0,1")
    finished_indexes(scenario, failed=2)


def test_a_fail_index_rule_takes_an_index_its_retries(scenario: Scenario) -> None:
    policy = failure_policy(on_exit_codes("FailIndex", 13), on_condition("FailIndex"))
    job = job_of(scenario, 2, 1, pod_failure_policy=policy)
    job.pod(index=0).fails(exit_code=13)
    job.reaches(active=1, failed=1, failed_indexes="0")
    job.pod(index=1).fails(condition="DisruptionTarget")
    job.has_failed("FailedIndexes", failed=2, failed_indexes="0,1")
    finished_indexes(scenario, failed=2)
    scenario.counted("pod_failures_handled_by_failure_policy_total", 2, action="FailIndex")


@pytest.mark.ours_only("its base of 10 s cannot be made shorter")
def test_each_index_waits_for_itself(scenario: Scenario) -> None:
    base = 2.0
    scenario.controller.restart(pod_failure_backoff=f"{base:g}s")
    job = job_of(scenario, 2, 2)

    def fails(index: int, **status: Any) -> None:
        job.pod(index).fails()
        job.reaches(failed_indexes="", **status)

    fails(0, active=2, failed=1)
    fails(0, active=2, failed=2)
    fails(1, active=2, failed=3)
    job.pod(0).succeeds()
    job.reaches(active=1, failed=3, succeeded=1, completed_indexes="0", failed_indexes="")
    fails(1, active=1, failed=4, succeeded=1, completed_indexes="0")
    job.pod(index=1).succeeds()
    job.is_complete(succeeded=2, failed=4, completed_indexes="0,1", failed_indexes="")
    for index in (0, 1):
        first, second, third = (pod for pod in job.pods() if pod.index == index)
        assert base <= second.created_at - first.ended_at < 2 * base, job.described()
        assert 2 * base <= third.created_at - second.ended_at < 4 * base, job.described()
