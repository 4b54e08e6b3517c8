"""Select the requests that the webhook reviews."""

from __future__ import annotations

from typing import Any

from jobsworth.admission.review import AdmissionRequest

KINDS = {"jobs": "Job", "cronjobs": "CronJob"}
"""The kinds that the webhook reviews, by resource of ``batch/v1``."""

_KEPT_BY_CONTROLLERS = frozenset({"finalizers", "managedFields", "resourceVersion", "generation"})
"""Metadata that controllers and the API server change; a change of it is not an edit by a user."""


def is_in_scope(request: AdmissionRequest) -> bool:
    """Return True for a CREATE or UPDATE of a Job or CronJob of ``batch/v1``.

    DELETE, CONNECT, subresources such as ``status``, and other kinds are out of scope.
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
    """Return True unless an update leaves the spec unchanged, as updates by controllers do."""
    old = request.old_object
    return old is None or bool(_part(request, "spec") != old.get("spec"))


def metadata_changed(request: AdmissionRequest) -> bool:
    """Return True if labels, annotations or other metadata that users write is new or changed."""
    if request.old_object is None:
        return True
    new, old = _part(request, "metadata"), request.old_object.get("metadata")
    return bool(new != old and _written_by_users(new) != _written_by_users(old))


def _part(request: AdmissionRequest, name: str) -> Any:
    return None if request.object is None else request.object.get(name)


def _written_by_users(metadata: Any) -> Any:
    if not isinstance(metadata, dict):
        return metadata
    return {key: value for key, value in metadata.items() if key not in _KEPT_BY_CONTROLLERS}
