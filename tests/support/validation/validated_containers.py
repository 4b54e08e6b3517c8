"""The engine's findings for one container, in a short form for tables of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.validation.engine_errors import defaulted_pod
from support.validation.validated_volumes import Errors, pod_spec_errors

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

__all__ = [
    "INIT",
    "MAIN",
    "SIDECAR",
    "Errors",
    "container_errors",
    "init_container_errors",
    "stored_container",
]

MAIN = {"name": "main", "image": "busybox:1.36"}
INIT = {"name": "init", "image": "busybox:1.36"}
SIDECAR = {**INIT, "restartPolicy": "Always"}


def container_errors(
    container: dict[str, Any], *, at: ApiServer | None = None, **pod: Any
) -> Errors:
    """Return the errors of a Pod whose only container has these fields; paths start at the container."""
    return _errors_below("containers[0].", {"containers": [{**MAIN, **container}], **pod}, at)


def init_container_errors(
    container: dict[str, Any], *, at: ApiServer | None = None, **pod: Any
) -> Errors:
    """Return the errors of a Pod with this init container; paths start at the init container."""
    return _errors_below("initContainers[0].", {"initContainers": [container], **pod}, at)


def _errors_below(start: str, pod: dict[str, Any], at: ApiServer | None) -> Errors:
    found = pod_spec_errors({"restartPolicy": "OnFailure", **pod}, at=at)
    return {field.removeprefix(start): found[field] for field in found}


def stored_container(container: dict[str, Any], *, at: ApiServer | None = None) -> dict[str, Any]:
    """Return a container as the server stores it."""
    (stored,) = defaulted_pod({"containers": [{**MAIN, **container}]}, at=at)["containers"]
    assert isinstance(stored, dict)
    return stored
