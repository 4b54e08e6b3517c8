"""Methods to apply a manifest, each with the records of field ownership that it leaves.

A file has none, and a client wrote all of it. See :mod:`jobsworth.provenance.field_ownership`.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from jobsworth.provenance.field_ownership import LAST_APPLIED

ApplyMethod = Literal["a file", "kubectl apply", "kubectl apply --server-side", "kubectl create"]

PLAIN_CREATE: Final = "kubectl create"
APPLY_METHODS: tuple[ApplyMethod, ...] = (
    "a file",
    "kubectl apply",
    "kubectl apply --server-side",
    PLAIN_CREATE,
)


def as_written(manifest: dict[str, Any], method: ApplyMethod) -> dict[str, Any]:
    """Return a manifest with the records that an apply method leaves; the manifest is not modified."""
    if method == "a file":
        return manifest
    operation, fields = "Update", {}
    records: dict[str, Any] = {}
    if method == "kubectl apply":
        import json  # seldom needed, and slow to import

        annotations = (manifest.get("metadata") or {}).get("annotations") or {}
        records["annotations"] = {**annotations, LAST_APPLIED: json.dumps(manifest)}
    elif method == "kubectl apply --server-side":
        operation, fields = "Apply", _field_set(manifest)
    records["managedFields"] = [
        {"operation": operation, "fieldsType": "FieldsV1", "fieldsV1": fields}
    ]
    return {**manifest, "metadata": {**(manifest.get("metadata") or {}), **records}}


def _field_set(value: Any) -> dict[str, Any]:
    """Return the fields of a value in the ``FieldsV1`` format, without the items of lists."""
    if not isinstance(value, dict):
        return {}
    return {f"f:{name}": _field_set(part) for name, part in value.items() if part is not None}
