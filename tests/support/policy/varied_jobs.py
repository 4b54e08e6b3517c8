"""Valid Jobs that differ in what policies that mutate look at."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

IMAGES = (
    "nginx", "nginx:1.27", "corp.reg.com/app:2", "ghcr.io/example/tool:1", "busybox:latest",
    "registry.example.com/x@sha256:" + "a" * 64,
)  # fmt: skip
LABELS = {"app": "x", "team": "ml", "environment": "prod", "skip": "yes"}
ANNOTATIONS = {"owner": "me", "inject-certs": "enabled", "note": "x/y~z"}
OF_PODS = {
    "nodeSelector": {"pool": "batch"},
    "tolerations": [{"key": "batch", "operator": "Exists"}],
    "priorityClassName": "low",
    "serviceAccountName": "runner",
    "imagePullSecrets": [{"name": "old"}],
    "securityContext": {"runAsUser": 5},
    "automountServiceAccountToken": False,
    "hostAliases": [{"ip": "10.0.0.1", "hostnames": ["a"]}],
    "dnsConfig": {"options": [{"name": "ndots", "value": "2"}]},
}
OF_JOBS = {
    "suspend": True,
    "parallelism": 3,
    "completions": 4,
    "backoffLimit": 2,
    "ttlSecondsAfterFinished": 60,
    "activeDeadlineSeconds": 600,
    "podFailurePolicy": {
        "rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}]
    },
}


def varied_jobs(count: int, seed: int = 63) -> list[dict[str, Any]]:
    """Return Jobs; the same for the same seed."""
    chance = random.Random(seed)
    return [_job(number, chance) for number in range(count)]


def _some(values: dict[str, Any], chance: random.Random, share: float = 0.3) -> dict[str, Any]:
    return {key: value for key, value in values.items() if chance.random() < share}


def _container(name: str, chance: random.Random) -> dict[str, Any]:
    amounts: Callable[[], dict[str, str]] = lambda: _some(  # noqa: E731
        {"cpu": "100m", "memory": "64Mi", "ephemeral-storage": "1Gi"}, chance, 0.6
    )
    names = chance.sample(["A", "B", "POD_NAME", "K8S_IMAGE"], 2)
    parts = {
        "env": [{"name": each, "value": "1"} for each in names],
        "resources": {
            key: found
            for key in ("requests", "limits")
            if (found := _some({key: amounts()}, chance, 0.7).get(key))
        },
        "ports": [
            {"containerPort": 8080, "name": "web"},
            {"containerPort": 8080, "protocol": "UDP"},
        ],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        "securityContext": {"runAsNonRoot": True, "capabilities": {"drop": ["NET_RAW"]}},
        "envFrom": [{"configMapRef": {"name": "old"}}],
        "imagePullPolicy": "IfNotPresent",
        "args": ["a", "b"],
    }
    return {"name": name, "image": chance.choice(IMAGES), **_some(parts, chance, 0.4)}


def _job(number: int, chance: random.Random) -> dict[str, Any]:
    names = ["main", "side", "log"][: chance.randint(1, 3)]
    volume = chance.choice(
        [{"emptyDir": {}}, {"emptyDir": {"sizeLimit": "1Gi"}}, {"hostPath": {"path": "/d"}}]
    )
    pod: dict[str, Any] = {
        "restartPolicy": "Never",
        "containers": [_container(name, chance) for name in names],
        **_some({"initContainers": [_container("init", chance)]}, chance),
        **_some(OF_PODS, chance),
    }
    containers = [*pod["containers"], *pod.get("initContainers", ())]
    if any("volumeMounts" in each for each in containers) or chance.random() < 0.3:
        pod["volumes"] = [{"name": "data", **volume}]
    metadata = {"labels": _some(LABELS, chance), "annotations": _some(ANNOTATIONS, chance)}
    name = f"{chance.choice(['volsync', 'job', 'pvc'])}-{number}"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            **_some(
                {"labels": _some(LABELS, chance), "annotations": _some(ANNOTATIONS, chance)},
                chance,
                0.6,
            ),
        },
        "spec": {**_some(OF_JOBS, chance), "template": {"metadata": metadata, "spec": pod}},
    }
