"""The checks of Kubernetes's end-to-end tests of Jobs, with a simulated kubelet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cluster.controller.controller_beds import BESIDE, at_work
from cluster.controller.job import Job
from cluster.controller.job_policies import (
    failure_policy,
    on_condition,
    on_exit_codes,
    success_policy,
)
from cluster.controller.waiting import eventually
from jobsworth.controller.well_known_names import COMPLETION_INDEX

if TYPE_CHECKING:
    from cluster.controller.controllers import Controller
    from cluster.controller.scenario import Scenario

ODD_FAIL = {1: "1", 3: "1"}


@pytest.fixture(scope="module")
def controller() -> Iterator[Controller]:
    """At work where Pods run by themselves."""
    with at_work(controllers=BESIDE, qps=200, burst=400, kubelet=True) as controller:
        yield controller


def phases(job: Job) -> list[str]:
    return [pod.phase for pod in job.pods()]


def runs(job: Job, count: int) -> None:
    """Wait until so many Pods run."""
    job.reaches(active=count, ready=count)


def test_all_pods_succeed(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4)
    job.is_complete("CompletionsReached", succeeded=4)
    assert phases(job) == ["Succeeded"] * 4


def test_a_fail_job_rule_ends_what_would_have_succeeded(scenario: Scenario) -> None:
    policy = failure_policy(on_exit_codes("FailJob", 1))
    job = scenario.job(
        indexed=True, parallelism=1, completions=4, exit_codes={0: "1"}, pod_failure_policy=policy
    )
    job.has_failed("PodFailurePolicy", failed=1)


def test_ignored_exit_codes_do_not_use_up_the_limit(scenario: Scenario) -> None:
    policy = failure_policy(on_exit_codes("Ignore", 42))
    job = scenario.job(
        indexed=True,
        parallelism=3,
        completions=3,
        backoff_limit=2,
        exit_code="never",
        pod_failure_policy=policy,
    )
    runs(job, 3)
    for pod in job.active_pods():
        pod.fails(exit_code=42)
    eventually(lambda: "" if len(job.pods()) == 6 else "not all replaced", explain=job.described)
    runs(job, 3)
    for pod in job.active_pods():
        pod.succeeds()
    job.is_complete(succeeded=3, completed_indexes="0-2")


def test_evicted_pods_do_not_use_up_the_limit(scenario: Scenario) -> None:
    policy = failure_policy(on_condition("Ignore"))
    job = scenario.job(
        indexed=True,
        parallelism=3,
        completions=3,
        backoff_limit=2,
        exit_code="never",
        pod_failure_policy=policy,
    )
    runs(job, 3)
    evicted = job.active_pods()
    for pod in evicted:
        pod.is_evicted()
    job.reaches(terminating=3)
    for pod in evicted:
        pod.fails(exit_code=143)
    runs(job, 3)
    for pod in job.active_pods():
        pod.succeeds()
    job.is_complete(succeeded=3, completed_indexes="0-2")


def test_a_suspended_job_is_resumed(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, suspend=True)
    job.has_condition("Suspended", "True")
    assert job.pods() == []
    job.is_resumed()
    job.is_complete(succeeded=4)


def test_a_running_job_is_suspended(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, exit_code="never")
    runs(job, 2)
    job.is_suspended()
    job.has_condition("Suspended", "True")
    eventually(lambda: "Pods are left" if job.pods() else "", explain=job.described)


def test_ready_pods_come_and_go_with_suspension(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, exit_code="never", suspend=True)
    job.has_condition("Suspended", "True")
    assert job.status()["ready"] == 0
    job.is_resumed()
    runs(job, 2)
    job.is_suspended()
    job.reaches(active=0, ready=0)


def test_with_replacement_of_failed_pods_a_terminating_one_is_not_failed_yet(
    scenario: Scenario,
) -> None:
    job = scenario.job(
        parallelism=1, completions=1, exit_code="never", pod_replacement_policy="Failed"
    )
    runs(job, 1)
    pod = job.pod()
    pod.deletes()
    job.reaches(terminating=1)
    pod.fails(exit_code=143)
    job.reaches(active=1, ready=1, failed=1)


def test_indexes_are_in_annotations_labels_and_hostnames(scenario: Scenario) -> None:
    job = scenario.job(indexed=True, parallelism=2, completions=4)
    job.is_complete(succeeded=4, completed_indexes="0-3")
    pods = job.pods()
    assert sorted(pod.index for pod in pods if pod.index is not None) == [0, 1, 2, 3]
    for pod in pods:
        assert pod.phase == "Succeeded"
        assert pod.stored["spec"]["hostname"] == f"{job.name}-{pod.index}"
        assert pod.stored["metadata"]["labels"][COMPLETION_INDEX] == str(pod.index)


def test_a_count_is_reached(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True, parallelism=2, completions=2, success_policy=success_policy(count=2)
    )
    job.is_complete("SuccessPolicy", succeeded=2, completed_indexes="0,1")


def test_the_index_that_matters_succeeds_though_others_fail(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True,
        parallelism=2,
        completions=5,
        exit_codes=ODD_FAIL,
        success_policy=success_policy(indexes="0"),
    )
    job.ends("Complete", "SuccessPolicy")
    status = job.status()
    assert status["completedIndexes"] == "0"
    assert (status.get("active", 0), status["ready"], status["terminating"]) == (0, 0, 0)


def test_one_success_is_enough_though_others_fail(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True,
        parallelism=2,
        completions=5,
        backoff_limit=2147483647,
        exit_codes=ODD_FAIL,
        success_policy=success_policy(count=1),
    )
    job.ends("Complete", "SuccessPolicy")
    status = job.status()
    assert status["completedIndexes"] == "0"
    assert (status.get("active", 0), status["ready"], status["terminating"]) == (0, 0, 0)


def test_indexes_that_fail_twice_have_failed(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True, parallelism=2, completions=4, backoff_limit_per_index=1, exit_codes=ODD_FAIL
    )
    job.has_failed(
        "FailedIndexes", succeeded=2, failed=4, completed_indexes="0,2", failed_indexes="1,3"
    )


def test_no_failed_index_is_allowed(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True,
        parallelism=1,
        completions=4,
        backoff_limit_per_index=0,
        max_failed_indexes=0,
        exit_code="1",
    )
    job.has_failed("MaxFailedIndexesExceeded", failed=1, failed_indexes="0")
    job.has_pods(1)


def test_the_failures_of_an_index_are_in_its_pods_annotations(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True, parallelism=2, completions=2, backoff_limit_per_index=1, exit_code="1"
    )
    job.has_failed("FailedIndexes", failed=4, failed_indexes="0,1")
    for index in (0, 1):
        counts = {pod.failure_count for pod in job.pods() if pod.index == index}
        assert counts == {"0", "1"}


def test_a_fail_index_rule(scenario: Scenario) -> None:
    job = scenario.job(
        indexed=True,
        parallelism=2,
        completions=2,
        backoff_limit_per_index=1,
        exit_codes={1: "1"},
        pod_failure_policy=failure_policy(on_exit_codes("FailIndex", 1)),
    )
    job.has_failed(
        "FailedIndexes", succeeded=1, failed=1, completed_indexes="0", failed_indexes="1"
    )


def test_a_deleted_job_goes_with_its_pods(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, exit_code="never")
    runs(job, 2)
    job.is_deleted("Background")
    job.is_gone()
    eventually(lambda: "Pods are left" if scenario.pods() else "", explain=scenario.described)


def test_pods_are_adopted_and_released(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1, exit_code="never")
    runs(job, 1)
    pod = job.pod()
    pod.is_changed({"metadata": {"ownerReferences": None}})
    eventually(lambda: "" if job.pods() else "not adopted again", explain=scenario.described)
    assert job.pod().uid == pod.uid
    pod.is_changed({"metadata": {"labels": None}})

    def released() -> str:
        now = pod.again()
        return "" if now and not now.stored["metadata"].get("ownerReferences") else "still owned"

    eventually(released, explain=scenario.described)
    runs(job, 1)
    assert job.pod().uid != pod.uid


def test_a_container_that_fails_is_started_again(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1, restart_policy="OnFailure", exit_code="never")
    runs(job, 1)
    pod = job.pod()
    pod.restarts(exit_code=1)
    job.stays(active=1, ready=1)
    pod.succeeds()
    job.is_complete(succeeded=1)
    job.has_pods(1)


def test_a_pod_that_fails_is_replaced(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, exit_code="never")
    runs(job, 2)
    for pod in job.active_pods():
        pod.fails()
    for succeeded in (0, 2):
        job.reaches(active=2, ready=2, succeeded=succeeded, failed=2)
        for pod in job.active_pods():
            pod.succeeds()
    job.is_complete(succeeded=4, failed=2)


def test_it_has_run_for_too_long(scenario: Scenario) -> None:
    job = scenario.job(parallelism=2, completions=4, active_deadline_seconds=1, exit_code="never")
    job.has_failed("DeadlineExceeded", "Job was active longer than specified deadline", failed=2)


def test_the_limit_of_failures_is_exceeded(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1, backoff_limit=1, exit_code="1")
    job.has_failed("BackoffLimitExceeded", "Job has reached the specified backoff limit", failed=2)
    assert phases(job) == ["Failed", "Failed"]


def test_many_pods_of_which_few_run_at_a_time(scenario: Scenario) -> None:
    job = scenario.job(parallelism=90, completions=90, backoff_limit=0, exit_code="never")
    job.reaches(active=90, ready=90)
    while pods := job.active_pods():
        for pod in pods[:30]:
            pod.succeeds()
    job.is_complete(succeeded=90)
    assert phases(job) == ["Succeeded"] * 90


def test_conditions_of_others_stay(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1, exit_code="never")
    runs(job, 1)
    job.gets_condition("example.com/Seen", by="patch")
    job.gets_condition("example.com/Noted", by="update")
    job.pod().succeeds()
    job.is_complete(succeeded=1)
    assert job.is_true("example.com/Seen")
    assert job.is_true("example.com/Noted")


def test_the_api_of_jobs(scenario: Scenario) -> None:
    bed, namespace = scenario.controller.bed, scenario.namespace
    job = scenario.job(parallelism=1, completions=1, exit_code="never")
    runs(job, 1)
    before = job.read()["metadata"]["resourceVersion"]
    job.is_annotated("patched", by="patch")
    job.is_annotated("updated", by="update")
    everywhere = bed.get("/apis/batch/v1/jobs")["items"]
    assert job.uid in {each["metadata"]["uid"] for each in everywhere}
    jobs = f"/apis/batch/v1/namespaces/{namespace}/jobs"
    answer = bed.request("DELETE", jobs, {"propagationPolicy": "Background"})
    assert answer.code == 200, answer
    job.is_gone()
    seen = bed.kubectl("get", "--raw", f"{jobs}?watch=1&timeoutSeconds=1&resourceVersion={before}")
    kinds = [
        line[:20].partition('"type":"')[2].partition('"')[0] for line in seen.stdout.splitlines()
    ]
    assert kinds[-1] == "DELETED"
    assert kinds.count("MODIFIED") >= 2


def test_a_container_restarted_in_place_has_not_failed_the_pod(scenario: Scenario) -> None:
    policy = failure_policy(on_exit_codes("FailJob", 42))
    job = scenario.job(parallelism=1, completions=1, exit_code="never", pod_failure_policy=policy)
    runs(job, 1)
    pod = job.pod()
    pod.restarts(exit_code=42)
    job.stays(active=1, ready=1)
    pod.succeeds()
    job.is_complete(succeeded=1)


def test_resources_are_edited_before_it_runs_and_between(scenario: Scenario) -> None:
    job = scenario.job(parallelism=1, completions=1, exit_code="never", suspend=True)
    for cpu in ("250m", "500m"):
        job.has_condition("Suspended", "True")
        job.reaches(active=0)
        container = {
            "name": "main",
            "image": "busybox:1.36",
            "resources": {"requests": {"cpu": cpu}},
        }
        answer = job.edit_template({"containers": [container]})
        assert answer.code == 200, answer
        job.is_resumed()
        runs(job, 1)
        assert job.pod().stored["spec"]["containers"][0]["resources"] == container["resources"]
        job.is_suspended()
