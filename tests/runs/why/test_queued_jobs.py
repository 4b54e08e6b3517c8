"""A Job in a queue: its Workload, its queues and its PodGroup say what it lacks, and since when."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.saved_objects import SavedObjects
from support.replay.recorded_jobs import UID, at, event, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
KUEUE = "kueue.x-k8s.io/v1beta1"
QUOTA = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor f, 2 more needed"


def suspended() -> Object:
    value = stored(job(suspend=True))
    value["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "batch"}
    return value


def condition(kind: str, status: str, message: str) -> Object:
    return {"type": kind, "status": status, "message": message, "lastTransitionTime": at(30)}


def named(kind: str, name: str, *conditions: Object, version: str = KUEUE, **spec: Any) -> Object:
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "namespace": "batch", "creationTimestamp": at(1)},
        "spec": spec,
        "status": {"conditions": list(conditions)},
    }


def workload(*conditions: Object, **spec: Any) -> Object:
    value = named("Workload", "job-train-1a2b3", *conditions, queueName="batch", **spec)
    value["metadata"]["ownerReferences"] = [{"kind": "Job", "name": "train", "uid": UID}]
    return value


def diagnosed(*queue: Object, events: tuple[Object, ...] = ()) -> Diagnosis:
    return diagnose(read_recording(suspended(), (), events, queue=queue))


def test_the_workload_says_what_is_missing_and_since_when() -> None:
    found = diagnosed(workload(condition("QuotaReserved", "False", QUOTA)))
    assert found.cause == "Suspended"
    assert f"since {at(30)} for its admission by Kueue, in queue batch" in found.sentence
    assert "(Workload job-train-1a2b3: couldn't assign flavors" in found.sentence
    assert found.advice[0].text.startswith("Wait for other Workloads of the queue to end")


def test_without_the_workload_its_last_event_says_it() -> None:
    found = diagnosed(events=(event("Pending", QUOTA, 20, "job-train-1a2b3", "Workload"),))
    assert "insufficient unused quota for cpu" in found.sentence


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (named("LocalQueue", "batch", stopPolicy="Hold"), "LocalQueue batch is stopped"),
        (named("LocalQueue", "batch", condition("Active", "False", "no ClusterQueue")), "is not active: no"),
        (named("Workload", "job-other-1", queueName="batch", priority=5), "position 2 of 2 pending Workloads"),
    ],
)  # fmt: skip
def test_its_queue_says_more(other: Object, words: str) -> None:
    assert words in diagnosed(workload(condition("QuotaReserved", "False", QUOTA)), other).sentence


def test_a_cluster_queue_is_found_by_the_local_queue() -> None:
    stopped = named("ClusterQueue", "team", condition("Active", "False", "FlavorNotFound"))
    local = named("LocalQueue", "batch", clusterQueue="team")
    assert (
        "ClusterQueue team is not active: FlavorNotFound"
        in diagnosed(workload(), stopped, local).sentence
    )


def test_an_admission_check_and_a_deactivation_are_named() -> None:
    reserved = workload(condition("QuotaReserved", "True", "reserved"), active=False)
    reserved["status"]["admissionChecks"] = [
        {"name": "prov", "state": "Pending", "message": "no node"}
    ]
    found = diagnosed(reserved)
    assert (
        "it is deactivated (spec.active is false); admission check prov is Pending: no node"
        in found.sentence
    )


def test_the_pod_group_says_why_none_of_its_pods_is_scheduled() -> None:
    value = pod("train-a", 1, code=None)
    value["spec"] = {"schedulingGroup": {"podGroupName": "train"}}
    scheduled = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "gang",
    }
    value["status"] = {"phase": "Pending", "conditions": [scheduled]}
    group = named(
        "PodGroup", "train", condition("PodGroupScheduled", "False", "8 Pods are needed, 5 fit"),
        version="scheduling.k8s.io/v1alpha2",
    )  # fmt: skip
    found = diagnose(read_recording(stored(job(), active=1), [value], (), queue=[group]))
    assert "PodGroup train: 8 Pods are needed, 5 fit" in found.sentence


def test_a_workload_of_kubernetes_itself_is_not_one_of_kueue() -> None:
    own = {**workload(), "apiVersion": "scheduling.k8s.io/v1beta1"}
    assert "Workload" not in diagnosed(own).sentence.replace("admits its Workload", "")


def test_a_job_whose_workload_cannot_be_created_gets_no_pods() -> None:
    failed = event("FailedWorkloadCreate", "Failed to create Workload for Job train: forbidden", 20)
    found = diagnose(read_recording(stored(job()), (), (failed,)))
    assert found.cause == "PodsRejected"
    assert "(Failed to create Workload for Job train: forbidden)" in found.sentence


def test_saved_objects_may_have_the_workload() -> None:
    saved = SavedObjects()
    for each in (
        {**suspended(), "apiVersion": "batch/v1", "kind": "Job"},
        workload(condition("QuotaReserved", "False", QUOTA)),
    ):
        assert saved.add(each) is None
    assert saved.add({"apiVersion": KUEUE, "kind": "Workload", "metadata": {"name": 3}}) is not None
    (value,) = saved.to_diagnose()
    found = saved.diagnosis(value, ApiServer(NEWEST_RELEASE), lambda _job, _codes: ())
    assert "insufficient unused quota for cpu" in found.sentence


def test_a_job_set_that_kueue_holds_back_says_what_it_lacks() -> None:
    meta = {"name": "train", "namespace": "batch", "uid": "set-uid", "creationTimestamp": at(0)}
    job_set = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": meta,
        "spec": {"suspend": True, "replicatedJobs": []},
    }  # fmt: skip
    value = workload(condition("QuotaReserved", "False", QUOTA))
    value["metadata"]["ownerReferences"] = [{"kind": "JobSet", "name": "train", "uid": "set-uid"}]
    saved = SavedObjects()
    for each in (job_set, value):
        assert saved.add(each) is None
    found = saved.diagnosis(job_set, ApiServer(NEWEST_RELEASE), lambda _job, _codes: ())
    assert "it waits for Kueue (Workload job-train-1a2b3: couldn't assign" in found.sentence
