"""A queue of keys of things to look at: each at most once, one worker a key, later, or slower.

As the work queues of client-go: a key that is added again while it waits is not there twice; one that
is added while a worker has it comes again when the worker is done; one that failed comes again after a
delay that doubles.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class WorkQueue:
    """See above. Safe to share between threads.

    Args:
        retry_base: seconds before the first retry of a key; doubles with each.
        retry_cap: the longest delay before a retry, in seconds.
        clock: seconds that never go back.

    Attributes:
        added: how many keys were put in line so far.
        retried: how many retries were asked for so far.
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
        self._waiting: set[str] = set()  # those in _ready, and those to come after their worker
        self._working: set[str] = set()
        self._due: dict[str, float] = {}
        self._timetable: list[tuple[float, str]] = []  # entries that _due contradicts are stale
        self._failures: dict[str, int] = {}
        self._closed = False
        self.added = 0
        self.retried = 0

    def add(self, key: str, delay: float = 0.0) -> None:
        """Have a key looked at, after so many seconds; the earliest of several times counts."""
        with self._changed:
            if delay <= 0:
                self._put(key)
                self._changed.notify()
            elif self._schedule(key, self._clock() + delay):
                self._changed.notify()

    def retry(self, key: str, at_least: float = 0.0) -> float:
        """Have a key that failed looked at again, and return after how many seconds.

        Args:
            at_least: not before so many seconds, which the server may have asked for.
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
        """A key did not fail: its next retry will be its first."""
        with self._changed:
            self._failures.pop(key, None)

    def failures(self, key: str) -> int:
        """How many times in a row a key has failed."""
        return self._failures.get(key, 0)

    def take(self, timeout: float | None = None) -> str | None:
        """A key to look at; no other worker gets it before it is done.

        Args:
            timeout: how many seconds to wait for one; without end if None, 0 not to wait.

        Returns:
            The key; None if there is none in time, or the queue has been closed.
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
        """The worker is through with a key."""
        with self._changed:
            self._working.discard(key)
            if key in self._waiting:
                self._ready.append(key)
                self._changed.notify()

    def next_due(self) -> float | None:
        """When the next key is due, by the clock; None if none is scheduled. For tests and simulation."""
        with self._changed:
            return self._clock() if self._ready else self._next()

    def close(self) -> None:
        """Give out no more keys, and wake those who wait for one."""
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
        """Whether that is news: a thousand events of one Job's Pods should wake a worker once."""
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
