"""Fields that each operating system forbids, and host processes on Windows."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import Errors, pod_errors, server

PRIVILEGED = server(allow_privileged=True)
LINUX = "Forbidden: windows options cannot be set for a linux pod"
WINDOWS = "Forbidden: cannot be set for a windows pod"
MAIN = {"name": "main", "image": "busybox:1.36"}

OF_POD = {"hostUsers": True, "hostPID": True, "hostIPC": True, "shareProcessNamespace": False}
OF_POD_CONTEXT = {
    "appArmorProfile": {"type": "Unconfined"},
    "seLinuxOptions": {},
    "seccompProfile": {"type": "Unconfined"},
    "fsGroup": 1,
    "fsGroupChangePolicy": "Always",
    "sysctls": [{"name": "a"}],
    "runAsUser": 1,
    "runAsGroup": 1,
    "supplementalGroups": [1],
    "supplementalGroupsPolicy": "Merge",
    "seLinuxChangePolicy": "Recursive",
}
OF_CONTAINER_CONTEXT = {
    "appArmorProfile": {"type": "Unconfined"},
    "seLinuxOptions": {},
    "seccompProfile": {"type": "Unconfined"},
    "capabilities": {},
    "readOnlyRootFilesystem": False,
    "privileged": False,
    "allowPrivilegeEscalation": True,
    "procMount": "Default",
    "runAsUser": 1,
    "runAsGroup": 1,
}


def containers(context: dict[str, Any]) -> dict[str, Any]:
    """A container and an init container with this security context."""
    return {
        "containers": [{**MAIN, "securityContext": context}],
        "initContainers": [{**MAIN, "name": "first", "securityContext": context}],
    }


@pytest.mark.parametrize(
    ("system", "errors"),
    [
        ({"name": "linux"}, set()),
        ({"name": "windows"}, set()),
        ({}, {("os.name", "Required value")}),
        (
            {"name": "Linux"},
            {("os", 'Unsupported value: "Linux": supported values: "linux", "windows"')},
        ),
    ],
)
def test_there_are_two_operating_systems(system: dict[str, Any], errors: Errors) -> None:
    assert pod_errors({"os": system}) == errors


def test_linux_forbids_the_options_of_windows() -> None:
    pod = {
        "securityContext": {"windowsOptions": {}},
        **containers({"windowsOptions": {}}),
    }
    assert pod_errors(pod) == set()
    assert pod_errors({"os": {"name": "linux"}, **pod}) == {
        ("securityContext.windowsOptions", LINUX),
        ("containers[0].securityContext.windowsOptions", LINUX),
        ("initContainers[0].securityContext.windowsOptions", LINUX),
    }


@pytest.mark.parametrize("field", OF_POD)
def test_windows_forbids_fields_of_the_pod(field: str) -> None:
    pod = {field: OF_POD[field]}
    assert pod_errors(pod) == set()
    assert pod_errors({"os": {"name": "windows"}, **pod}) == {(field, WINDOWS)}


@pytest.mark.parametrize("field", OF_POD_CONTEXT)
def test_windows_forbids_fields_of_the_pods_security_context(field: str) -> None:
    pod = {"securityContext": {field: OF_POD_CONTEXT[field]}}
    assert pod_errors(pod) == set()
    assert pod_errors({"os": {"name": "windows"}, **pod}) == {(f"securityContext.{field}", WINDOWS)}


@pytest.mark.parametrize("field", OF_CONTAINER_CONTEXT)
def test_windows_forbids_fields_of_containers_security_contexts(field: str) -> None:
    pod = containers({field: OF_CONTAINER_CONTEXT[field]})
    assert pod_errors(pod) == set()
    assert pod_errors({"os": {"name": "windows"}, **pod}) == {
        (f"containers[0].securityContext.{field}", WINDOWS),
        (f"initContainers[0].securityContext.{field}", WINDOWS),
    }


def host_process(requested: bool | None) -> dict[str, Any]:
    """A security context with hostProcess true, false or unset."""
    return {} if requested is None else {"windowsOptions": {"hostProcess": requested}}


@pytest.mark.parametrize(
    ("pod", "containers", "host_network", "errors"),
    [
        (None, [None, None], False, set()),
        (False, [False, None], False, set()),
        (True, [None, True], True, set()),
        (None, [True, True], True, set()),
        (
            None,
            [True],
            False,
            {
                (
                    "hostNetwork",
                    "Invalid value: false: "
                    "hostNetwork must be true if pod contains any hostProcess containers",
                )
            },
        ),
        (
            None,
            [True, None],
            True,
            {
                (
                    "spec.template.spec",
                    'Invalid value: "": If pod contains any hostProcess containers '
                    "then all containers must be HostProcess containers",
                )
            },
        ),
        (
            False,
            [True],
            True,
            {
                (
                    "containers[0].securityContext.windowsOptions.hostProcess",
                    "Invalid value: true: "
                    "pod hostProcess value must be identical if both are specified, was false",
                )
            },
        ),
    ],
)
def test_either_all_containers_are_host_processes_or_none(
    pod: bool | None, containers: list[bool | None], host_network: bool, errors: Errors
) -> None:
    spec = {
        "hostNetwork": host_network,
        "securityContext": host_process(pod),
        "containers": [
            {**MAIN, "name": f"c{index}", "securityContext": host_process(requested)}
            for index, requested in enumerate(containers)
        ],
    }
    assert pod_errors(spec, at=PRIVILEGED) == errors


def test_host_processes_need_a_server_that_allows_privileged_containers() -> None:
    pod = {"hostNetwork": True, "securityContext": host_process(True)}
    assert pod_errors(pod, at=PRIVILEGED) == set()
    assert pod_errors(pod) == {
        (
            "spec.template.spec",
            "Forbidden: hostProcess containers are disallowed by cluster policy",
        )
    }
