"""Rules on security contexts and the host namespaces of a Pod."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.pod_template import PodSpec, every_container, has_security_option
from jobsworth.api.core.security import (
    SELINUX_CHANGE_POLICIES,
    oci_profiles_are_admitted,
    seccomp_profile,
)
from jobsworth.api.field_errors import FieldError, forbidden, invalid, not_supported
from jobsworth.api.validation_request import Request

ANY_VOLUME_IN_USER_NAMESPACES_SINCE = 28
"""The first minor version that allows Pods with their own user namespace to keep state (KEP-127)."""
STATELESS_VOLUMES = ("emptyDir", "secret", "downwardAPI", "configMap", "projected")
_SYSCTLS_OF_IPC = frozenset(
    f"kernel.{name}"
    for name in (
        "msg",
        "msgmax",
        "msgmnb",
        "msgmni",
        "sem",
        "shm",
        "shm_rmid_forced",
        "shmall",
        "shmmax",
        "shmmni",
    )
)


@PodSpec.rule_about("hostPID")
def _process_namespace(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if pod["hostPID"] and pod.get("shareProcessNamespace"):
        yield invalid(
            f"{path}.shareProcessNamespace"
            if request.server.minor >= 37
            else f"{path}.securityContext.shareProcessNamespace",
            True,
            "ShareProcessNamespace and HostPID cannot both be enabled",
        )


@PodSpec.rule
def _sysctls_of_the_host(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Forbid sysctls of namespaces shared with the host (since Kubernetes 1.29)."""
    if "hostNetwork" not in pod and "hostIPC" not in pod:
        return
    if request.server.minor < 29 or any(_host_sysctls(request.old_pod or {})):
        return
    for index, name, field in _host_sysctls(pod):
        yield invalid(
            f"{path}.securityContext.sysctls[{index}].name",
            name,
            f"may not be specified when '{field}' is true",
        )


def _host_sysctls(pod: dict[str, Any]) -> Iterator[tuple[int, str, str]]:
    """Yield the sysctls of namespaces shared with the host: (index, name, field that shares it)."""
    for index, sysctl in enumerate(pod.get("securityContext", {}).get("sysctls", ())):
        name = sysctl.get("name", "")
        field = _namespace_field(name)
        if field and pod.get(field):
            yield index, name, field


def _namespace_field(sysctl: str) -> str:
    """Return the field that shares the namespace of a sysctl with the host, or "" without one.

    >>> _namespace_field("net/ipv4/conf/eth0.1/forwarding"), _namespace_field("kernel.shm*")
    ('hostNetwork', 'hostIPC')
    """
    if "/" in sysctl and "." not in sysctl.split("/", 1)[0]:
        sysctl = sysctl.translate({ord("/"): ".", ord("."): "/"})
    sysctl = sysctl.split("*", 1)[0]
    if sysctl.startswith("net."):
        return "hostNetwork"
    if sysctl.startswith("fs.mqueue.") or sysctl in _SYSCTLS_OF_IPC:
        return "hostIPC"
    return ""


@PodSpec.rule
def _profiles_of_registries(
    pod: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    """Forbid a profile of a registry to privileged containers, to which runtimes apply none."""
    if not oci_profiles_are_admitted(request):
        return
    for container, at in every_container(pod, path):
        profile = seccomp_profile(container) or seccomp_profile(pod)
        if container.get("securityContext", {}).get("privileged") and profile.get("type") == "OCI":
            yield forbidden(
                f"{at}.securityContext.privileged",
                "privileged containers cannot use a seccomp profile of type OCI; "
                "set a seccompProfile of another type on the container",
            )


@PodSpec.rule
def _selinux_labels(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    policy = pod.get("securityContext", {}).get("seLinuxChangePolicy")
    if policy is None:
        return
    stored = (request.old_pod or {}).get("securityContext", {})
    # KEP-1710: without the gate SELinuxMount, the kubelet always relabels file by file.
    mounting = request.enabled("SELinuxMount") or "seLinuxChangePolicy" in stored
    supported = SELINUX_CHANGE_POLICIES if mounting else SELINUX_CHANGE_POLICIES[1:]
    if policy not in supported:
        yield not_supported(f"{path}.securityContext.seLinuxChangePolicy", policy, supported)


@PodSpec.rule_about("hostUsers")
def _user_namespace(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Forbid host namespaces to a Pod with its own user namespace (KEP-127)."""
    if pod["hostUsers"]:
        return
    field = "hostUsers" if request.server.minor >= 34 else "pod.Spec.HostUsers"
    detail = f"when `{field}` is false"
    if request.server.minor < ANY_VOLUME_IN_USER_NAMESPACES_SINCE:
        for index, volume in enumerate(pod.get("volumes", ())):
            if not any(source in volume for source in STATELESS_VOLUMES):
                yield forbidden(f"{path}.volumes[{index}]", f"volume type not supported {detail}")
    if pod.get("hostNetwork") and not _host_network_is_admitted(request):
        yield forbidden(f"{path}.hostNetwork", detail)
    for namespace in ("PID", "IPC"):
        if pod.get(f"host{namespace}"):
            # The server writes these paths with a capital letter.
            yield forbidden(f"{path}.Host{namespace}", detail)
    if request.server.minor < 34 or _maps_devices(request.old_pod):
        return
    for container, at in every_container(pod, path):
        if "volumeDevices" in container:
            yield forbidden(f"{at}.volumeDevices", detail)


def _host_network_is_admitted(request: Request) -> bool:
    if request.enabled("UserNamespacesHostNetworkSupport"):
        return True
    stored = request.old_pod or {}
    return (
        request.server.minor >= 35
        and stored.get("hostUsers") is False
        and bool(stored.get("hostNetwork"))
    )


def _maps_devices(pod: dict[str, Any] | None) -> bool:
    """Return True if the stored Pod has its own user namespace and block devices (once accepted)."""
    return (
        pod is not None
        and pod.get("hostUsers") is False
        and any("volumeDevices" in container for container, _ in every_container(pod, ""))
    )


@PodSpec.rule
def _unmasked_proc(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Require a user namespace for procMount Unmasked (since Kubernetes 1.30)."""
    if pod.get("hostUsers") is False or request.server.minor < 30:
        return
    if not has_security_option(pod, "procMount"):
        return
    for container, at in every_container(pod, path):
        if container.get("securityContext", {}).get("procMount") == "Unmasked":
            yield invalid(
                f"{at}.securityContext.procMount",
                "Unmasked",
                "`hostUsers` must be false to use `Unmasked`",
            )
