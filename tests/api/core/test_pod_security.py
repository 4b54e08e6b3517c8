"""Security contexts and the host namespaces that a Pod uses."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import Errors, pod_errors, server

MAIN = {"name": "main", "image": "busybox:1.36"}
DEVICE = {
    "volumes": [{"name": "disk", "persistentVolumeClaim": {"claimName": "disk"}}],
    "containers": [{**MAIN, "volumeDevices": [{"name": "disk", "devicePath": "/dev/x"}]}],
}


@pytest.mark.parametrize(
    ("pod", "errors"),
    [
        ({"shareProcessNamespace": True}, set()),
        ({"hostPID": True, "shareProcessNamespace": False}, set()),
        (
            {"hostPID": True, "shareProcessNamespace": True},
            {
                (
                    "securityContext.shareProcessNamespace",
                    "Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
                )
            },
        ),
    ],
)
def test_processes_are_shared_with_the_host_or_in_the_pod(
    pod: dict[str, Any], errors: Errors
) -> None:
    assert pod_errors(pod) == errors


@pytest.mark.parametrize(
    ("sysctl", "field"),
    [
        ("net.core.somaxconn", "hostNetwork"),
        ("net/ipv4/conf/eth0.1/forwarding", "hostNetwork"),
        ("kernel.shmmax", "hostIPC"),
        ("kernel/sem", "hostIPC"),
        ("fs.mqueue.msg_max", "hostIPC"),
        ("kernel.domainname", ""),
        ("netx.core", ""),
        ("vm/net.x", ""),
    ],
)
def test_parameters_of_a_host_namespace_cannot_be_set(sysctl: str, field: str) -> None:
    context = {"securityContext": {"sysctls": [{"name": sysctl, "value": "1"}]}}
    for host in ("hostNetwork", "hostIPC"):
        detail = f"may not be specified when '{host}' is true"
        error = ("securityContext.sysctls[0].name", f'Invalid value: "{sysctl}": {detail}')
        assert pod_errors({**context, host: True}) == ({error} if field == host else set())
    assert pod_errors(context) == set()


def test_a_stored_pod_may_keep_parameters_of_a_host_namespace() -> None:
    pod = {"hostIPC": True, "securityContext": {"sysctls": [{"name": "kernel.sem"}]}}
    assert len(pod_errors(pod)) == 1
    assert pod_errors(pod, pod) == set()
    assert pod_errors(pod, at=server("1.28")) == set()


@pytest.mark.parametrize(
    ("policy", "gate", "supported"),
    [
        ("Recursive", False, None),
        ("MountOption", True, None),
        ("MountOption", False, '"Recursive"'),
        ("mount", True, '"MountOption", "Recursive"'),
    ],
)
def test_mounting_with_a_label_needs_a_gate(policy: str, gate: bool, supported: str | None) -> None:
    pod = {"securityContext": {"seLinuxChangePolicy": policy}}
    message = f'Unsupported value: "{policy}": supported values: {supported}'
    errors = {("securityContext.seLinuxChangePolicy", message)}
    assert pod_errors(pod, at=server(gates={"SELinuxMount": gate})) == (
        errors if supported else set()
    )


def test_a_stored_pod_with_a_policy_for_labels_may_have_any() -> None:
    mounting = {"securityContext": {"seLinuxChangePolicy": "MountOption"}}
    assert pod_errors(mounting, {"securityContext": {"seLinuxChangePolicy": "Recursive"}}) == set()
    assert len(pod_errors(mounting, {})) == 1


@pytest.mark.parametrize(
    ("pod", "fields"),
    [
        ({}, set()),
        ({"hostNetwork": True}, {"hostNetwork"}),
        ({"hostPID": True, "hostIPC": True}, {"HostPID", "HostIPC"}),
        (DEVICE, {"containers[0].volumeDevices"}),
    ],
)
def test_a_pod_with_users_of_its_own_has_its_other_namespaces_too(
    pod: dict[str, Any], fields: set[str]
) -> None:
    assert pod_errors({**pod, "hostUsers": True}) == set()
    assert pod_errors({**pod, "hostUsers": False}) == {
        (field, "Forbidden: when `hostUsers` is false") for field in fields
    }


def test_users_of_its_own_in_the_network_of_the_host_need_a_gate() -> None:
    pod = {"hostUsers": False, "hostNetwork": True}
    assert pod_errors(pod, at=server(gates={"UserNamespacesHostNetworkSupport": True})) == set()
    assert pod_errors(pod, pod) == set()
    assert pod_errors(pod, at=server("1.33")) == {
        ("hostNetwork", "Forbidden: when `pod.Spec.HostUsers` is false")
    }


def test_a_stored_pod_may_keep_its_devices() -> None:
    pod = {**DEVICE, "hostUsers": False}
    assert pod_errors(pod, pod) == set()
    assert pod_errors(pod, at=server("1.33")) == set()


def test_hostusers_is_ignored_without_its_gate() -> None:
    assert pod_errors({"hostUsers": False, "hostPID": True}, at=server("1.32")) == set()


def test_proc_is_unmasked_only_for_users_of_the_pods_own() -> None:
    pod = {"containers": [{**MAIN, "securityContext": {"procMount": "Unmasked"}}]}
    assert pod_errors({**pod, "hostUsers": False}) == set()
    assert pod_errors(pod) == {
        (
            "containers[0].securityContext.procMount",
            'Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
        )
    }
    assert pod_errors(pod, at=server("1.29", {"ProcMountType": True})) == set()


@pytest.mark.parametrize(("release", "kept"), [("1.34", False), ("1.35", True)])
def test_a_stored_pod_with_both_user_namespace_and_host_network_stays(
    release: str, kept: bool
) -> None:
    pod = {"hostUsers": False, "hostNetwork": True}
    rejected = {field for field, _ in pod_errors(pod, pod, at=server(release))}
    assert ("hostNetwork" not in rejected) is kept
