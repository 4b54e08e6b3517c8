"""Small ValidatingAdmissionPolicies, bindings and params for tests."""

from __future__ import annotations

from typing import Any

from jobsworth.policy.request import CREATE, UPDATE, PolicyRequest

JOBS = {
    "apiGroups": ["batch"],
    "apiVersions": ["v1"],
    "operations": ["CREATE", "UPDATE"],
    "resources": ["jobs"],
}


def policy(
    *validations: Any, name: str = "small", match: Any = None, **spec: Any
) -> dict[str, Any]:
    """A policy for Jobs; a validation is an expression or a mapping."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {"resourceRules": [JOBS], **(match or {})},
            "validations": [
                {"expression": each} if isinstance(each, str) else each for each in validations
            ],
            **spec,
        },
    }


def binding(name: str = "everywhere", policy: str = "small", **spec: Any) -> dict[str, Any]:
    """A binding that denies."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": policy, "validationActions": ["Deny"], **spec},
    }


def mutating_policy(
    *mutations: str, name: str = "small", match: Any = None, **spec: Any
) -> dict[str, Any]:
    """A policy that mutates Jobs, by ``Object{…}`` or a list of operations."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {"resourceRules": [JOBS], **(match or {})},
            "reinvocationPolicy": "Never",
            "mutations": [*map(mutation, mutations)],
            **spec,
        },
    }


def mutation(expression: str) -> dict[str, Any]:
    """A mutation; the expression of a JSON Patch has the word ``JSONPatch``."""
    if "JSONPatch" in expression:
        return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def mutating_binding(name: str = "", policy: str = "small", **spec: Any) -> dict[str, Any]:
    """A binding of a policy that mutates, by default with the name of the policy."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": name or policy},
        "spec": {"policyName": policy, **spec},
    }


def config_map(
    name: str = "limits", namespace: str = "batch", labels: Any = None, **data: str
) -> dict[str, Any]:
    """Params."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, "labels": labels or {}},
        "data": data,
    }


CONFIG_MAPS = {"apiVersion": "v1", "kind": "ConfigMap"}


def job(labels: Any = None, name: str = "work", **spec: Any) -> dict[str, Any]:
    """A Job as the API server stores it, without most defaults."""
    container = {"name": "main", "image": "registry.example.com/main"}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "batch", "labels": labels or {}},
        "spec": {"parallelism": 1, "suspend": False, **spec, "template": template},
    }


def request(
    value: dict[str, Any] | None = None, old: dict[str, Any] | None = None, **more: Any
) -> PolicyRequest:
    """A request about a Job in the namespace ``batch`` by alice."""
    sent = value or job()
    given = {"user": "alice", "groups": ("ml",), "namespace_labels": {"tier": "research"}, **more}
    return PolicyRequest(
        operation=CREATE if old is None else UPDATE,
        kind=sent["kind"],
        namespace="batch",
        name=sent["metadata"].get("name", ""),
        object=sent,
        old=old,
        **given,
    )
