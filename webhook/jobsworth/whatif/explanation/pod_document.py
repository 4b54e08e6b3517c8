"""Check the shape of an object from a file before the planner reads it, above all that of a Pod.

The planner reads Pods that an API server has validated. A file may hold anything, and only the types of the
fields that the planner reads matter here.
"""

from __future__ import annotations

from typing import Any

_TERMINATED = {
    "exitCode": int,
    "reason": str,
    "message": str,
    "startedAt": str,
    "finishedAt": str,
}
_STATE = {
    "running": {"startedAt": str},
    "terminated": _TERMINATED,
    "waiting": {"reason": str, "message": str},
}
_CONTAINER_STATUSES = [
    {"name": str, "image": str, "restartCount": int, "state": _STATE, "lastState": _STATE},
]
_CONTAINERS = [{"name": str, "image": str, "restartPolicy": str, "resources": {"limits": {}}}]
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
    "spec": {
        "nodeName": str,
        "schedulerName": str,
        "containers": _CONTAINERS,
        "initContainers": _CONTAINERS,
        "resources": {"limits": {}},
        "schedulingGates": [{"name": str}],
    },
    "status": {
        "phase": str,
        "reason": str,
        "message": str,
        "conditions": [
            {"type": str, "status": str, "reason": str, "message": str, "lastTransitionTime": str}
        ],
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
    return shape_problem(value, _SHAPE)


def shape_problem(value: object, shape: Any, path: str = "") -> str | None:
    """Return the first field whose type is not as in a shape, and what is wrong; None without one.

    Args:
        shape: the types of the fields; a list stands for a list of its item, ``*`` for all other keys.
    """
    if value is None:
        return None
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{path} must be an object"
        for name, part in value.items():
            wanted = shape.get(name, shape.get("*"))
            if wanted is not None:
                problem = shape_problem(part, wanted, f"{path}.{name}" if path else str(name))
                if problem is not None:
                    return problem
        return None
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{path} must be a list"
        for index, item in enumerate(value):
            if item is None:
                return f"{path}[{index}] must not be null"
            problem = shape_problem(item, shape[0], f"{path}[{index}]")
            if problem is not None:
                return problem
        return None
    if not isinstance(value, shape) or isinstance(value, bool):
        return f"{path} must be {_NAMES[shape]}"
    return None
