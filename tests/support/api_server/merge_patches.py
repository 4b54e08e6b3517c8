"""Patches, as far as a Job controller sends them: JSON merge patches, and strategic ones of metadata."""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]
DELETIONS = "$deleteFromPrimitiveList/"


def merged(value: Object, patch: Object) -> Object:
    """A JSON merge patch (RFC 7396)."""
    result = dict(value)
    for key, part in patch.items():
        if part is None:
            result.pop(key, None)
        elif isinstance(part, dict):
            below = result.get(key)
            result[key] = merged(below if isinstance(below, dict) else {}, part)
        else:
            result[key] = part
    return result


def strategically_merged(value: Object, patch: Object) -> Object:
    """A strategic merge patch: lists of finalizers and owner references are merged, not replaced."""
    metadata = dict(patch.get("metadata") or {})
    present = value.get("metadata") or {}
    gone = metadata.pop(DELETIONS + "finalizers", ())
    if gone or "finalizers" in metadata:
        finalizers = [name for name in present.get("finalizers") or () if name not in gone]
        added = [name for name in metadata.get("finalizers", ()) if name not in finalizers]
        metadata["finalizers"] = [*finalizers, *added]
    if "ownerReferences" in metadata:
        owners = {owner["uid"]: owner for owner in present.get("ownerReferences") or ()}
        for owner in metadata["ownerReferences"]:
            if owner.get("$patch") == "delete":
                owners.pop(owner["uid"], None)
            else:
                owners[owner["uid"]] = {**owners.get(owner["uid"], {}), **owner}
        metadata["ownerReferences"] = list(owners.values())
    return merged(value, {**patch, "metadata": metadata})
