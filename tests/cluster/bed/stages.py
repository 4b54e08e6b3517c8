"""Stages of a Pod's life: when a simulated kubelet runs, ends and deletes it, and the status that it reports."""

from __future__ import annotations

import enum
import re
from typing import Any

NODE = "node-0"
INDEX = "batch.kubernetes.io/job-completion-index"
EXIT_CODE = "bed/exit-code"
"""Annotation of a Pod: with which exit code its containers end, ``0`` by default; ``never``: it runs until it
is deleted. With ``.3`` appended: that of completion index 3 alone."""
RUN_FOR = "bed/run-for"
"""Annotation of a Pod: how long it runs, such as ``500ms`` or ``1h``; without it, it ends at once."""
NEVER = "never"
NO_REGISTRY = "no-registry.invalid/"
"""Start of an image that cannot be pulled: its Pod stays pending."""
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}

Pod = dict[str, Any]


class Stage(enum.Enum):
    """A step that the kubelet takes next."""

    RUN = enum.auto()
    END = enum.auto()
    DELETE = enum.auto()


def next_stage(pod: Pod) -> Stage | None:
    """Return the step that a Pod on the node waits for, if any."""
    metadata = pod["metadata"]
    if "deletionTimestamp" in metadata:
        # Once the grace period is 0, only the finalizers of others hold the Pod: they are not the kubelet's.
        return Stage.DELETE if metadata.get("deletionGracePeriodSeconds") else None
    phase = pod.get("status", {}).get("phase")
    if phase == "Pending":
        images = [container["image"] for container in pod["spec"]["containers"]]
        return None if any(image.startswith(NO_REGISTRY) for image in images) else Stage.RUN
    if phase == "Running" and exit_code(pod) != NEVER:
        return Stage.END
    return None


def exit_code(pod: Pod) -> str:
    """Return the exit code of a Pod's containers, or ``never``."""
    annotations = pod["metadata"].get("annotations", {})
    of_index = annotations.get(f"{EXIT_CODE}.{annotations.get(INDEX, '')}")
    return str(of_index or annotations.get(EXIT_CODE) or "0")


def run_time(pod: Pod) -> float:
    """Return how many seconds a Pod runs.

    Raises:
        ValueError: the annotation is not a number with a unit.
    """
    text = pod["metadata"].get("annotations", {}).get(RUN_FOR, "0s")
    found = re.fullmatch(r"(\d+)(ms|s|m|h)", text)
    if found is None:
        raise ValueError(f"{RUN_FOR}: {text!r} is not a duration: write 500ms, 2s, 5m or 1h")
    return int(found[1]) * SECONDS[found[2]]


def node_status(now: str) -> dict[str, Any]:
    """Return the status of a node that takes any number of Pods."""
    resources = {"cpu": "1k", "memory": "1Ti", "pods": "1M"}
    ready = {"type": "Ready", "status": "True", "reason": "TestBed"}
    return {
        "phase": "Running",
        "conditions": [{**ready, "lastHeartbeatTime": now, "lastTransitionTime": now}],
        "capacity": resources,
        "allocatable": resources,
    }


def running(pod: Pod, now: str) -> dict[str, Any]:
    """Return the status of a Pod that begins to run at a time."""
    return {
        "phase": "Running",
        "startTime": now,
        "conditions": _ready("True", now),
        "containerStatuses": _containers(pod, ready=True, state={"running": {"startedAt": now}}),
    }


def ended(pod: Pod, now: str) -> dict[str, Any]:
    """Return the status of a running Pod whose containers end at a time."""
    code = int(exit_code(pod))
    terminated = {
        "exitCode": code,
        "reason": "Error" if code else "Completed",
        "startedAt": pod["status"].get("startTime", now),
        "finishedAt": now,
    }
    return {
        "phase": "Failed" if code else "Succeeded",
        "conditions": _ready("False", now),
        "containerStatuses": _containers(pod, ready=False, state={"terminated": terminated}),
    }


def _ready(status: str, now: str) -> list[dict[str, str]]:
    return [
        {"type": kind, "status": status, "lastTransitionTime": now}
        for kind in ("Ready", "ContainersReady")
    ]


def _containers(pod: Pod, *, ready: bool, state: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": container["name"],
            "image": container["image"],
            "imageID": "",
            "ready": ready,
            "restartCount": 0,
            "state": state,
        }
        for container in pod["spec"]["containers"]
    ]


def node() -> dict[str, Any]:
    """The node that the kubelet plays."""
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}}


def placement() -> list[dict[str, Any]]:
    """Return the policy that stands in for a scheduler: the API server itself puts every new Pod on the node.

    A MutatingAdmissionPolicy, which is on by default from Kubernetes 1.36 on.
    """
    api_version = "admissionregistration.k8s.io/v1"
    name = {"name": "bed-placement"}
    policy = {
        "apiVersion": api_version,
        "kind": "MutatingAdmissionPolicy",
        "metadata": name,
        "spec": {
            "failurePolicy": "Fail",
            "reinvocationPolicy": "Never",
            "matchConstraints": {
                "resourceRules": [
                    {
                        "apiGroups": [""],
                        "apiVersions": ["v1"],
                        "operations": ["CREATE"],
                        "resources": ["pods"],
                    }
                ]
            },
            "matchConditions": [
                {"name": "unplaced", "expression": "!has(object.spec.nodeName)"},
                {"name": "ungated", "expression": "!has(object.spec.schedulingGates)"},
            ],
            "mutations": [
                {
                    "patchType": "ApplyConfiguration",
                    "applyConfiguration": {
                        "expression": f'Object{{spec: Object.spec{{nodeName: "{NODE}"}}}}'
                    },
                }
            ],
        },
    }
    binding = {
        "apiVersion": api_version,
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": name,
        "spec": {"policyName": name["name"]},
    }
    return [policy, binding]
