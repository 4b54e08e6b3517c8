"""Virtual time: whole milliseconds since the start of a simulation, and the events that are due.

Whole milliseconds make a run reproducible: the last digits of a floating-point logarithm differ between
platforms, rounded times do not.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from jobsworth.findings.durations import nanoseconds_of
from jobsworth.wording import rounded_duration
from kube_cel.formats import duration

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
ACTION_STEPS = 10
"""The steps of an action: see :mod:`jobsworth.runs.simulation.run_limits`."""
NEVER = 2**62
"""A time that no simulation reaches."""


class EventQueue:
    """Actions at times; those of the same time run in the order in which they were added.

    Attributes:
        now: the time of the current action.
        spend: called for each action with its steps; it may end the run by an exception.
    """

    __slots__ = ("_added", "_heap", "now", "spend")

    def __init__(self, spend: Callable[[int], None] = lambda steps: None) -> None:
        self.now = 0
        self.spend = spend
        self._added = 0
        self._heap: list[tuple[int, int, Callable[..., None], tuple[Any, ...]]] = []

    def at(self, time: int, action: Callable[..., None], *arguments: Any) -> None:
        """Add an action; at a time in the past it runs next, at NEVER it does not run."""
        if time < NEVER:
            self._added += 1
            heappush(self._heap, (max(time, self.now), self._added, action, arguments))

    def run(self, until: int, finished: Callable[[], bool]) -> None:
        """Run the actions up to and including a time, or until `finished` returns True."""
        heap = self._heap
        while heap and heap[0][0] <= until:
            self.now, _, action, arguments = heappop(heap)
            self.spend(ACTION_STEPS)
            action(*arguments)
            if finished():
                return
        self.now = until


def read_duration(text: str) -> int | None:
    """Return the milliseconds of a positive duration; None if the text is none.

    >>> read_duration("1h30m"), read_duration("8d") == 8 * DAY, read_duration("soon"), read_duration("0s")
    (5400000, True, None, None)
    """
    try:
        found = nanoseconds_of(text) // 10**6
    except duration.BadDuration:
        return None
    return found if found > 0 else None


def clock(milliseconds: int) -> str:
    """Return a time or a duration as hours, minutes and seconds, rounded down.

    >>> clock(61_500), clock(100 * HOUR), clock(-5 * SECOND)
    ('0:01:01', '100:00:00', '-0:00:05')
    """
    sign = "-" if milliseconds < 0 else ""
    minutes, seconds = divmod(abs(milliseconds) // SECOND, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{sign}{hours}:{minutes:02}:{seconds:02}"


def spoken(milliseconds: float) -> str:
    """Return a duration in at most two units, rounded.

    >>> [spoken(each) for each in (400, 61_500, 2 * HOUR, 50 * HOUR + 20 * MINUTE)]
    ['0.4 s', '1 min 2 s', '2 h', '2 d 2 h']
    """
    return rounded_duration(milliseconds)
