"""An AdmissionReview to try the webhook with, in the form in which an API server sends one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import CONTROLLER_UID_LABEL, generated_labels
from jobsworth.validation.engine import engine_for

if TYPE_CHECKING:
    from typing import Any

UID = "00000000-0000-4000-8000-000000000001"
MANAGER = "kubectl-create"
CREATED = "2027-01-01T00:00:00Z"

_WRITTEN: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "example", "namespace": "default"},
    "spec": {
        "backoffLimitPerIndex": 1,
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [{"name": "main", "image": "busybox:1.36"}],
            }
        },
    },
}
"""An invalid Job, for an answer with findings: an API server rejects it before it calls /validate."""


def example_review() -> str:
    """Return the AdmissionReview of an invalid Job as JSON, to be edited.

    It has what a validating webhook gets after ``kubectl create``: the defaults, the generated UID, selector
    and labels, ``managedFields``, and the options of the request (``admission.k8s.io/v1``, Kubernetes 1.36).
    """
    kind = {"group": "batch", "version": "v1", "kind": "Job"}
    resource = {"group": "batch", "version": "v1", "resource": "jobs"}
    review = {
        "kind": "AdmissionReview",
        "apiVersion": "admission.k8s.io/v1",
        "request": {
            "uid": UID,
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            "name": "example",
            "namespace": "default",
            "operation": "CREATE",
            "userInfo": {"username": "developer", "groups": ["system:authenticated"]},
            "object": _stored_job(),
            "oldObject": None,
            "dryRun": False,
            "options": {
                "kind": "CreateOptions",
                "apiVersion": "meta.k8s.io/v1",
                "fieldManager": MANAGER,
                "fieldValidation": "Strict",
            },
        },
    }
    return json.dumps(review, indent=2) + "\n"


def _stored_job() -> dict[str, Any]:
    job = engine_for(ApiServer()).default(_WRITTEN)
    job["metadata"] |= {"uid": UID, "generation": 1, "creationTimestamp": CREATED}
    labels = generated_labels(job)
    job["metadata"]["labels"] = labels
    fields = _fields_of({"spec": job["spec"]})
    job["metadata"]["managedFields"] = [
        {
            "manager": MANAGER,
            "operation": "Update",
            "apiVersion": "batch/v1",
            "time": CREATED,
            "fieldsType": "FieldsV1",
            "fieldsV1": fields,
        }
    ]
    # The server generates these after it has recorded the fields of the client.
    job["spec"]["selector"] = {"matchLabels": {CONTROLLER_UID_LABEL: UID}}
    job["spec"]["template"]["metadata"]["labels"] = labels
    job["status"] = {}
    return job


def _fields_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an object as ``fieldsV1``, with containers by their names."""
    found: dict[str, Any] = {}
    for name, part in value.items():
        if name == "containers":
            found["f:containers"] = {
                f'k:{{"name":"{each["name"]}"}}': {".": {}, **_fields_of(each)} for each in part
            }
        elif isinstance(part, dict):
            inner = _fields_of(part)
            if inner or not part:
                found[f"f:{name}"] = inner
        else:
            found[f"f:{name}"] = {}
    return found
