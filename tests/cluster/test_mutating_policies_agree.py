"""Published MutatingAdmissionPolicies on generated Jobs: our result beside that of a real API server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet, read
from jobsworth.policy.problems import BadPolicy
from jobsworth.policy.request import PolicyRequest
from jobsworth.provenance.generated_fields import strip_generated
from jobsworth.validation.engine import engine_for
from support.policy.published_mutations import PUBLISHED
from support.policy.varied_jobs import varied_jobs

if TYPE_CHECKING:
    from cluster.bed import TestBed

SERVER = ApiServer("1.36")
JOBS = varied_jobs(200)
ADMISSION = "/apis/admissionregistration.k8s.io/v1"
ATTEMPTS = 50


def binding(name: str, namespace: str) -> dict[str, Any]:
    selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "matchResources": {"namespaceSelector": selector}},
    }


def bare(value: dict[str, Any]) -> dict[str, Any]:
    """An object without what the API server generates, and without empty maps of metadata."""
    found = strip_generated(value)
    template = found["spec"]["template"]
    spec = {**found["spec"], "template": {**template, "metadata": shown(template.get("metadata"))}}
    return {"metadata": shown(found["metadata"]), "spec": spec}


def shown(metadata: dict[str, Any] | None) -> dict[str, Any]:
    return {key: part for key, part in (metadata or {}).items() if part and key != "namespace"}


def ours(policies: AdmissionPolicySet, job: dict[str, Any], namespace: str) -> Any:
    """The object that we expect, or the message of the denial."""
    request = PolicyRequest(
        operation="CREATE",
        kind="Job",
        namespace=namespace,
        name=job["metadata"]["name"],
        object=engine_for(SERVER).default(job),
        user="admin",
        groups=("system:masters",),
        namespace_labels={},
    )
    mutated = policies.mutate(request, SERVER)
    for outcome in mutated.outcomes:
        assert outcome.effect == "deny", outcome
        return outcome.text
    verdict = engine_for(SERVER).verdict(engine_for(SERVER).decode_object(mutated.object), None)
    if any(finding.severity == "error" for finding in verdict):
        return "invalid"
    return bare(mutated.object)


def theirs(bed: TestBed, job: dict[str, Any], namespace: str) -> Any:
    """The object that the server would store, or its message."""
    path = f"/apis/batch/v1/namespaces/{namespace}/jobs?dryRun=All&fieldValidation=Strict"
    answer = bed.request("POST", path, job)
    if answer.code == 422:
        return "invalid"
    return bare(answer.body) if answer.code == 201 else answer.body["message"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_same_jobs_and_denials(bed: TestBed, name: str) -> None:
    policy = PUBLISHED[name].policy(name)
    namespace = bed.namespace()
    bound = binding(name, namespace)
    answer = bed.request("POST", f"{ADMISSION}/mutatingadmissionpolicies", policy)
    try:
        policies = read([policy, bound], "1.36", complete=True)
    except BadPolicy:
        assert answer.code == 422, answer.body
        return
    assert answer.code == 201, answer.body
    bed.request("POST", f"{ADMISSION}/mutatingadmissionpolicybindings", bound)
    for _ in range(ATTEMPTS):  # the server learns of a policy a moment later
        if all(theirs(bed, job, namespace) == ours(policies, job, namespace) for job in JOBS[:5]):
            break
        time.sleep(0.2)
    for job in JOBS:
        assert theirs(bed, job, namespace) == ours(policies, job, namespace), job


def test_at_least_thirty_policies_are_compared() -> None:
    assert len(PUBLISHED) >= 30
