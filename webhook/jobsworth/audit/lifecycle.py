"""What a stored object tells about its life: whether it is over, and which CronJob made it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TERMINAL_CONDITIONS = ("Complete", "Failed")


def is_over(stored: dict[str, Any]) -> bool:
    """Whether nothing of an object runs any more, or will: a finished Job, or one being deleted."""
    if (stored.get("metadata") or {}).get("deletionTimestamp"):
        return True
    if stored.get("kind") != "Job":
        return False
    return any(
        condition.get("type") in TERMINAL_CONDITIONS and condition.get("status") == "True"
        for condition in _objects(stored.get("status"), "conditions")
    )


def cron_job_of(stored: dict[str, Any]) -> str | None:
    """The UID of the CronJob that made a Job; None of one that somebody else made."""
    for owner in _objects(stored.get("metadata"), "ownerReferences"):
        if owner.get("controller") and owner.get("kind") == "CronJob":
            uid: str | None = owner.get("uid")
            return uid
    return None


def _objects(parent: Any, field: str) -> list[dict[str, Any]]:
    """The objects in a list of an object; none where it is anything else."""
    found = parent.get(field) if isinstance(parent, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
