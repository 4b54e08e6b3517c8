"""Pods that are created: names, labels, annotations, environment, owner, finalizer."""

from __future__ import annotations

import copy

import pytest

from jobsworth.controller import well_known_names
from jobsworth.controller.actions import Creation
from jobsworth.controller.jobs import Job, read_job
from jobsworth.controller.pod_body import BadTemplate, generate_name, pod_body
from support.controller.job_syncs import SETTINGS, a_job, an_indexed_job


def indexed() -> Job:
    job = an_indexed_job(5, backoffLimitPerIndex=1)
    template = job["spec"]["template"]
    template["metadata"]["annotations"] = {"note": "kept"}
    template["metadata"]["finalizers"] = ["example.com/hold"]
    template["metadata"]["ownerReferences"] = [{"name": "dropped"}]
    template["spec"]["hostname"] = "overwritten"
    template["spec"]["initContainers"] = [
        {"name": "setup", "env": [{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]}
    ]
    template["spec"]["containers"][0]["env"] = [{"name": "A", "value": "1"}]
    return read_job(job, SETTINGS)


def test_a_pod_of_an_index() -> None:
    job = indexed()
    before = copy.deepcopy(job.template)
    body = pod_body(job, Creation(3, failure_count=2, ignored_count=1))
    metadata, spec = body["metadata"], body["spec"]
    assert (body["apiVersion"], body["kind"]) == ("v1", "Pod")
    assert metadata["generateName"] == "job-3-"
    assert "name" not in metadata
    assert metadata["namespace"] == "default"
    assert metadata["labels"][well_known_names.COMPLETION_INDEX] == "3"
    assert metadata["labels"]["batch.kubernetes.io/controller-uid"] == "job-uid"
    assert metadata["annotations"] == {
        "note": "kept",
        well_known_names.COMPLETION_INDEX: "3",
        well_known_names.INDEX_FAILURE_COUNT: "2",
        well_known_names.INDEX_IGNORED_FAILURE_COUNT: "1",
    }
    assert metadata["finalizers"] == ["example.com/hold", well_known_names.OUR_FINALIZER]
    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "name": "job",
            "uid": "job-uid",
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert spec["hostname"] == "job-3"
    field = {"fieldPath": "metadata.labels['batch.kubernetes.io/job-completion-index']"}
    variable = {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": field}}
    assert spec["containers"][0]["env"] == [{"name": "A", "value": "1"}, variable]
    assert spec["initContainers"][0]["env"] == [{"name": "JOB_COMPLETION_INDEX", "value": "mine"}]
    assert job.template == before


def test_the_first_pod_of_an_index_carries_its_count() -> None:
    annotations = pod_body(indexed(), Creation(0, failure_count=0))["metadata"]["annotations"]
    assert annotations[well_known_names.INDEX_FAILURE_COUNT] == "0"
    assert well_known_names.INDEX_IGNORED_FAILURE_COUNT not in annotations


def test_a_pod_without_an_index_has_nothing_of_one() -> None:
    body = pod_body(read_job(a_job(), SETTINGS), Creation())
    assert body["metadata"]["annotations"] == {}
    assert body["metadata"]["generateName"] == "job-"
    assert "hostname" not in body["spec"]
    assert "env" not in body["spec"]["containers"][0]


def test_a_template_without_labels_makes_no_pod() -> None:
    job = a_job()
    job["spec"]["template"]["metadata"] = {}
    with pytest.raises(BadTemplate, match="no labels"):
        pod_body(read_job(job, SETTINGS), Creation())


def test_a_finalizer_that_is_there_is_not_added_again() -> None:
    job = a_job()
    job["spec"]["template"]["metadata"]["finalizers"] = [well_known_names.OUR_FINALIZER]
    body = pod_body(read_job(job, SETTINGS), Creation())
    assert body["metadata"]["finalizers"] == [well_known_names.OUR_FINALIZER]


@pytest.mark.parametrize(
    ("job", "index", "prefix"),
    [
        ("indexed-job", 1, "indexed-job-1-"),
        ("a" * 69, 1, "a" * 55 + "-1-"),
        ("a" * 57, 1, "a" * 55 + "-1-"),
        ("a" * 55, 1, "a" * 55 + "-1-"),
        ("report", None, "report-"),
        ("a" * 254, None, "a" * 254),
    ],
)
def test_u108_names_begin_with_job_and_index(job: str, index: int | None, prefix: str) -> None:
    assert generate_name(job, index) == prefix
