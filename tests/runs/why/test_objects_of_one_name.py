"""Events and labels name objects only by name: those of another namespace, or of an earlier Job, do not count."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.saved_objects import SavedObjects
from support.replay.recorded_jobs import UID, at, created, event, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]


def diagnosed(*objects: Object) -> Any:
    saved = SavedObjects()
    for each in objects:
        assert saved.add(each) is None
    chosen = next(iter(saved.to_diagnose()))
    return saved.diagnosis(chosen, ApiServer("1.36"), lambda value, codes: ())


def job_of(**status: Any) -> Object:
    value = stored(job(backoffLimit=0), **status)
    value["metadata"] |= {"namespace": "batch", "uid": UID, "creationTimestamp": at(100)}
    value["status"]["startTime"] = at(100)
    return value


def about(value: Object, **reference: str) -> Object:
    return {**value, "involvedObject": {**value["involvedObject"], **reference}}


REJECTED = event("FailedCreate", "Error creating: exceeded quota", 110)


def test_an_event_without_a_uid_counts() -> None:
    assert diagnosed(job_of(), REJECTED).cause == "Quota"


def test_an_event_without_a_namespace_counts() -> None:
    reference = {"kind": "Job", "name": "train"}
    bare = {**REJECTED, "metadata": {}, "involvedObject": reference}
    assert diagnosed(job_of(), bare).cause == "Quota"


@pytest.mark.parametrize("reference", [{"uid": "earlier"}, {"namespace": "other"}])
def test_an_event_about_another_job_of_the_name_does_not_count(reference: dict[str, str]) -> None:
    found = diagnosed(
        job_of(), about(REJECTED, **reference), about(created("train-old", 1), **reference)
    )
    assert isinstance(found, Diagnosis)
    assert found.cause == "Syncing"
    assert found.recording.events == ()
    assert found.recording.unseen == ()


def test_an_event_about_a_pod_of_another_namespace_does_not_count() -> None:
    pulls = event("Failed", "Failed to pull image: not found", 111, "train-a", "Pod")
    found = diagnosed(
        job_of(active=1),
        pod("train-a", 101, None, None),
        about(pulls, namespace="other"),
    )
    assert found.recording.pod_events == {}


def test_the_orphan_of_an_earlier_job_does_not_count() -> None:
    orphan = pod("train-a", 1, 20, 1)
    orphan["metadata"]["ownerReferences"] = []
    orphan["metadata"]["labels"]["batch.kubernetes.io/controller-uid"] = "earlier"
    assert diagnosed(job_of(), orphan).recording.pods == ()


def cron_job(namespace: str) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly", "uid": f"cron-{namespace}", "namespace": namespace},
        "spec": {"schedule": "0 * * * *", "jobTemplate": {"spec": job()["spec"]}},
    }


def test_an_event_about_another_cron_job_of_the_name_does_not_count() -> None:
    failure = about(event("FailedCreate", "denied", 10, "nightly", "CronJob"), namespace="other")
    assert diagnosed(cron_job("batch"), failure).events == ()


def test_a_job_is_explained_although_another_namespace_has_a_cron_job_named_as_its_owner() -> None:
    owned = job_of()
    owned["metadata"]["ownerReferences"] = [{"kind": "CronJob", "name": "nightly", "uid": "x"}]
    saved = SavedObjects()
    for each in (cron_job("other"), owned):
        assert saved.add(each) is None
    assert [each["kind"] for each in saved.to_diagnose()] == ["CronJob", "Job"]


def test_a_job_of_another_namespace_is_none_of_a_job_set() -> None:
    job_set = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "pretrain", "namespace": "other", "uid": "set"},
        "spec": {},
    }
    labeled = job_of()
    labeled["metadata"]["labels"] = {"jobset.sigs.k8s.io/jobset-name": "pretrain"}
    assert diagnosed(job_set, labeled).jobs == ()
