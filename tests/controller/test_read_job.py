"""A Job as its controller reads it: the value of each field, also where the object has none."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.controller.jobs import Job, read_job
from jobsworth.controller.settings import ControllerSettings

MINIMAL: dict[str, Any] = {"metadata": {}, "spec": {}}


def job_with(**spec: Any) -> Job:
    return read_job({"metadata": {}, "spec": spec}, ControllerSettings())


def test_a_job_without_fields_has_the_defaults_of_the_api() -> None:
    assert read_job(MINIMAL, ControllerSettings()) == Job(
        namespace="",
        name="",
        uid="",
        resource_version="",
        generation=0,
        deleting=False,
        managed_by=None,
        finalizer="batch.kubernetes.io/job-tracking",
        parallelism=1,
        completions=None,
        completion_mode="NonIndexed",
        suspended=False,
        backoff_limit=6,
        backoff_limit_per_index=None,
        max_failed_indexes=None,
        active_deadline=None,
        failure_policy=None,
        only_replace_failed=False,
        replaces_failed=False,
        restarts_on_failure=False,
        success_rules=(),
    )


def test_a_value_made_by_hand_has_the_same_defaults_but_for_the_finalizer() -> None:
    assert Job("", "", "", finalizer="batch.kubernetes.io/job-tracking") == read_job(
        MINIMAL, ControllerSettings()
    )
    assert Job("", "", "").finalizer == "jobsworth.dev/job-tracking"


@pytest.mark.parametrize(
    ("spec", "attribute", "value"),
    [
        ({"parallelism": 0}, "parallelism", 0),
        ({"backoffLimit": 0}, "backoff_limit", 0),
        ({"backoffLimitPerIndex": 0}, "backoff_limit", 2_147_483_647),
        ({"backoffLimitPerIndex": 0, "backoffLimit": 3}, "backoff_limit", 3),
        ({"backoffLimitPerIndex": 0}, "backoff_limit_per_index", 0),
        ({"maxFailedIndexes": 0}, "max_failed_indexes", 0),
        ({"activeDeadlineSeconds": 5}, "active_deadline", 5),
        ({"suspend": True}, "suspended", True),
        ({"suspend": False}, "suspended", False),
        ({"podReplacementPolicy": "Failed"}, "only_replace_failed", True),
        ({"podReplacementPolicy": "Failed"}, "replaces_failed", True),
        ({"podReplacementPolicy": "TerminatingOrFailed"}, "only_replace_failed", False),
        ({"podFailurePolicy": {"rules": []}}, "only_replace_failed", True),
        ({"podFailurePolicy": {"rules": []}}, "replaces_failed", False),
        ({"template": {"spec": {"restartPolicy": "OnFailure"}}}, "restarts_on_failure", True),
        ({"template": {"spec": {"restartPolicy": "Never"}}}, "restarts_on_failure", False),
        ({"managedBy": "jobsworth.dev/job-controller"}, "finalizer", "jobsworth.dev/job-tracking"),
        ({"managedBy": "jobsworth.dev/job-controller"}, "managed_by", "jobsworth.dev/job-controller"),
    ],
)  # fmt: skip
def test_fields(spec: dict[str, Any], attribute: str, value: object) -> None:
    assert getattr(job_with(**spec), attribute) == value


@pytest.mark.parametrize(
    ("spec", "indexed", "per_index", "size"),
    [
        ({}, False, False, 0),
        ({"completions": 3}, False, False, 3),
        ({"completions": 3, "completionMode": "Indexed"}, True, False, 3),
        ({"completions": 3, "completionMode": "Indexed", "backoffLimitPerIndex": 0}, True, True, 3),
        ({"completions": 3, "backoffLimitPerIndex": 0}, False, False, 3),
    ],
)
def test_indexes(spec: dict[str, Any], indexed: bool, per_index: bool, size: int) -> None:
    job = job_with(**spec)
    assert (job.indexed, job.per_index, job.size) == (indexed, per_index, size)


@pytest.mark.parametrize(
    ("kind", "status", "finished"),
    [
        ("Complete", "True", True),
        ("Failed", "True", True),
        ("Failed", "False", False),
        ("FailureTarget", "True", False),
        ("SuccessCriteriaMet", "True", False),
        ("Suspended", "True", False),
    ],
)
def test_finished_jobs(kind: str, status: str, finished: bool) -> None:
    job = read_job(
        {**MINIMAL, "status": {"conditions": [{"type": kind, "status": status}]}},
        ControllerSettings(),
    )
    assert job.finished is finished


def test_the_names_of_a_job() -> None:
    metadata = {
        "namespace": "batch",
        "name": "train",
        "uid": "u1",
        "resourceVersion": "7",
        "generation": 2,
        "deletionTimestamp": "2026-01-01T00:00:00Z",
    }
    job = read_job({"metadata": metadata, "spec": {}}, ControllerSettings())
    assert (job.namespace, job.name, job.uid, job.key) == ("batch", "train", "u1", "batch/train")
    assert (job.resource_version, job.generation, job.deleting) == ("7", 2, True)
    owner = job.owner
    assert (owner.api_version, owner.kind, owner.name, owner.uid) == (
        "batch/v1",
        "Job",
        "train",
        "u1",
    )
