"""KEP-2307: each Pod that ends is counted once, whatever happens meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.controller.controllers import Jobsworth
from cluster.controller.scenario import Scenario
from cluster.controller.waiting import eventually

PODS = "job_pods_finished_total"
JOBS = "jobs_finished_total"
INDEXES = "job_finished_indexes_total"
BATCH = 0.1  # seconds for which what happens to Pods is gathered
TRACKED = "terminated_pods_tracking_finalizer_total"


def finished_pods(scenario: Scenario, mode: str = "NonIndexed", **results: int) -> None:
    for result, times in results.items():
        scenario.counted(PODS, times, completion_mode=mode, result=result)


def tracked_pods(scenario: Scenario, times: int) -> None:
    """Check how many Pods ended while they were tracked, and how many of them were untracked."""
    for event in ("add", "delete"):
        scenario.counted(TRACKED, times, event=event)


def within_caps(scenario: Scenario, **caps: int) -> None:
    """Work with lower caps; those of the built-in controller cannot be changed."""
    controller = scenario.controller
    if isinstance(controller, Jobsworth):
        controller.kill()
        controller.start_inside(**caps)


def test_one_pod_at_a_time_over_two_restarts(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1)
    job.reaches(active=1)
    scenario.controller.restart()
    job.pod().fails()
    job.reaches(active=1, failed=1)
    finished_pods(scenario, failed=1)
    scenario.controller.restart()
    job.pod().succeeds()
    job.is_complete(succeeded=1, failed=1)
    scenario.counted(
        JOBS, 1, completion_mode="NonIndexed", result="succeeded", reason="CompletionsReached"
    )
    finished_pods(scenario, succeeded=1, failed=1)


def test_a_work_queue(scenario: Scenario) -> None:
    job = scenario.job(parallelism=5)
    job.reaches(active=5)
    for pod in job.some_pods(2):
        pod.becomes_ready()
    job.reaches(active=5, ready=2)
    for pod in job.some_pods(2):
        pod.fails()
    job.reaches(active=5, failed=2)
    job.pod().succeeds()
    job.reaches(active=4, succeeded=1, failed=2)
    job.has_pods(7)
    for pod in job.some_pods(2):
        pod.fails()
    job.reaches(active=2, succeeded=1, failed=4)
    for pod in job.some_pods(2):
        pod.succeeds()
    job.is_complete(succeeded=3, failed=4)
    job.has_pods(7)
    tracked_pods(scenario, 7)


def test_the_parallelism_changes(scenario: Scenario) -> None:
    job = scenario.job(parallelism=5, backoff_limit=2)
    job.reaches(active=5)
    job.changes(parallelism=2)
    job.reaches(active=2)
    job.changes(parallelism=4)
    job.reaches(active=4)
    for pod in job.some_pods(4):
        pod.succeeds()
    job.is_complete(succeeded=4)


def test_more_pods_than_one_sync_may_handle(scenario: Scenario) -> None:
    within_caps(scenario, max_uncounted=10, max_pods_per_sync=10)
    job = scenario.job(parallelism=54, completions=56)
    job.reaches(active=54)
    for pod in job.some_pods(52):
        pod.becomes_ready()
    job.reaches(active=54, ready=52)
    for pod in job.some_pods(2):
        pod.fails()
    job.reaches(active=54, ready=50, failed=2)
    for pod in job.some_pods(53):
        pod.succeeds()
    job.reaches(active=3, succeeded=53, failed=2)
    for pod in job.some_pods(3):
        pod.succeeds()
    job.is_complete(succeeded=56, failed=2)
    finished_pods(scenario, succeeded=56, failed=2)


def test_an_indexed_job(scenario: Scenario) -> None:
    job = scenario.job(indexed=True, parallelism=3, completions=4)
    job.reaches(active=3, active_indexes="0-2")
    job.pod(index=1).succeeds()
    job.reaches(active=3, active_indexes="0,2,3", succeeded=1, completed_indexes="1")
    scenario.counted(INDEXES, 1, status="succeeded", backoffLimit="global")
    job.pod(index=2).fails()
    job.reaches(active=3, active_indexes="0,2,3", succeeded=1, failed=1, completed_indexes="1")
    for index in (0, 2, 3):
        job.pod(index).succeeds()
    job.is_complete(succeeded=4, failed=1, completed_indexes="0-3")
    scenario.counted(INDEXES, 4, status="succeeded", backoffLimit="global")
    tracked_pods(scenario, 5)
    scenario.counted(
        JOBS, 1, completion_mode="Indexed", result="succeeded", reason="CompletionsReached"
    )


@pytest.mark.parametrize("policy", ["Orphan", "Background", "Foreground"])
def test_the_pods_of_a_deleted_job_are_released(scenario: Scenario, policy: str) -> None:
    if isinstance(scenario.controller, Jobsworth):
        scenario.controller.restart(kube_api_qps="4", kube_api_burst="4")
    job = scenario.job(parallelism=2)
    job.reaches(active=2)
    job.is_deleted(policy)
    scenario.all_pods_are_free()
    tracked_pods(scenario, 0)
    if policy == "Orphan":
        assert len(scenario.pods()) == 2
    else:
        eventually(lambda: "Pods are left" if scenario.pods() else "")
    job.is_gone()


def test_a_failed_job_of_more_pods_than_one_sync_may_count(scenario: Scenario) -> None:
    within_caps(scenario, max_uncounted=50)
    job = scenario.job(indexed=True, parallelism=100, completions=100, backoff_limit=0)
    job.pod().fails()
    job.ends("Failed", "BackoffLimitExceeded")
    scenario.all_pods_are_free()
    scenario.counted(
        JOBS, 1, completion_mode="Indexed", result="failed", reason="BackoffLimitExceeded"
    )


@pytest.mark.ours_only("its base of 10 s cannot be made shorter")
def test_it_backs_off(scenario: Scenario) -> None:
    base = 2.0
    scenario.controller.restart(pod_failure_backoff=f"{base:g}s")
    job = scenario.job(parallelism=1, completions=1)
    job.reaches(active=1)
    for failures in (1, 2):
        job.pod().fails()
        job.reaches(active=1, failed=failures)
    first, second, third = job.pods()
    assert base <= second.created_at - first.ended_at < 2 * base, job.described()
    assert 2 * base <= third.created_at - second.ended_at < 4 * base, job.described()


def test_a_restart_in_the_middle_does_not_change_the_result(scenario: Scenario) -> None:
    # Pods that are on a node are not gone as soon as they are deleted.
    job = scenario.job(parallelism=10, completions=10, backoff_limit=0, pod={"nodeName": "far"})
    job.reaches(active=10)
    first, *others = job.some_pods(10)
    first.fails()
    for pod in others:
        pod.succeeds()
    scenario.controller.restart()
    job.ends("Failed", "BackoffLimitExceeded")


def test_a_job_deleted_while_the_controller_was_down(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1)
    job.reaches(active=1)
    scenario.controller.kill()
    job.is_deleted()
    scenario.controller.as_usual()
    scenario.all_pods_are_free()


@pytest.mark.ours_only("its watch cannot be delayed")
@pytest.mark.parametrize("end", ["succeeds", "fails"])
def test_jobs_are_seen_late(scenario: Scenario, end: str) -> None:
    controller = scenario.controller
    assert isinstance(controller, Jobsworth)
    controller.kill()
    controller.start_inside(jobs_late=2 * BATCH, batch_delay=BATCH)
    job = scenario.job(parallelism=1, completions=1, backoff_limit=0)
    job.reaches(active=1)
    getattr(job.pod(), end)()
    if end == "succeeds":
        job.is_complete(succeeded=1)
    else:
        job.has_failed("BackoffLimitExceeded", failed=1)
    job.has_pods(1)


@pytest.mark.parametrize("per_index", [False, True], ids=["one limit", "a limit for each index"])
def test_every_one_of_a_hundred_indexes_fails_once(scenario: Scenario, per_index: bool) -> None:
    scenario.long_ago = True  # else a hundred failures in a row would have to be waited for
    limit: dict[str, Any] = {"backoff_limit_per_index": 1} if per_index else {"backoff_limit": 100}
    lists: dict[str, Any] = {"failed_indexes": ""} if per_index else {}
    job = scenario.job(indexed=True, parallelism=100, completions=100, **limit)
    job.reaches(active=100, **lists)
    for pod in job.active_pods():
        pod.fails()
    job.reaches(active=100, failed=100, **lists)
    for pod in job.active_pods():
        pod.succeeds()
    job.is_complete(succeeded=100, failed=100, completed_indexes="0-99", **lists)
    job.has_pods(200)


def test_pods_that_have_not_come_far_are_the_first_to_go(scenario: Scenario) -> None:
    job = scenario.job(parallelism=3)
    job.reaches(active=3)
    _, running, _ = job.active_pods()
    running.becomes_ready()
    job.reaches(active=3, ready=1)
    job.changes(parallelism=1)
    job.reaches(active=1, ready=1)
    assert job.pod().uid == running.uid
