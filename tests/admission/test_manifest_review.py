"""The review of a manifest is one that an API server could send."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import jobsworth
from jobsworth.admission.manifest_review import ReviewInput, admission_review
from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import UnknownKind
from support.policy.policy_requests import cron_job, job

SERVER = ApiServer("1.36")


def request_of(value: Any, **sent: Any) -> dict[str, Any]:
    before = copy.deepcopy(value)
    found: dict[str, Any] = admission_review(ReviewInput(value=value, **sent), SERVER)["request"]
    assert value == before, "the manifest stays"
    return found


def test_its_object_has_the_defaults_already() -> None:
    value = request_of(job(completionMode="Indexed", completions=2, backoffLimitPerIndex=1))[
        "object"
    ]
    assert value["spec"]["backoffLimit"] == 2**31 - 1
    assert value["spec"]["template"]["spec"]["schedulerName"] == "default-scheduler"
    assert jobsworth.default(value)["spec"] == value["spec"]


def test_the_server_generates_uid_selector_and_labels_after_the_mutating_webhooks() -> None:
    labeled = job(metadata={"labels": {"team": "ml"}})
    value = request_of(labeled)["object"]
    uid = value["metadata"]["uid"]
    assert value["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    labels = value["spec"]["template"]["metadata"]["labels"]
    assert value["metadata"]["labels"] == {"team": "ml"}
    assert labels["batch.kubernetes.io/job-name"] == value["metadata"]["name"]
    before = request_of(labeled, mutating=True)["object"]
    assert before["metadata"]["labels"] == {"team": "ml"}
    assert "uid" not in before["metadata"]
    assert "selector" not in before["spec"]


def test_a_manual_selector_stays() -> None:
    own = {"matchLabels": {"app": "x"}}
    value = request_of(job(manualSelector=True, selector=own))["object"]
    assert value["spec"]["selector"] == own
    assert "labels" not in value["metadata"]


def test_a_cron_job_has_no_selector() -> None:
    request = request_of(cron_job())
    assert request["resource"] == {"group": "batch", "version": "v1", "resource": "cronjobs"}
    assert "selector" not in request["object"]["spec"]["jobTemplate"]["spec"]
    assert "labels" not in request["object"]["metadata"]


def test_a_name_is_generated_after_the_mutating_webhooks() -> None:
    unnamed = job(metadata={"generateName": "train-"})
    del unnamed["metadata"]["name"]
    assert "name" not in request_of(unnamed, mutating=True)
    request = request_of(unnamed)
    assert request["name"] == request["object"]["metadata"]["name"] == "train-x7k2p"


def test_it_says_who_wrote_which_field_and_with_which_options() -> None:
    request = request_of(job(metadata={"annotations": {"a": "b"}}), user="ann", groups=("ml",))
    (entry,) = request["object"]["metadata"]["managedFields"]
    fields = entry["fieldsV1"]
    assert (entry["manager"], entry["operation"]) == ("kubectl-create", "Update")
    assert "." in fields["f:spec"]["f:template"]["f:spec"]["f:containers"]['k:{"name":"main"}']
    assert fields["f:metadata"] == {"f:annotations": {".": {}, "f:a": {}}}
    assert request["userInfo"] == {"username": "ann", "groups": ["ml", "system:authenticated"]}
    assert request["options"] == {
        "kind": "CreateOptions",
        "apiVersion": "meta.k8s.io/v1",
        "fieldManager": "kubectl-create",
        "fieldValidation": "Strict",
    }


def test_the_namespace_is_that_of_the_manifest_or_the_given_one() -> None:
    bare = job()
    del bare["metadata"]["namespace"]
    assert request_of(bare)["namespace"] == "default"
    assert request_of(bare, namespace="ml")["object"]["metadata"]["namespace"] == "ml"
    assert request_of(job(metadata={"namespace": "web"}), namespace="ml")["namespace"] == "web"


@pytest.mark.parametrize("mutating", [False, True])
def test_an_update_has_the_stored_object_and_the_same_generated_fields(mutating: bool) -> None:
    request = request_of(job(parallelism=2), old=job(), mutating=mutating)
    assert (request["operation"], request["options"]["kind"]) == ("UPDATE", "UpdateOptions")
    new, old = request["object"], request["oldObject"]
    assert (new["spec"]["parallelism"], old["spec"]["parallelism"]) == (2, 1)
    assert new["metadata"]["uid"] == old["metadata"]["uid"]
    assert new["spec"]["selector"] == old["spec"]["selector"]
    assert old["metadata"]["labels"] == old["spec"]["template"]["metadata"]["labels"]


def test_other_kinds_have_no_review() -> None:
    with pytest.raises(UnknownKind):
        request_of({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": {}})
