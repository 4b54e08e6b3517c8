"""The program that answers with kube-apiserver's code is asked correctly."""

from __future__ import annotations

from typing import Any

import pytest

from cluster import native_policies
from cluster.programs import MissingProgram, find

pytestmark = pytest.mark.cluster


@pytest.fixture(autouse=True)
def _program() -> None:
    try:
        find("admission-policies")
    except MissingProgram as missing:
        pytest.skip(str(missing))


def job(**spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example.com/main"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "work", "namespace": "batch"},
        "spec": {**spec, "template": template},
    }


def policy(**spec: Any) -> dict[str, Any]:
    rule = {
        "apiGroups": ["batch"],
        "apiVersions": ["v1"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["jobs"],
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "small"},
        "spec": {"matchConstraints": {"resourceRules": [rule]}, **spec},
    }


def binding(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": "everywhere"},
        "spec": {"policyName": "small", "validationActions": ["Deny"], **spec},
    }


def test_an_expression_is_refused_before_the_release_that_brings_its_function() -> None:
    (answer,) = native_policies.evaluated(
        [{"expression": "isIP(object.metadata.name)", "returns": "bool", "cases": [0]}],
        [{"object": job()}],
    )
    assert set(answer["refusals"]) == {"1.30"}
    assert "undeclared reference to 'isIP'" in answer["refusals"]["1.30"]
    assert answer["results"]["1.31"] == [{"value": ["bool", False], "cost": 4}]


def test_a_denial_carries_the_first_failure_and_the_review_all() -> None:
    validations = [
        {"expression": "object.spec.parallelism <= int(params.data.most)", "message": "too many"},
        {"expression": "object.spec.suspend == true"},
        {
            "expression": "object.metadata.name != 'work'",
            "messageExpression": "'not ' + object.kind",
        },
    ]
    param = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "limits", "namespace": "batch"},
        "data": {"most": "5"},
    }
    bound = binding(paramRef={"name": "limits", "parameterNotFoundAction": "Deny"})
    small = policy(paramKind={"apiVersion": "v1", "kind": "ConfigMap"}, validations=validations)
    answers = native_policies.reviews(
        [small, bound, param],
        [{"object": job(parallelism=6, suspend=True)}, {"object": job(parallelism=6)}],
    )
    first, second = answers["small"]
    assert first["message"] == (
        "jobs.batch \"work\" is forbidden: ValidatingAdmissionPolicy 'small' with binding 'everywhere'"
        " denied request: too many"
    )
    assert [each["message"] for each in first["failures"]] == ["too many", "not Job"]
    assert [each["expressionIndex"] for each in second["failures"]] == [0, 1, 2]
    assert (first["code"], first["reason"]) == (422, "Invalid")


def test_a_warning_does_not_deny() -> None:
    small = policy(validations=[{"expression": "false", "message": "no"}])
    answers = native_policies.reviews(
        [small, binding(validationActions=["Warn"])], [{"object": job()}]
    )
    (answer,) = answers["small"]
    assert answer["allowed"]
    assert answer["warnings"] == [
        "Validation failed for ValidatingAdmissionPolicy 'small' with binding 'everywhere': no"
    ]


def test_refusals_name_the_field_and_the_release() -> None:
    small = policy(
        variables=[{"name": "range", "expression": "lists.range(3)"}],
        validations=[{"expression": "object.spec.suspend"}],
    )
    (found,) = native_policies.refusals([small], ["1.34", "1.35"])
    assert [(each["release"], each["field"]) for each in found] == [
        ("1.34", "spec.variables[0].expression"),
        ("1.34", "spec.validations[0].expression"),
        ("1.35", "spec.validations[0].expression"),
    ]


def test_a_definition_without_a_good_name_is_rejected() -> None:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object"}},
    }
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "limits"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "Limit", "plural": "limits"},
            "scope": "Namespaced",
            "versions": [version],
        },
    }
    (error,) = native_policies.definition_errors(definition)
    assert error["field"] == "metadata.name"
    definition["metadata"] = {"name": "limits.example.com"}
    assert native_policies.definition_errors(definition) == []


def test_an_unknown_question_is_answered_with_an_error() -> None:
    with pytest.raises(ValueError, match="returns must be bool, string or any"):
        native_policies.evaluated([{"expression": "1", "returns": "int"}])
