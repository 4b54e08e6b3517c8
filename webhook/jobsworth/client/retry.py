"""Decide after which errors a call is made again, and when."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.client.errors import ApiError

LONGEST_WAIT = 30.0
BUSY = (429, 500, 502, 503, 504)
"""Answers after which the same read may succeed: the server is overloaded, or just starting."""


@dataclass(frozen=True, slots=True)
class Retry:
    """How often a call is made.

    Attributes:
        tries: calls altogether.
        reads_while_busy: read again, after a second and then ever later, also where a busy server
            does not say when to ask again. Not for callers that have a queue with delays of its own.
    """

    tries: int = 5
    reads_while_busy: bool = False

    def delay(self, error: ApiError, tried: int, *, read: bool) -> float | None:
        """Return after how many seconds to make a call again; None to give up.

        Args:
            error: of the last try.
            tried: how many tries there have been, from 1.
            read: the call changes nothing.
        """
        if error.code == 401 and tried == 1:
            return 0.0  # with fresh credentials
        if tried >= self.tries:
            return None
        if error.retry_after is not None and (error.code == 429 or error.code >= 500):
            return min(error.retry_after, LONGEST_WAIT)
        if read and self.reads_while_busy and error.code in BUSY:
            return float(min(2.0 ** (tried - 1), LONGEST_WAIT))
        return None


class Backoff:
    """Delays that double, each drawn out at random to up to twice itself, so that clients spread.

    Args:
        base: the first, in seconds.
        cap: the longest, before it is drawn out.
        steady_after: seconds without an error after which the delays begin anew.
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

    def next(self) -> float:
        """Return the delay after one more error."""
        now = self._clock()
        if now - self._last > self._steady_after:
            self._errors = 0
        self._last = now
        delay = min(self._base * 2.0 ** min(self._errors, 30), self._cap)
        self._errors += 1
        return delay * (1 + self._chance())
