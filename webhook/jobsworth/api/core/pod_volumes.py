"""Rules on the volumes of a Pod as a whole: unique names, and the mountable volumes.

Source: ``ValidateVolumes`` in ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.pod_template import PodSpec
from jobsworth.api.field_errors import FieldError, duplicate
from jobsworth.api.validation_request import Request


@PodSpec.rule_about("volumes")
def _surplus_sessions(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Validate the iSCSI session name, the API server's only check of a surplus source."""
    for index, volume in enumerate(pod["volumes"]):
        if "iscsi" in volume:
            from jobsworth.api.core.volume import check_session_name  # imported late, like its type

            yield from check_session_name(volume, f"{path}.volumes[{index}]")


@PodSpec.rule_about("volumes")
def _names_are_unique(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    volumes = pod["volumes"]
    if len({volume.get("name", "") for volume in volumes}) == len(volumes):
        return
    valid = valid_volumes(pod, path, request)
    taken = set()
    for index, volume in enumerate(volumes):
        name = volume.get("name", "")
        if name in taken:
            yield duplicate(f"{path}.volumes[{index}].name", name)
        elif valid.get(name) is volume:
            taken.add(name)


def valid_volumes(pod: dict[str, Any], path: str, request: Request) -> dict[str, dict[str, Any]]:
    """Return the valid volumes by name; the API server treats the others as missing.

    Args:
        pod: a decoded PodSpec, whose volumes are already validated.
        path: its field path.
        request: the request with the errors so far.
    """
    start = f"{path}.volumes["
    invalid_indexes = {
        error.field[len(start) :].partition("]")[0]
        for error in request.errors
        if error.field.startswith(start)
    }
    valid: dict[str, dict[str, Any]] = {}
    for index, volume in enumerate(pod.get("volumes", ())):
        if not invalid_indexes or str(index) not in invalid_indexes:
            valid.setdefault(volume.get("name", ""), volume)
    return valid
