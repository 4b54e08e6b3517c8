"""Field owners, as far as an object shows them."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.provenance.field_ownership import (
    LAST_APPLIED,
    field_ownership,
    is_set_by_manifest,
)
from support.policy.policy_requests import job

APPLIED = {
    "manager": "kubectl",
    "operation": "Apply",
    "fieldsV1": {
        "f:metadata": {"f:labels": {"f:example.com/team": {}}},
        "f:spec": {
            "f:backoffLimit": {},
            "f:template": {
                "f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, "f:image": {}}}}
            },
        },
    },
}
CREATED = {"manager": "kubectl-create", "operation": "Update", "fieldsV1": APPLIED["fieldsV1"]}
STATUS = {**APPLIED, "subresource": "status"}


def stored(*entries: Any, **annotations: str) -> dict[str, Any]:
    value: dict[str, Any] = job(backoffLimit=6)
    if entries:
        value["metadata"]["managedFields"] = list(entries)
    if annotations:
        value["metadata"]["annotations"] = {LAST_APPLIED: annotations["manifest"]}
    return value


@pytest.mark.parametrize(
    ("value", "steps", "known", "expected"),
    [
        (stored(), ("spec", "backoffLimit"), True, True),
        (stored(), ("spec", "suspend"), True, False),
        (stored(APPLIED), ("spec", "backoffLimit"), True, True),
        (stored(APPLIED), ("spec", "suspend"), True, False),
        (stored(APPLIED), ("spec",), True, True),
        (stored(APPLIED), ("metadata", "labels", "example.com/team"), True, True),
        (stored(APPLIED), ("spec", "backoffLimit", "deeper"), True, False),
        (stored(CREATED), ("spec", "backoffLimit"), False, False),
        (stored(STATUS), ("spec", "backoffLimit"), False, False),
        (stored(CREATED, APPLIED), ("spec", "suspend"), True, False),
        (
            stored(CREATED, manifest='{"spec": {"suspend": false, "backoffLimit": null}}'),
            ("spec", "suspend"),
            True,
            True,
        ),
        (
            stored(CREATED, manifest='{"spec": {"suspend": false, "backoffLimit": null}}'),
            ("spec", "backoffLimit"),
            True,
            False,
        ),
        (stored(CREATED, manifest="no JSON"), ("spec", "backoffLimit"), False, False),
        (stored(CREATED, manifest="[" * 100_000), ("spec", "backoffLimit"), False, False),
        (stored(CREATED, manifest="[]"), ("spec", "backoffLimit"), False, False),
        (stored("nonsense", {"operation": "Apply"}), ("spec", "backoffLimit"), False, False),
    ],
)
def test_fields_that_were_written(
    value: Any, steps: tuple[str, ...], known: bool, expected: bool
) -> None:
    found = field_ownership(value)
    assert (found.known, found.has(steps)) == (known, expected)


@pytest.mark.parametrize("mark", [{"uid": "1"}, {"resourceVersion": "1"}])
def test_an_object_from_a_server_without_managed_fields_shows_nothing(mark: dict[str, str]) -> None:
    assert not field_ownership(job(metadata=mark)).known


@pytest.mark.parametrize(
    ("operation", "fields", "expected"),
    [
        ("Apply", {"spec": {"suspend": {}, "template": {"spec": {"containers": {}}}}}, True),
        ("Apply", {"spec": {"suspend": {}}}, False),
        ("Apply", {"spec": {"template": {"spec": {"containers": {}}}}}, False),
        (
            "Update",
            {"spec": {"suspend": {}}, "metadata": {"annotations": {LAST_APPLIED: {}}}},
            True,
        ),
        ("Update", {"spec": {"suspend": {}, "template": {"spec": {"containers": {}}}}}, False),
        ("Update", {"metadata": {"annotations": {LAST_APPLIED: {}}}}, False),
        ("", {"spec": {"suspend": {}}}, False),
    ],
)
def test_a_field_is_set_by_a_manifest_if_its_manager_applies_the_whole_job(
    operation: str, fields: dict[str, Any], expected: bool
) -> None:
    entry = {"operation": operation, "fieldsType": "FieldsV1", "fieldsV1": prefixed(fields)}
    value = {"metadata": {"managedFields": [{"operation": "Update"}, None, entry]}}
    assert is_set_by_manifest(value, ("spec", "suspend")) is expected
    entry["subresource"] = "status"
    assert not is_set_by_manifest(value, ("spec", "suspend"))


def prefixed(fields: dict[str, Any]) -> dict[str, Any]:
    """A field set in the format of ``managedFields``."""
    return {f"f:{name}": prefixed(part) for name, part in fields.items()}
