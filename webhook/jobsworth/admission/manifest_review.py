"""AdmissionReviews of manifests, in the form in which an API server sends them."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from jobsworth.admission.review import API_VERSION, KIND
from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import CONTROLLER_UID_LABEL, generated_labels
from jobsworth.api.list_types import LIST_MAPS
from jobsworth.validation.engine import engine_for

_ALWAYS_THERE = ("metadata", "spec", "template", "jobTemplate", "containers")
"""The fields of an object that also an empty one has, so that no client adds them."""
_ATOMIC = (
    "nodeSelector", "selector", "labelSelector", "fieldRef", "resourceFieldRef", "configMapKeyRef",
    "secretKeyRef",
)  # fmt: skip
"""The maps that one client owns as a whole."""

UID = "00000000-0000-4000-8000-000000000001"
CREATED = "2027-01-01T00:00:00Z"
SUFFIX = "x7k2p"
"""The end of a name that the API server generates from generateName."""

USER = "developer"
AUTHENTICATED = "system:authenticated"
_CLIENTS = {"CREATE": "kubectl-create", "UPDATE": "kubectl-replace"}
"""The field manager of a client, by operation."""

_WRITTEN = ("generateName", "labels", "annotations")
"""The fields of the metadata that managedFields have, of those that users write often."""

_LIST_KEYS = {field: keys for (_, field), keys in LIST_MAPS.items()}
"""The keys of the items of a list, where managedFields have the items; other lists are atomic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewInput:
    """A manifest, and the request that sends it.

    Attributes:
        value: a Job or CronJob.
        old: the manifest of the object that it updates; None to create it.
        namespace: of a manifest without one; empty for ``default``.
        user: the user; None for a developer.
        groups: the user's groups; an API server adds ``system:authenticated``.
        mutating: True for the review of a mutating webhook, which sees the object before the API server
            generates its UID, selector and labels.
    """

    value: Any
    old: Any = None
    namespace: str = ""
    user: str | None = None
    groups: tuple[str, ...] = ()
    mutating: bool = False


def admission_review(sent: ReviewInput, server: ApiServer) -> dict[str, Any]:
    """Return the AdmissionReview that an API server sends to a webhook.

    It has the defaults, ``managedFields``, and the options of the request; for a validating webhook also the
    generated UID, selector and labels (``admission.k8s.io/v1``, Kubernetes 1.36).

    Raises:
        UnknownKind: the manifest is not a Job or CronJob.
        CannotDecode: the API server cannot decode it.
    """
    operation = "CREATE" if sent.old is None else "UPDATE"
    # On an update, the object has what the server generated when it was created.
    generated = operation == "UPDATE" or not sent.mutating
    value = _served(sent.value, sent, server, operation, generated=generated)
    old = None
    if sent.old is not None:
        old = _served(sent.old, sent, server, "CREATE", generated=True)
    kind = {"group": "batch", "version": "v1", "kind": value["kind"]}
    resource = {"group": "batch", "version": "v1", "resource": f"{value['kind'].lower()}s"}
    return {
        "kind": KIND,
        "apiVersion": API_VERSION,
        "request": {
            "uid": UID,
            "kind": kind,
            "resource": resource,
            "requestKind": kind,
            "requestResource": resource,
            **({"name": name} if (name := value["metadata"].get("name")) else {}),
            "namespace": value["metadata"]["namespace"],
            "operation": operation,
            "userInfo": {
                "username": sent.user or USER,
                "groups": list(dict.fromkeys((*sent.groups, AUTHENTICATED))),
            },
            "object": value,
            "oldObject": old,
            "dryRun": False,
            "options": {
                "kind": "CreateOptions" if operation == "CREATE" else "UpdateOptions",
                "apiVersion": "meta.k8s.io/v1",
                "fieldManager": _CLIENTS[operation],
                "fieldValidation": "Strict",
            },
        },
    }


def _served(
    manifest: Any, sent: ReviewInput, server: ApiServer, operation: str, *, generated: bool
) -> dict[str, Any]:
    """Return the object of a manifest as a webhook receives it."""
    value: dict[str, Any] = engine_for(server).default(deepcopy(manifest))
    metadata: dict[str, Any] = value["metadata"]
    metadata.setdefault("namespace", sent.namespace or "default")
    if generated:
        if "generateName" in metadata:
            metadata.setdefault("name", f"{metadata['generateName']}{SUFFIX}")
        metadata |= {"uid": UID, "generation": 1, "creationTimestamp": CREATED}
    written = {
        "metadata": {part: metadata[part] for part in _WRITTEN if part in metadata},
        "spec": value["spec"],
    }
    # The server records the fields of the client before it generates some itself.
    metadata["managedFields"] = [
        {
            "manager": _CLIENTS[operation],
            "operation": "Update",
            "apiVersion": "batch/v1",
            "time": CREATED,
            "fieldsType": "FieldsV1",
            "fieldsV1": _fields_of(written),
        }
    ]
    if generated and value["kind"] == "Job" and not value["spec"].get("manualSelector"):
        _generate_selector(value)
        if sent.old is not None:
            # When the server reads a Job, one without labels gets those of its Pods.
            metadata.setdefault("labels", dict(value["spec"]["template"]["metadata"]["labels"]))
    value["status"] = {}
    return value


def _generate_selector(job: dict[str, Any]) -> None:
    """Set the selector of a Job and the labels of its Pods, as the API server does."""
    template: dict[str, Any] = job["spec"]["template"].setdefault("metadata", {})
    template["labels"] = {**(template.get("labels") or {}), **generated_labels(job)}
    job["spec"]["selector"] = {"matchLabels": {CONTROLLER_UID_LABEL: UID}}


def _fields_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of an object as ``fieldsV1``: a new map or list has its own entry, a dot."""
    found: dict[str, Any] = {}
    for name, part in value.items():
        keys = _LIST_KEYS.get(name)
        if isinstance(part, list) and keys is not None:
            inner = {_key_of(each, keys): {".": {}, **_fields_of(each)} for each in part}
        elif isinstance(part, dict) and name not in _ATOMIC:
            inner = _fields_of(part)
        else:
            found[f"f:{name}"] = {}
            continue
        if name not in _ALWAYS_THERE:
            found[f"f:{name}"] = {".": {}, **inner} if inner else {}
        elif inner:
            found[f"f:{name}"] = inner
    return found


def _key_of(item: dict[str, Any], keys: tuple[str, ...]) -> str:
    named = {key: item.get(key) for key in keys}
    return f"k:{json.dumps(named, separators=(',', ':'))}"
