"""What ValidatingAdmissionPolicies make of requests; tests/cluster holds the same cases to kube-apiserver."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.policy.admission_policies.policy_set import read
from jobsworth.policy.request import PolicyRequest
from support.policy.admission_policy_cases import CASES, Case
from support.policy.admission_policy_objects import (
    CONFIG_MAPS,
    binding,
    config_map,
    job,
    policy,
    request,
)


def texts(case: Case, number: int = 0) -> list[str]:
    policies = read(case.objects, "1.37", strict=False, complete=True)
    return [each.text for each in policies.evaluate(case.requests[number])]


def from_files(*objects: Any, asked: PolicyRequest | None = None) -> list[str]:
    """The outcomes of policies in files, which are not all that a cluster has."""
    return [each.text for each in read(objects, "1.37").evaluate(asked or request())]


DENIED = "ValidatingAdmissionPolicy 'small' with binding 'everywhere' denied request: "
WARNED = "Validation failed for ValidatingAdmissionPolicy 'small' with binding 'everywhere': "
UNKNOWN = "ValidatingAdmissionPolicy 'small' with binding 'everywhere' was not evaluated: "


@pytest.mark.parametrize(
    ("name", "number", "expected"),
    [
        ("a message", 0, [f"{DENIED}too many"]),
        ("a message", 1, []),
        ("no message", 0, [f"{DENIED}failed expression: object.spec.parallelism <= 2"]),
        ("a message expression", 0, [f"{DENIED}not 3"]),
        ("a message expression that fails", 0, [f"{DENIED}b"]),
        ("warnings", 1, [f"{WARNED}failed expression: false"]),
        (
            "an error",
            1,
            [
                f"{DENIED}expression 'object.spec.nothing == 1' resulted in error: no such key: nothing"
            ],
        ),
        ("an ignored error", 1, []),
        ("a variable", 0, [f"{DENIED}n is 3"]),
        ("a match condition", 0, []),
        ("a match condition", 3, [f"{DENIED}failed expression: false"]),
        ("params that are selected", 0, [f"{DENIED}one"]),
        (
            "missing params that deny",
            0,
            [
                f"{DENIED}failed to configure binding: no params found for policy binding with `Deny` "
                "parameterNotFoundAction"
            ],
        ),
        ("missing params that allow", 0, []),
    ],
)
def test_outcomes(name: str, number: int, expected: list[str]) -> None:
    assert texts(CASES[name], number) == expected


def test_permissions_cannot_be_checked_without_a_cluster() -> None:
    allowed = "authorizer.group('').resource('pods').check('create').allowed()"
    reason = "it checks permissions with authorizer, which only a cluster can"
    assert from_files(policy(allowed), binding()) == [UNKNOWN + reason]
    assert from_files(policy(f"{allowed} || object.kind == 'Job'"), binding()) == []
    assert from_files(policy(f"{allowed} && object.kind == 'Pod'"), binding()) == [
        f"{DENIED}failed expression: {allowed} && object.kind == 'Pod'"
    ]


def test_an_unknown_user_leaves_a_policy_open_only_where_it_decides() -> None:
    asked = request(user=None, groups=())
    reason = "it reads request.userInfo, and the user is not known"
    exempt = [{"name": "not-bob", "expression": "request.userInfo.username != 'bob'"}]
    assert from_files(policy("false", matchConditions=exempt), binding(), asked=asked) == [
        UNKNOWN + reason
    ]
    both = policy("object.spec.parallelism > 5", "request.userInfo.username == 'bob'")
    assert from_files(both, binding(), asked=asked) == [
        f"{DENIED}failed expression: object.spec.parallelism > 5",
        UNKNOWN + reason,
    ]


def test_unknown_labels_of_the_namespace_leave_a_selection_open() -> None:
    asked = request(namespace_labels=None)
    by_tier = policy("false", match={"namespaceSelector": {"matchLabels": {"tier": "x"}}})
    (found,) = from_files(by_tier, binding(), asked=asked)
    assert found == f"{UNKNOWN}the labels of the namespace are not known, and it selects tier=x"
    by_name = {"matchLabels": {"kubernetes.io/metadata.name": "batch"}}
    denied = [f"{DENIED}failed expression: false"]
    named = policy("false", match={"namespaceSelector": by_name})
    assert from_files(named, binding(), asked=asked) == denied
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "batch", "labels": {"tier": "x"}},
    }
    assert from_files(by_tier, binding(), namespace, asked=asked) == denied


def test_the_metadata_of_an_unknown_namespace_is_not_known() -> None:
    asked = request(namespace_labels=None)
    rule = policy("namespaceObject.metadata.labels['tier'] == 'x'")
    reason = "it reads the metadata of the namespace, which is not known"
    assert from_files(rule, binding(), asked=asked) == [UNKNOWN + reason]


def test_params_that_are_not_among_the_files_may_be_in_the_cluster() -> None:
    rule = policy("params.data.most == '1'", paramKind=CONFIG_MAPS)
    bound = binding(paramRef={"name": "limits", "parameterNotFoundAction": "Allow"})
    assert from_files(rule, bound) == [UNKNOWN + 'its params (ConfigMap "limits") are not known']
    assert from_files(rule, bound, config_map(namespace="", most="1")) == []


def test_a_policy_without_binding_and_a_binding_without_policy_are_named() -> None:
    found = read([policy("false"), binding(policy="other")], "1.37")
    assert found.evaluate(request()) == []
    assert [*found.notes] == [
        "ValidatingAdmissionPolicy small has no binding, so it is not enforced; add a "
        "ValidatingAdmissionPolicyBinding",
        "ValidatingAdmissionPolicyBinding everywhere names a policy that is not known",
    ]


@pytest.mark.parametrize(
    ("expression", "field"),
    [
        ("object.spec.parallelism <= 1", "spec.parallelism"),
        ("!has(object.spec.template.spec.hostPID)", "spec.template.spec.hostPID"),
        (
            "object.spec.template.spec.containers.all(c, c.image != '')",
            "spec.template.spec.containers",
        ),
        (
            "object.spec.template.spec.containers[0].image == ''",
            "spec.template.spec.containers[0].image",
        ),
        ("object.metadata.labels['a.b/c'] == ''", "metadata.labels[a.b/c]"),
        ("object.?metadata.labels[?'team'].orValue('') == ''", "metadata.labels.team"),
        ("request.name == 'x'", ""),
    ],
)
def test_a_failure_stands_at_the_field_that_the_condition_reads(
    expression: str, field: str
) -> None:
    rule = read([policy(expression), binding()], "1.37").policies["small"]
    assert rule.validations[0].field == field


@pytest.mark.slow
def test_a_costly_policy_ends_as_it_does_in_the_api_server() -> None:
    long = [{"name": str(number), "value": "x"} for number in range(120)]
    costly = job()
    costly["spec"]["template"]["spec"]["containers"][0]["env"] = long
    env = "object.spec.template.spec.containers[0].env"
    rule = policy(f"{env}.all(a, {env}.all(b, {env}.all(c, a.name + b.name != c.value)))")
    assert from_files(rule, binding(), asked=request(costly)) == [
        f"{DENIED}expression '{rule['spec']['validations'][0]['expression']}' resulted in error: "
        "operation cancelled: actual cost limit exceeded"
    ]


TEN = "[0,1,2,3,4,5,6,7,8,9]"


@pytest.mark.slow
def test_the_steps_of_variables_count_for_the_policy() -> None:
    loops = f"{TEN}.all(a, {TEN}.all(b, {TEN}.all(c, {TEN}.all(d, {TEN}.all(e, true)))))"
    variables = [{"name": f"v{number}", "expression": loops} for number in range(200)]
    every = " && ".join(f"variables.{each['name']}" for each in variables)
    found = from_files(policy(every, variables=variables), binding())
    assert found == [
        f"{DENIED}validation failed due to running out of cost budget, no further validation rules will be run"
    ]


def test_the_steps_of_all_policies_are_bounded_and_the_rest_is_not_evaluated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("jobsworth.policy.admission_policies.policy_set.REQUEST_STEPS", 20)
    sum_of_many = " + ".join(["object.spec.parallelism"] * 10)
    others = [binding(name) for name in ("second", "third")]
    found = from_files(policy(f"{sum_of_many} < 3"), binding("first"), *others)
    assert len(found) == 3
    assert "'first' denied request: " in found[0]
    of_all = (
        "the expressions of all policies take more steps for this object than the maximum of 20"
    )
    assert [each.endswith(f"was not evaluated: {of_all}") for each in found] == [False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "later", "last"),
    [
        ("1", "{0} + 1", "{0} > 0"),
        ("[1]", "[{0}]", "{0}.size() == 1"),
        ("{{1: 1}}", "{{1: {0}}}", "{0} == {0}"),
        ("{{'a': 1}}", "{{'a': {0}, 'b': {0}}}", "{0} == {0}"),
    ],
    ids=["sum", "lists", "maps", "doubled"],
)
def test_variables_that_read_variables_without_end_are_reported(
    first: str, later: str, last: str
) -> None:
    variables = [{"name": "v0", "expression": first.format()}]
    for number in range(1, 900):
        of_before = later.format(f"variables.v{number - 1}")
        variables.append({"name": f"v{number}", "expression": of_before})
    found = from_files(policy(last.format("variables.v899"), variables=variables), binding())
    assert found == [
        f"{UNKNOWN}it is nested too deeply, with the variables that it reads, to be evaluated here"
    ]
