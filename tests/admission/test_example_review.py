"""The review that `jobsworth serve --self-signed` writes is one that an API server could send."""

from __future__ import annotations

import json
from typing import Any

import pytest

import jobsworth
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.example_review import example_review
from jobsworth.admission.review import read_review
from jobsworth.api.api_server import ApiServer
from jobsworth.files.policies.policy_files import load_policies


@pytest.fixture
def request_() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(example_review())["request"]
    return found


def test_its_object_has_the_defaults_already(request_: dict[str, Any]) -> None:
    value = request_["object"]
    assert value["spec"]["backoffLimit"] == 2**31 - 1
    assert value["spec"]["template"]["spec"]["schedulerName"] == "default-scheduler"
    assert jobsworth.default(value)["spec"] == value["spec"]


def test_its_selector_and_labels_are_those_that_the_server_generates(
    request_: dict[str, Any],
) -> None:
    value = request_["object"]
    uid = value["metadata"]["uid"]
    assert value["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    labels = value["spec"]["template"]["metadata"]["labels"]
    assert labels == value["metadata"]["labels"]
    assert labels["batch.kubernetes.io/job-name"] == value["metadata"]["name"]


def test_it_says_who_wrote_which_field_and_with_which_options(request_: dict[str, Any]) -> None:
    (entry,) = request_["object"]["metadata"]["managedFields"]
    spec = entry["fieldsV1"]["f:spec"]
    assert (entry["manager"], entry["operation"]) == ("kubectl-create", "Update")
    assert spec["f:backoffLimitPerIndex"] == {}
    assert "." in spec["f:template"]["f:spec"]["f:containers"]['k:{"name":"main"}']
    assert request_["options"] == {
        "kind": "CreateOptions",
        "apiVersion": "meta.k8s.io/v1",
        "fieldManager": "kubectl-create",
        "fieldValidation": "Strict",
    }


def test_the_webhook_denies_it_for_the_one_mistake_that_it_has() -> None:
    reviewer = Reviewer(ApiServer(), load_policies(()), api_verdict="deny")
    status = reviewer.validate(read_review(example_review().encode())).response.status
    assert status is not None
    causes = [each["field"] for each in status["details"]["causes"]]
    assert causes == ["spec.backoffLimitPerIndex"]
