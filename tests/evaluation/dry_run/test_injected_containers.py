"""Containers that a webhook adds are linted with the manifest, and reported at the manifest's own fields."""

from __future__ import annotations

import copy
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.dry_run import (
    findings_of_injected,
    with_injected_containers,
)
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding
from support.lint.linted_jobs import INIT, cron_job, job, on_codes, with_policy

PROXY = {"name": "proxy", "image": "docker.io/istio/proxyv2:latest"}
TOKEN = {
    "name": "kube-api-access-x2l4k",
    "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
}
EVALUATOR = Evaluator(ApiServer("1.36"))


def lint(value: dict[str, Any]) -> list[Finding]:
    return list(EVALUATOR.evaluate(Subject(value)).lint)


def admitted(manifest: dict[str, Any], *containers: Any, field: str = "containers") -> Any:
    """The Pod of a manifest, as an API server returns it, with containers before its own."""
    spec = manifest["spec"].get("jobTemplate", manifest)["spec"]["template"]["spec"]
    pod = copy.deepcopy(spec)
    pod[field] = [*containers, *pod.get(field, [])]
    for each in pod["containers"]:
        each["volumeMounts"] = [TOKEN]
    pod["volumes"] = [
        {"name": TOKEN["name"], "projected": {"sources": []}},
        {"name": "certs", "emptyDir": {}},
    ]
    return {"spec": pod}


def found(manifest: dict[str, Any], pod: dict[str, Any]) -> dict[str, str]:
    injected = with_injected_containers(manifest, pod)
    assert injected is not None
    findings = findings_of_injected(injected, lint(manifest), lint)
    assert all(each.fix is None for each in findings)
    assert all("injected by an admission webhook: proxy." in each.message for each in findings)
    return {each.code: each.field for each in findings}


def test_a_pod_with_its_own_containers_has_none() -> None:
    assert with_injected_containers(job(), admitted(job())) is None


def test_an_injected_proxy_keeps_the_pod_running() -> None:
    assert found(job(), admitted(job(), PROXY)) == {"JW214": "spec.template.spec"}
    value = cron_job(job())
    assert found(value, admitted(value, PROXY)) == {"JW214": "spec.jobTemplate.spec.template.spec"}


def test_rules_of_the_failure_policy_match_an_injected_sidecar() -> None:
    value = with_policy(on_codes("FailJob", "In", 143))
    sidecar = {**PROXY, "restartPolicy": "Always"}
    pod = admitted(value, sidecar, field="initContainers")
    assert found(value, pod)["JW107"] == "spec.podFailurePolicy.rules[0].onExitCodes"


def test_a_finding_about_an_own_container_keeps_its_index() -> None:
    value = job({"initContainers": [INIT]})
    injected = with_injected_containers(value, admitted(value, PROXY, field="initContainers"))
    assert injected is not None
    path = "spec.template.spec.initContainers"
    assert injected.own_field(f"{path}[1].image") == (f"{path}[0].image", False)
    assert injected.own_field(f"{path}[0].image") == ("spec.template.spec", True)
    assert injected.own_field("spec.suspend") == ("spec.suspend", False)


def test_volumes_of_the_webhook_are_kept_and_the_token_of_the_server_is_not() -> None:
    injected = with_injected_containers(job(), admitted(job(), PROXY))
    assert injected is not None
    pod = injected.manifest["spec"]["template"]["spec"]
    assert [volume["name"] for volume in pod["volumes"]] == ["certs"]
    assert pod["containers"][0]["volumeMounts"] == []
    assert pod["containers"][1] == job()["spec"]["template"]["spec"]["containers"][0]
