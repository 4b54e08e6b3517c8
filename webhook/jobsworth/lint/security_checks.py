"""The Pod Security Standards: what their levels baseline and restricted forbid in a Pod template.

The checks are those of PodSecurity admission (k8s.io/pod-security-admission, policy/check_*.go, Kubernetes
1.36, unchanged in 1.38.0-beta.0) for the version of the API server's release. Restricted contains baseline.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.lint.linted_job import LintedJob

Holder = tuple[str, dict[str, Any]]
"""The field path of a Pod or container, and its value."""
Violation = tuple[str, str]
"""The field path, and a sentence: the problem and its solution."""

CAPABILITIES = frozenset(
    (
        "AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE",
        "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT",
    )
)  # fmt: skip
"""The capabilities that baseline allows to add: those of container runtimes by default."""
SYSCTLS = {
    "kernel.shm_rmid_forced": 25,
    "net.ipv4.ip_local_port_range": 25,
    "net.ipv4.tcp_syncookies": 25,
    "net.ipv4.ping_group_range": 25,
    "net.ipv4.ip_unprivileged_port_start": 25,
    "net.ipv4.ip_local_reserved_ports": 27,
    "net.ipv4.tcp_keepalive_time": 29,
    "net.ipv4.tcp_fin_timeout": 29,
    "net.ipv4.tcp_keepalive_intvl": 29,
    "net.ipv4.tcp_keepalive_probes": 29,
    "net.ipv4.tcp_rmem": 32,
    "net.ipv4.tcp_wmem": 32,
}
"""The safe sysctls, with the minor version of the release since which each is allowed."""
SELINUX_TYPES = {
    "": 25, "container_t": 25, "container_init_t": 25, "container_kvm_t": 25, "container_engine_t": 31,
}  # fmt: skip
PROFILES = ("RuntimeDefault", "Localhost")
APPARMOR_ANNOTATION = "container.apparmor.security.beta.kubernetes.io/"
VOLUMES = (
    "configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim", "projected",
    "secret",
)  # fmt: skip
"""The types of volumes that restricted allows."""
HANDLERS = ("httpGet", "tcpSocket")


def baseline(job: LintedJob) -> Iterator[Violation]:
    """Yield the violations of baseline."""
    pod, at = job.pod, job.pod_path
    for name in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(name):
            yield f"{at}.{name}", f"The Pod shares a namespace of its node. Remove {name}."
    for index, volume in enumerate(pod.get("volumes", ())):
        if "hostPath" in volume:
            yield (
                f"{at}.volumes[{index}].hostPath",
                "A hostPath volume gives access to files of the node. Use another kind of volume.",
            )
    annotations = job.spec["template"].get("metadata", {}).get("annotations", {})
    for key, value in annotations.items():
        if key.startswith(APPARMOR_ANNOTATION) and not _is_apparmor_profile(value):
            yield (
                f"{job.path}.template.metadata.annotations[{key}]",
                "The annotation disables AppArmor. Remove it.",
            )
    for index, sysctl in enumerate(_security(pod).get("sysctls", ())):
        if SYSCTLS.get(sysctl.get("name", ""), 1000) > job.server.minor:
            yield (
                f"{at}.securityContext.sysctls[{index}].name",
                f"The sysctl {sysctl.get('name', '')} may affect other Pods of the node. Remove it.",
            )
    for holder in _holders(job):
        yield from _baseline_of_context(*holder, minor=job.server.minor)
    for path, container in job.containers:
        yield from _baseline_of_container(path, container, job)


def _baseline_of_context(path: str, holder: dict[str, Any], *, minor: int) -> Iterator[Violation]:
    """Check what a Pod and a container can both set."""
    context, at = _security(holder), f"{path}.securityContext"
    for name, what in (("seccompProfile", "seccomp"), ("appArmorProfile", "AppArmor")):
        if name in context and context[name].get("type") not in PROFILES:
            yield (
                f"{at}.{name}.type",
                f"{what} does not confine the process. Set RuntimeDefault, or remove the profile.",
            )
    options = context.get("seLinuxOptions", {})
    if SELINUX_TYPES.get(options.get("type", ""), 1000) > minor:
        yield (
            f"{at}.seLinuxOptions.type",
            f"The SELinux type {options['type']} is not one of containers. Remove it.",
        )
    for name in ("user", "role"):
        if options.get(name):
            yield f"{at}.seLinuxOptions.{name}", f"The SELinux {name} is set. Remove it."
    if context.get("windowsOptions", {}).get("hostProcess"):
        yield (
            f"{at}.windowsOptions.hostProcess",
            "The process runs on the node, outside of a container. Remove hostProcess.",
        )


def _baseline_of_container(
    path: str, container: dict[str, Any], job: LintedJob
) -> Iterator[Violation]:
    context, at = _security(container), f"{path}.securityContext"
    if context.get("privileged"):
        yield f"{at}.privileged", "The container has the rights of its node. Remove privileged."
    added = context.get("capabilities", {}).get("add", ())
    for index, name in enumerate(added):
        if name not in CAPABILITIES:
            yield f"{at}.capabilities.add[{index}]", f"The capability {name} is added. Remove it."
    if not (job.server.minor >= 35 and _has_user_namespace(job.pod)):
        yield from _proc_mount(path, container)
    for index, port in enumerate(container.get("ports", ())):
        if port.get("hostPort"):
            yield f"{path}.ports[{index}].hostPort", "A port of the node is used. Remove hostPort."
    if job.server.minor >= 34:
        yield from _hosts(path, container)


def _proc_mount(path: str, container: dict[str, Any]) -> Iterator[Violation]:
    if _security(container).get("procMount", "Default") != "Default":
        yield (
            f"{path}.securityContext.procMount",
            "/proc shows what runtimes hide. Remove procMount.",
        )


def _hosts(path: str, container: dict[str, Any]) -> Iterator[Violation]:
    """Check the hosts of probes and lifecycle handlers, to which the kubelet would connect."""
    lifecycle = container.get("lifecycle", {})
    called = {
        name: container.get(name, {})
        for name in ("livenessProbe", "readinessProbe", "startupProbe")
    } | {f"lifecycle.{name}": lifecycle.get(name, {}) for name in ("postStart", "preStop")}
    for name, action in called.items():
        for handler in HANDLERS:
            if action.get(handler, {}).get("host"):
                yield (
                    f"{path}.{name}.{handler}.host",
                    "The kubelet connects to another host than the Pod. Remove host.",
                )


def restricted(job: LintedJob) -> Iterator[Violation]:
    """Yield the violations of restricted that baseline allows."""
    pod, at = job.pod, job.pod_path
    for index, volume in enumerate(pod.get("volumes", ())):
        if "hostPath" not in volume and not any(kind in volume for kind in VOLUMES):
            yield (
                f"{at}.volumes[{index}]",
                f"Allowed are volumes of these types: {', '.join(VOLUMES)}. Use a persistentVolumeClaim.",
            )
    if job.server.minor >= 35 and _has_user_namespace(pod):
        for path, container in job.containers:
            yield from _proc_mount(path, container)
    else:
        yield from _users(job)
    if pod.get("os", {}).get("name") == "windows":
        return
    confined = "seccompProfile" in _security(pod)  # baseline checks its type
    for path, container in job.containers:
        context = _security(container)
        if context.get("allowPrivilegeEscalation") is not False:
            yield (
                f"{path}.securityContext.allowPrivilegeEscalation",
                "The process may gain rights. Set securityContext.allowPrivilegeEscalation: false.",
            )
        capabilities = context.get("capabilities", {})
        if "ALL" not in capabilities.get("drop", ()):
            yield (
                f"{path}.securityContext.capabilities.drop",
                "The container has capabilities. Set securityContext.capabilities.drop: [ALL].",
            )
        for index, name in enumerate(capabilities.get("add", ())):
            if name in CAPABILITIES and name != "NET_BIND_SERVICE":
                yield (
                    f"{path}.securityContext.capabilities.add[{index}]",
                    f"The capability {name} is added. Remove it.",
                )
        if not confined and "seccompProfile" not in context:
            yield (
                f"{path}.securityContext.seccompProfile",
                "No seccomp profile confines the process. Set securityContext.seccompProfile.type: "
                "RuntimeDefault, for the Pod or the container.",
            )


def _users(job: LintedJob) -> Iterator[Violation]:
    """Require users other than root."""
    inherited = _security(job.pod).get("runAsNonRoot")
    for path, holder in _holders(job):
        context, at = _security(holder), f"{path}.securityContext"
        own = context.get("runAsNonRoot")
        if own is False or (own is None and not inherited and holder is not job.pod):
            yield (
                f"{at}.runAsNonRoot",
                "The process may be root. Set securityContext.runAsNonRoot: true, for the Pod or the "
                "container.",
            )
        if context.get("runAsUser") == 0:
            yield f"{at}.runAsUser", "The user is root. Set another user ID, or remove runAsUser."


def _holders(job: LintedJob) -> Iterator[Holder]:
    yield job.pod_path, job.pod
    yield from job.containers


def _security(holder: dict[str, Any]) -> dict[str, Any]:
    context: dict[str, Any] = holder.get("securityContext", {})
    return context


def _is_apparmor_profile(text: str) -> bool:
    return text in ("", "runtime/default") or text.startswith("localhost/")


def _has_user_namespace(pod: dict[str, Any]) -> bool:
    return pod.get("hostUsers") is False
