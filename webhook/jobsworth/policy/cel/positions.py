"""Positions in the text of an expression."""

from __future__ import annotations


def place(source: str, offset: int) -> tuple[int, int]:
    """Return the line and column, counted from 1, of a character of a text.

    >>> place("a &&\\n b", 6)
    (2, 2)
    """
    before = source[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
