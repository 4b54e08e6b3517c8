"""The objects that controllers create, for a dry run; the cluster tests send them to a server."""

from __future__ import annotations

from typing import Any

from jobsworth.evaluation.dry_run import job_of_cron_job, pod_of_job
from support.lint.linted_jobs import cron_job, job

LABELS = {"batch.kubernetes.io/controller-uid": "u"}


def stored(value: dict[str, Any], **spec: Any) -> dict[str, Any]:
    metadata = {"name": "train", "namespace": "ml", "uid": "u"}
    template = {**value["spec"]["template"], "metadata": {"labels": LABELS}}
    return {
        **value,
        "metadata": metadata,
        "spec": {**value["spec"], **spec, "template": template},
    }


def test_the_job_of_a_cron_job_is_that_of_a_minute() -> None:
    value = cron_job(job())
    value["metadata"] = {"name": "train", "namespace": "ml", "uid": "u"}
    value["spec"]["jobTemplate"]["metadata"] = {"labels": {"team": "ml"}}
    created = job_of_cron_job(value, 120)
    assert created["metadata"]["name"] == "train-2"
    assert created["metadata"]["labels"] == {"team": "ml"}
    assert created["metadata"]["ownerReferences"][0]["kind"] == "CronJob"
    assert created["spec"] == job()["spec"]


def test_the_pod_of_a_job_is_that_of_its_controller() -> None:
    pod = pod_of_job(stored(job()))
    assert pod is not None
    assert pod["metadata"]["generateName"] == "train-"
    assert pod["metadata"]["finalizers"] == ["batch.kubernetes.io/job-tracking"]


def test_the_first_index_of_an_indexed_job() -> None:
    pod = pod_of_job(stored(job(), completionMode="Indexed", completions=3, backoffLimitPerIndex=1))
    assert pod is not None
    assert pod["metadata"]["annotations"] == {
        "batch.kubernetes.io/job-completion-index": "0",
        "batch.kubernetes.io/job-index-failure-count": "0",
    }
    assert pod["spec"]["hostname"] == "train-0"


def test_a_job_of_another_controller_has_none() -> None:
    assert pod_of_job(stored(job(), managedBy="example.com/queue")) is None
    assert pod_of_job(stored(job(), managedBy="jobsworth.dev/job-controller")) is not None
