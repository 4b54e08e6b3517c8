"""What our own calls make us expect of the caches, so that no decision rests on what is outdated.

A cache that is behind our own last write to a Job or to its Pods would show Pods that are missing,
finalizers that are gone, a status that was replaced. Every write is therefore remembered by its
resourceVersion, and a Job is left alone until the watches have come that far. A watch that breaks for
good cannot block it: a list that was begun after the write contains it.

What no resourceVersion tells is remembered by name: a Pod that was already gone when its finalizer was
to be removed, while the cache still shows it.

Source: KEP-2307, KEP-5504; the stale-cache protection of Kubernetes 1.36 works alike.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

JOBS, PODS = "jobs", "pods"


@dataclass(frozen=True, slots=True)
class Seen:
    """How far a cache has come.

    Attributes:
        version: the resourceVersion up to which it has seen everything.
        listed: when its last list was begun, by the clock of the expectations.
    """

    version: int = 0
    listed: float = 0.0


@dataclass(slots=True)
class _Write:
    version: int
    made: float


class Expectations:
    """See above. Safe to share between threads.

    Args:
        timeout: seconds after which a write is taken for seen, whatever the caches say.
        clock: seconds that never go back.
    """

    def __init__(self, timeout: float, clock: Callable[[], float]) -> None:
        self._timeout = timeout
        self._clock = clock
        self._lock = threading.Lock()
        self._writes: dict[str, dict[str, _Write]] = {}
        self._released: dict[str, set[str]] = {}
        self._job_of: dict[str, str] = {}

    def wrote(self, resource: str, key: str, version: int) -> None:
        """A write on behalf of a Job was answered with this resourceVersion (0: with none)."""
        if not version:
            return
        with self._lock:
            writes = self._writes.setdefault(key, {})
            last = writes.get(resource)
            if last is None or version > last.version:
                writes[resource] = _Write(version, self._clock())

    def unseen(self, key: str, seen: dict[str, Seen]) -> str | None:
        """The resource whose cache is behind our writes for a Job; None if none is.

        Ask this before reading the caches.

        Args:
            key: of the Job.
            seen: how far the cache of each resource has come.
        """
        with self._lock:
            writes = self._writes.get(key)
            if not writes:
                return None
            for resource, write in list(writes.items()):
                cache = seen[resource]
                late = self._clock() - write.made >= self._timeout
                if cache.version >= write.version or cache.listed > write.made or late:
                    del writes[resource]
                else:
                    return resource
            del self._writes[key]
            return None

    def releasing(self, key: str, pods: Iterable[str]) -> None:
        """The finalizer of these Pods, by UID, is about to be removed."""
        with self._lock:
            released = self._released.setdefault(key, set())
            for uid in pods:
                released.add(uid)
                self._job_of[uid] = key

    def not_released(self, uid: str) -> None:
        """The finalizer of a Pod was not removed; or the watch has shown it without."""
        with self._lock:
            key = self._job_of.pop(uid, None)
            if key is None:
                return
            released = self._released[key]
            released.discard(uid)
            if not released:
                del self._released[key]

    seen_released = not_released

    def released(self, key: str) -> frozenset[str]:
        """The Pods of a Job, by UID, that lost their finalizer, but that the cache may show with it."""
        with self._lock:
            return frozenset(self._released.get(key, ()))

    def forget(self, key: str) -> None:
        """The Job is gone."""
        with self._lock:
            self._writes.pop(key, None)
            for uid in self._released.pop(key, ()):
                self._job_of.pop(uid, None)

    def __len__(self) -> int:
        return len(self._writes) + len(self._job_of)
