"""Jobs and CronJobs as a cluster stores them: with all that the server writes."""

from __future__ import annotations

import itertools
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import PREFIXED_SINCE, generated_labels
from jobsworth.validation.engine import engine_for

_UIDS = itertools.count(1)

JOB: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "train"},
    "spec": {
        "activeDeadlineSeconds": 3600,
        "ttlSecondsAfterFinished": 86400,
        "template": {
            "spec": {
                "restartPolicy": "Never",
                "containers": [
                    {
                        "name": "main",
                        "image": "registry.example.com/train:1.4",
                        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
                    }
                ],
            }
        },
    },
}
"""A manifest without findings."""


def manifest(name: str = "train", **spec: Any) -> dict[str, Any]:
    """The manifest with another name, and some fields of the spec added."""
    return {**JOB, "metadata": {"name": name}, "spec": {**JOB["spec"], **spec}}


def cron_manifest(name: str = "nightly", **spec: Any) -> dict[str, Any]:
    """A CronJob around the same Job."""
    template = {"spec": JOB["spec"]}
    cron: dict[str, Any] = {
        "schedule": "30 4 * * *",
        "timeZone": "Europe/Berlin",
        "concurrencyPolicy": "Forbid",
        "startingDeadlineSeconds": 3600,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name},
        "spec": {**cron, "jobTemplate": template, **spec},
    }


def stored(
    written: dict[str, Any],
    namespace: str = "default",
    release: str = "1.36",
    status: dict[str, Any] | None = None,
    **metadata: Any,
) -> dict[str, Any]:
    """Return what an API server of a release stores of a manifest."""
    found = engine_for(ApiServer(release)).default(written)
    uid = f"9f3a52c1-7a07-4c7b-8f59-{next(_UIDS):012}"
    meta = {
        "namespace": namespace,
        "name": "unnamed",
        **found["metadata"],
        "uid": uid,
        "resourceVersion": "4711",
        "generation": 1,
        "creationTimestamp": "2025-11-03T08:00:00Z",
        "managedFields": [
            {"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": {}}}
        ],
        **metadata,
    }
    spec = found["spec"]
    if written["kind"] == "Job" and not spec.get("manualSelector"):
        generated = generated_labels({"metadata": meta})
        selected = "batch.kubernetes.io/controller-uid"
        if ApiServer(release).minor < PREFIXED_SINCE:
            generated = {key: value for key, value in generated.items() if "/" not in key}
            selected = "controller-uid"
        labels = {**spec["template"]["metadata"].get("labels", {}), **generated}
        spec["template"]["metadata"]["labels"] = labels
        meta["labels"] = {**meta.get("labels", {}), **generated}
        spec["selector"] = {"matchLabels": {selected: uid}}
    return {**found, "metadata": meta, "spec": spec, "status": status or {"ready": 0, "active": 1}}


def owned(job: dict[str, Any], creator: dict[str, Any]) -> dict[str, Any]:
    """The Job, as one that a CronJob, or another object, has made."""
    meta = creator["metadata"]
    owner = {name: creator[name] for name in ("apiVersion", "kind")} | {"controller": True}
    owner |= {"name": meta["name"], "uid": meta["uid"]}
    return {**job, "metadata": {**job["metadata"], "ownerReferences": [owner]}}


def ended(condition: str) -> dict[str, Any]:
    """The status of a Job that has ended so: ``Complete`` or ``Failed``."""
    return {"conditions": [{"type": condition, "status": "True"}]}
