"""The shapes of a CronJob and a JobSet, as far as a diagnosis reads them."""

from __future__ import annotations

from typing import Any

from jobsworth.whatif.explanation.pod_document import shape_problem

_METADATA = {
    "name": str,
    "namespace": str,
    "uid": str,
    "creationTimestamp": str,
    "deletionTimestamp": str,
    "finalizers": [str],
}
CRON_JOB_SPEC: dict[str, Any] = {
    "schedule": str,
    "timeZone": str,
    "concurrencyPolicy": str,
    "startingDeadlineSeconds": int,
    "successfulJobsHistoryLimit": int,
    "failedJobsHistoryLimit": int,
}
CRON_JOB_STATUS: dict[str, Any] = {
    "active": [{"name": str}],
    "lastScheduleTime": str,
    "lastSuccessfulTime": str,
}
_CRON_JOB: dict[str, Any] = {
    "metadata": _METADATA,
    "spec": CRON_JOB_SPEC,
    "status": CRON_JOB_STATUS,
}
_JOB_SET: dict[str, Any] = {
    "metadata": _METADATA,
    "spec": {"managedBy": str},
    "status": {
        "restarts": int,
        "conditions": [
            {"type": str, "status": str, "reason": str, "message": str, "lastTransitionTime": str}
        ],
    },
}


def cron_job_problem(value: object) -> str | None:
    """Return why a value cannot be read as a CronJob; None if it can."""
    problem = shape_problem(value, _CRON_JOB)
    if problem is None and isinstance(value, dict) and "schedule" not in (value.get("spec") or {}):
        return "spec.schedule is missing"
    return problem


def job_set_problem(value: object) -> str | None:
    """Return why a value cannot be read as a JobSet; None if it can."""
    return shape_problem(value, _JOB_SET)
