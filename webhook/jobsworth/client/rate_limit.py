"""Client-side limits: how many calls a second, as ``--kube-api-qps`` and ``--kube-api-burst`` say."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class TokenBucket:
    """Lets calls through at a steady rate, and some more at once after a pause.

    Callers are served in the order in which they ask: each reserves its place at once and waits for it.

    Args:
        rate: calls a second; no limit if it is not positive.
        burst: how many calls may be made at once after a pause; at least 1.
        clock: seconds that never go back.
        sleep: waits for so many seconds.
    """

    def __init__(
        self,
        rate: float,
        burst: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rate = rate
        self._burst = max(1, burst)
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._tokens = float(self._burst)
        self._last = clock()

    def wait(self) -> None:
        """Return when the next call may be made."""
        if self._rate <= 0:
            return
        delay = self.reserve()
        if delay > 0:
            self._sleep(delay)

    def reserve(self) -> float:
        """Take a token, and return for how many seconds it is not there yet."""
        with self._lock:
            now = self._clock()
            earned = (now - self._last) * self._rate
            self._tokens = min(float(self._burst), self._tokens + earned) - 1
            self._last = now
            return max(0.0, -self._tokens / self._rate)

    def take(self) -> bool:
        """Take a token if there is one."""
        with self._lock:
            now = self._clock()
            earned = (now - self._last) * self._rate
            self._tokens = min(float(self._burst), self._tokens + earned)
            self._last = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
            return True
