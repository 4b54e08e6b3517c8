"""The variables of expressions, of a request.

Expressions see Jobs and CronJobs as the API server's types hold them: with the structs that are always there.
"""

from __future__ import annotations

from typing import Any

from jobsworth.policy.admission_policies.matching import NAME_LABEL, RESOURCES
from jobsworth.policy.request import UNKNOWN_USER, PolicyRequest
from kube_cel.values import Unknown

_CONTAINERS = ("initContainers", "containers")
_AUTHORIZER = Unknown("it checks permissions with authorizer, which only a cluster can")
_NO_LABELS = Unknown("it reads the metadata of the namespace, which is not known")


def request_variables(request: PolicyRequest) -> dict[str, Any]:
    """Return the variables of expressions, as far as they are known."""
    return {
        "object": as_typed(request.object),
        "oldObject": None if request.old is None else as_typed(request.old),
        "request": _request(request),
        "namespaceObject": _namespace(request),
        "authorizer": _AUTHORIZER,
    }


def _request(request: PolicyRequest) -> dict[str, Any]:
    kind = {"group": "batch", "version": "v1", "kind": request.kind}
    resource = {"group": "batch", "version": "v1", "resource": RESOURCES[request.kind]}
    described: dict[str, Any] = {
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "namespace": request.namespace,
        "operation": request.operation,
        "userInfo": UNKNOWN_USER if request.user is None else _user(request),
        "dryRun": request.dry_run,
        "options": dict(request.options) or None,
    }
    if request.name:
        described["name"] = request.name
    return described


def _user(request: PolicyRequest) -> dict[str, Any]:
    user: dict[str, Any] = {"username": request.user}
    if request.groups:
        user["groups"] = list(request.groups)
    return user


def _namespace(request: PolicyRequest) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": request.namespace}
    if request.namespace_labels is None:
        metadata["labels"] = metadata["annotations"] = _NO_LABELS
    else:
        metadata["labels"] = {**request.namespace_labels, NAME_LABEL: request.namespace}
    return {"metadata": metadata, "spec": {}, "status": {}}


def as_typed(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its empty structs: ``status``, the template's metadata, a container's resources.

    The object itself is not changed.

    >>> as_typed({"kind": "Job", "spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}})["status"]
    {}
    """
    typed = {**value, "status": value.get("status", {})}
    if value.get("kind") == "CronJob":
        typed["spec"] = _with(
            value, "spec", lambda spec: _with_part(spec, "jobTemplate", _template_of_job)
        )
    else:
        typed["spec"] = _with(value, "spec", lambda spec: _with_part(spec, "template", _template))
    return typed


def _with(value: dict[str, Any], key: str, change: Any) -> Any:
    part = value.get(key)
    return change(part) if isinstance(part, dict) else part


def _with_part(value: dict[str, Any], key: str, change: Any) -> dict[str, Any]:
    if not isinstance(value.get(key), dict):
        return value
    return {**value, key: change(value[key])}


def _template_of_job(template: dict[str, Any]) -> dict[str, Any]:
    inner = _with_part(template, "spec", lambda spec: _with_part(spec, "template", _template))
    return {"metadata": {}, **inner}


def _template(template: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {}, **_with_part(template, "spec", _pod)}


def _pod(pod: dict[str, Any]) -> dict[str, Any]:
    return {
        **pod,
        **{
            key: [_container(each) for each in pod[key]]
            for key in _CONTAINERS
            if isinstance(pod.get(key), list)
        },
    }


def _container(container: Any) -> Any:
    return {"resources": {}, **container} if isinstance(container, dict) else container
