"""Cases in which Kubernetes 1.36 gets stuck or miscounts, and jobsworth does not: on a real API server."""

from __future__ import annotations

import pytest

from cluster.controller.pod import MERGE
from cluster.controller.scenario import Scenario

pytestmark = pytest.mark.ours_only("it does otherwise, or gets stuck")

LONG = {"pod_failure_backoff": "30m", "max_pod_failure_backoff": "1h"}


def test_while_it_backs_off_it_says_how_many_pods_run(scenario: Scenario) -> None:
    """Kubernetes writes active 0, which the API server rejects while a Pod is ready (issue 139428)."""
    scenario.controller.restart(**LONG)
    job = scenario.job(parallelism=2, completions=4)
    job.reaches(active=2)
    failing, running = job.some_pods(2)
    running.becomes_ready()
    failing.fails()
    job.reaches(active=1, ready=1, failed=1)
    job.stays(active=1, ready=1, failed=1)
    running.succeeds()  # which ends the back-off
    job.reaches(active=2, succeeded=1, failed=1)


def test_the_back_off_outlives_a_restart(scenario: Scenario) -> None:
    """Kubernetes keeps it in memory alone (issue 114650)."""
    scenario.controller.restart(**LONG)
    job = scenario.job(parallelism=1, completions=1)
    job.reaches(active=1)
    job.pod().fails()
    job.reaches(failed=1)
    scenario.controller.restart(**LONG)
    job.stays(failed=1, seconds=2)


def test_an_index_that_backs_off_does_not_hold_up_others(scenario: Scenario) -> None:
    """With Kubernetes it keeps its place in the parallelism, and index 2 has to wait."""
    scenario.controller.restart(**LONG)
    job = scenario.job(indexed=True, parallelism=2, completions=3, backoff_limit_per_index=1)
    job.reaches(active=2, active_indexes="0,1", failed_indexes="")
    job.pod(index=0).fails()
    job.reaches(active=2, active_indexes="1,2", failed_indexes="")
    job.is_deleted("Background")  # until then the failed Pod is kept, for its count


@pytest.mark.parametrize("end", ["fails", "succeeds"])
def test_a_suspended_job_whose_last_pod_ends_late_comes_to_its_end(
    scenario: Scenario, end: str
) -> None:
    """Kubernetes tries to finish it without a start time, which the API server rejects forever."""
    job = scenario.job(
        parallelism=1, completions=1, backoff_limit=0, pod_replacement_policy="Failed"
    )
    job.reaches(active=1)
    pod = job.pod()
    pod.deletes()
    job.reaches(terminating=1)
    job.is_suspended()
    job.has_condition("Suspended", "True")
    getattr(pod, end)()
    if end == "fails":
        job.has_failed("BackoffLimitExceeded", failed=1)
    else:
        job.is_complete(succeeded=1)
    assert "startTime" in job.status()


def test_a_counted_pod_that_loses_its_owner_is_not_counted_again(scenario: Scenario) -> None:
    """Kubernetes adopts it, and counts it a second time."""
    job = scenario.job(parallelism=1, completions=3)
    job.reaches(active=1)
    pod = job.pod()
    pod.succeeds()
    job.reaches(active=1, succeeded=1)
    pod.is_changed({"metadata": {"ownerReferences": None}})
    job.stays(active=1, succeeded=1)


@pytest.mark.parametrize("indexed", [False, True], ids=["NonIndexed", "Indexed"])
def test_a_pod_that_leaves_succeeded_once_it_is_recorded_is_counted_once(
    scenario: Scenario, indexed: bool
) -> None:
    """Kubernetes adds its UID to both lists, which the API server rejects forever (issue 125410)."""
    job = scenario.job(indexed=indexed, parallelism=1, completions=2, backoff_limit=0)
    job.reaches(active=1)
    pod = job.pod()
    # The controller dies when it has recorded the Pod, and has not removed the finalizer.
    scenario.controller.kill()
    pod.succeeds()
    recorded = {"succeeded": 1, "completedIndexes": "0"} if indexed else {}
    uncounted = {} if indexed else {"succeeded": [pod.uid]}
    job.gets_status({"uncountedTerminatedPods": uncounted, "active": 0, **recorded})
    pod.fails()
    scenario.controller.start()
    indexes = {"completed_indexes": "0"} if indexed else {}
    job.reaches(active=1, succeeded=1, failed=0, **indexes)
    job.pod().succeeds()
    job.is_complete(succeeded=2, failed=0, **({"completed_indexes": "0,1"} if indexed else {}))


def test_a_quota_is_waited_for(scenario: Scenario) -> None:
    """Kubernetes counts a rejected creation as succeeded too."""
    bed, namespace = scenario.controller.bed, scenario.namespace
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "none"},
        "spec": {"hard": {"pods": "0"}},
    }
    bed.create(quota, namespace)
    path = f"/api/v1/namespaces/{namespace}/resourcequotas/none"
    status = {"status": {"hard": {"pods": "0"}, "used": {"pods": "0"}}}
    assert bed.request("PATCH", f"{path}/status", status, content_type=MERGE).code == 200
    job = scenario.job(parallelism=1, completions=1)
    job.says("FailedCreate")
    job.reaches(active=0)
    scenario.counted("job_pods_creation_total", 0, status="succeeded")
    assert bed.request("DELETE", path).code == 200
    job.reaches(active=1)
    scenario.counted("job_pods_creation_total", 1, status="succeeded", reason="new")


def test_the_api_server_goes_away_and_comes_back(scenario: Scenario) -> None:
    job = scenario.job(indexed=True, parallelism=2, completions=3, backoff_limit_per_index=1)
    job.reaches(active=2, failed_indexes="")
    job.pod(index=0).fails()
    bed = scenario.controller.bed
    assert bed.api_server is not None
    bed.api_server.kill()
    bed.start_api_server()
    job.reaches(active=2, failed=1, active_indexes="0,1", failed_indexes="")
    assert job.pod(index=0).failure_count == "1"
    for index in (0, 1, 2):
        job.pod(index).succeeds()
    job.is_complete(succeeded=3, failed=1, completed_indexes="0-2", failed_indexes="")
