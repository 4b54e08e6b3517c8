"""Decide which failed calls to retry, and when."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from jobsworth.client.api_errors import ApiError

MAX_WAIT = 30.0
BUSY = (429, 500, 502, 503, 504)
"""HTTP statuses after which the same read may succeed: the server is overloaded or just starting."""


@dataclass(frozen=True, slots=True)
class Retry:
    """A retry policy.

    Attributes:
        tries: the largest number of attempts.
        reads_while_busy: retry reads with exponential backoff, from one second, also if a busy server
            sends no ``Retry-After``. Not for callers that have a work queue with backoff.
    """

    tries: int = 5
    reads_while_busy: bool = False

    def delay(self, error: ApiError, tried: int, *, read: bool) -> float | None:
        """Return the seconds to wait before the next attempt; None to give up.

        Args:
            error: the error of the last attempt.
            tried: the number of attempts so far, from 1.
            read: True if the call is a read.
        """
        if error.code == 401 and tried == 1:
            return 0.0  # with fresh credentials
        if tried >= self.tries:
            return None
        if error.retry_after is not None and (error.code == 429 or error.code >= 500):
            return min(error.retry_after, MAX_WAIT)
        if read and self.reads_while_busy and error.code in BUSY:
            return float(min(2.0 ** (tried - 1), MAX_WAIT))
        return None


class Backoff:
    """Exponential backoff with jitter of up to 100 %, so that clients spread their retries.

    Args:
        base: the first delay in seconds, before jitter.
        cap: the longest delay in seconds, before jitter.
        steady_after: the seconds without an error after which the delays start from `base` again.
    """

    def __init__(
        self,
        base: float = 0.8,
        cap: float = 30.0,
        steady_after: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._base, self._cap, self._steady_after = base, cap, steady_after
        self._clock, self._chance = clock, chance
        self._errors = 0
        self._last = clock()

    def after(self, error: ApiError) -> float:
        """Return the delay in seconds after an error: at least what the server asks for."""
        return max(self.next(), error.retry_after or 0.0)

    def next(self) -> float:
        """Return the delay in seconds after another error."""
        now = self._clock()
        if now - self._last > self._steady_after:
            self._errors = 0
        self._last = now
        delay = min(self._base * 2.0 ** min(self._errors, 30), self._cap)
        self._errors += 1
        return delay * (1 + self._chance())
