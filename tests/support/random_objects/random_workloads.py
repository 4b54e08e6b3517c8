"""Random valid Jobs and CronJobs with the fields that security policies read; a seed names each."""

from __future__ import annotations

import random
from typing import Any

SECURITY: dict[str, tuple[Any, ...]] = {
    "runAsNonRoot": (True, False),
    "runAsUser": (0, 1000),
    "runAsGroup": (0, 1000),
    "seccompProfile": (
        {"type": "RuntimeDefault"},
        {"type": "Unconfined"},
        {"type": "Localhost", "localhostProfile": "a.json"},
    ),
    "privileged": (True, False),
    "allowPrivilegeEscalation": (True, False),
    "readOnlyRootFilesystem": (True, False),
    "capabilities": (
        {"drop": ["ALL"]},
        {"add": ["SYS_ADMIN"]},
        {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]},
        {"drop": ["NET_RAW"]},
    ),
}
OF_PODS = ("runAsNonRoot", "runAsUser", "runAsGroup", "seccompProfile")
IMAGES = (
    "busybox",
    "busybox:latest",
    "registry.example.com/a/b:7",
    "quay.io/x/y@sha256:" + "a" * 64,
    "gcr.io/p/i:1",
    "docker.io/library/nginx",
    "localhost:5000/x",
)
POD: dict[str, tuple[Any, ...]] = {
    "hostNetwork": (True, False),
    "hostPID": (True, False),
    "hostIPC": (True,),
    "serviceAccountName": ("default", "runner"),
    "automountServiceAccountToken": (True, False),
    "nodeName": ("node-1",),
    "priorityClassName": ("high",),
}
JOB: dict[str, tuple[Any, ...]] = {
    "parallelism": (1, 3, 50),
    "backoffLimit": (0, 3),
    "ttlSecondsAfterFinished": (60,),
    "suspend": (True, False),
    "activeDeadlineSeconds": (100,),
}
VOLUMES: tuple[dict[str, Any], ...] = (
    {"emptyDir": {}},
    {"hostPath": {"path": "/"}},
    {"hostPath": {"path": "/var/run/docker.sock"}},
    {"hostPath": {"path": "/data"}},
    {"secret": {"secretName": "keys"}},
    {"configMap": {"name": "settings"}},
)


def random_workload(seed: int) -> dict[str, Any]:
    """A Job, or a CronJob one time in four."""
    rng = random.Random(seed)
    containers = [_container(rng, "main")]
    containers += [_container(rng, f"side-{index}") for index in range(rng.choice((0, 0, 1, 2)))]
    pod: dict[str, Any] = {"restartPolicy": "Never", "containers": containers}
    if rng.random() < 0.3:
        pod["initContainers"] = [_container(rng, "init")]
    if rng.random() < 0.5:
        pod["securityContext"] = _some(rng, {key: SECURITY[key] for key in OF_PODS}, 0.4)
    pod |= _some(rng, POD, 0.25)
    every = [*containers, *pod.get("initContainers", ())]
    if rng.random() < 0.5 or any("volumeMounts" in each for each in every):
        pod["volumes"] = [{"name": "v", **rng.choice(VOLUMES)}]
    template: dict[str, Any] = {"spec": pod}
    if rng.random() < 0.4:
        template["metadata"] = {"labels": {"app": "x"}}
    metadata: dict[str, Any] = {
        "name": f"workload-{seed}",
        "namespace": rng.choice(("default", "kube-system", "ml")),
    }
    if rng.random() < 0.5:
        metadata["labels"] = _some(rng, {"app": ("x",), "team": ("x",), "env": ("x",)}, 0.5)
    spec = {"template": template, **_some(rng, JOB, 0.3)}
    if rng.random() < 0.25:
        cron = {"schedule": "0 3 * * *", "jobTemplate": {"spec": spec}}
        return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": cron}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}


def _some(rng: random.Random, fields: dict[str, tuple[Any, ...]], share: float) -> dict[str, Any]:
    return {name: rng.choice(values) for name, values in fields.items() if rng.random() < share}


def _container(rng: random.Random, name: str) -> dict[str, Any]:
    container: dict[str, Any] = {"name": name, "image": rng.choice(IMAGES)}
    if rng.random() < 0.6:
        container["securityContext"] = _some(rng, SECURITY, 0.4)
    if rng.random() < 0.6:
        amounts = {"cpu": ("100m", "1"), "memory": ("64Mi", "1Gi")}
        container["resources"] = {
            kind: _some(rng, amounts, 0.7) for kind in ("requests", "limits") if rng.random() < 0.7
        }
    if rng.random() < 0.3:
        names = ("MODE", "PASSWORD", "aws_secret_access_key")
        container["env"] = [{"name": rng.choice(names), "value": rng.choice(("x", "secret"))}]
        if rng.random() < 0.5:
            source = {"secretKeyRef": {"name": "keys", "key": "k"}}
            container["env"].append({"name": "KEY", "valueFrom": source})
    if rng.random() < 0.3:
        port = {"containerPort": rng.choice((22, 80, 8080))}
        container["ports"] = [
            {**port, "hostPort": port["containerPort"]} if rng.random() < 0.4 else port
        ]
    if rng.random() < 0.3:
        container["volumeMounts"] = [{"name": "v", "mountPath": rng.choice(("/data", "/etc"))}]
    if rng.random() < 0.3:
        container["imagePullPolicy"] = rng.choice(("Always", "IfNotPresent"))
    if rng.random() < 0.2:
        container["command"] = ["sudo", "run"]
    if rng.random() < 0.2:
        container["livenessProbe"] = {"exec": {"command": ["true"]}}
    return container
