"""Pods with volumes, their errors, and their stored form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.validation.engine_errors import defaulted_pod, pod_errors

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

Errors = dict[str, str]
"""The errors of each field, relative to the Pod or the volume; several messages are sorted."""


def volume_errors(source: dict[str, Any], *, at: ApiServer | None = None) -> Errors:
    """Return the errors of a volume with this source; paths start at the volume."""
    found = pod_spec_errors({"volumes": [{"name": "data", **source}]}, at=at)
    prefix = "volumes[0]"
    return {field.removeprefix(prefix).removeprefix("."): found[field] for field in found}


def pod_spec_errors(pod: dict[str, Any], *, at: ApiServer | None = None) -> Errors:
    """Return the errors of a Job with this Pod; paths start at the PodSpec."""
    found: Errors = {}
    for field, message in sorted(pod_errors(pod, at=at)):
        found[field] = f"{found[field]}; {message}" if field in found else message
    return found


def stored_volume(volume: dict[str, Any]) -> dict[str, Any]:
    """Return a volume as the server stores it."""
    (stored,) = defaulted_pod({"volumes": [volume]})["volumes"]
    assert isinstance(stored, dict)
    return stored
