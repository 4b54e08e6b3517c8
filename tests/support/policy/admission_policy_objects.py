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
