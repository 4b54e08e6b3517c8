"""Rules on several containers of a Pod, and on containers and the rest of their Pod.

Source: ``validateContainers``, ``validateInitContainers``, ``validateEphemeralContainers`` and
``validatePodHostNetworkDeps`` in ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.container import is_sidecar
from jobsworth.api.core.pod_template import PodSpec
from jobsworth.api.core.pod_volumes import valid_volumes
from jobsworth.api.core.resources import ClaimedNames, check_claims, check_resize_policies
from jobsworth.api.core.volume_mounts import check_devices, check_mounts
from jobsworth.api.field_errors import FieldError, duplicate, forbidden, invalid, not_found
from jobsworth.api.validation_request import Request

KINDS = ("containers", "initContainers", "ephemeralContainers")


def _containers(pod: dict[str, Any], path: str) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield every container of a Pod: (name of the Pod's field, container, field path)."""
    for kind in KINDS:
        for index, container in enumerate(pod.get(kind, ())):
            yield kind, container, f"{path}.{kind}[{index}]"


@PodSpec.defaulter
def _host_ports(pod: dict[str, Any], request: Request) -> None:
    """Default the host ports of hostNetwork templates, as servers do until 1.27."""
    if request.server.minor >= 28 or not pod.get("hostNetwork"):
        return
    for container in (*pod.get("containers", ()), *pod.get("initContainers", ())):
        for port in container.get("ports", ()):
            if "hostPort" not in port and "containerPort" in port:
                port["hostPort"] = port["containerPort"]


