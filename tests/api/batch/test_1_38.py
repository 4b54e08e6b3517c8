"""What is new in Kubernetes 1.38, as of 1.38.0-beta.0."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import (
    NEWEST_RELEASE,
    PREVIEW,
    RELEASES,
    ApiServer,
    UnknownGate,
    preview_of,
)
from jobsworth.validation.engine import engine_for
from support.validation.engine_errors import (
    POD,
    defaulted_pod,
    errors_of,
    job_with,
    pod_errors,
    server,
)
from support.validation.validated_jobs import cron_job, job

V37, V38 = server("1.37"), server("1.38")
OCI = server("1.38", {"SecurityProfileOCI": True}, allow_privileged=True)
GANGS = {"WorkloadWithJob": True, "GenericWorkload": True}
DIGEST = "sha256:" + 64 * "a"
WORKLOAD, TEMPLATE = "scheduling.k8s.io/workload-name", "scheduling.k8s.io/group-template-name"


def using(**amounts: str) -> dict[str, Any]:
    resources = {"limits": {name.replace("_", ".com/"): each for name, each in amounts.items()}}
    return {"containers": [{"name": "main", "image": "busybox:1.36", "resources": resources}]}


def with_certificate(key: str) -> dict[str, Any]:
    source = {"signerName": "acme.io/it", "keyType": key, "keyPath": "key"}
    volume = {"name": "identity", "projected": {"sources": [{"podCertificate": source}]}}
    return {"volumes": [volume]}


def confined(**profile: Any) -> dict[str, Any]:
    return {"securityContext": {"seccompProfile": profile}}


def test_the_preview_is_known_and_is_not_the_default() -> None:
    assert PREVIEW.startswith(f"{RELEASES[-1]}.0-")
    assert NEWEST_RELEASE == RELEASES[-2] == ApiServer().release
    assert preview_of("1.38") == "beta.0"
    assert preview_of("1.37") == ""


@pytest.mark.parametrize(
    ("amount", "in_37", "in_38"),
    [
        ("9223372036854776", False, True),  # its thousandfold does not fit in 64 bits
        ("12345678901234567890123", False, True),
        ("1.9999", True, True),  # 2 after rounding up to thousandths
        ("1.5", False, False),
    ],
)
def test_large_amounts_are_integers(amount: str, in_37: bool, in_38: bool) -> None:
    pod = using(example_gpu=amount)
    for at, valid in ((V37, in_37), (V38, in_38)):
        assert (pod_errors(pod, at=at) == set()) is valid


@pytest.mark.parametrize(
    ("amount", "in_37", "in_38"),
    [
        ("1000E", "1", "1e21"),
        ("1e21", "1e21", "1e21"),
        ("1500E", "1500E", "1500E"),
        ("2000000E", "2", "2e24"),
        # 29 digits are kept, and what is dropped rounds up.
        (
            "123456789012345678901234567890123",
            "123456789012345678901234567890123",
            "123456789012345678901234567900k",
        ),
    ],
)
def test_no_power_of_ten_is_lost(amount: str, in_37: str, in_38: str) -> None:
    for at, stored in ((V37, in_37), (V38, in_38)):
        pod = defaulted_pod(using(memory=amount), at=at)
        assert pod["containers"][0]["resources"]["limits"]["memory"] == stored


def test_fractions_of_a_byte_are_warned_of_in_large_amounts() -> None:
    manifest = job_with(using(memory="9223372036854775.5"))
    for at, warned in ((V37, True), (V38, True)):
        found = [each for each in engine_for(at).validate(manifest) if each.severity == "warning"]
        assert any("fractional byte value" in each.message for each in found) is warned


@pytest.mark.parametrize("key", ["MLDSA44", "MLDSA65", "MLDSA87"])
def test_keys_of_the_gate(key: str) -> None:
    pod, on = with_certificate(key), server("1.38", {"PodCertificateMLDSA": True})
    assert pod_errors(pod, at=on) == set()
    ((_, message),) = pod_errors(pod, at=V38)
    assert message.endswith('"ECDSAP521", "ED25519"')
    ((_, message),) = pod_errors(with_certificate("DSA"), at=on)
    assert message.endswith('"ED25519", "MLDSA44", "MLDSA65", "MLDSA87"')
    assert pod_errors(pod, pod, at=V38) == set()
    with pytest.raises(UnknownGate, match=r"introduced in 1\.38"):
        server("1.37", {"PodCertificateMLDSA": True})


BAD_PROFILES = {
    "of the wrong type": ({"ref": f"ghcr.io/a/b@{DIGEST}"}, "RuntimeDefault", "oci"),
    "missing": (None, "OCI", "oci"),
    "with a tag": ({"ref": f"ghcr.io/a/b:1@{DIGEST}"}, "OCI", "oci.ref"),
    "without a digest": ({"ref": "ghcr.io/a/b"}, "OCI", "oci.ref"),
    "not canonical": ({"ref": f"busybox@{DIGEST}"}, "OCI", "oci.ref"),
    "malformed": ({"ref": "ghcr.io/a b"}, "OCI", "oci.ref"),
    "without reference": ({}, "OCI", "oci.ref"),
    "too long": ({"ref": 1025 * "a"}, "OCI", "oci.ref"),
    "base without file": (
        {"ref": f"ghcr.io/a/b@{DIGEST}", "baseProfile": {"type": "Localhost"}},
        "OCI",
        "oci.baseProfile.localhostProfile",
    ),
    "base of another type": (
        {"ref": f"ghcr.io/a/b@{DIGEST}", "baseProfile": {"type": "Unconfined"}},
        "OCI",
        "oci.baseProfile.type",
    ),
}


@pytest.mark.parametrize(("oci", "kind", "field"), BAD_PROFILES.values(), ids=BAD_PROFILES)
def test_a_wrong_profile_of_a_registry(oci: Any, kind: str, field: str) -> None:
    pod = confined(type=kind, **({} if oci is None else {"oci": oci}))
    ((at, _),) = pod_errors(pod, at=OCI)
    assert at == f"securityContext.seccompProfile.{field}"


def test_a_profile_of_a_registry() -> None:
    pod = confined(type="OCI", oci={"ref": f"ghcr.io/a/b@{DIGEST}"})
    assert pod_errors(pod, at=OCI) == set()
    ((field, message),) = pod_errors(pod, at=V38)
    assert field == "securityContext.seccompProfile.type"
    assert message.startswith('Unsupported value: "OCI"')
    privileged = {"name": "main", "image": "busybox:1.36", "securityContext": {"privileged": True}}
    ((field, message),) = pod_errors({**pod, "containers": [privileged]}, at=OCI)
    assert field == "containers[0].securityContext.privileged"
    assert message.startswith("Forbidden: privileged containers cannot use")
    assert pod_errors(pod, at=V37) == {
        (
            "securityContext.seccompProfile.oci",
            f'unknown field "{POD}securityContext.seccompProfile.oci"',
        )
    }


@pytest.mark.parametrize("present", [(WORKLOAD,), (TEMPLATE,)])
def test_a_template_of_a_workload_takes_both_annotations(present: tuple[str, ...]) -> None:
    (missing,) = {WORKLOAD, TEMPLATE} - {*present}
    detail = f"must be set to a non-empty value when {WORKLOAD} or {TEMPLATE} is set"
    wrong = f"Required value: {detail}"
    manifest = job()
    manifest["metadata"]["annotations"] = dict.fromkeys(present, "a")
    assert errors_of(manifest, at=V37) == set()
    assert errors_of(manifest, at=V38) == {(f"metadata.annotations[{missing}]", wrong)}
    scheduled = cron_job()
    scheduled["spec"]["jobTemplate"]["metadata"] = {"annotations": dict.fromkeys(present, "a")}
    path = f"spec.jobTemplate.metadata.annotations[{missing}]"
    assert errors_of(scheduled, at=V38) == {(path, wrong)}
    manifest["metadata"]["annotations"] = {WORKLOAD: "a", TEMPLATE: "b"}
    assert errors_of(manifest, at=V38) == set()


def test_scheduling_stands_alone() -> None:
    at = server("1.38", GANGS)
    gang = {"schedulingPolicy": {"gang": {"minCount": 1}}}
    annotated = job(scheduling=gang)
    annotated["metadata"]["annotations"] = {WORKLOAD: "a", TEMPLATE: "b"}
    assert errors_of(annotated, at=at) == {
        (
            "spec.scheduling",
            f"Invalid value: must not be set together with the {WORKLOAD} annotation",
        )
    }
    grouped = job(scheduling=gang)
    grouped["spec"]["template"]["spec"]["schedulingGroup"] = {"podGroupName": "g"}
    assert errors_of(grouped, at=at) == {
        (
            "spec.scheduling",
            "Invalid value: must not be set together with template.spec.schedulingGroup",
        )
    }
    assert errors_of(grouped, at=server("1.37", GANGS)) == set()


def test_gates_that_are_gone_or_locked() -> None:
    for gate, found in {
        "DynamicResourceAllocation": "does not exist in Kubernetes 1.38: removed in 1.38",
        "JobManagedBy": "does not exist in Kubernetes 1.38: removed in 1.38",
        "EnvFiles": "is locked to true in Kubernetes 1.38",
        "StrictIPCIDRValidation": "is locked to true in Kubernetes 1.38",
    }.items():
        with pytest.raises(UnknownGate, match=found):
            server("1.38", {gate: False})
        assert V38.enabled(gate)


def test_amounts_beyond_64_bits_are_no_multiple_of_a_page() -> None:
    for amount, multiple in (("4Mi", True), ("600e24", False), ("-600e24", False)):
        errors = pod_errors(using(**{"hugepages-2Mi": amount}, cpu="1"), at=V38)
        found = [message for _, message in errors if "multiple of hugepages-2Mi" in message]
        assert (found == []) is multiple


def test_what_identifies_an_owner_is_required_without_a_detail() -> None:
    manifest = job()
    manifest["metadata"]["ownerReferences"] = [{"apiVersion": "v1", "kind": "Pod", "name": "a"}]
    at = "metadata.ownerReferences[0].uid"
    assert errors_of(manifest, at=V37) == {(at, "Required value: must not be empty")}
    assert errors_of(manifest, at=V38) == {(at, "Required value")}


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("deletionTimestamp", "2026-01-31T07:00:00Z", '"2026-01-31T07:00:00Z"'),
        ("deletionGracePeriodSeconds", 3, "3"),
    ],
)
def test_an_immutable_field_of_metadata_is_reported_without_its_value(
    field: str, value: Any, shown: str
) -> None:
    """Source: apimachinery 1.38.0-beta.0, validate.Immutable; compared with its linked code."""
    old = cron_job({})
    created = {"uid": "c", "resourceVersion": "1", "creationTimestamp": "2026-01-01T00:00:00Z"}
    old["metadata"] = {"name": "a", "namespace": "b", **created}
    new = {**old, "metadata": {**old["metadata"], field: value}}
    for at, text in ((V37, shown), (V38, "null")):
        message = f"Invalid value: {text}: field is immutable"
        assert errors_of(new, old, at=at) == {(f"metadata.{field}", message)}
