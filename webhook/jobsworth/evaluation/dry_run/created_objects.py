"""The objects that controllers create from a Job or CronJob, for a dry run."""

from __future__ import annotations

from typing import Any

from jobsworth.controller.actions import Creation
from jobsworth.controller.jobs import read_job
from jobsworth.controller.pod_body import pod_body
from jobsworth.controller.settings import settings_of


def job_of_cron_job(cron_job: dict[str, Any], scheduled: int) -> dict[str, Any]:
    """Return the Job that the CronJob controller creates for a scheduled time.

    Source: ``getJobFromTemplate2`` in pkg/controller/cronjob/utils.go, Kubernetes 1.36.

    Args:
        cron_job: as the API server returns it.
        scheduled: seconds since 1970.
    """
    metadata, template = cron_job["metadata"], cron_job["spec"]["jobTemplate"]
    written = template.get("metadata") or {}
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"{metadata['name']}-{scheduled // 60}",
            "namespace": metadata.get("namespace"),
            "labels": written.get("labels") or {},
            "annotations": written.get("annotations") or {},
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    }


def pod_of_job(job: dict[str, Any]) -> dict[str, Any] | None:
    """Return the first Pod that the Job controller creates; None for a Job of another controller.

    Args:
        job: as the API server returns it, with its UID and generated labels.

    Raises:
        BadTemplate: the template has no label.
    """
    managed_by = job["spec"].get("managedBy")
    settings = settings_of(managed_by)
    if not settings.manages(managed_by):
        return None
    read = read_job(job, settings)
    index = 0 if read.indexed else None
    return pod_body(read, Creation(index, 0 if read.per_index else None))
