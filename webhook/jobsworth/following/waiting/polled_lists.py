"""Lists that are read again and again, for a client that cannot watch: what changed between two readings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jobsworth.following.requests import Changed, Get
from jobsworth.following.waiting.job_following import JOB
from jobsworth.following.waiting.seen_job import objects_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.following.requests import Watch

    Object = dict[str, Any]

JOB_SECONDS, OTHER_SECONDS = 2.0, 10.0
"""Seconds between two readings of the Job, and of the other lists."""


@dataclass(slots=True)
class _Polled:
    request: Watch
    due: float
    known: dict[str, Object] = field(default_factory=dict)


class PolledLists:
    """The lists to read, and what they held last."""

    def __init__(self) -> None:
        self._lists: dict[str, _Polled] = {}

    def start(self, request: Watch, now: float) -> None:
        """Add a list in place of an earlier one with its key; its first reading reports every object."""
        self._lists[request.key] = _Polled(request, now + _pause(request.key))

    def stop(self, key: str) -> None:
        """Do not read a list any more."""
        self._lists.pop(key, None)

    def next_due(self) -> float | None:
        """Return when a list is to be read next; None without any."""
        return min((each.due for each in self._lists.values()), default=None)

    def due(self, now: float) -> Iterator[tuple[str, Get]]:
        """Yield the keys of the lists to read now, with the request."""
        for key, each in list(self._lists.items()):
            if each.due <= now:
                each.due = now + _pause(key)
                yield key, Get(each.request.path, {**each.request.selectors, "limit": "500"})

    def take(self, key: str, answer: Object) -> Iterator[Changed]:
        """Yield what has changed since the last reading of a list."""
        polled = self._lists[key]
        now = {str(each["metadata"].get("uid")): each for each in objects_in(answer)}
        before, polled.known = polled.known, now
        for uid, value in before.items():
            if uid not in now:
                yield Changed(key, "DELETED", value)
        for uid, value in now.items():
            version = value["metadata"].get("resourceVersion")
            if uid not in before or before[uid]["metadata"].get("resourceVersion") != version:
                yield Changed(key, "MODIFIED", value)


def _pause(key: str) -> float:
    return JOB_SECONDS if key == JOB else OTHER_SECONDS
