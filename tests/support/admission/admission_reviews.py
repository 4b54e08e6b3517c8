"""AdmissionReview requests and responses."""

from __future__ import annotations

import base64
import json
from typing import Any

import jsonpatch

RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}
UID = "705ab4f5-6393-11e8-b7cc-42010a800002"


def review(
    value: dict[str, Any] | None,
    old: dict[str, Any] | None = None,
    *,
    kind: str | None = None,
    operation: str | None = None,
    uid: str = UID,
    user: str = "developer",
    **fields: Any,
) -> dict[str, Any]:
    """Return an AdmissionReview for a create, or for an update if there is an old object."""
    shown = value or old or {}
    kind = kind or shown.get("kind") or "Job"
    metadata = shown.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    request = {
        "uid": uid,
        "kind": {"group": "batch", "version": "v1", "kind": kind},
        "resource": {"group": "batch", "version": "v1", "resource": RESOURCES.get(kind, "others")},
        "operation": operation or ("CREATE" if old is None else "UPDATE"),
        "userInfo": {"username": user, "groups": ["system:authenticated"]},
        "object": value,
        "oldObject": old,
        "dryRun": False,
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "CreateOptions"},
        **{
            key: found
            for key in ("name", "namespace")
            if isinstance(found := metadata.get(key), str)
        },
        **fields,
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def body_of(*arguments: Any, **fields: Any) -> bytes:
    """Return the AdmissionReview as the body of an HTTP request."""
    return json.dumps(review(*arguments, **fields)).encode()


def response_of(body: bytes) -> dict[str, Any]:
    """Return the response in an AdmissionReview."""
    answer = json.loads(body)
    assert answer["apiVersion"] == "admission.k8s.io/v1"
    assert answer["kind"] == "AdmissionReview"
    response: dict[str, Any] = answer["response"]
    return response


def operations_of(response: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the patch in a response; empty without one."""
    if "patch" not in response:
        return []
    assert response["patchType"] == "JSONPatch"
    operations: list[dict[str, Any]] = json.loads(base64.b64decode(response["patch"]))
    return operations


def patched(value: Any, operations: list[dict[str, Any]]) -> Any:
    """Apply a patch with an independent library."""
    return jsonpatch.apply_patch(value, operations)


def as_an_api_server_sends(value: dict[str, Any], uid: str) -> dict[str, Any]:
    """A new Job with what the server generates between mutation and validation."""
    metadata = {
        **value["metadata"],
        "uid": uid,
        "generation": 1,
        "creationTimestamp": "2026-11-21T10:00:00Z",
    }
    spec = dict(value["spec"])
    if value["kind"] == "Job" and not spec.get("manualSelector") and "selector" not in spec:
        name = metadata.get("name", "")
        generated = {
            "batch.kubernetes.io/controller-uid": uid,
            "batch.kubernetes.io/job-name": name,
            "controller-uid": uid,
            "job-name": name,
        }
        template = dict(spec["template"])
        meta = dict(template.get("metadata") or {})
        meta["labels"] = {**generated, **(meta.get("labels") or {})}
        template["metadata"] = meta
        spec["template"] = template
        spec["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    return {**value, "metadata": metadata, "spec": spec}
