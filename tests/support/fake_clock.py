"""A clock that only a test moves."""

from __future__ import annotations


class FakeClock:
    """A clock that only a test moves.

    Attributes:
        now: seconds.
    """

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
