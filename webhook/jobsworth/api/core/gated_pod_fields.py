"""The parts of a Pod that the server drops while a gate is off, where a declared field cannot say so.

Source: ``dropDisabledFields`` and the functions ``…InUse`` in ``pkg/api/pod``, Kubernetes 1.33 to 1.36.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer


Dropped = Iterator[tuple[str, str]]

_CONTAINERS = ("containers", "initContainers", "ephemeralContainers")


def drop_gated(
    pod: dict[str, Any], path: str, old_pod: dict[str, Any] | None, server: ApiServer
) -> Dropped:
    """Drop from a decoded PodSpec what the server drops, unless the stored one uses the same gate.

    Yields:
        The field path and the gate of each part.
    """
    if not server.enabled("ImageVolume") and not (old_pod and _has_images(old_pod)):
        yield from _drop_images(pod, path)
    # Releases before 1.34 reject the restart policy of a container.
    gate = "ContainerRestartRules"
    if server.minor >= 34 and not server.enabled(gate) and not (old_pod and _restarts(old_pod)):
        yield from _drop_restart_policies(pod, path)


def gates_in_use(gates: frozenset[str], pod: dict[str, Any]) -> frozenset[str]:
    """Return the gates that a stored Pod uses, of those whose fields it has."""
    return frozenset(gate for gate in gates if gate not in _USES or _USES[gate](pod))


def _drop_images(pod: dict[str, Any], path: str) -> Dropped:
    """Drop image volumes and their mounts (KEP-4639)."""
    dropped = {volume.get("name", "") for volume in pod.get("volumes", ()) if "image" in volume}
    if not dropped:
        return
    for index, volume in enumerate(pod["volumes"]):
        if "image" in volume:
            yield f"{path}.volumes[{index}]", "ImageVolume"
    _put(pod, "volumes", [volume for volume in pod["volumes"] if "image" not in volume])
    for field in _CONTAINERS:
        for container in pod.get(field, ()):
            mounts = container.get("volumeMounts", ())
            kept = [mount for mount in mounts if mount.get("name", "") not in dropped]
            _put(container, "volumeMounts", kept)


def _put(holder: dict[str, Any], field: str, items: list[dict[str, Any]]) -> None:
    if items:
        holder[field] = items
    else:
        holder.pop(field, None)


def _drop_restart_policies(pod: dict[str, Any], path: str) -> Dropped:
    """Drop the restart policies of containers, except those of sidecars (KEP-5307)."""
    for field in _CONTAINERS:
        for index, container in enumerate(pod.get(field, ())):
            if "restartPolicy" not in container:
                continue
            if field == "initContainers" and container["restartPolicy"] == "Always":
                continue
            del container["restartPolicy"]
            yield f"{path}.{field}[{index}].restartPolicy", "ContainerRestartRules"


def _has_images(pod: dict[str, Any]) -> bool:
    return any("image" in volume for volume in pod.get("volumes", ()))


def _restarts(pod: dict[str, Any]) -> bool:
    """Return True if a container has a restart policy; the rules of an app container do not count."""
    return any("restartPolicy" in container for container in pod.get("containers", ())) or any(
        container.get("restartPolicy", "Always") != "Always" or container.get("restartPolicyRules")
        for container in pod.get("initContainers", ())
    )


def _has_sidecars(pod: dict[str, Any]) -> bool:
    return any(
        container.get("restartPolicy") == "Always" for container in pod.get("initContainers", ())
    )


def _has_amounts(pod: dict[str, Any]) -> bool:
    resources = pod.get("resources", {})
    return bool(resources.get("limits") or resources.get("requests"))


_USES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "ContainerRestartRules": _restarts,
    "PodLevelResources": _has_amounts,
    "SidecarContainers": _has_sidecars,
}
"""The gates that a Pod can have fields of without using them."""
