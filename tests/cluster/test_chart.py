"""The chart as Helm renders it: every object of every variant is accepted by the API server, strictly."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.custom_resources import definitions
from cluster.programs import NEWEST, OLDER

if TYPE_CHECKING:
    from cluster.bed import TestBed

CHART = Path(__file__).parents[2] / "charts" / "jobsworth"
VARIANTS = sorted((CHART / "ci").glob("*-values.yaml"))
NAMESPACE = "jobsworth"
GOLDEN = Path(__file__).parent / "golden"
RELEASES = [NEWEST, OLDER]


@pytest.fixture(scope="module", params=RELEASES)
def ready(request: pytest.FixtureRequest) -> Iterator[tuple[TestBed, str]]:
    """A bed that knows the kinds that the chart may use, and its release."""
    # The variant for IPv6 asks for addresses of that family.
    flags = ("--service-cluster-ip-range=10.96.0.0/24,fd00:10:96::/112",)
    with bed_or_skip(request.param, api_server_flags=flags) as bed:
        bed.kubectl("create", "namespace", NAMESPACE)
        # The API server warns of Pods that Pod Security admission of the level restricted would reject.
        label = "pod-security.kubernetes.io/warn=restricted"
        bed.kubectl("label", "namespace", NAMESPACE, label)
        for definition in definitions():
            bed.kubectl("create", "-f", "-", input=json.dumps(definition))
        for definition in definitions():
            name = f"crd/{definition['metadata']['name']}"
            bed.kubectl("wait", "--for=condition=Established", name, "--timeout=120s")
        time.sleep(0.5)  # discovery follows a moment later
        yield bed, request.param


def rendered(bed: TestBed, release: str, *arguments: str) -> list[dict[str, Any]]:
    text = bed.helm(
        "template", "jobsworth", str(CHART), "--namespace", NAMESPACE,
        "--kube-version", f"{release}.0", *arguments,
    ).stdout  # fmt: skip
    return [document for document in yaml.safe_load_all(text) if document]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda path: path.stem)
def test_helm_lint_finds_nothing_in_a_variant(bed: TestBed, variant: Path) -> None:
    options = ("--strict", "--quiet", "--kube-version", f"{NEWEST}.0", "-f", str(variant))
    output = bed.helm("lint", str(CHART), *options).stdout
    assert "WARNING" not in output
    assert "ERROR" not in output


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda path: path.stem)
def test_the_api_server_accepts_every_object_of_a_variant(
    ready: tuple[TestBed, str], variant: Path
) -> None:
    bed, release = ready
    objects = rendered(bed, release, "-f", str(variant))
    assert len(objects) > 5
    answer = bed.kubectl(
        "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-",
        "--namespace", NAMESPACE, input="\n---\n".join(json.dumps(each) for each in objects),
    )  # fmt: skip
    assert len(answer.stdout.splitlines()) == len(objects)
    # The level restricted forbids the network of the node; the variant states that it is intended.
    warned = [line for line in answer.stderr.splitlines() if "host" not in line]
    assert warned == []


def test_the_api_server_accepts_the_manifests_for_cert_manager(ready: tuple[TestBed, str]) -> None:
    bed, _ = ready
    file = CHART.parents[1] / "certs" / "cert-manager.yaml"
    options = ("--server-side", "--dry-run=server", "--validate=strict", "-n", NAMESPACE)
    assert len(bed.kubectl("apply", *options, "-f", str(file)).stdout.splitlines()) == 4


def test_notes_name_what_to_try(ready: tuple[TestBed, str]) -> None:
    bed, _ = ready
    options = ("--dry-run=server", "--namespace", NAMESPACE)
    for variant in VARIANTS:
        if variant.stem.startswith(("cert-manager", "everything")):
            continue  # a dry run of Helm's own looks for kinds with another client
        output = bed.helm("install", "jobsworth", str(CHART), *options, "-f", str(variant)).stdout
        notes = output.partition("NOTES:")[2]
        assert re.search(r"kubectl create (cron)?job try-jobsworth", notes)
        assert "<no value>" not in notes
        assert "kube-system, jobsworth" in notes


@pytest.mark.parametrize("mode", ["chart", "manager"])
def test_the_webhooks_leave_their_own_namespace_and_the_clusters_alone(
    ready: tuple[TestBed, str], mode: str
) -> None:
    bed, release = ready
    objects = rendered(bed, release, "--set", f"registration.mode={mode}")
    configurations = [each for each in objects if each["kind"].endswith("WebhookConfiguration")]
    if mode == "manager":
        assert configurations == []
        (text,) = (
            each["data"]["registration.yaml"]
            for each in objects
            if each["kind"] == "ConfigMap" and "registration.yaml" in each["data"]
        )
        configurations = list(yaml.safe_load_all(text))
    assert len(configurations) == 2
    for each in configurations:
        (webhook,) = each["webhooks"]
        (expression,) = webhook["namespaceSelector"]["matchExpressions"]
        assert expression["values"] == ["kube-system", NAMESPACE]
        assert webhook["timeoutSeconds"] == 5
        assert webhook["sideEffects"] == "None"
        mutates = each["kind"].startswith("Mutating")
        assert webhook["failurePolicy"] == ("Ignore" if mutates else "Fail")
        assert webhook.get("reinvocationPolicy") == ("IfNeeded" if mutates else None)


def test_every_container_is_confined(ready: tuple[TestBed, str]) -> None:
    bed, release = ready
    everything = "".join(f",{name}.enabled=true" for name in ("autoscaling", "networkPolicy"))
    objects = rendered(
        bed, release, "--set", f"controller.enabled=true,audit.enabled=true{everything}"
    )
    pods = [each["spec"] for each in objects if each["kind"] == "Pod"]
    pods += [
        each["spec"]["template"]["spec"]
        for each in objects
        if each["kind"] in ("Deployment", "Job")
    ]
    assert len(pods) == 5
    for pod in pods:
        assert pod["securityContext"]["runAsNonRoot"]
        for container in [*pod.get("initContainers", ()), *pod["containers"]]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert container["resources"]["limits"]["memory"]


def test_only_containers_that_call_the_api_server_have_a_token(ready: tuple[TestBed, str]) -> None:
    bed, release = ready
    pods = [
        each["spec"]["template"]["spec"]
        for each in rendered(bed, release, "--set", "controller.enabled=true")
        if each["kind"] == "Deployment"
    ]
    with_token = {
        container["name"]
        for pod in pods
        for container in [*pod.get("initContainers", ()), *pod["containers"]]
        if any("serviceaccount" in mount["mountPath"] for mount in container["volumeMounts"])
    }
    assert with_token == {"certificates", "job-controller"}
    assert not any(pod["automountServiceAccountToken"] for pod in pods)


EXISTING_SECRET = "certificates.mode=existingSecret,certificates.existingSecret.name=tls"
WEBHOOK, CONTROLLER, AUDIT = "", "-job-controller", "-audit"
PERMISSIONS = {
    "default": (WEBHOOK, "controller.enabled=true"),
    "policies": (WEBHOOK, "policies.retries.limits.backoffLimit.maximum=3"),
    "chart-registration": (WEBHOOK, "controller.enabled=true,registration.mode=chart"),
    "controller": (CONTROLLER, "controller.enabled=true"),
    "adopting-controller": (CONTROLLER, "controller.enabled=true,controller.adoptUnmanaged=true"),
    "audit": (AUDIT, "audit.enabled=true,webhook.namespaceLabels=true"),
    "audit-health": (AUDIT, "audit.enabled=true,audit.health=true"),
    "audit-admission-policies": (
        AUDIT,
        "audit.enabled=true,audit.admissionPolicies.enabled=true,audit.admissionPolicies.params[0].apiGroup=,"
        "audit.admissionPolicies.params[0].resources={configmaps}",
    ),
    "cert-manager": (WEBHOOK, "certificates.mode=certManager"),
    "existing-secret": (WEBHOOK, EXISTING_SECRET),
    "namespace-labels": (WEBHOOK, f"{EXISTING_SECRET},webhook.namespaceLabels=true"),
}
"""Golden files by name: the end of a service account's name, and the values."""


