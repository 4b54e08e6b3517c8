"""The kinds that jobsworth validates, by API version and kind.

Importing this module also registers the Pod rules of the modules below, which concern containers,
volumes and security together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.batch.job import Job
from jobsworth.api.core import (
    pod_containers,
    pod_metadata,
    pod_os,
    pod_profiles,
    pod_security,
    pod_volumes,
)
from jobsworth.api.core.pod_template import PodSpec
from jobsworth.api.declare import Later, Struct
from jobsworth.api.field_errors import FieldError
from jobsworth.api.validation_request import Request

_KINDS: dict[tuple[str, str], Struct | Later] = {
    ("batch/v1", "Job"): Job,
    # Only CronJobs need schedules and time zones; other objects do not pay for the import.
    ("batch/v1", "CronJob"): Later("jobsworth.api.batch.cron_job", "CronJob"),
}


@PodSpec.rule_about("resources")
def _pod_resources(pod: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    from jobsworth.api.core.pod_resources import check_pod_resources  # few Pods need it

    yield from check_pod_resources(pod, path, request)


@Job.update_rule
def _job_update(new: dict[str, Any], old: dict[str, Any], request: Request) -> Iterator[FieldError]:
    from jobsworth.api.batch.job_update import check_job_update  # only updates need it

    yield from check_job_update(new, old, request)


def kind(api_version: object, name: object) -> Struct | None:
    """Return the declared type of a kind, or None if jobsworth does not validate that kind."""
    if not isinstance(api_version, str) or not isinstance(name, str):
        return None
    found = _KINDS.get((api_version, name))
    return found.struct() if isinstance(found, Later) else found


def kinds() -> list[tuple[str, Struct]]:
    """Return every kind as (API version, declared type)."""
    return [
        (version, declared.struct() if isinstance(declared, Later) else declared)
        for (version, _), declared in _KINDS.items()
    ]


__all__ = [
    "Job",
    "kind",
    "kinds",
    "pod_containers",
    "pod_metadata",
    "pod_os",
    "pod_profiles",
    "pod_security",
    "pod_volumes",
]
