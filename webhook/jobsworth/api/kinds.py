"""The kinds of object that jobsworth judges, by API version and kind."""

from __future__ import annotations

from jobsworth.api.batch import job_update
from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.batch.job import Job
from jobsworth.api.core import (
    pod_containers,
    pod_metadata,
    pod_os,
    pod_profiles,
    pod_resources,
    pod_security,
    pod_volumes,
)

KINDS = {("batch/v1", "Job"): Job, ("batch/v1", "CronJob"): CronJob}

__all__ = [
    "KINDS",
    "CronJob",
    "Job",
    "job_update",
    "pod_containers",
    "pod_metadata",
    "pod_os",
    "pod_profiles",
    "pod_resources",
    "pod_security",
    "pod_volumes",
]
