"""Select the stored Jobs and CronJobs to audit, and count the skipped ones."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.audit.stored_objects import StoredObjects


@dataclass(frozen=True, slots=True)
class AuditScope:
    """The objects to audit.

    Attributes:
        namespaces: names of namespaces; None stands for all namespaces.
        finished: include finished Jobs and objects that are being deleted.
        owned: include Jobs owned by a CronJob; otherwise only the CronJob is audited.
        exempt_namespaces: names of namespaces whose objects are skipped.
    """

    namespaces: Sequence[str | None]
    finished: bool = False
    owned: bool = False
    exempt_namespaces: Collection[str] = ()


@dataclass(slots=True)
class AuditProgress:
    """The progress of an audit.

    Attributes:
        read: number of objects read.
        left: number of remaining objects in the current list, estimated by the API server.
        finished: number of objects skipped because they are finished or being deleted.
        owned: number of Jobs skipped because their CronJob is audited instead.
        exempt: number of objects skipped because their namespace is exempt.
    """

    read: int = 0
    left: int = 0
    finished: int = 0
    owned: int = 0
    exempt: int = 0


def audited_objects(
    cluster: StoredObjects, scope: AuditScope, progress: AuditProgress
) -> Iterator[dict[str, Any]]:
    """Yield the objects to audit as they are read, CronJobs first.

    Raises:
        ApiError: the API server cannot be reached, or rejects the request.
    """
    for namespace in scope.namespaces:
        cron_jobs: set[str] = set()
        for stored in _read(cluster, "CronJob", namespace, scope, progress):
            if scope.finished or not is_over(stored):
                cron_jobs.add(stored["metadata"]["uid"])
                yield stored
            else:
                progress.finished += 1
        for stored in _read(cluster, "Job", namespace, scope, progress):
            if not scope.finished and is_over(stored):
                progress.finished += 1
            elif not scope.owned and cron_job_of(stored) in cron_jobs:
                progress.owned += 1
            else:
                yield stored


def _read(
    cluster: StoredObjects,
    kind: str,
    namespace: str | None,
    scope: AuditScope,
    progress: AuditProgress,
) -> Iterator[dict[str, Any]]:
    for page in cluster.batch_objects(kind, namespace):
        for index, stored in enumerate(page.items, start=1):
            progress.read += 1
            progress.left = len(page.items) - index + page.remaining
            if stored["metadata"]["namespace"] in scope.exempt_namespaces:
                progress.exempt += 1
            else:
                yield stored


TERMINAL_CONDITIONS = ("Complete", "Failed")


def is_over(stored: dict[str, Any]) -> bool:
    """Return True for a finished Job and for any object that is being deleted."""
    if (stored.get("metadata") or {}).get("deletionTimestamp"):
        return True
    if stored.get("kind") != "Job":
        return False
    return any(
        condition.get("type") in TERMINAL_CONDITIONS and condition.get("status") == "True"
        for condition in _objects(stored.get("status"), "conditions")
    )


def cron_job_of(stored: dict[str, Any]) -> str | None:
    """Return the UID of the CronJob that controls a Job; None if no CronJob does."""
    for owner in _objects(stored.get("metadata"), "ownerReferences"):
        if owner.get("controller") and owner.get("kind") == "CronJob":
            uid = owner.get("uid")
            return uid if isinstance(uid, str) else None
    return None


def _objects(parent: Any, field: str) -> list[dict[str, Any]]:
    """Return the objects in a list field; an empty list if the field has another type."""
    found = parent.get(field) if isinstance(parent, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
