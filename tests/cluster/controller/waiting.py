"""Wait until a condition holds, or fail with its description."""

from __future__ import annotations

import time
from collections.abc import Callable

WITHIN = 60.0
"""The most seconds that a state may take: a busy machine and the batching of Pod events need some of it."""
_FIRST_PAUSE, _MAX_PAUSE = 0.02, 0.2


def eventually(
    missing: Callable[[], str], within: float = WITHIN, explain: Callable[[], str] | None = None
) -> None:
    """Wait until nothing is missing.

    Args:
        missing: what is still wrong, in words; empty when nothing is.
        within: seconds.
        explain: what to show besides when it fails.

    Raises:
        AssertionError: something was still wrong after that time.
    """
    until = time.monotonic() + within
    pause = _FIRST_PAUSE
    while what := missing():
        if time.monotonic() > until:
            shown = f"\n{explain()}" if explain is not None else ""
            raise AssertionError(f"not within {within:g} s: {what}{shown}")
        time.sleep(pause)
        pause = min(pause * 1.3, _MAX_PAUSE)
