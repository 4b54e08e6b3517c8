"""Strings and numbers that count how often they are compared.

``name in names`` calls no function that a profiler sees, however long the list is: C compares the items. Of these
values it calls ``__eq__``, which is counted as any function.

    >>> names = counted(["a", "b", "c"])
    >>> "b" in names, names
    (True, ['a', 'b', 'c'])
"""

from __future__ import annotations

from typing import Any

from jobsworth.validation.engine import Engine


class CountedString(str):
    """A string of which each comparison is a call."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return str.__ne__(self, other)


class CountedInteger(int):
    """An integer of which each comparison is a call."""

    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return int.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return int.__ne__(self, other)


def counted(value: Any) -> Any:
    """Return a copy of a JSON value whose strings and integers are counted; keys are not."""
    if type(value) is str:
        return CountedString(value)
    if type(value) is int:
        return CountedInteger(value)
    if isinstance(value, dict):
        return {name: counted(part) for name, part in value.items()}
    if isinstance(value, list):
        return [counted(item) for item in value]
    return value


class CountingEngine(Engine):
    """An engine whose decoded objects consist of counted values."""

    __slots__ = ()

    def _read(self, value: Any) -> Any:
        struct, decoded, report = super()._read(value)
        return struct, counted(decoded), report