@pytest.mark.parametrize("what", PERMISSIONS)
def test_the_service_account_has_the_recorded_permissions(bed: TestBed, what: str) -> None:
    """Golden files of ``kubectl auth can-i --list``, less what every account may do."""
    account, values = PERMISSIONS[what]
    namespace = bed.namespace("rights")
    text = bed.helm(
        "template", "judge", str(CHART), "--namespace", namespace, "--kube-version", f"{NEWEST}.0",
        "--set", f"fullnameOverride=judge-{namespace},{values}",
    ).stdout  # fmt: skip
    for each in yaml.safe_load_all(text):
        kind = each["kind"] if each else ""
        hook = each and "helm.sh/hook" in each["metadata"].get("annotations", {})
        if not hook and (kind == "ServiceAccount" or "Role" in kind):
            bed.kubectl("create", "-f", "-", input=json.dumps(each))
    bed.kubectl("create", "serviceaccount", "nobody", "-n", namespace)
    allowed = _permissions(bed, namespace, f"judge-{namespace}{account}")
    everybody = _permissions(bed, namespace, "nobody")
    assert any("selfsubjectrulesreviews" in line for line in everybody)
    output = "\n".join(
        line.replace(namespace, "NAMESPACE") for line in allowed if line not in everybody
    )
    golden = GOLDEN / f"permissions-{what}.txt"
    assert output + "\n" == golden.read_text(), f"{golden} differs; it would be:\n{output}"


def _permissions(bed: TestBed, namespace: str, account: str) -> list[str]:
    who = f"system:serviceaccount:{namespace}:{account}"
    listed = bed.kubectl("auth", "can-i", "--list", "-n", namespace, "--as", who).stdout
    return sorted(re.sub(r"\s{2,}", "  ", line).strip() for line in listed.splitlines()[1:])
