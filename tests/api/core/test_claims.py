"""Volumes that are claimed."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import server
from support.validation.validated_volumes import Errors, stored_volume, volume_errors

REQUIRED = "Required value"
MODES = 'supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"'
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
SPEC = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
CLAIM = {"kind": "PersistentVolumeClaim", "name": "seed"}
SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "seed"}
DEFAULT_GROUP = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"


def ephemeral(**template: Any) -> dict[str, Any]:
    return {"ephemeral": {"volumeClaimTemplate": {"spec": SPEC, **template}}}


def wrong_with_claim(**spec: Any) -> Errors:
    found = volume_errors(ephemeral(spec={**SPEC, **spec}))
    prefix = "ephemeral.volumeClaimTemplate.spec"
    return {field.removeprefix(prefix).removeprefix("."): found[field] for field in found}


def test_a_claim_is_named() -> None:
    assert volume_errors({"persistentVolumeClaim": {"claimName": "any name"}}) == {}
    assert volume_errors({"persistentVolumeClaim": {}}) == {
        "persistentVolumeClaim.claimName": REQUIRED
    }


def test_an_ephemeral_volume_has_a_template() -> None:
    assert volume_errors({"ephemeral": {}}) == {"ephemeral.volumeClaimTemplate": REQUIRED}


@pytest.mark.parametrize(
    ("metadata", "errors"),
    [
        ({"labels": {"a": "b"}, "annotations": {"A/b": "any value"}}, {}),
        ({"creationTimestamp": None, "name": ""}, {}),
        ({"name": "a"}, {"name": "Forbidden: cannot be set"}),
        ({"uid": "a"}, {"uID": "Forbidden: cannot be set"}),
        ({"finalizers": ["a/b"]}, {"finalizers": "Forbidden: cannot be set"}),
        ({"labels": {"/": ""}}, {"labels": 'Invalid value: "/": prefix part must be non-empty'}),
    ],
)
def test_only_labels_and_annotations_of_a_claim_can_be_given(
    metadata: dict[str, Any], errors: Errors
) -> None:
    found = volume_errors(ephemeral(metadata=metadata))
    prefix = "ephemeral.volumeClaimTemplate.metadata"
    assert found.keys() == {f"{prefix}.{field}" for field in errors}
    if "labels" not in errors:
        assert list(found.values()) == list(errors.values())


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({}, {}),
        ({"accessModes": ["ReadWriteOncePod"] * 2}, {}),
        ({"accessModes": []}, {"accessModes": f"{REQUIRED}: at least 1 access mode is required"}),
        (
            {"accessModes": ["RWO"]},
            {"accessModes": f'Unsupported value: "RWO": {MODES}'},
        ),
        *(
            (
                {"accessModes": ["ReadWriteOncePod", mode]},
                {"accessModes": "Forbidden: may not use ReadWriteOncePod with other access modes"},
            )
            for mode in ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany")
        ),
        ({"resources": {}}, {"resources[storage]": REQUIRED}),
        ({"resources": {"limits": {"storage": "1"}}}, {"resources[storage]": REQUIRED}),
        (
            {"resources": {"requests": {"storage": "0"}}},
            {"resources[storage]": 'Invalid value: "0": must be greater than zero'},
        ),
        (
            {"resources": {"requests": {"storage": "-1Gi"}}},
            {"resources[storage]": 'Invalid value: "-1Gi": must be greater than zero'},
        ),
        ({"storageClassName": "", "volumeMode": "Block", "volumeName": "Any"}, {}),
        ({"storageClassName": "A"}, {"storageClassName": f'Invalid value: "A": {SUBDOMAIN}'}),
        (
            {"volumeAttributesClassName": "A"},
            {"volumeAttributesClassName": f'Invalid value: "A": {SUBDOMAIN}'},
        ),
        (
            {"volumeMode": ""},
            {"volumeMode": 'Unsupported value: "": supported values: "Block", "Filesystem"'},
        ),
        ({"selector": {"matchLabels": {"a": "b"}}}, {}),
        (
            {"selector": {"matchExpressions": [{"key": "a", "operator": "=="}]}},
            {
                "selector.matchExpressions[0].operator": 'Invalid value: "==": '
                "not a valid selector operator"
            },
        ),
    ],
)
def test_claims(spec: dict[str, Any], errors: Errors) -> None:
    assert wrong_with_claim(**spec) == errors


@pytest.mark.parametrize(
    ("spec", "errors"),
    [
        ({"dataSource": CLAIM}, {}),
        ({"dataSource": SNAPSHOT, "dataSourceRef": SNAPSHOT}, {}),
        ({"dataSourceRef": {**CLAIM, "namespace": "other"}}, {}),
        (
            {"dataSource": {"apiGroup": "acme.io"}},
            {"dataSource.kind": REQUIRED, "dataSource.name": REQUIRED},
        ),
        (
            {"dataSource": {"kind": "Book", "name": "a"}},
            {"dataSource": f'Invalid value: "Book": {DEFAULT_GROUP}'},
        ),
        (
            {"dataSourceRef": {**SNAPSHOT, "apiGroup": "A"}},
            {"dataSourceRef.apiGroup": f'Invalid value: "A": {SUBDOMAIN}'},
        ),
        (
            {"dataSourceRef": {**CLAIM, "namespace": "a.b"}},
            {"dataSourceRef.namespace": 'Invalid value: "a.b": must not contain dots'},
        ),
        (
            {"dataSource": CLAIM, "dataSourceRef": {**CLAIM, "name": "other"}},
            {"": "Invalid value: {}: must match dataSourceRef"},
        ),
        (
            {"dataSource": SNAPSHOT, "dataSourceRef": {**SNAPSHOT, "kind": "Other"}},
            {"": "Invalid value: {}: must match dataSourceRef"},
        ),
        (
            {"dataSource": SNAPSHOT, "dataSourceRef": {**SNAPSHOT, "apiGroup": "other"}},
            {"": "Invalid value: {}: must match dataSourceRef"},
        ),
        (
            {"dataSource": CLAIM, "dataSourceRef": SNAPSHOT},
            {"": "Invalid value: {}: must match dataSourceRef"},
        ),
        (
            {"dataSource": CLAIM, "dataSourceRef": {**CLAIM, "namespace": "other"}},
            {
                "": "Invalid value: {}: "
                "may not be specified when dataSourceRef.namespace is specified"
            },
        ),
    ],
)
def test_sources_of_data(spec: dict[str, Any], errors: Errors) -> None:
    assert wrong_with_claim(**spec) == errors


def test_older_releases_are_as_strict_as_they_were() -> None:
    one_pod = ephemeral(spec={**SPEC, "accessModes": ["ReadWriteOncePod"]})
    assert volume_errors(one_pod, at=server("1.27")) == {}
    assert volume_errors(one_pod, at=server("1.26")) != {}
    group = ephemeral(spec={**SPEC, "dataSource": {**SNAPSHOT, "apiGroup": "A"}})
    assert volume_errors(group, at=server("1.28")) == {}
    attributes = ephemeral(spec={**SPEC, "volumeAttributesClassName": "A"})
    assert volume_errors(attributes, at=server("1.35", {"VolumeAttributesClass": False})) == {}


def test_sizes_are_rounded_up_and_volumes_have_file_systems() -> None:
    spec = {**SPEC, "resources": {"requests": {"storage": "1.0001"}}}
    stored = stored_volume({"name": "v", **ephemeral(spec=spec)})
    template = stored["ephemeral"]["volumeClaimTemplate"]
    assert template["spec"]["resources"] == {"requests": {"storage": "1001m"}}
    assert template["spec"]["volumeMode"] == "Filesystem"
    assert template["metadata"] == {}
