"""Sets of numbers as a scenario writes them: ``0-2,5,7-``."""

from __future__ import annotations

from dataclasses import dataclass

PATTERN = r"^[0-9]{1,9}(-([0-9]{1,9})?)?(,[0-9]{1,9}(-([0-9]{1,9})?)?)*$"
_ENDLESS = 10**9


@dataclass(frozen=True, slots=True)
class NumberRanges:
    """Ranges of numbers, both ends inclusive.

    >>> ranges = read_ranges("0-2,5,7-")
    >>> [number for number in range(10) if number in ranges]
    [0, 1, 2, 5, 7, 8, 9]
    """

    ranges: tuple[tuple[int, int], ...]

    def __contains__(self, number: int) -> bool:
        return any(first <= number <= last for first, last in self.ranges)


def read_ranges(value: str | int) -> NumberRanges:
    """Read a number, or a text that matches :data:`PATTERN`."""
    found = []
    for piece in str(value).split(","):
        first, dash, last = piece.partition("-")
        end = _ENDLESS if dash and not last else int(last or first)
        found.append((int(first), end))
    return NumberRanges(tuple(found))
