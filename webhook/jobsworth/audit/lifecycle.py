"""The lifecycle of a stored object: finished or not, and the CronJob that owns it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

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
