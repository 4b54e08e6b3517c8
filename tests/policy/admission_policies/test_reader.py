"""Objects that are no valid policy or binding: every problem with its field."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.admission_policies.policy_set import read
from jobsworth.policy.problems import BadPolicy
from support.policy.admission_policy_objects import binding, policy, request


def problems(*objects: Any, release: str = "1.37") -> list[str]:
    with pytest.raises(BadPolicy) as raised:
        read(objects, release)
    return [str(problem) for problem in raised.value.problems]


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([policy("true", failurePolicy="Warn")], "spec.failurePolicy"),
        ([policy({"expresion": "true"})], "spec.validations[0].expresion"),
        (
            [policy("true", matchConstraints={})],
            "spec.matchConstraints.resourceRules: Required value",
        ),
        (
            [policy("true", match={"namespaceSelector": {"matchLabel": {}}})],
            "namespaceSelector.matchLabel",
        ),
        (
            [
                policy(
                    "true",
                    match={
                        "objectSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}
                    },
                )
            ],
            "spec.matchConstraints.objectSelector.matchExpressions[0].values",
        ),
        ([binding(validationActions=["Block"])], "spec.validationActions[0]"),
        ([binding(validationActions=[])], "spec.validationActions"),
        ([binding(paramRef={"parameterNotFoundAction": "Deny"})], "either a name or a selector"),
        ([policy("true"), policy("true")], 'metadata.name: "small" is the name of another one'),
        ([policy("true", name="")], "metadata.name: Required value"),
        (
            [policy("object.spec.nope(")],
            "spec.validations[0].expression: Kubernetes 1.37 refuses it at line 1, column 18 of the expression",
        ),
        (
            [policy("object.spec.suspend")],
            "must evaluate to bool but got dyn",
        ),
        (
            [policy("true", matchConditions=[{"name": "a", "expression": "params.x == 1"}])],
            "spec.matchConditions[0].expression: Kubernetes 1.37 refuses it at line 1, column 1 of the "
            "expression: undeclared reference to 'params'",
        ),
        (
            [
                policy(
                    {
                        "expression": "true",
                        "messageExpression": "authorizer.path('/').check('get').reason()",
                    }
                )
            ],
            "undeclared reference to 'authorizer'",
        ),
        (
            [
                policy(
                    "variables.later == 1",
                    variables=[
                        {"name": "early", "expression": "variables.later"},
                        {"name": "later", "expression": "1"},
                    ],
                )
            ],
            "spec.variables[0].expression: Kubernetes 1.37 refuses it at line 1, column 10 of the expression: "
            "undefined field 'later'",
        ),
    ],
)
def test_a_problem_names_its_field(objects: list[Any], expected: str) -> None:
    assert any(expected in each for each in problems(*objects))


def test_all_problems_are_reported_at_once() -> None:
    found = problems(policy("1", "'a'"), binding(validationActions=["Block"]))
    assert len(found) == 3


def test_a_release_refuses_what_it_does_not_have() -> None:
    rule = policy("isSemver('1.2.3')")
    assert "undeclared reference to 'isSemver'" in problems(rule, release="1.33")[0]
    assert read([rule, binding()], "1.34").notes == ()


def test_older_versions_of_the_api_are_read_too() -> None:
    old = {**policy("false"), "apiVersion": "admissionregistration.k8s.io/v1beta1"}
    assert [*read([old], "1.30").policies] == ["small"]


def test_other_objects_are_left_alone() -> None:
    other = {"apiVersion": "example.com/v1", "kind": "ValidatingAdmissionPolicy", "spec": 3}
    assert read([other, {"kind": "Job"}, 3, None], "1.37").policies == {}


@pytest.mark.parametrize(
    "odd",
    [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": 3},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "batch", "labels": ["a"]}},
        {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": "batch", "labels": {"a": 1}},
        },
        {"apiVersion": "example.com/v1", "kind": "Limits", "metadata": [1]},
        {"apiVersion": "example.com/v1", "kind": "Limits", "metadata": {"labels": [1]}},
        {"kind": "CustomResourceDefinition", "spec": {"group": "example.com", "names": ["x"]}},
        {"kind": "CustomResourceDefinition", "spec": 3},
    ],
)
def test_malformed_objects_beside_policies_are_no_params_and_no_namespaces(odd: Any) -> None:
    selected = {"selector": {"matchLabels": {"a": "1"}}, "parameterNotFoundAction": "Deny"}
    objects = [
        odd,
        policy("false", paramKind={"apiVersion": "example.com/v1", "kind": "Limits"}),
        binding(paramRef=selected),
    ]
    (outcome,) = read(objects, "1.37").evaluate(request())
    assert "its params (Limits selected by labels) are not known" in outcome.text
