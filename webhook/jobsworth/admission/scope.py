"""Which requests the webhook judges at all."""

from __future__ import annotations

from typing import Any

from jobsworth.admission.review import AdmissionRequest

KINDS = {"jobs": "Job", "cronjobs": "CronJob"}
"""The resources of ``batch/v1`` that are judged, and their kinds."""

_KEPT_BY_CONTROLLERS = frozenset({"finalizers", "managedFields", "resourceVersion", "generation"})
"""Metadata that an update may change without being an edit of anybody's."""


def is_judged(request: AdmissionRequest) -> bool:
    """Whether a request writes a Job or CronJob of ``batch/v1`` itself.

    Deletions, connections, subresources such as ``status``, and other kinds are none of our business.
    """
    group, version, resource = request.resource
    return (
        request.operation in ("CREATE", "UPDATE")
        and resource in KINDS
        and group == "batch"
        and version == "v1"
        and not request.subresource
    )


def spec_changed(request: AdmissionRequest) -> bool:
    """Whether the spec is new; it is not when a controller keeps its books on the object."""
    old = request.old_object
    return old is None or bool(_part(request, "spec") != old.get("spec"))


def metadata_changed(request: AdmissionRequest) -> bool:
    """Whether labels, annotations or another part of the metadata that people write is new."""
    if request.old_object is None:
        return True
    new, old = _part(request, "metadata"), request.old_object.get("metadata")
    return bool(new != old and _of_people(new) != _of_people(old))


def _part(request: AdmissionRequest, name: str) -> Any:
    return None if request.object is None else request.object.get(name)


def _of_people(metadata: Any) -> Any:
    if not isinstance(metadata, dict):
        return metadata
    return {key: value for key, value in metadata.items() if key not in _KEPT_BY_CONTROLLERS}
