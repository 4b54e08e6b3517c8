"""Measure the cost growth of an action at four times the size: calls, CPU time, memory.

What is linear costs four times as much, what is quadratic sixteen times. Calls are counted exactly, and show
a loop in a loop for a handful of items; what C does in one call (to look through a list for an item, to copy
a text) shows in time only.

    >>> def pairs(count):
    ...     return lambda: [max(one, other) for one in range(count) for other in range(count)]
    >>> superlinear_calls(pairs)
    {'max': (25, 400)}
"""

from __future__ import annotations

import cProfile
import gc
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable
from types import CodeType

FACTOR = 4
"""The ratio of the sizes of the two objects."""
MAX_GROWTH = 6
"""The most that the cost of the larger object may be of that of the smaller one."""

Action = Callable[[], object]
Sized = Callable[[int], Action]
"""Makes an action of so many items."""

_A_MOMENT = 0.2
_TRIES = 3
_FEW_CALLS = 8
"""Calls that any action may make for the first few items."""


def superlinear_calls(sized: Sized, count: int = 5, again: int = 40) -> dict[str, tuple[int, int]]:
    """The functions that are called more than linearly often, each with both numbers of calls.

    Args:
        sized: the action.
        count: the items of the smaller size.
        again: the same when something shows: a rule that begins with the tenth item, or a cache that is
            full, makes a step and not a growth.
    """
    smaller, larger = sized(count), sized(FACTOR * count)
    smaller(), larger()  # what is compiled or remembered the first time does not count
    before, after = _calls(smaller), _calls(larger)
    found = {
        name: (before[name], often)
        for name, often in after.items()
        if often > MAX_GROWTH * max(before[name], _FEW_CALLS)
    }
    if found and again:
        still = superlinear_calls(sized, again, 0)
        found = {name: calls for name, calls in found.items() if name in still}
    return found


def _calls(action: Action) -> Counter[str]:
    profile = cProfile.Profile()
    profile.enable()
    try:
        action()
    finally:
        profile.disable()
    calls: Counter[str] = Counter()
    for entry in profile.getstats():
        calls[_name(entry.code)] += entry.callcount
    return calls


def _name(code: CodeType | str) -> str:
    if isinstance(code, CodeType):
        module = code.co_filename.rpartition("jobsworth/")[2]
        return f"{module}:{code.co_firstlineno} {code.co_name}"
    return code.removeprefix("<built-in method builtins.").strip("<>")


def time_growth(sized: Sized, count: int) -> float:
    """The least ratio of CPU times.

    Where it is more than it may be, it is measured again, with more items while that takes a moment only: other
    work on the machine and full caches have their effect once, a quadratic action has it each time.
    """
    ratios: list[float] = []
    while True:
        smaller, larger = sized(count), sized(FACTOR * count)
        smaller(), larger()
        seconds = cpu_seconds(larger, 2)
        ratios.append(seconds / cpu_seconds(smaller, 3))
        if ratios[-1] <= MAX_GROWTH or (len(ratios) >= _TRIES and seconds > _A_MOMENT):
            return min(ratios)
        if seconds <= _A_MOMENT:
            count *= 2


def cpu_seconds(action: Action, rounds: int = 1) -> float:
    """The CPU time of an action, the least of some rounds, without collections of garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return min(_cpu_seconds(action) for _ in range(rounds))
    finally:
        if enabled:
            gc.enable()


def _cpu_seconds(action: Action) -> float:
    began = time.process_time()
    action()
    return time.process_time() - began


def memory_growth(sized: Sized, count: int) -> float:
    """The ratio of the most memory that is in use at a time.

    It is the least of three: a cache that is full, and so filled anew, counts in one of them.
    """
    smaller, larger = sized(count), sized(FACTOR * count)
    smaller(), larger()
    return min(peak_bytes(larger) / peak_bytes(smaller) for _ in range(3))


def peak_bytes(action: Action) -> int:
    """The most memory that an action has in use at a time, its result included."""
    tracemalloc.start()
    try:
        result = action()
        _, peak = tracemalloc.get_traced_memory()
        del result
    finally:
        tracemalloc.stop()
    return peak
