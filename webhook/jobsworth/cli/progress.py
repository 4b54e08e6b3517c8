"""A progress bar on a terminal, shown after one second."""

from __future__ import annotations

import sys
import time

DELAY_SECONDS = 1.0
INTERVAL_SECONDS = 0.1
WIDTH = 30


class Progress:
    """Draws on standard error if it is a terminal.

    Args:
        enabled: False to draw nothing.
        noun: what is counted, in the plural.
    """

    __slots__ = ("_drawn", "_enabled", "_next", "_noun")

    def __init__(self, *, enabled: bool, noun: str = "files") -> None:
        self._noun = noun
        self._enabled = enabled and sys.stderr.isatty()
        self._next = time.monotonic() + DELAY_SECONDS
        self._drawn = False

    def update(self, done: int, total: int) -> None:
        """Draw the bar, at most once per interval."""
        if not self._enabled or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + INTERVAL_SECONDS
        filled = WIDTH * done // max(total, 1)
        bar = "#" * filled + "-" * (WIDTH - filled)
        print(f"\r[{bar}] {done}/{total} {self._noun}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def clear(self) -> None:
        """Clear the line before other output."""
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._drawn = False
