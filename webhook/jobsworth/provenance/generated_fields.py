"""Objects as they were before the server put its own into them, and with its defaults where they lack.

A validating webhook sees a Job with the UID, the selector and the labels that the server generated
between mutation and validation; a manifest has none of them. The engine judges manifests, and generates
what a server would: what was generated already must be taken out first. A Job that was exported from a
cluster and sent anew looks the same, but for its resourceVersion; the server refuses that one, since it
gives it another UID.
"""

from __future__ import annotations

from jobsworth.api.batch.job import CONTROLLER_UID_LABEL, GENERATED_LABELS, generated_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

IGNORED_METADATA = ("uid", "creationTimestamp", "generation", "selfLink", "managedFields")
"""Metadata that the server overwrites on create."""


def without_generated(job: dict[str, Any]) -> dict[str, Any]:
    """A new Job without the selector and the labels that the server generated; others as they are.

    The argument stays as it is; what does not differ is shared with it.
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
    own = {label: value for label, value in labels.items() if label not in generated}
    template = spec["template"]
    template = {**template, "metadata": {**template["metadata"], "labels": own}}
    kept = {key: value for key, value in spec.items() if key != "selector"}
    return {**job, "spec": {**kept, "template": template}}


def came_from_a_server(value: dict[str, Any]) -> bool:
    """Whether an object has been through an API server, so that its defaults are filled in."""
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return False
    spec = value.get("spec")
    template = _at(spec, "jobTemplate", "spec", "template") or _at(spec, "template")
    return isinstance(template, dict) and (
        "managedFields" in metadata or ("uid" in metadata and "creationTimestamp" in metadata)
    )


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value
