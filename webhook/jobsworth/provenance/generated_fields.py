"""Generated fields: values beside defaults that the API server adds to an object, and their removal.

The server writes a UID, timestamps and managed fields into the metadata, and generates the selector of a Job
with its labels. A manifest has none of them, so the validation engine and the lint rules, which check what a
client sends, need an object without them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from jobsworth.api.batch.job import CONTROLLER_UID_LABEL, GENERATED_LABELS, generated_labels
from jobsworth.api.meta.object_meta import IGNORED_METADATA

SERVER_METADATA = (
    *IGNORED_METADATA,
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "resourceVersion",
)
"""Metadata that the server writes and does not accept from clients."""


def came_from_a_server(value: dict[str, Any]) -> bool:
    """Return True if an API server has stored or admitted an object, so that it has defaults."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return False
    spec = value.get("spec")
    template = _at(spec, "jobTemplate", "spec", "template") or _at(spec, "template")
    return isinstance(template, dict) and (
        "managedFields" in metadata or ("uid" in metadata and "creationTimestamp" in metadata)
    )


def strip_generated(stored: dict[str, Any]) -> dict[str, Any]:
    """Return a stored object as a client could create it: without status and generated fields.

    Unchanged parts are shared with the argument, which is not modified.
    """
    meta = _without(stored.get("metadata") or {}, SERVER_METADATA)
    manifest = {**_without(stored, ("status",)), "metadata": meta}
    spec = stored.get("spec")
    if stored.get("kind") != "Job" or not isinstance(spec, dict) or spec.get("manualSelector"):
        return manifest
    # Without manualSelector, the server generates these labels and the selector for every new Job.
    if isinstance(meta.get("labels"), dict):
        meta["labels"] = _without(meta["labels"], GENERATED_LABELS)
    manifest["spec"] = _without_selector(spec)
    return manifest


def as_created(value: Any) -> Any:
    """Return an object that was read from a cluster as a client could create it, and any other as it is."""
    if isinstance(value, dict) and came_from_a_server(value):
        return strip_generated(value)
    return value


def strip_admitted(job: dict[str, Any]) -> dict[str, Any]:
    """Return a Job that is about to be created without the selector and labels generated for it.

    A validating webhook sees a Job with what the server generated between mutation and validation. A Job
    that a client exported from a cluster looks the same but for its resourceVersion; the server rejects
    that one, because it gives it another UID, so it stays as it is. Seen on Kubernetes 1.36.
    """
    spec, metadata = job.get("spec"), job.get("metadata")
    if job.get("kind") != "Job" or not isinstance(spec, dict) or not isinstance(metadata, dict):
        return job
    uid = metadata.get("uid")
    if not uid or spec.get("manualSelector") or "resourceVersion" in metadata:
        return job
    if spec.get("selector") != {"matchLabels": {CONTROLLER_UID_LABEL: uid}}:
        return job
    labels = _at(spec, "template", "metadata", "labels")
    if not isinstance(labels, dict):
        return job
    generated = generated_labels({"metadata": metadata})
    if any(labels.get(label) != generated[label] for label in GENERATED_LABELS):
        return job
    return {**job, "spec": _without_selector(spec)}


def _without_selector(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a JobSpec without its selector and without the generated labels of its template."""
    bare = _without(spec, ("selector",))
    labels = _at(spec, "template", "metadata", "labels")
    if isinstance(labels, dict):
        template = spec["template"]
        own = {**template["metadata"], "labels": _without(labels, GENERATED_LABELS)}
        bare["template"] = {**template, "metadata": own}
    return bare


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def _without(mapping: dict[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name not in names}
