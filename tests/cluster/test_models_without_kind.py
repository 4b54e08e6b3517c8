"""A real API server takes the kind of an object from the address; the lists that it returns have items without kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubernetes import client

import jobsworth
from jobsworth.library.manifests import manifest_of

if TYPE_CHECKING:
    from cluster.bed import TestBed


def job() -> client.V1Job:
    """Return a Job as programs write it for ``create_namespaced_job``."""
    container = client.V1Container(name="main", image="registry.example.com/train:1.4")
    pod = client.V1PodSpec(restart_policy="Never", containers=[container])
    return client.V1Job(
        metadata=client.V1ObjectMeta(name="train"),
        spec=client.V1JobSpec(template=client.V1PodTemplateSpec(spec=pod)),
    )


def test_a_job_without_kind_is_accepted_as_the_library_accepts_it(
    bed: TestBed, namespace: str
) -> None:
    body = client.ApiClient().sanitize_for_serialization(job())
    assert "kind" not in body
    answer = bed.request("POST", f"/apis/batch/v1/namespaces/{namespace}/jobs", body)
    assert answer.code == 201, answer
    assert jobsworth.validate(job()) == []
    listed = bed.request("GET", f"/apis/batch/v1/namespaces/{namespace}/jobs")
    (item,) = listed.body["items"]
    assert "kind" not in item
    assert manifest_of(job())["kind"] == answer.body["kind"] == "Job"
