"""The update that writes an object, for rules on what an edit causes."""

from __future__ import annotations

from typing import Any

from jobsworth.record import Record

CODES = frozenset(("JW423", "JW424", "JW425"))
"""The codes of the rules on updates."""


class Edit(Record):
    """An update of a CronJob.

    Attributes:
        old: the CronJob before it, as read: from a cluster with its status, from a file mostly without.
        now: the time of the update, in seconds since 1970.
    """

    old: dict[str, Any]
    now: float

    __hash__ = None  # type: ignore[assignment]


def edit_of(old: Any, now: float | None) -> Edit | None:
    """Return the update of an object; None for a create, another kind, and if its time is unknown."""
    if now is None or not isinstance(old, dict) or old.get("kind") != "CronJob":
        return None
    return Edit(old, now)
