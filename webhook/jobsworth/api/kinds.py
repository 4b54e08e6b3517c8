"""The kinds of object that jobsworth judges, by API version and kind.

Importing this module also registers the rules of Pods that stand in modules of their own, because they
concern containers, volumes and security together.
"""

from __future__ import annotations

from jobsworth.api.batch import job_update
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
from jobsworth.api.declare import Later

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.api.declare import Struct

_KINDS: dict[tuple[str, str], Struct | Later] = {
    ("batch/v1", "Job"): Job,
    # Schedules and time zones concern one kind only, and are imported for it only.
    ("batch/v1", "CronJob"): Later("jobsworth.api.batch.cron_job", "CronJob"),
}


def kind(api_version: object, name: object) -> Struct | None:
    """The declared type of a kind; None of a kind that is not judged."""
    if not isinstance(api_version, str) or not isinstance(name, str):
        return None
    found = _KINDS.get((api_version, name))
    return found.struct() if isinstance(found, Later) else found


def kinds() -> list[tuple[str, Struct]]:
    """Every kind: its API version and declared type."""
    return [
        (version, declared.struct() if isinstance(declared, Later) else declared)
        for (version, _), declared in _KINDS.items()
    ]


__all__ = [
    "Job",
    "job_update",
    "kind",
    "kinds",
    "pod_containers",
    "pod_metadata",
    "pod_os",
    "pod_profiles",
    "pod_resources",
    "pod_security",
    "pod_volumes",
]
