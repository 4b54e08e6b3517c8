"""The downward API: fields and resources of a Pod that its containers may read."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.downward_api import check_resource_field, split_subscript
from support.validation.validated_containers import Errors, container_errors

FIELDS = (
    'supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", '
    '"spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"'
)
RESOURCES = (
    'supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", '
    '"requests.ephemeral-storage", "requests.memory"'
)
BYTES = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the"


def wrong_with_source(source: dict[str, Any]) -> Errors:
    found = container_errors({"env": [{"name": "A", "valueFrom": source}]})
    return {field.removeprefix("env[0].valueFrom."): found[field] for field in found}


@pytest.mark.parametrize(
    "field",
    [
        "metadata.name",
        "metadata.namespace",
        "metadata.uid",
        "spec.nodeName",
        "spec.serviceAccountName",
        "status.hostIP",
        "status.hostIPs",
        "status.podIP",
        "status.podIPs",
        "spec.host",
        "metadata.labels['app']",
        "metadata.annotations['example.com/Key']",
        "metadata.annotations['EXAMPLE.com/Key']",
    ],
)
def test_variables_hold_fields_labels_and_annotations(field: str) -> None:
    assert wrong_with_source({"fieldRef": {"fieldPath": field}}) == {}


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ({}, "Required value"),
        ({"fieldPath": "metadata.labels"}, f'Unsupported value: "metadata.labels": {FIELDS}'),
        ({"fieldPath": "status.phase"}, f'Unsupported value: "status.phase": {FIELDS}'),
        (
            {"fieldPath": "spec.image"},
            'Invalid value: "spec.image": error converting fieldPath: '
            "field label not supported: spec.image",
        ),
        (
            {"fieldPath": "metadata.name['a']"},
            "Invalid value: \"metadata.name['a']\": error converting fieldPath: "
            "field label does not support subscript: metadata.name['a']",
        ),
        (
            {"fieldPath": "metadata.name", "apiVersion": "v2"},
            'Invalid value: "metadata.name": error converting fieldPath: '
            "unsupported pod version: v2",
        ),
    ],
)
def test_other_fields_are_not_to_be_had(reference: dict[str, Any], message: str) -> None:
    assert wrong_with_source({"fieldRef": reference}) == {"fieldRef.fieldPath": message}


@pytest.mark.parametrize(
    ("field", "start"),
    [
        ("metadata.labels['']", 'Invalid value: "": name part must be non-empty'),
        ("metadata.labels['a b']", 'Invalid value: "a b": name part must consist of'),
        ("metadata.annotations['A B']", 'Invalid value: "a b": name part must consist of'),
    ],
)
def test_labels_and_annotations_have_keys(field: str, start: str) -> None:
    errors = wrong_with_source({"fieldRef": {"fieldPath": field}})
    assert set(errors) == {"fieldRef"}
    assert start in errors["fieldRef"]


@pytest.mark.parametrize(
    ("field", "parts"),
    [
        ("metadata.annotations['a[b]c']", ("metadata.annotations", "a[b]c")),
        ("metadata.labels['']", ("metadata.labels", "")),
        ("metadata.labels", ("metadata.labels", None)),
        ("metadata.labels[a]", ("metadata.labels[a]", None)),
        ("['a']", ("['a']", None)),
        ("a']", ("a']", None)),
    ],
)
def test_a_key_stands_in_brackets_and_quotes(field: str, parts: tuple[str, str | None]) -> None:
    assert split_subscript(field) == parts


@pytest.mark.parametrize(
    ("reference", "errors"),
    [
        ({"resource": "limits.cpu"}, {}),
        ({"resource": "limits.cpu", "divisor": "1m"}, {}),
        ({"resource": "limits.cpu", "divisor": "1000m"}, {}),
        ({"resource": "requests.memory", "divisor": "1Gi", "containerName": "other"}, {}),
        ({"resource": "requests.hugepages-2Mi", "divisor": "1Mi"}, {}),
        ({"resource": "limits.memory", "divisor": 0}, {}),
        ({}, {"resource": "Required value"}),
        ({"resource": "cpu"}, {"resource": f'Unsupported value: "cpu": {RESOURCES}'}),
        (
            {"resource": "limits.gpu", "divisor": "7"},
            {"resource": f'Unsupported value: "limits.gpu": {RESOURCES}'},
        ),
        (
            {"resource": "limits.cpu", "divisor": "10m"},
            {
                "divisor": 'Invalid value: "limits.cpu": only divisor\'s values 1m and 1 are '
                "supported with the cpu resource"
            },
        ),
        (
            {"resource": "limits.memory", "divisor": "1m"},
            {
                "divisor": f'Invalid value: "limits.memory": only divisor\'s values {BYTES} '
                "memory resource"
            },
        ),
        (
            {"resource": "limits.ephemeral-storage", "divisor": "-1"},
            {
                "divisor": 'Invalid value: "limits.ephemeral-storage": only divisor\'s values '
                f"{BYTES} local ephemeral storage resource"
            },
        ),
        (
            {"resource": "limits.hugepages-2Mi", "divisor": "2Mi"},
            {
                "divisor": 'Invalid value: "limits.hugepages-2Mi": only divisor\'s values '
                f"{BYTES} hugepages resource"
            },
        ),
    ],
)
def test_variables_hold_resources_in_units(reference: dict[str, Any], errors: Errors) -> None:
    expected = {f"resourceFieldRef.{field}": errors[field] for field in errors}
    assert wrong_with_source({"resourceFieldRef": reference}) == expected


def test_in_a_volume_the_container_has_to_be_named() -> None:
    selector = {"resource": "limits.cpu", "divisor": "0"}
    (error,) = check_resource_field(selector, "ref", of_any_container=True)
    assert (error.field, error.message) == ("ref.containerName", "Required value")
    selector["containerName"] = "main"
    assert list(check_resource_field(selector, "ref", of_any_container=True)) == []
