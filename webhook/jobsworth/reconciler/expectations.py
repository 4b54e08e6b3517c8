"""Expectations: protect syncs from caches that do not show our own writes yet.

A cache older than our last write to a Job or its Pods lacks created Pods, or shows removed finalizers
or a replaced status. The expectations therefore keep the resourceVersion of every write, and a Job is
not synced until the watches have reached it. A watch that stays broken cannot block the Job: a list
that began after the write contains it.

Some changes have no resourceVersion and are kept by UID: a Pod that no longer existed when its
finalizer was to be removed, while the cache still shows it.

Source: KEP-2307, KEP-5504; the stale-cache protection of Kubernetes 1.36 works alike.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

JOBS, PODS = "jobs", "pods"


@dataclass(frozen=True, slots=True)
class CacheProgress:
    """The progress of a cache.

    Attributes:
        version: the resourceVersion up to which it is complete.
        listed: start time of its last list, by the clock of the expectations.
    """

    version: int = 0
    listed: float = 0.0


@dataclass(slots=True)
class _Write:
    version: int
    made: float


class Expectations:
    """Our writes that the caches do not show yet. Thread-safe.

    Args:
        timeout: seconds after which a write counts as observed in any case.
        clock: monotonic clock, in seconds.
    """

    def __init__(self, timeout: float, clock: Callable[[], float]) -> None:
        self._timeout = timeout
        self._clock = clock
        self._lock = threading.Lock()
        self._writes: dict[str, dict[str, _Write]] = {}
        self._untracked: dict[str, set[str]] = {}
        self._job_of: dict[str, str] = {}

    def wrote(self, resource: str, key: str, version: int) -> None:
        """Expect the cache to reach the resourceVersion of a write for a Job (0: none was returned)."""
        if not version:
            return
        with self._lock:
            writes = self._writes.setdefault(key, {})
            last = writes.get(resource)
            if last is None or version > last.version:
                writes[resource] = _Write(version, self._clock())

    def unseen(self, key: str, seen: dict[str, CacheProgress]) -> str | None:
        """Return the resource whose cache is older than our writes for a Job; None if there is none.

        Call this before reading the caches.

        Args:
            key: key of the Job.
            seen: progress of the cache of each resource.
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

    def untracking(self, key: str, pods: Iterable[str]) -> None:
        """Note that the finalizer of these Pods, by UID, is about to be removed."""
        with self._lock:
            untracked = self._untracked.setdefault(key, set())
            for uid in pods:
                untracked.add(uid)
                self._job_of[uid] = key

    def forget_untracked(self, uid: str) -> None:
        """Forget a Pod: its finalizer was not removed, or the watch has shown the removal."""
        with self._lock:
            key = self._job_of.pop(uid, None)
            if key is None:
                return
            untracked = self._untracked[key]
            untracked.discard(uid)
            if not untracked:
                del self._untracked[key]

    def untracked(self, key: str) -> frozenset[str]:
        """Return UIDs of Pods of a Job without finalizer that the cache may still show with it."""
        with self._lock:
            return frozenset(self._untracked.get(key, ()))

    def forget(self, key: str) -> None:
        """Forget a Job that no longer exists or is finished."""
        with self._lock:
            self._writes.pop(key, None)
            for uid in self._untracked.pop(key, ()):
                self._job_of.pop(uid, None)

    def __len__(self) -> int:
        return len(self._writes) + len(self._job_of)
