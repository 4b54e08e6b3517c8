"""Rules about the Pods of a Job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, cron_job, fields, found, job

POD = "template.spec."
FIRST = f"{POD}containers[0]"


def container(**parts: Any) -> dict[str, Any]:
    return job({"containers": [{"name": "main", "image": "busybox:1.36", **parts}]})


def with_image(image: str) -> dict[str, Any]:
    return container(image=image)


def with_memory(amount: str | int, kind: str = "requests") -> dict[str, Any]:
    return container(resources={kind: {"memory": amount}})


@pytest.mark.parametrize(
    ("image", "reported"),
    [
        ("busybox", True),
        ("busybox:latest", True),
        ("registry:5000/tool", True),
        ("registry.example.com/a/b:latest", True),
        ("busybox:1.36", False),
        ("registry:5000/tool:1.0", False),
        (f"busybox@sha256:{'0' * 64}", False),
        (f"busybox:latest@sha256:{'0' * 64}", False),
        ("$(IMAGE)", False),
        ("registry:5000/tool:main", True),
        ("litmuschaos/ansible-runner:ci", True),
        ("tool:main-latest", True),
        ("tool:latest-alpine", True),
        ("tool:Nightly", True),
        ("tool:stable-1.4", False),
        ("tool:2026-11-22-main", False),
        ("tool:slim", False),
        (f"tool:main@sha256:{'0' * 64}", False),
        ("<image>", False),
    ],
)
def test_an_image_names_a_version(image: str, reported: bool) -> None:
    assert fields("JW501", with_image(image)) == ([f"{FIRST}.image"] if reported else [])


NEVER_AGAIN = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}
AGAIN = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}


@pytest.mark.parametrize(
    ("limits", "retries"),
    [
        ({}, True),
        ({"backoffLimit": 1}, True),
        ({"backoffLimit": 0}, False),
        ({"backoffLimit": 0, "podFailurePolicy": {"rules": [NEVER_AGAIN]}}, False),
        ({"backoffLimit": 0, "podFailurePolicy": {"rules": [AGAIN]}}, True),
        ({"backoffLimitPerIndex": 0, "completionMode": "Indexed", "completions": 3}, False),
    ],
)
def test_another_version_runs_in_a_retry_only_if_there_are_any(
    limits: dict[str, Any], retries: bool
) -> None:
    (finding,) = found(
        "JW501", with_image("busybox") | {"spec": with_image("busybox")["spec"] | limits}
    )
    assert ("a retry may run another version" in finding.message) is retries


def test_images_of_init_containers_count_and_those_of_cron_jobs() -> None:
    value = job({"initContainers": [{"name": "init", "image": "busybox"}]})
    assert fields("JW501", cron_job(value)) == [f"{POD}initContainers[0].image"]


@pytest.mark.parametrize(
    ("resources", "reported"),
    [
        ({}, True),
        ({"requests": {"ephemeral-storage": "1Gi"}}, True),
        ({"requests": {"cpu": "1"}}, False),
        ({"limits": {"memory": "1Gi"}}, False),
        ({"limits": {"nvidia.com/gpu": 8}}, False),
        ({"requests": {"google.com/tpu": 4}, "limits": {"google.com/tpu": 4}}, False),
        ({"requests": {"google.com/tpu": 4}}, False),
        ({"claims": [{"name": "gpu"}]}, False),
    ],
)
def test_a_container_requests_resources(resources: dict[str, Any], reported: bool) -> None:
    assert fields("JW502", container(resources=resources)) == ([FIRST] if reported else [])


def test_resources_of_the_pod_are_resources() -> None:
    assert fields("JW502", job({"resources": {"requests": {"cpu": "1"}}})) == []


def test_init_containers_need_none() -> None:
    value = container(resources={"requests": {"cpu": "1"}})
    value["spec"]["template"]["spec"]["initContainers"] = [{"name": "init", "image": "a:1"}]
    assert fields("JW502", value) == []


@pytest.mark.parametrize(
    ("pod", "reported"),
    [
        ({}, True),
        ({"serviceAccountName": "default"}, True),
        ({"automountServiceAccountToken": True}, True),
        ({"automountServiceAccountToken": False}, False),
        ({"serviceAccountName": "ledger"}, False),
        ({"containers": [{"name": "main", "image": "bitnami/kubectl:1.33"}]}, False),
        ({"containers": [{"name": "main", "image": "a:1", "args": ["helm upgrade x"]}]}, False),
        ({"initContainers": [{"name": "login", "image": "hashicorp/vault:1.18"}]}, False),
        ({"initContainers": [{"name": "mesh", "image": "istio/proxyv2:1.24"}]}, False),
    ],
)
def test_the_default_token_is_reported(pod: dict[str, Any], reported: bool) -> None:
    field = f"{POD}automountServiceAccountToken"
    assert fields("JW503", job(pod)) == ([field] if reported else [])


def test_the_token_can_be_left_out() -> None:
    fixed = after_fix("JW503", job())
    assert fixed["spec"]["template"]["spec"]["automountServiceAccountToken"] is False


@pytest.mark.parametrize(
    ("amount", "reported"),
    [
        ("512m", True),
        ("0.5", True),
        (512, True),
        ("512k", True),
        ("512Mi", False),
        ("1G", False),
        ("1.5Gi", False),
        (1048576, False),
        ("0", False),
    ],
)
@pytest.mark.parametrize("kind", ["requests", "limits"])
def test_memory_has_a_unit(amount: str | int, kind: str, reported: bool) -> None:
    field = f"{FIRST}.resources.{kind}[memory]"
    assert fields("JW504", with_memory(amount, kind)) == ([field] if reported else [])


def test_the_advice_for_a_number_of_bytes_is_the_suffix_that_it_lacks() -> None:
    (finding,) = found("JW504", with_memory(128, "requests"))
    assert finding.message == (
        "128 bytes are less than 1 MiB. A number without a suffix is in bytes: 128Mi is probably meant."
    )


@pytest.mark.parametrize(
    ("code", "resource", "amount", "message"),
    [
        ("JW504", "memory", "1000m", "1 byte is less than 1 MiB."),
        ("JW504", "memory", "512k", "512,000 bytes are less than 1 MiB."),
        ("JW504", "memory", "1500m", "1500m is not a whole number of bytes."),
        ("JW508", "cpu", 500, "500 cores are more than almost any node has."),
        ("JW508", "cpu", "4000", "4,000 cores are more than a node has."),
        ("JW508", "cpu", "500M", "500,000,000 cores are more than a node has."),
    ],
)
def test_an_amount_is_reported_in_its_unit(
    code: str, resource: str, amount: str | int, message: str
) -> None:
    (finding,) = found(code, container(resources={"limits": {resource: amount}}))
    assert finding.message.startswith(message)


@pytest.mark.parametrize(
    ("amount", "reported", "fixed"),
    [
        ("500M", True, "500m"),
        (2000, True, "2000m"),
        ("4000", True, "4000m"),
        ("512Mi", True, None),
        ("1Gi", True, None),
        ("2k", True, "2000m"),
        ("9" * 30, True, None),
        (500, True, "500m"),
        (449, True, "449m"),
        (448, False, None),
        (450_000, True, None),
        ("5000m", False, None),
        ("448000m", False, None),
        ("500m", False, None),
        ("0.5", False, None),
        ("-5k", False, None),
    ],
)
@pytest.mark.parametrize("kind", ["requests", "limits"])
def test_cpu_has_a_unit(amount: str | int, reported: bool, fixed: str | None, kind: str) -> None:
    value = container(resources={kind: {"cpu": amount, "memory": "1Gi"}})
    findings = found("JW508", value)
    assert [finding.field for finding in findings] == (
        [f"spec.{FIRST}.resources.{kind}[cpu]"] if reported else []
    )
    fixes = [finding.fix.edits[0].value for finding in findings if finding.fix is not None]
    assert fixes == ([] if fixed is None else [fixed])


def test_the_cpu_of_the_whole_pod_has_a_unit() -> None:
    value = job({"resources": {"requests": {"cpu": 500, "memory": "1Gi"}}})
    assert fields("JW508", value) == [f"{POD}resources.requests[cpu]"]


def with_storage(amount: str | int, kind: str) -> tuple[dict[str, Any], str]:
    amounts = {"ephemeral-storage": amount, "cpu": "100m"}
    return container(resources={kind: amounts}), f"{FIRST}.resources.{kind}[ephemeral-storage]"


def with_size_limit(amount: str | int, medium: str) -> tuple[dict[str, Any], str]:
    folder = {"sizeLimit": amount} | ({"medium": medium} if medium else {})
    value = job({"volumes": [{"name": "scratch", "emptyDir": folder}]})
    return value, f"{POD}volumes[0].emptyDir.sizeLimit"


def with_claim(amount: str | int, kind: str) -> tuple[dict[str, Any], str]:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}} | {kind: {"storage": amount}},
    }
    claim = {"volumeClaimTemplate": {"spec": spec}}
    value = job({"volumes": [{"name": "scratch", "ephemeral": claim}]})
    field = f"{POD}volumes[0].ephemeral.volumeClaimTemplate.spec.resources.{kind}[storage]"
    return value, field


def with_memory_of_the_pod(amount: str | int, kind: str) -> tuple[dict[str, Any], str]:
    return job({"resources": {kind: {"memory": amount}}}), f"{POD}resources.{kind}[memory]"


@pytest.mark.parametrize(
    ("holder", "kind", "amount", "reported"),
    [
        (with_storage, "requests", "1k", False),
        (with_storage, "requests", "100m", True),
        (with_storage, "limits", "100m", True),
        (with_storage, "limits", 512, True),
        (with_storage, "limits", "4Ki", False),
        (with_storage, "limits", "0", False),
        (with_storage, "limits", "0.3Gi", False),
        (with_size_limit, "", "100m", True),
        (with_size_limit, "", "1000m", True),
        (with_size_limit, "", 512, True),
        (with_size_limit, "Memory", "100m", True),
        (with_size_limit, "", "64Ki", False),
        (with_size_limit, "", "0", False),
        (with_size_limit, "", "0.3Gi", False),
        (with_claim, "requests", "10m", True),
        (with_claim, "limits", 10, True),
        (with_claim, "requests", "1Mi", False),
        (with_memory_of_the_pod, "limits", "512m", True),
        (with_memory_of_the_pod, "requests", 512, True),
        (with_memory_of_the_pod, "limits", "512Mi", False),
    ],
)
def test_each_amount_in_bytes_has_a_unit(
    holder: Callable[..., tuple[dict[str, Any], str]],
    kind: str,
    amount: str | int,
    reported: bool,
) -> None:
    value, field = holder(amount, kind)
    assert fields("JW504", value) == ([field] if reported else [])


def test_a_tiny_size_limit_is_reported_with_what_is_meant() -> None:
    (finding,) = found("JW504", with_size_limit("100m", "")[0])
    assert finding.message == (
        "100m is not a whole number of bytes. Use the suffix Mi for mebibytes; the suffix m means a "
        "thousandth."
    )
    (finding,) = found("JW504", with_size_limit(512, "")[0])
    assert finding.message == (
        "512 bytes are less than 4 KiB. A number without a suffix is in bytes: 512Mi or 512Gi is probably "
        "meant."
    )


@pytest.mark.parametrize(
    ("env", "reported"),
    [
        ([("A", "1"), ("A", "2")], [1]),
        ([("A", "1"), ("B", "2"), ("A", "1"), ("A", "3")], [2, 3]),
        ([("A", "1"), ("A", "$(A)")], [1]),
        ([("A", "1"), ("A", "$(A) more")], []),
        ([("A", "1"), ("B", "1")], []),
    ],
)
def test_a_variable_is_set_once(env: list[tuple[str, str]], reported: list[int]) -> None:
    variables = [{"name": name, "value": value} for name, value in env]
    assert fields("JW505", container(env=variables)) == [
        f"{FIRST}.env[{index}]" for index in reported
    ]


def test_a_reference_hides_a_variable_as_well() -> None:
    reference = {"fieldRef": {"fieldPath": "metadata.name"}}
    variables = [{"name": "A", "value": "1"}, {"name": "A", "valueFrom": reference}]
    assert fields("JW505", container(env=variables)) == [f"{FIRST}.env[1]"]


@pytest.mark.parametrize(
    ("completions", "parallelism", "reported"),
    [(100_001, 10_001, True), (100_000, 10_001, False), (100_001, 10_000, False)],
)
def test_indexes_must_fit_into_the_status(
    completions: int, parallelism: int, reported: bool
) -> None:
    counts = {"completions": completions, "parallelism": parallelism}
    assert bool(found("JW221", job(completionMode="Indexed", **counts))) is reported
    assert found("JW221", job(**counts)) == []


@pytest.mark.parametrize("name", ["cpu", "memory", "ephemeral-storage"])
@pytest.mark.parametrize(
    ("amount", "reported"), [("0", True), (0, True), ("0Gi", True), ("0e3", True), ("1", False)]
)
def test_a_limit_of_zero_is_none(name: str, amount: str | int, reported: bool) -> None:
    field = f"{FIRST}.resources.limits[{name}]"
    value = container(resources={"limits": {name: amount}})
    assert fields("JW537", value) == ([field] if reported else [])
    assert fields("JW537", container(resources={"requests": {name: amount}})) == []


def test_zero_devices_are_zero() -> None:
    assert fields("JW537", container(resources={"limits": {"nvidia.com/gpu": 0}})) == []


def test_requests_of_zero_are_none() -> None:
    assert fields("JW502", container(resources={"requests": {"cpu": "0", "memory": 0}})) == [FIRST]
    assert fields("JW502", container(resources={"requests": {"cpu": "0", "memory": 1}})) == []
