"""The Pod Security Standards: each check, and the verdicts of PodSecurity admission.

The record has Jobs, and the levels that reject their Pods in API servers 1.33.13 and 1.36.1.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from support.lint.linted_jobs import fields, found, job

RECORD = Path(__file__).parent / "data/pod_security.json.xz"
FIRST = "template.spec.containers[0]"
HARDENED = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}


def pod(container: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A Job with these fields of its container and its Pod."""
    main = {"name": "main", "image": "busybox:1.36", **(container or {})}
    return job({"containers": [main], **fields})


def secured(**context: Any) -> dict[str, Any]:
    """A Job whose container is hardened, but for these fields of its security context."""
    return pod({"securityContext": {**HARDENED, **context}})


@pytest.mark.parametrize("release", ["1.33", "1.36"])
def test_the_verdicts_are_those_of_the_api_server(release: str) -> None:
    for case in json.loads(lzma.decompress(RECORD.read_bytes()))["cases"]:
        value = case["object"]
        baseline = bool(found("JW601", value, release))
        restricted = baseline or bool(found("JW602", value, release))
        assert baseline is (release in case["baseline"]), value
        assert restricted is (release in case["restricted"]), value


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (pod(hostNetwork=True), "template.spec.hostNetwork"),
        (pod(hostPID=True), "template.spec.hostPID"),
        (pod(hostIPC=True), "template.spec.hostIPC"),
        (
            pod(volumes=[{"name": "v", "hostPath": {"path": "/"}}]),
            "template.spec.volumes[0].hostPath",
        ),
        (
            pod(securityContext={"sysctls": [{"name": "kernel.msgmax", "value": "1"}]}),
            "template.spec.securityContext.sysctls[0].name",
        ),
        (
            pod(securityContext={"seccompProfile": {"type": "Unconfined"}}),
            "template.spec.securityContext.seccompProfile.type",
        ),
        (
            pod(securityContext={"appArmorProfile": {"type": "Unconfined"}}),
            "template.spec.securityContext.appArmorProfile.type",
        ),
        (
            pod(securityContext={"seLinuxOptions": {"type": "spc_t"}}),
            "template.spec.securityContext.seLinuxOptions.type",
        ),
        (
            pod(securityContext={"windowsOptions": {"hostProcess": True}}),
            "template.spec.securityContext.windowsOptions.hostProcess",
        ),
        (secured(privileged=True), f"{FIRST}.securityContext.privileged"),
        (secured(procMount="Unmasked"), f"{FIRST}.securityContext.procMount"),
        (
            secured(capabilities={"add": ["CHOWN", "SYS_ADMIN"]}),
            f"{FIRST}.securityContext.capabilities.add[1]",
        ),
        (secured(seLinuxOptions={"user": "u"}), f"{FIRST}.securityContext.seLinuxOptions.user"),
        (pod({"ports": [{"containerPort": 80, "hostPort": 80}]}), f"{FIRST}.ports[0].hostPort"),
        (
            pod({"lifecycle": {"preStop": {"httpGet": {"port": 80, "host": "x"}}}}),
            f"{FIRST}.lifecycle.preStop.httpGet.host",
        ),
        (
            pod({"livenessProbe": {"tcpSocket": {"port": 80, "host": "x"}}}),
            f"{FIRST}.livenessProbe.tcpSocket.host",
        ),
    ],
)
def test_baseline_forbids_the_rights_of_the_node(value: dict[str, Any], field: str) -> None:
    assert fields("JW601", value) == [field]


@pytest.mark.parametrize(
    ("value", "reported"),
    [
        (secured(), []),
        (
            secured(allowPrivilegeEscalation=True),
            [f"{FIRST}.securityContext.allowPrivilegeEscalation"],
        ),
        (secured(capabilities={}), [f"{FIRST}.securityContext.capabilities.drop"]),
        (
            secured(capabilities={"drop": ["ALL"], "add": ["NET_BIND_SERVICE", "CHOWN"]}),
            [f"{FIRST}.securityContext.capabilities.add[1]"],
        ),
        (secured(runAsNonRoot=False), [f"{FIRST}.securityContext.runAsNonRoot"]),
        (secured(runAsUser=0), [f"{FIRST}.securityContext.runAsUser"]),
        (
            pod(
                {"securityContext": HARDENED},
                volumes=[{"name": "v", "nfs": {"server": "a", "path": "/"}}],
            ),
            ["template.spec.volumes[0]"],
        ),
        (pod({"securityContext": {**HARDENED, "runAsUser": 0}}, hostUsers=False), []),
        (pod({"securityContext": {"runAsNonRoot": True}}, os={"name": "windows"}), []),
    ],
)
def test_restricted_requires_a_hardened_pod(value: dict[str, Any], reported: list[str]) -> None:
    assert fields("JW602", value) == reported
    assert fields("JW601", value) == []


def test_the_pod_sets_what_its_containers_do_not() -> None:
    inherited = {name: HARDENED[name] for name in ("runAsNonRoot", "seccompProfile")}
    own = {name: HARDENED[name] for name in ("allowPrivilegeEscalation", "capabilities")}
    assert fields("JW602", pod({"securityContext": own}, securityContext=inherited)) == []
