"""Published ValidatingAdmissionPolicies that apply to Jobs, and the requests that they are held to."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.request import PolicyRequest
from support.random_objects.random_workloads import random_workload

DATA = Path(__file__).parents[2] / "recorded" / "data"
POLICIES = DATA / "published-policies.jsonl.xz"
ANSWERS = DATA / "published-policies-answers.jsonl.xz"
CREATES, UPDATES = 160, 40


def published_objects() -> list[dict[str, Any]]:
    """The policies, each with a binding that denies, their params and the definition of these."""
    with lzma.open(POLICIES, "rt", encoding="utf-8") as lines:
        found = [json.loads(line)["object"] for line in lines]
    policies = [each for each in found if each["kind"] == "ValidatingAdmissionPolicy"]
    return [*found, *map(_bound, policies)]


def _bound(policy: dict[str, Any]) -> dict[str, Any]:
    name = policy["metadata"]["name"]
    spec: dict[str, Any] = {"policyName": name, "validationActions": ["Deny"]}
    if "paramKind" in policy["spec"]:
        spec["paramRef"] = {
            "name": "basic-control-configuration",
            "parameterNotFoundAction": "Deny",
        }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": f"{name[:200]}-binding"},
        "spec": spec,
    }


def requests() -> list[PolicyRequest]:
    """Requests to create Jobs and CronJobs, and to update some of them."""
    evaluator = Evaluator(ApiServer("1.37"))
    created = [_request(evaluator, random_workload(seed)) for seed in range(CREATES)]
    return [*created, *map(_updated, created[:UPDATES])]


def _request(evaluator: Evaluator, value: dict[str, Any]) -> PolicyRequest:
    return replace(
        evaluator.policy_request(Subject(value)),
        user="alice",
        groups=("ml", "system:authenticated"),
        namespace_labels={"env": "prod"},
    )


def _updated(request: PolicyRequest) -> PolicyRequest:
    metadata = {**request.object["metadata"]}
    metadata["labels"] = {**metadata.get("labels", {}), "changed": "true"}
    changed = {
        **request.object,
        "metadata": metadata,
        "spec": {**request.object["spec"], "suspend": True},
    }
    return replace(request, operation="UPDATE", old=request.object, object=changed)
