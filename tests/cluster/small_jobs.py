"""A Job and a CronJob to create in a cluster, and the paths of their collections."""

from __future__ import annotations

from typing import Any

JOBS = "/apis/batch/v1/namespaces/{}/jobs"
CRON_JOBS = "/apis/batch/v1/namespaces/{}/cronjobs"


def job(name: str = "example", **spec: Any) -> dict[str, Any]:
    """Return a Job with some fields of its spec set."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            "backoffLimit": 2,
            "activeDeadlineSeconds": 600,
            "template": {"spec": pod},
            **spec,
        },
    }


def cron_job(schedule: str = "* * * * *", **spec: Any) -> dict[str, Any]:
    """Return a CronJob around such a Job."""
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "example"},
        "spec": {"schedule": schedule, "jobTemplate": {"spec": job(**spec)["spec"]}},
    }
