"""Client-side rate limit: ``--kube-api-qps`` and ``--kube-api-burst``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class TokenBucket:
    """A token bucket: a steady rate of calls, and a burst after a pause.

    Callers are served in order: each reserves a token at once and waits for it.

    Args:
        rate: calls per second; no limit if it is not positive.
        burst: the number of calls allowed at once after a pause; at least 1.
        clock: returns monotonic seconds.
        sleep: waits for a number of seconds.
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
        """Wait until the next call is allowed."""
        if self._rate <= 0:
            return
        delay = self.reserve()
        if delay > 0:
            self._sleep(delay)

    def reserve(self) -> float:
        """Reserve a token, and return the seconds until it is available."""
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
