"""A deduplicating work queue with delays and rate-limited retries, as in client-go.

A key that is added while it waits is queued once. A key that is added while a worker processes it is
queued again when the worker is done, so that no two workers process the same key. A key that failed
is queued again after a delay that doubles.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from collections.abc import Callable


class WorkQueue:
    """A deduplicating work queue. Thread-safe.

    Args:
        retry_base: seconds before the first retry of a key; doubles with each.
        retry_cap: the longest delay before a retry, in seconds.
        clock: monotonic clock, in seconds.

    Attributes:
        added: number of keys added so far.
        retried: number of retries requested so far.
    """

    def __init__(
        self,
        *,
        retry_base: float = 1.0,
        retry_cap: float = 60.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._retry_base = retry_base
        self._retry_cap = retry_cap
        self._clock = clock
        self._changed = threading.Condition()
        self._ready: deque[str] = deque()
        self._waiting: set[str] = (
            set()
        )  # keys in _ready, and keys to queue again when their worker is done
        self._working: set[str] = set()
        self._due: dict[str, float] = {}
        self._timetable: list[tuple[float, str]] = []  # entries that _due contradicts are stale
        self._failures: dict[str, int] = {}
        self._closed = False
        self.added = 0
        self.retried = 0

    def add(self, key: str, delay: float = 0.0) -> None:
        """Enqueue a key, after `delay` seconds; the earliest of several due times counts."""
        with self._changed:
            if delay <= 0:
                self._put(key)
                self._changed.notify()
            elif self._schedule(key, self._clock() + delay):
                self._changed.notify()

    def retry(self, key: str, at_least: float = 0.0) -> float:
        """Enqueue a failed key again, and return the delay in seconds.

        Args:
            at_least: minimum delay in seconds, for example the server's Retry-After.
        """
        with self._changed:
            failures = self._failures.get(key, 0)
            self._failures[key] = failures + 1
            self.retried += 1
            delay = min(self._retry_base * 2.0 ** min(failures, 62), self._retry_cap)
            delay = max(delay, at_least)
            self._schedule(key, self._clock() + delay)
            self._changed.notify()
            return delay

    def forget(self, key: str) -> None:
        """Reset the retry delay of a key."""
        with self._changed:
            self._failures.pop(key, None)

    def failures(self, key: str) -> int:
        """Return the number of consecutive failures of a key."""
        return self._failures.get(key, 0)

    def take(self, timeout: float | None = None) -> str | None:
        """Take a key; no other worker gets it before :meth:`done`.

        Args:
            timeout: seconds to wait for a key; None to wait without limit, 0 not to wait.

        Returns:
            The key; None if none is due in time, or the queue is closed.
        """
        give_up = None if timeout is None else self._clock() + timeout
        with self._changed:
            while not self._closed:
                now = self._clock()
                self._collect(now)
                if self._ready:
                    key = self._ready.popleft()
                    self._waiting.discard(key)
                    self._working.add(key)
                    return key
                if give_up is not None and now >= give_up:
                    return None
                ends = [end for end in (give_up, self._next()) if end is not None]
                self._changed.wait(min(ends) - now if ends else None)
        return None

    def done(self, key: str) -> None:
        """Mark a key as processed."""
        with self._changed:
            self._working.discard(key)
            if key in self._waiting:
                self._ready.append(key)
                self._changed.notify()

    def next_due(self) -> float | None:
        """Return the due time of the next key; None if none is scheduled. For tests and simulation."""
        with self._changed:
            return self._clock() if self._ready else self._next()

    def close(self) -> None:
        """Close the queue, and wake all waiting workers."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def __len__(self) -> int:
        return len(self._ready)

    def _put(self, key: str) -> None:
        if key in self._waiting:
            return
        self.added += 1
        self._waiting.add(key)
        if key not in self._working:
            self._ready.append(key)

    def _schedule(self, key: str, due: float) -> bool:
        """Schedule a key; return False if it is due earlier anyway, so that workers wake only once."""
        present = self._due.get(key)
        if present is not None and present <= due:
            return False
        self._due[key] = due
        heapq.heappush(self._timetable, (due, key))
        return True

    def _collect(self, now: float) -> None:
        while self._timetable and self._timetable[0][0] <= now:
            due, key = heapq.heappop(self._timetable)
            if self._due.get(key) == due:
                del self._due[key]
                self._put(key)

    def _next(self) -> float | None:
        while self._timetable and self._due.get(self._timetable[0][1]) != self._timetable[0][0]:
            heapq.heappop(self._timetable)
        return self._timetable[0][0] if self._timetable else None
