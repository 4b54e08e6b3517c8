"""MutatingAdmissionPolicies on Jobs, as an API server applies them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.admission_policies.mutating.admission import MutatedObject
from jobsworth.policy.admission_policies.policy_set import read
from jobsworth.policy.problems import BadPolicy
from jobsworth.validation.engine import engine_for
from support.policy.admission_policy_objects import (
    CONFIG_MAPS,
    JOBS,
    config_map,
    job,
    mutating_binding,
    mutating_policy,
    mutation,
    request,
)

SERVER = ApiServer("1.36")
LABEL = "Object{metadata: Object.metadata{labels: {'%s': '%s'}}}"


def label(key: str, value: str = "yes") -> str:
    return LABEL % (key, value)


def mutated(*objects: Any, value: Any = None, **more: Any) -> MutatedObject:
    """A Job after policies; a policy without a binding gets one."""
    bound = {each["spec"]["policyName"] for each in objects if "Binding" in each["kind"]}
    names = [each["metadata"]["name"] for each in objects if each["kind"].endswith("Policy")]
    bindings = [mutating_binding(policy=name) for name in names if name not in bound]
    asked = request(engine_for(SERVER).default(value or job()), **more)
    return read([*objects, *bindings], "1.36", complete=True).mutate(asked, SERVER)


def labels(found: MutatedObject) -> dict[str, str]:
    made: dict[str, str] = found.object["metadata"].get("labels", {})
    return made


def texts(found: MutatedObject) -> list[str]:
    return [each.text for each in found.outcomes]


def test_a_partial_object_is_merged_and_gets_defaults() -> None:
    probe = "Object.spec.template.spec.containers.livenessProbe"
    exec_ = f"{probe}{{tcpSocket: {probe}.tcpSocket{{port: 80}}}}"
    containers = (
        "object.spec.template.spec.containers.map(c, Object.spec.template.spec.containers"
        f"{{name: c.name, livenessProbe: {exec_}}})"
    )
    pod = f"Object.spec.template.spec{{containers: {containers}}}"
    found = mutated(
        mutating_policy(
            f"Object{{spec: Object.spec{{template: Object.spec.template{{spec: {pod}}}}}}}"
        )
    )
    (container,) = found.object["spec"]["template"]["spec"]["containers"]
    assert container["image"] == "registry.example.com/main"
    assert container["livenessProbe"]["periodSeconds"] == 10
    assert texts(found) == []


def test_a_json_patch_changes_what_is_there() -> None:
    patch = (
        "[JSONPatch{op: 'test', path: '/spec/suspend', value: false},"
        " JSONPatch{op: 'replace', path: '/spec/suspend', value: true},"
        " JSONPatch{op: 'add', path: '/metadata/labels', value: {}},"
        " JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'}]"
    )
    found = mutated(mutating_policy(patch))
    assert found.object["spec"]["suspend"] is True
    assert labels(found) == {"a/b": "c"}


def test_a_failed_test_leaves_the_object_and_allows_it() -> None:
    patch = (
        "[JSONPatch{op: 'add', path: '/spec/suspend', value: true},"
        " JSONPatch{op: 'test', path: '/spec/suspend', value: false}]"
    )
    found = mutated(mutating_policy(patch))
    assert found.object["spec"]["suspend"] is False
    assert texts(found) == []


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{"
            "nodeSelector: {'a': 'b'}}}}}",
            "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or "
            "structs: .spec.template.spec.nodeSelector",
        ),
        (
            "Object{spec: Object.spec{suspend: 'yes'}}",
            "error applying patch: failed to convert patch object to typed object: .spec.suspend: "
            "expected boolean, got &{yes}",
        ),
        (
            "Object{spec: Object.wrong{}}",
            'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches '
            "field name path from root Object type",
        ),
        (
            "Object{spec: Object.spec{parallelism: object.spec.missing}}",
            "expression 'Object{spec: Object.spec{parallelism: object.spec.missing}}' resulted in error: "
            "no such key: missing",
        ),
        (
            "[JSONPatch{op: 'add', path: '/spec/template/metadata/labels/a', value: 'b'}]",
            "JSON Patch: add operation does not apply: doc is missing path: "
            '"/spec/template/metadata/labels/a": missing value',
        ),
        (
            "[JSONPatch{op: 'remove', path: '/spec/template/spec/volumes'}]",
            "JSON Patch: error in remove for path: '/spec/template/spec/volumes': Unable to remove "
            "nonexistent key: volumes: missing value",
        ),
        ("[JSONPatch{op: 'merge', path: '/a'}]", "JSON Patch: Unexpected kind: merge"),
    ],
)
def test_failures_deny_in_the_words_of_the_api_server(expression: str, message: str) -> None:
    found = mutated(mutating_policy(expression))
    assert texts(found) == [f"policy 'small' with binding 'small' denied request: {message}"]
    ignored = mutated(mutating_policy(expression, failurePolicy="Ignore"))
    assert texts(ignored) == []


def test_a_patch_to_an_object_that_cannot_be_decoded_is_an_internal_error() -> None:
    patch = "[JSONPatch{op: 'add', path: '/spec/nothing', value: 1}]"
    found = mutated(mutating_policy(patch, failurePolicy="Ignore"))
    assert texts(found) == [
        'Internal error occurred: strict decoding error: unknown field "spec.nothing"'
    ]


def test_a_mutation_after_one_that_fails_still_applies() -> None:
    found = mutated(mutating_policy("Object{spec: Object.spec{a: 1}}", label("b")))
    assert labels(found) == {"b": "yes"}
    assert len(texts(found)) == 1


def test_mutations_and_policies_see_what_those_before_them_made() -> None:
    second = "has(object.metadata.labels) && 'a' in object.metadata.labels ? "
    second += f"{label('b')} : Object{{}}"
    found = mutated(
        mutating_policy(label("a"), second, name="first"),
        mutating_policy(
            label("c"),
            name="second",
            matchConditions=[{"name": "b", "expression": "'b' in object.metadata.labels"}],
        ),
    )
    assert labels(found) == {"a": "yes", "b": "yes", "c": "yes"}


def test_selectors_see_the_object_as_it_arrived() -> None:
    selector = {"objectSelector": {"matchLabels": {"a": "yes"}}}
    found = mutated(
        mutating_policy(label("a"), name="first"),
        mutating_policy(label("b"), name="second", match=selector),
    )
    assert labels(found) == {"a": "yes"}


def test_an_order_that_matters_is_reported() -> None:
    found = mutated(
        mutating_policy(label("a", "1"), name="one"), mutating_policy(label("a", "2"), name="two")
    )
    assert labels(found) == {"a": "2"}
    assert texts(found) == [
        "MutatingAdmissionPolicy 'one' was not applied: the API server applies it and two in an order "
        "that is not defined, and the opposite order makes another object"
    ]


def test_variables_params_and_bindings() -> None:
    rule = mutating_policy(
        "Object{metadata: Object.metadata{labels: {'team': variables.team}}}",
        paramKind=CONFIG_MAPS,
        variables=[{"name": "team", "expression": "params.data.team"}],
    )
    ref = {"name": "limits", "parameterNotFoundAction": "Deny"}
    bound = mutating_binding(paramRef=ref)
    assert labels(mutated(rule, bound, config_map(team="ml"))) == {"team": "ml"}
    assert texts(mutated(rule, bound)) == [
        "policy 'small' with binding 'small' denied request: failed to configure binding: no params found "
        "for policy binding with `Deny` parameterNotFoundAction"
    ]
    other = mutating_binding(
        matchResources={"namespaceSelector": {"matchLabels": {"tier": "other"}}}
    )
    assert labels(mutated(mutating_policy(label("a")), other)) == {}


def test_what_is_not_known_is_reported_and_the_rest_applies() -> None:
    reads = "Object{metadata: Object.metadata{labels: {'a': request.userInfo.username}}}"
    found = mutated(mutating_policy(reads), mutating_policy(label("b"), name="other"), user=None)
    assert labels(found) == {"b": "yes"}
    assert texts(found) == [
        "MutatingAdmissionPolicy 'small' with binding 'small' was not applied: it reads "
        "request.userInfo, and the user is not known"
    ]


COUNT = (
    "Object{metadata: Object.metadata{labels: {'count': "
    "string(object.metadata.?labels[?'count'].optMap(c, int(c)).orValue(0) + 1)}}}"
)


@pytest.mark.parametrize(("reinvocation", "count"), [("Never", "1"), ("IfNeeded", "2")])
def test_a_policy_is_reinvoked_once_if_it_says_so(reinvocation: str, count: str) -> None:
    found = mutated(mutating_policy(COUNT, reinvocationPolicy=reinvocation))
    found.again(found.object)
    assert labels(found)["count"] == count


def test_a_policy_that_did_not_apply_at_first_is_not_reinvoked() -> None:
    condition = [{"name": "a", "expression": "has(object.spec.activeDeadlineSeconds)"}]
    rule = mutating_policy(label("a"), reinvocationPolicy="IfNeeded", matchConditions=condition)
    found = mutated(rule, mutating_policy(label("b"), name="other"))
    changed = {**found.object, "spec": {**found.object["spec"], "activeDeadlineSeconds": 60}}
    assert found.again(changed) is False
    assert labels(found) == {"b": "yes"}


@pytest.mark.slow
def test_a_patch_that_copies_without_end_is_stopped() -> None:
    double = (
        "JSONPatch{op: 'copy', from: '/metadata/annotations', path: '/metadata/annotations/%d'}"
    )
    copies = ", ".join(double % number for number in range(60))
    start = "JSONPatch{op: 'add', path: '/metadata/annotations', value: {'a': 'b'}}"
    (text,) = texts(mutated(mutating_policy(f"[{start}, {copies}]")))
    assert text.endswith("it copies more values than the maximum of 1000000")


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"reinvocationPolicy": None}, "spec.reinvocationPolicy", "unsupported value null"),
        ({"mutations": []}, "spec.mutations", "must not be empty"),
        (
            {"mutations": [{"patchType": "JSONPatch"}]},
            "spec.mutations[0].jsonPatch",
            "Required value: must be specified when patchType is JSONPatch",
        ),
        (
            {"mutations": [{**mutation("Object{}"), "jsonPatch": {"expression": "[]"}}]},
            "spec.mutations[0].jsonPatch",
            "Invalid value: must not be specified when patchType is ApplyConfiguration",
        ),
        (
            {"mutations": [mutation("Object{}.spec")]},
            "spec.mutations[0].applyConfiguration.expression",
            "Kubernetes 1.36 refuses it at line 1, column 1 of the expression: must evaluate to Object "
            "but got dyn",
        ),
        (
            {"matchConstraints": {"resourceRules": [{**JOBS, "operations": ["DELETE"]}]}},
            "spec.matchConstraints.resourceRules.operations",
            'Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
        ),
    ],
)
def test_a_policy_that_the_api_server_rejects(
    change: dict[str, Any], field: str, message: str
) -> None:
    rule = mutating_policy("Object{}")
    rule["spec"].update(change)
    with pytest.raises(BadPolicy) as raised:
        read([rule], "1.36")
    found = [(each.field, each.message) for each in raised.value.problems]
    assert found == [(field, message)]


def test_an_update_is_matched_by_the_stored_object_too() -> None:
    selector = {"objectSelector": {"matchLabels": {"a": "yes"}}}
    rule = mutating_policy(label("b"), match=selector)
    asked = request(job(), old=job(labels={"a": "yes"}))
    found = read([rule, mutating_binding()], "1.36").mutate(asked, SERVER)
    assert labels(found) == {"b": "yes"}
    created = replace(asked, operation="CREATE", old=None)
    assert labels(read([rule, mutating_binding()], "1.36").mutate(created, SERVER)) == {}


def test_a_map_that_an_expression_makes_in_a_list_is_not_one_to_the_api_server() -> None:
    pod = "Object.spec.template.spec{volumes: [dyn({'name': 'a'}), object.spec.template.spec.containers[0]]}"
    rule = mutating_policy(
        f"Object{{spec: Object.spec{{template: Object.spec.template{{spec: {pod}}}}}}}"
    )
    (text,) = texts(mutated(rule))
    assert text.endswith(
        ".spec.template.spec.volumes: element 0: associative list with keys may not have non-map elements"
    )


def test_the_labels_that_a_job_has_from_its_pods_are_its_own() -> None:
    value = job()
    del value["metadata"]["labels"]
    value["spec"]["template"]["metadata"] = {"labels": {"a": "b"}}
    patch = "[JSONPatch{op: 'add', path: '/metadata/labels/c', value: 'd'}]"
    found = mutated(mutating_policy(patch), value=value)
    assert labels(found) == {"a": "b", "c": "d"}
    assert found.object["spec"]["template"]["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("2.0", ""),
        (
            "2.5",
            "unable to convert unstructured object to batch/v1, Kind=Job: cannot convert float64 to int32",
        ),
        ("null", "expected numeric (int or float), got structpb.NullValue"),
    ],
)
def test_numbers_with_a_fraction_and_null(value: str, message: str) -> None:
    found = mutated(mutating_policy(f"Object{{spec: Object.spec{{parallelism: {value}}}}}"))
    assert [text.rpartition("denied request: ")[2][-len(message) :] for text in texts(found)] == (
        [message] if message else []
    )
    assert found.object["spec"]["parallelism"] == (1 if message else 2)
