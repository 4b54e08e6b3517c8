"""Check the shape of a Pod from a file before the planner reads it.

The planner reads Pods that an API server has validated. A file may hold anything, and only the types of the
fields that the planner reads matter here.
"""

from __future__ import annotations

from typing import Any

_TERMINATED = {"exitCode": int, "reason": str, "finishedAt": str}
_CONTAINER_STATUSES = [
    {"name": str, "restartCount": int, "state": {"terminated": _TERMINATED}},
]
_SHAPE: dict[str, Any] = {
    "metadata": {
        "name": str,
        "namespace": str,
        "uid": str,
        "resourceVersion": str,
        "annotations": {"*": str},
        "labels": {"*": str},
        "finalizers": [str],
        "ownerReferences": [{"apiVersion": str, "kind": str, "name": str, "uid": str}],
        "creationTimestamp": str,
        "deletionTimestamp": str,
        "deletionGracePeriodSeconds": int,
    },
    "spec": {"nodeName": str, "initContainers": [{"name": str, "restartPolicy": str}]},
    "status": {
        "phase": str,
        "conditions": [{"type": str, "status": str, "lastTransitionTime": str}],
        "containerStatuses": _CONTAINER_STATUSES,
        "initContainerStatuses": _CONTAINER_STATUSES,
    },
}
"""The types of the fields; a list stands for a list of its item, ``*`` for all other keys."""

_NAMES = {str: "a string", int: "a whole number"}


def pod_problem(value: object) -> str | None:
    """Return why a value is no Pod that can be explained; None if it is one.

    >>> pod_problem({"kind": "Pod", "metadata": {}, "status": {"phase": 3}})
    'status.phase must be a string'
    """
    if not isinstance(value, dict) or value.get("kind") != "Pod":
        return "not a Pod (kind: Pod)"
    if not isinstance(value.get("metadata"), dict):
        return "metadata must be an object"
    return _problem(value, _SHAPE, "")


def _problem(value: object, shape: Any, path: str) -> str | None:
    if value is None:
        return None
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{path} must be an object"
        for name, part in value.items():
            wanted = shape.get(name, shape.get("*"))
            if wanted is not None:
                problem = _problem(part, wanted, f"{path}.{name}" if path else str(name))
                if problem is not None:
                    return problem
        return None
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{path} must be a list"
        for index, item in enumerate(value):
            if item is None:
                return f"{path}[{index}] must not be null"
            problem = _problem(item, shape[0], f"{path}[{index}]")
            if problem is not None:
                return problem
        return None
    if not isinstance(value, shape) or isinstance(value, bool):
        return f"{path} must be {_NAMES[shape]}"
    return None
