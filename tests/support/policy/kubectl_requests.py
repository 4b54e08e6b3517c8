"""Objects as they reach a mutating webhook: with the server's defaults, and the traces of who wrote what."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

from jobsworth.policy.request import PolicyRequest
from support.policy.policy_requests import SERVER, of_manifest

WAYS = ("file", "apply", "server-side apply", "create")
"""A file on the command line; the three ways in which kubectl sends one."""


def kubectl_request(
    value: dict[str, Any], way: str, old: dict[str, Any] | None = None
) -> PolicyRequest:
    """The request that a manifest becomes."""
    request = of_manifest(value, SERVER, old=old)
    if way == "file":
        return request
    sent = copy.deepcopy(request.object)
    metadata = sent["metadata"]
    if way == "apply":
        applied = json.dumps(value)
        metadata.setdefault("annotations", {})[
            "kubectl.kubernetes.io/last-applied-configuration"
        ] = applied
    written = value if way == "server-side apply" else sent
    metadata["managedFields"] = [
        {
            "manager": "kubectl",
            "operation": "Apply" if way == "server-side apply" else "Update",
            "apiVersion": "batch/v1",
            "fieldsType": "FieldsV1",
            "fieldsV1": {f"f:{part}": _fields(written[part]) for part in ("metadata", "spec")},
        }
    ]
    return replace(request, object=sent, manifest=None)


def _fields(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    return {".": {}, **{f"f:{name}": _fields(part) for name, part in value.items()}}
