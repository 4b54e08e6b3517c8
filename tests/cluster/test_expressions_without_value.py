"""Exported expressions without a value for a stored Job, on a real API server: what runs can be resumed and labelled."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.test_native_enforcement import ACTIVE_WITHIN, forgotten, known
from jobsworth.api.api_server import ApiServer
from jobsworth.policy.export.admission_policies import documents
from jobsworth.policy.export.exported_policy import exported_policy
from jobsworth.policy.reader import read
from support.policy.expressions_without_value import NO_VALUE
from support.policy.policy_requests import cron_job, document, job

if TYPE_CHECKING:
    from cluster.bed import TestBed

MERGE = "application/merge-patch+json"
IMAGE = {"name": "main", "image": "busybox:1.37"}


@pytest.fixture(scope="module")
def running() -> Iterator[TestBed]:
    with bed_or_skip(audit=False) as bed:
        yield bed


@pytest.mark.parametrize("condition", NO_VALUE)
def test_a_new_policy_stops_no_update_that_leaves_what_it_reads(
    running: TestBed, condition: str
) -> None:
    namespace = running.namespace("novalue")
    jobs, cron_jobs = (
        f"/apis/batch/v1/namespaces/{namespace}/{each}" for each in ("jobs", "cronjobs")
    )
    for path, value in ((jobs, job(suspend=True)), (cron_jobs, cron_job())):
        value["metadata"]["namespace"] = namespace
        answer = running.request("POST", path, value)
        assert answer.code == 201, answer
    match = [{"namespaces": [namespace]}]  # the API server enforces a deleted policy for a while
    policy = document(namespace, match=match, expressions=[{"expression": condition}])
    exported = exported_policy(policy, read([policy]).policies[0], ApiServer(running.release).minor)
    objects = documents(exported.admission_policies, {exported.name: exported.hash})
    known(objects, running)
    try:
        _await_active(running, condition, cron_jobs, namespace)
        for path, patch in (
            (jobs, {"spec": {"suspend": False, "parallelism": 2}}),
            (jobs, {"metadata": {"labels": {"other": "x"}}}),
            (cron_jobs, {"spec": {"schedule": "0 7 * * *"}}),
            (
                cron_jobs,
                {
                    "spec": {
                        "jobTemplate": {"spec": {"template": {"spec": {"containers": [IMAGE]}}}}
                    }
                },
            ),
        ):
            answer = running.request("PATCH", f"{path}/train", patch, content_type=MERGE)
            assert answer.code == 200, answer
    finally:
        forgotten(objects, running)


def _await_active(bed: TestBed, condition: str, path: str, namespace: str) -> None:
    """Wait until the API server denies a creation; a policy on updates has no sign of its own."""
    value: dict[str, Any] = cron_job()
    value["metadata"] |= {"namespace": namespace, "name": "other"}
    if condition.startswith("request."):
        time.sleep(3)
        return
    until = time.monotonic() + ACTIVE_WITHIN
    while bed.request("POST", f"{path}?dryRun=All", value).code < 400:
        assert time.monotonic() < until
        time.sleep(0.1)
