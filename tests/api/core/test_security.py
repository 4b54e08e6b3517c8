"""Security contexts of Pods and containers."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.security import descending_path, sysctl_name
from support.validation.engine_errors import Errors, defaulted_pod, pod_errors, server

ID_RANGE = "must be between 0 and 2147483647, inclusive"
PROFILES = 'supported values: "Localhost", "RuntimeDefault", "Unconfined"'
PRIVILEGED = server(allow_privileged=True)


def context_errors(context: dict[str, Any]) -> Errors:
    """Return the errors of a container with this context, relative to the context."""
    container = {"name": "main", "image": "a", "securityContext": context}
    errors = pod_errors({"containers": [container]}, at=PRIVILEGED)
    return {(field.removeprefix("containers[0].securityContext"), text) for field, text in errors}


@pytest.mark.parametrize(
    ("context", "errors"),
    [
        pytest.param({}, set(), id="nothing"),
        pytest.param(
            {"runAsUser": 0, "runAsGroup": 2**31 - 1, "runAsNonRoot": True}, set(), id="bounds"
        ),
        pytest.param(
            {"runAsUser": -1, "runAsGroup": 2**31},
            {
                (".runAsUser", f"Invalid value: -1: {ID_RANGE}"),
                (".runAsGroup", f"Invalid value: 2147483648: {ID_RANGE}"),
            },
            id="out of bounds",
        ),
        pytest.param({"privileged": True, "allowPrivilegeEscalation": True}, set(), id="root"),
        pytest.param({"procMount": "Default"}, set(), id="masked /proc"),
        pytest.param(
            {"procMount": "none"},
            {(".procMount", 'Unsupported value: "none": supported values: "Default", "Unmasked"')},
            id="unknown mount of /proc",
        ),
        pytest.param(
            {"seccompProfile": {"type": "Localhost", "localhostProfile": "a/b.json"}},
            set(),
            id="seccomp profile of the node",
        ),
        pytest.param(
            {"seccompProfile": {}},
            {
                (
                    ".seccompProfile.type",
                    "Required value: type is required when seccompProfile is set",
                )
            },
            id="seccomp without a type",
        ),
        pytest.param(
            {"seccompProfile": {"type": "runtimeDefault"}},
            {(".seccompProfile.type", f'Unsupported value: "runtimeDefault": {PROFILES}')},
            id="seccomp type in the wrong case",
        ),
        pytest.param(
            {"seccompProfile": {"type": "Localhost"}},
            {
                (
                    ".seccompProfile.localhostProfile",
                    "Required value: must be set when seccomp type is Localhost",
                )
            },
            id="seccomp profile of the node, which one is not said",
        ),
        pytest.param(
            {"seccompProfile": {"type": "Localhost", "localhostProfile": "/../a"}},
            {
                (
                    ".seccompProfile.localhostProfile",
                    'Invalid value: "/../a": must be a relative path',
                ),
                (
                    ".seccompProfile.localhostProfile",
                    "Invalid value: \"/../a\": must not contain '..'",
                ),
            },
            id="seccomp profile elsewhere",
        ),
        pytest.param(
            {"appArmorProfile": {"type": "Localhost", "localhostProfile": "x" * 4095}},
            set(),
            id="AppArmor profile of the node",
        ),
        pytest.param(
            {"appArmorProfile": {"localhostProfile": "x"}},
            {
                (
                    ".appArmorProfile.type",
                    "Required value: type is required when appArmorProfile is set",
                )
            },
            id="AppArmor without a type",
        ),
        pytest.param(
            {"appArmorProfile": {"type": "Localhost", "localhostProfile": ""}},
            {
                (
                    ".appArmorProfile.localhostProfile",
                    "Required value: must be set when AppArmor type is Localhost",
                )
            },
            id="AppArmor profile without a name",
        ),
        pytest.param(
            {"appArmorProfile": {"type": "Localhost", "localhostProfile": " " + "x" * 4095}},
            {
                (
                    ".appArmorProfile.localhostProfile",
                    f'Invalid value: " {"x" * 4095}": must not be padded with whitespace',
                ),
                (".appArmorProfile.localhostProfile", "Too long: may not be more than 4095 bytes"),
            },
            id="AppArmor profile padded and too long",
        ),
        pytest.param(
            {"appArmorProfile": {"type": "Unconfined", "localhostProfile": "<x>"}},
            {
                (
                    ".appArmorProfile.localhostProfile",
                    'Invalid value: "\\u003cx\\u003e": can only be set when AppArmor type is Localhost',
                )
            },
            id="AppArmor profile that is not used",
        ),
    ],
)
def test_the_security_context_of_a_container_is_validated(
    context: dict[str, Any], errors: Errors
) -> None:
    assert context_errors(context) == errors


def test_a_seccomp_profile_that_is_not_used_is_rejected() -> None:
    errors = context_errors({"seccompProfile": {"type": "Unconfined", "localhostProfile": "a"}})
    [(field, message)] = errors
    assert field == ".seccompProfile.localhostProfile"
    assert message.endswith("can only be set when seccomp type is Localhost")


@pytest.mark.parametrize(
    ("context", "detail"),
    [
        ({"privileged": True}, "`privileged` to true"),
        ({"capabilities": {"add": ["CAP_SYS_ADMIN"]}}, "`capabilities.Add` CAP_SYS_ADMIN"),
    ],
)
def test_a_privileged_container_must_allow_privilege_escalation(
    context: dict[str, Any], detail: str
) -> None:
    assert context_errors(context) == set()
    [(field, message)] = context_errors({**context, "allowPrivilegeEscalation": False})
    assert field == ""
    assert message.endswith(f"cannot set `allowPrivilegeEscalation` to false and {detail}")


def test_privileged_containers_need_a_server_that_allows_them() -> None:
    pod = {"containers": [{"name": "main", "image": "a", "securityContext": {"privileged": True}}]}
    assert pod_errors(pod, at=PRIVILEGED) == set()
    assert pod_errors(pod) == {
        ("containers[0].securityContext.privileged", "Forbidden: disallowed by cluster policy")
    }


def test_the_mount_of_proc_is_reset_where_its_gate_is_off() -> None:
    container = {"name": "main", "image": "a", "securityContext": {"procMount": "whatever"}}
    pod = defaulted_pod({"containers": [container]}, at=server("1.32"))
    assert pod["containers"][0]["securityContext"] == {"procMount": "Default"}


@pytest.mark.parametrize(
    ("context", "errors"),
    [
        pytest.param(
            {
                "runAsUser": 1000,
                "fsGroup": 0,
                "supplementalGroups": [1, 2],
                "supplementalGroupsPolicy": "Strict",
                "fsGroupChangePolicy": "OnRootMismatch",
                "sysctls": [{"name": "net.core.somaxconn", "value": "1"}],
            },
            set(),
            id="sound",
        ),
        pytest.param(
            {"fsGroup": -1, "supplementalGroups": [5, 2**31]},
            {
                ("fsGroup", f"Invalid value: -1: {ID_RANGE}"),
                ("supplementalGroups[1]", f"Invalid value: 2147483648: {ID_RANGE}"),
            },
            id="groups out of bounds",
        ),
        pytest.param(
            {"supplementalGroupsPolicy": "", "fsGroupChangePolicy": "Never"},
            {
                (
                    "supplementalGroupsPolicy",
                    'Unsupported value: "": supported values: "Merge", "Strict"',
                ),
                (
                    "fsGroupChangePolicy",
                    'Unsupported value: "Never": supported values: "Always", "OnRootMismatch"',
                ),
            },
            id="unknown policies",
        ),
        pytest.param(
            {"sysctls": [{"name": "a.b"}, {"name": "a.b"}, {}, {}]},
            {
                ("sysctls[1].name", 'Duplicate value: "a.b"'),
                ("sysctls[2].name", "Required value"),
                ("sysctls[3].name", "Required value"),
            },
            id="sysctls twice, and without a name",
        ),
        pytest.param(
            {"sysctls": [{"name": "A"}, {"name": "A"}]},
            {
                (f"sysctls[{index}].name", f'Invalid value: "A": {sysctl_name("A")[0]}')
                for index in (0, 1)
            },
            id="a malformed sysctl twice",
        ),
    ],
)
def test_the_security_context_of_a_pod_is_validated(
    context: dict[str, Any], errors: Errors
) -> None:
    expected = {(f"securityContext.{field}", message) for field, message in errors}
    assert pod_errors({"securityContext": context}) == expected


@pytest.mark.parametrize("name", ["kernel.shm_rmid_forced", "net/ipv4/conf/eth0.1/x", "a" * 253])
def test_sysctls_are_written_with_dots_or_slashes(name: str) -> None:
    assert sysctl_name(name) == []


@pytest.mark.parametrize("name", ["", "a..b", "-a", "a_", "A", "a b", "a" * 254, "net.*"])
def test_an_invalid_sysctl_name_is_reported(name: str) -> None:
    assert sysctl_name(name) == [
        r"must have at most 253 characters and match regex "
        r"^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
    ]


def test_a_descending_path_is_relative_and_never_goes_back() -> None:
    assert descending_path("a/b..c") == descending_path("") == []
    assert descending_path("/a") == ["must be a relative path"]
    assert descending_path("a/../b") == ["must not contain '..'"]
