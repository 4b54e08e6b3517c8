"""Numbers, names and indexes in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.controller.index_sets import IndexSet

MAX_NAMES = 3
"""Names that a sentence lists."""
MAX_INTERVALS = 6
"""Intervals of indexes that a sentence lists."""


def times(number: int) -> str:
    """Return how often, as an adverb; empty for once.

    >>> times(1), times(2), times(3)
    ('', 'twice', '3 times')
    """
    return {1: "", 2: "twice"}.get(number, f"{number} times")


def indexes(given: IndexSet) -> str:
    """Return completion indexes as a noun phrase; the rest of a long list is counted.

    >>> from jobsworth.controller.index_sets import IndexSet
    >>> indexes(IndexSet.of([7])), indexes(IndexSet.of([1, 2, 3, 9]))
    ('index 7', 'indexes 1-3, 9')
    """
    if len(given) == 1:
        return f"index {given.text}"
    shown = [
        f"{first}" if first == last else f"{first}-{last}"
        for first, last in given.intervals[:MAX_INTERVALS]
    ]
    rest = len(given) - sum(last - first + 1 for first, last in given.intervals[:MAX_INTERVALS])
    more = f" and {rest} more" if rest else ""
    return f"indexes {', '.join(shown)}{more}"


def finalizers(names: Sequence[str]) -> str:
    """Return the names of finalizers as a noun phrase; of many, the first.

    >>> finalizers(["a.b/c"]), finalizers(["a", "b", "c", "d"])
    ('finalizer a.b/c', 'finalizers a, b, c and 1 more')
    """
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"finalizer{'s' if len(names) > 1 else ''} {', '.join(names[:MAX_NAMES])}{more}"
