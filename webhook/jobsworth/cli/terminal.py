"""Output to a terminal: colors, where a user wants them, notes, and a progress bar after one second.

One module, because every run needs both: each module costs start-up time.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Literal, TextIO

from jobsworth.printable import printable

ColorChoice = Literal["auto", "always", "never"]

DELAY_SECONDS = 1.0
INTERVAL_SECONDS = 0.1
WIDTH = 30

COLOR_CHOICES: tuple[ColorChoice, ...] = ("auto", "always", "never")


def wants_color(out: TextIO, choice: ColorChoice = "auto") -> bool:
    """Return True if text for a stream is colored.

    ``auto`` follows https://no-color.org, https://force-color.org and https://bixense.com/clicolors: NO_COLOR
    wins over FORCE_COLOR and CLICOLOR_FORCE, which win over the kind of the stream.
    """
    if choice != "auto":
        return choice == "always"
    environment = os.environ
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    if environment.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return out.isatty()


def terminal_width(out: TextIO) -> int | None:
    """Return the width of a terminal in columns; None for anything else."""
    if not out.isatty():
        return None
    try:
        return os.get_terminal_size(out.fileno()).columns or None
    except (OSError, ValueError):
        return None


def print_note(text: str) -> None:
    """Print a line to standard error, with control characters escaped."""
    print(printable(text), file=sys.stderr)


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
