"""Fields that each operating system forbids (KEP-2802), and Windows host processes (KEP-1981)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.pod_template import PodSpec, every_container, has_security_option
from jobsworth.api.core.security import DISALLOWED
from jobsworth.api.field_errors import FieldError, forbidden, invalid
from jobsworth.api.validation_request import Request

# Per operating system: fields of the PodSpec, of its securityContext, and of a container's.
_FORBIDDEN = {
    "linux": ((), ("windowsOptions",), ("windowsOptions",)),
    "windows": (
        ("hostUsers", "hostPID", "hostIPC", "shareProcessNamespace"),
        (
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "fsGroup",
            "fsGroupChangePolicy",
            "sysctls",
            "runAsUser",
            "runAsGroup",
            "supplementalGroups",
            "supplementalGroupsPolicy",
            "seLinuxChangePolicy",
        ),
        (
            "appArmorProfile",
            "seLinuxOptions",
            "seccompProfile",
            "capabilities",
            "readOnlyRootFilesystem",
            "privileged",
            "allowPrivilegeEscalation",
            "procMount",
            "runAsUser",
            "runAsGroup",
        ),
    ),
}

_DETAILS = {
    "linux": "windows options cannot be set for a linux pod",
    "windows": "cannot be set for a windows pod",
}


@PodSpec.rule_about("os")
def _fields_of_other_systems(
    pod: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    system = pod["os"].get("name")
    if system not in _FORBIDDEN:
        return
    of_pod, of_context, of_container = _FORBIDDEN[system]
    detail = _DETAILS[system]
    yield from _forbid(of_pod, pod, path, detail)
    yield from _forbid(
        of_context, pod.get("securityContext", {}), f"{path}.securityContext", detail
    )
    for container, at in every_container(pod, path):
        context = container.get("securityContext", {})
        yield from _forbid(of_container, context, f"{at}.securityContext", detail)


def _forbid(
    fields: tuple[str, ...], value: dict[str, Any], path: str, detail: str
) -> Iterator[FieldError]:
    for field in fields:
        if field in value:
            yield forbidden(f"{path}.{field}", detail)


@PodSpec.rule
def _host_processes(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Require that either all containers are Windows host processes, with hostNetwork, or none is."""
    if not has_security_option(pod, "windowsOptions"):
        return
    of_pod = _host_process(pod)
    count = host_processes = 0
    for container, at in every_container(pod, path):
        own = _host_process(container)
        count += 1
        host_processes += bool(of_pod if own is None else own)
        if own is not None and of_pod is not None and own != of_pod:
            yield invalid(
                f"{at}.securityContext.windowsOptions.hostProcess",
                own,
                "pod hostProcess value must be identical if both are specified, "
                f"was {str(of_pod).lower()}",
            )
    if not host_processes:
        return
    if host_processes != count:
        yield invalid(
            path,
            "",
            "If pod contains any hostProcess containers "
            "then all containers must be HostProcess containers",
        )
    if "hostNetwork" not in pod:
        yield invalid(
            f"{path}.hostNetwork",
            False,
            "hostNetwork must be true if pod contains any hostProcess containers",
        )
    if not request.server.allow_privileged:
        yield forbidden(path, f"hostProcess containers are {DISALLOWED}")


def _host_process(value: dict[str, Any]) -> bool | None:
    options = value.get("securityContext", {}).get("windowsOptions", {})
    requested: bool | None = options.get("hostProcess")
    return requested
