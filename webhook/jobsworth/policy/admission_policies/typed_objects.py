"""Jobs and CronJobs as the API server's types hold them: with the structs that are always there."""

from __future__ import annotations

from typing import Any

_CONTAINERS = ("initContainers", "containers")


def as_typed(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its empty structs: ``status``, the template's metadata, a container's resources.

    The object itself is not changed.

    >>> as_typed({"kind": "Job", "spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}})["status"]
    {}
    """
    typed = {"status": {}, **value}
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
