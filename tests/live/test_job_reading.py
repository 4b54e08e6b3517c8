"""A diagnosis of a cluster reads what it needs, in a bounded number of calls, and reports what it may not read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import jobsworth
from jobsworth.runs.why.diagnosis import unknowns
from support.live.answering_cluster import AnsweringCluster
from support.replay.recorded_jobs import UID, created, event, pod, stored
from support.simulation.simulated_runs import indexed, job

LABEL = "batch.kubernetes.io/controller-uid"


def labeled(value: dict[str, Any]) -> dict[str, Any]:
    value["metadata"]["labels"] |= {LABEL: UID}
    return value


def failing(name: str, **more: Any) -> dict[str, Any]:
    return labeled(pod(name, 0, 8, 3, started=1, **more))


def in_batch(value: dict[str, Any]) -> dict[str, Any]:
    value["metadata"]["namespace"] = "batch"
    return value


def a_failed_job(**status: Any) -> dict[str, Any]:
    end = (9, "Failed", "BackoffLimitExceeded")
    return in_batch(stored(job(backoffLimit=0), end, failed=1, **status))


@pytest.fixture
def cluster() -> AnsweringCluster:
    found = AnsweringCluster(a_failed_job(), failing("train-a"), created("train-a", 0))
    found.logs["train-a"] = "one\ntwo\x1b[2J\nthree\n"
    return found


def test_a_function_of_the_program_is_all_that_it_takes(cluster: AnsweringCluster) -> None:
    found = jobsworth.why("job/train", namespace="batch", client=cluster, log_lines=2)
    assert isinstance(found, jobsworth.Diagnosis)
    assert found.sentence == (
        "Job train failed after 9 s: Pod train-a failed with exit code 3; backoffLimit 0 was exceeded."
    )
    assert (found.outcome, found.cause) == ("Failed", "ExitCode")
    (log,) = found.recording.logs
    assert (log.container, log.lines) == ("main", ("two\x1b[2J", "three"))
    assert [path for path in cluster.requests if "/log?" in path] == [
        "/api/v1/namespaces/batch/pods/train-a/log?container=main&tailLines=2&limitBytes=65536"
    ]


def test_a_coroutine_function_answers_in_an_event_loop(cluster: AnsweringCluster) -> None:
    async def get(path: str) -> Any:
        await asyncio.sleep(0)
        return cluster(path)

    found = asyncio.run(jobsworth.why_async("train", namespace="batch", client=get))
    assert found.sentence.startswith(
        "Job train failed after 9 s: Pod train-a failed with exit code 3"
    )


def test_without_logs_none_is_asked_for(cluster: AnsweringCluster) -> None:
    jobsworth.why("job/train", namespace="batch", client=cluster, log_lines=0)
    assert not any("/log" in path for path in cluster.requests)


def test_of_a_container_that_restarts_the_log_of_the_last_run_is_read() -> None:
    restarting = failing("train-a")
    restarting["status"] = {
        "phase": "Running",
        "containerStatuses": [
            {
                "name": "main",
                "restartCount": 3,
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                "lastState": {"terminated": {"exitCode": 7, "reason": "Error"}},
            }
        ],
    }
    running = in_batch(stored(job(restart="OnFailure"), active=1))
    cluster = AnsweringCluster(running, restarting)
    cluster.logs["train-a"] = "no database\n"
    found = jobsworth.why("job/train", namespace="batch", client=cluster)
    assert found.cause == "CrashLoop"
    assert "CrashLoopBackOff: 3 restarts, last exit code 7" in found.sentence
    assert any(path.endswith("previous=true") for path in cluster.requests)


def test_what_is_denied_is_left_out(cluster: AnsweringCluster) -> None:
    cluster.denied = {"pods", "events", "log"}
    found = jobsworth.why("job/train", namespace="batch", client=cluster)
    assert isinstance(found, jobsworth.Diagnosis)
    assert found.cause == "PodsNotRead"
    assert "the failed Pod that the status counts could not be read" in found.sentence
    assert list(unknowns(found.recording)) == [
        "The Pods of the Job cannot be listed: its numbers are those of its status.",
        "The Events of the Job cannot be listed, so Pods that are gone cannot be seen.",
    ]


@pytest.mark.parametrize(
    ("spec", "status", "words"),
    [
        (
            {},
            {"active": 1},
            "goes on (1 active Pod by its status, 0 of 1 succeeded; its Pods cannot",
        ),
        ({"suspend": True}, {}, "is waiting for the Job to be resumed"),
        ({"parallelism": 0}, {}, "is waiting since 2027-01-01T00:00:00Z for a parallelism above 0"),
        ({"managedBy": "acme.io/x"}, {}, "for the controller acme.io/x"),
    ],
)
def test_what_a_job_waits_for_is_known_without_its_pods_if_it_shows_it(
    spec: dict[str, Any], status: dict[str, Any], words: str
) -> None:
    value = in_batch(stored(job(), **status))
    value["spec"] = {**value["spec"], **spec}
    cluster = AnsweringCluster(value)
    cluster.denied = {"pods"}
    assert words in jobsworth.why("job/train", namespace="batch", client=cluster).sentence


def test_a_job_that_does_not_exist_is_an_error_of_its_own(cluster: AnsweringCluster) -> None:
    with pytest.raises(jobsworth.JobNotFound, match='there is no Job "other" in namespace batch'):
        jobsworth.why("job/other", namespace="batch", client=cluster)


def test_of_a_job_that_is_gone_the_last_event_is_shown(cluster: AnsweringCluster) -> None:
    cluster.add(
        event("BackoffLimitExceeded", "Job has reached\x1b[31m the limit", 5, "other"),
        event("SuccessfulCreate", "Created pod: other-a", 1, "other"),
    )
    with pytest.raises(jobsworth.JobNotFound) as raised:
        jobsworth.why("job/other", namespace="batch", client=cluster)
    assert str(raised.value).endswith(
        "). One of this name is gone; the last Event about it, of 2027-01-01T00:00:05Z, is "
        "BackoffLimitExceeded: Job has reached\\x1b[31m the limit"
    )
    cluster.denied = {"events"}
    with pytest.raises(jobsworth.JobNotFound, match=r"in namespace batch \([^)]*\)$"):
        jobsworth.why("job/other", namespace="batch", client=cluster)


@pytest.mark.parametrize(
    ("client", "words"),
    [
        (lambda path: {"items": []}, "metadata must be an object"),
        (lambda path: None, "returned NoneType: it must return the JSON object as a dict"),
        (lambda path: {"metadata": {"name": 3}}, r"metadata\.name must be a string"),
        (lambda path: {"metadata": {}, "spec": {"parallelism": "x"}}, r"spec\.parallelism"),
    ],
)
def test_a_client_that_returns_something_else_is_an_error(client: Any, words: str) -> None:
    with pytest.raises(jobsworth.ClusterError, match=words):
        jobsworth.why("job/train", client=client)


def test_another_object_as_client_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"ApiClient, one of its APIs, or a function get\(path\)"):
        jobsworth.why("job/train", client=3)


def test_of_an_api_client_the_configuration_is_used_and_left_as_it_is() -> None:
    kubernetes = pytest.importorskip("kubernetes")
    configuration = kubernetes.client.Configuration(host="http://127.0.0.1:1")
    before = configuration.connection_pool_maxsize
    api = kubernetes.client.BatchV1Api(kubernetes.client.ApiClient(configuration))
    with pytest.raises(jobsworth.ClusterError, match=r"127\.0\.0\.1:1 refuses connections"):
        jobsworth.why("job/train", client=api)
    assert configuration.connection_pool_maxsize == before
    api.api_client.set_default_header("Impersonate-User", "jane")
    with pytest.raises(TypeError, match="sets the header Impersonate-User, which would be lost"):
        jobsworth.why("job/train", client=api)


@pytest.mark.parametrize("reference", ["pod/x", "job/", ""])
def test_another_kind_is_a_value_error(reference: str) -> None:
    with pytest.raises(ValueError, match="write job/NAME"):
        jobsworth.why(reference, client=lambda path: {})


@pytest.mark.slow
def test_of_a_job_with_many_pods_the_calls_are_bounded() -> None:
    """20,000 Pods, of which 3,000 have failed."""
    spec = indexed(size=20_000, backoffLimitPerIndex=0)
    cluster = AnsweringCluster(
        in_batch(stored(spec, active=400, succeeded=16_600, failed=3_000, failedIndexes="0-2999"))
    )
    pods = cluster.objects["pods"] = []
    for number in range(20_000):
        each = {"metadata": {"name": f"p-{number}", "uid": f"u-{number}", "namespace": "batch"}}
        each["metadata"] |= {"labels": {LABEL: UID}, "creationTimestamp": "2027-01-01T00:00:00Z"}
        each["metadata"]["ownerReferences"] = [{"kind": "Job", "uid": UID, "controller": True}]
        phase = "Failed" if number < 3_000 else "Running" if number < 3_400 else "Succeeded"
        code = 9 if number < 3_000 else 0
        state = {"terminated": {"exitCode": code, "finishedAt": "2027-01-01T00:00:05Z"}}
        containers = [{"name": "main", "state": state}]
        pods.append({**each, "status": {"phase": phase, "containerStatuses": containers}})
    found = jobsworth.why("job/train", namespace="batch", client=cluster, log_lines=0)
    assert isinstance(found, jobsworth.Diagnosis)
    assert len(cluster.requests) <= 22
    assert found.recording.partial
    assert len(found.recording.pods) <= 3_000
    assert "400 active Pods by its status, 16600 of 20000 succeeded" in found.sentence


def test_events_of_a_busy_namespace_are_read_for_few_pods(cluster: AnsweringCluster) -> None:
    for number in range(600):
        cluster.add(event("Pulled", "Image pulled", 1, f"other-{number}", "Pod"))
    for number in range(30):
        cluster.add(created(f"train-gone-{number}", number))
    cluster.add(event("Evicted", "low on memory", 29, "train-gone-29", "Pod"))
    jobsworth.why("job/train", namespace="batch", client=cluster)
    names = [path for path in cluster.requests if "involvedObject.name%3Dtrain-gone" in path]
    assert len(names) == 10
    assert len(cluster.requests) <= 22


def test_the_events_of_its_claims_are_read_of_a_pod_that_waits_for_them() -> None:
    waiting = labeled(pod("train-a", 1, code=None))
    message = "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."
    scheduled = {"type": "PodScheduled", "status": "False", "message": message}
    claim = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    waiting["spec"] = {"volumes": [claim]}
    waiting["status"] = {"phase": "Pending", "conditions": [scheduled]}
    missing = 'storageclass.storage.k8s.io "fast" not found'
    said = event("ProvisioningFailed", missing, 5, "data", "PersistentVolumeClaim")
    cluster = AnsweringCluster(in_batch(stored(job(), active=1)), waiting, said)
    found = jobsworth.why("job/train", namespace="batch", client=cluster)
    assert "for StorageClass fast, which does not exist (" in found.sentence


def queued() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a suspended Job in a queue, and its Workload."""
    value = in_batch(stored(job(suspend=True)))
    value["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    message = "insufficient unused quota for cpu in flavor f, 2 more needed"
    reserved = {"type": "QuotaReserved", "status": "False", "message": message}
    workload = {
        "kind": "Workload",
        "metadata": {
            "name": "job-train-1",
            "namespace": "batch",
            "ownerReferences": [{"uid": UID}],
        },
        "spec": {"queueName": "team"},
        "status": {"conditions": [reserved]},
    }
    return value, workload


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_queues_of_a_suspended_job_are_read_in_the_version_that_is_served(version: str) -> None:
    local = {"kind": "LocalQueue", "metadata": {"name": "team", "namespace": "batch"}}
    local["spec"] = {"clusterQueue": "gpus"}
    stopped = {"kind": "ClusterQueue", "metadata": {"name": "gpus"}, "spec": {"stopPolicy": "Hold"}}
    cluster = AnsweringCluster(*queued(), local, stopped)
    cluster.versions = {"kueue.x-k8s.io": version}
    found = jobsworth.why("job/train", namespace="batch", client=cluster)
    assert "(Workload job-train-1: insufficient unused quota for cpu" in found.sentence
    assert "ClusterQueue gpus is stopped (spec.stopPolicy is Hold)" in found.sentence


@pytest.mark.parametrize(
    ("version", "condition", "mark"),
    [
        ("scheduling.k8s.io/v1beta1", "PodGroupInitiallyScheduled", {"spec": {"schedulingGroup": {"podGroupName": "g"}}}),
        ("scheduling.k8s.io/v1alpha2", "PodGroupScheduled", {"spec": {"schedulingGroup": {"podGroupName": "g"}}}),
        ("scheduling.volcano.sh/v1beta1", "Scheduled", {"annotations": {"scheduling.k8s.io/group-name": "g"}}),
        ("scheduling.x-k8s.io/v1alpha1", "", {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}),
    ],
)  # fmt: skip
def test_the_pod_group_of_pending_pods_is_read(
    version: str, condition: str, mark: dict[str, Any]
) -> None:
    pending = labeled(pod("train-a", code=None))
    pending["status"] = {"phase": "Pending"}
    pending["spec"] |= mark.get("spec", {})
    for key in ("labels", "annotations"):
        pending["metadata"][key] = pending["metadata"].get(key, {}) | mark.get(key, {})
    group: dict[str, Any] = {"kind": "PodGroup", "metadata": {"name": "g", "namespace": "batch"}}
    if condition:
        lacks = {"type": condition, "status": "False", "message": "8 Pods are needed, 5 fit"}
        group["status"] = {"conditions": [lacks]}
    else:
        group |= {"spec": {"minMember": 8}, "status": {"phase": "PreScheduling"}}
    cluster = AnsweringCluster(in_batch(stored(job(), active=1)), pending, group)
    name, _, served = version.partition("/")
    cluster.versions = {name: served}
    words = "8 Pods are needed, 5 fit" if condition else "PreScheduling, with minMember 8"
    found = jobsworth.why("job/train", namespace="batch", client=cluster)
    assert f"PodGroup g: {words}" in found.sentence


def test_without_the_right_to_read_queues_the_rest_is_shown() -> None:
    cluster = AnsweringCluster(queued()[0])
    cluster.denied = {"workloads"}
    assert "in queue team" in jobsworth.why("job/train", namespace="batch", client=cluster).sentence