@PodSpec.rule
def _names(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    taken: set[str] = set()
    for kind in KINDS:
        for index, container in enumerate(pod.get(kind, ())):
            name = container.get("name", "")
            if name in taken or (not name and _follows_unnamed(kind, pod)):
                yield duplicate(f"{path}.{kind}[{index}].name", name)
            elif name or kind != "initContainers":
                taken.add(name)


def _follows_unnamed(kind: str, pod: dict[str, Any]) -> bool:
    """Return True if the server compares this container with unnamed init containers."""
    return kind == "ephemeralContainers" and any(
        "name" not in container for container in pod.get("initContainers", ())
    )


@PodSpec.rule_about("ephemeralContainers")
def _no_ephemeral(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    detail = "ephemeral containers not allowed in pod template"
    yield forbidden(f"{path}.ephemeralContainers", detail)


@PodSpec.rule_about("ephemeralContainers")
def _targets_of_ephemeral(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    at = f"{path}.ephemeralContainers"
    names = {
        container.get("name", "")
        for field in ("containers", "initContainers")
        for container in pod.get(field, ())
    }
    for index, container in enumerate(pod["ephemeralContainers"]):
        target = container.get("targetContainerName", "")
        if target and target not in names:
            yield not_found(f"{at}[{index}].targetContainerName", target)


@PodSpec.rule
def _ports_on_the_node(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    from jobsworth.api.core import ports as port_checks

    taken: set[str] = set()
    for index, container in enumerate(pod.get("containers", ())):
        if "ports" in container:
            at = f"{path}.containers[{index}].ports"
            yield from port_checks.check_host_ports(container["ports"], at, taken)
            if pod.get("hostNetwork"):
                yield from _check_same_ports(container["ports"], at)
    for container in pod.get("initContainers", ()):
        if "ports" in container:
            # Init containers run one by one; the API server reports each as index 0.
            at = f"{path}.initContainers[0].ports"
            yield from port_checks.check_host_ports(container["ports"], at, set())


def _check_same_ports(ports: list[dict[str, Any]], path: str) -> Iterator[FieldError]:
    for index, port in enumerate(ports):
        if "hostPort" in port and port["hostPort"] != port.get("containerPort", 0):
            yield invalid(
                f"{path}[{index}].hostPort",
                port["hostPort"],
                "must match `containerPort` when `hostNetwork` is true",
            )


_DEPENDENT_PARTS = frozenset(("env", "lifecycle", "resizePolicy"))
"""The fields of a container that :func:`_parts_of_containers` validates, beside its claims."""


@PodSpec.rule
def _parts_of_containers(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Validate the fields of containers that depend on the Pod: claims, files, resizing, lifecycle."""
    from jobsworth.api.core import environment

    if all(
        _DEPENDENT_PARTS.isdisjoint(container) and "claims" not in container["resources"]
        for kind in KINDS
        for container in pod.get(kind, ())
    ):
        return
    claimed = ClaimedNames(pod)
    volumes = {volume.get("name", ""): volume for volume in pod.get("volumes", ())}
    for kind, container, at in _containers(pod, path):
        claims = container["resources"].get("claims")
        if claims is not None:
            yield from check_claims(claims, f"{at}.resources.claims", claimed)
        if "env" in container:
            yield from environment.check_file_keys(container["env"], f"{at}.env", volumes)
        if "resizePolicy" in container:
            yield from check_resize_policies(
                container["resizePolicy"],
                f"{at}.resizePolicy",
                pod.get("restartPolicy", ""),
                request,
            )
        if "lifecycle" in container and _may_have_lifecycle(kind, container):
            from jobsworth.api.core.handlers import check_lifecycle

            yield from check_lifecycle(container["lifecycle"], f"{at}.lifecycle", pod, request)


def _may_have_lifecycle(kind: str, container: dict[str, Any]) -> bool:
    return kind == "containers" or (kind == "initContainers" and is_sidecar(container))


@PodSpec.rule_about("initContainers")
def _resizing_of_init_containers(
    pod: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Forbid restarts on resize for init containers, which can be resized since 1.33 (KEP-1287)."""
    for index, container in enumerate(pod["initContainers"]):
        if "resizePolicy" not in container:
            continue
        at = f"{path}.initContainers[{index}].resizePolicy"
        if request.server.minor < 33 or not _may_resize_sidecars(request):
            # The server prints its internal type, whose fields have Go's names.
            printed = [
                {
                    "ResourceName": policy.get("resourceName", ""),
                    "RestartPolicy": policy.get("restartPolicy", ""),
                }
                for policy in container["resizePolicy"]
            ]
            yield invalid(at, printed, "must not be set for init containers")
        elif request.server.minor >= 36 and _restarts_for_resizing(container):
            if request.once(_restarted_for_resizing):
                return
            for number, policy in enumerate(container["resizePolicy"]):
                if policy.get("restartPolicy") == "RestartContainer":
                    yield invalid(
                        f"{at}[{number}].restartPolicy",
                        "RestartContainer",
                        "must not be set to 'RestartContainer' for non-sidecar initContainers",
                    )


def _may_resize_sidecars(request: Request) -> bool:
    """Return True if the gate is on, or the stored Pod has a sidecar with a resize policy."""
    return request.server.enabled("InPlacePodVerticalScaling") or any(
        is_sidecar(container) and container.get("resizePolicy")
        for container in (request.old_pod or {}).get("initContainers", ())
    )


def _restarted_for_resizing(request: Request) -> bool:
    """Return True if the stored Pod has an init container that restarts on resize."""
    return any(map(_restarts_for_resizing, (request.old_pod or {}).get("initContainers", ())))


def _restarts_for_resizing(container: dict[str, Any]) -> bool:
    return not is_sidecar(container) and any(
        policy.get("restartPolicy") == "RestartContainer"
        for policy in container.get("resizePolicy", ())
    )


@PodSpec.rule
def _volumes_of_containers(
    pod: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if not any(
        "volumeMounts" in container or "volumeDevices" in container
        for kind in KINDS
        for container in pod.get(kind, ())
    ):
        return
    volumes = valid_volumes(pod, path, request)
    for _, container, at in _containers(pod, path):
        if "volumeMounts" in container:
            yield from check_mounts(container, at, volumes, request)
        if "volumeDevices" in container:
            yield from check_devices(container, at, volumes)
