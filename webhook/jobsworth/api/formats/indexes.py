"""Lists of completion indexes: ``1,3-5,7``.

Source: KEP-2214 (status.completedIndexes) and KEP-3998 (succeededIndexes); the grammar is that of
Kubernetes 1.36, which the API server applies to both.
"""

from __future__ import annotations

from jobsworth.api.field_errors import quoted
from kube_cel.formats.go_numbers import MAX_INT64, capped


class BadIndexes(ValueError):
    """A list of indexes that cannot be parsed, with the API server's message."""


def count(text: str, completions: int) -> int:
    """Return the number of indexes in a list.

    Args:
        text: the list, in increasing order and without overlap.
        completions: the Job's completions; every index is below.

    Raises:
        BadIndexes: the list is malformed, out of order, or holds an index that is too large.

    >>> count("1,3-5,7", 10)
    5
    >>> count("", 10)
    0
    """
    return sum(last - first + 1 for first, last in intervals(text, completions))


def intervals(text: str, completions: int) -> list[tuple[int, int]]:
    """Return the intervals of a list as (first index, last index).

    Args:
        text: the list, in increasing order and without overlap.
        completions: the Job's completions; every index is below.

    Raises:
        BadIndexes: the list is malformed, out of order, or holds an index that is too large.

    >>> intervals("1,3-5,7", 10)
    [(1, 1), (3, 5), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    if not text:
        return found
    for interval in text.split(","):
        first, end = _interval(interval, completions)
        if found and found[-1][1] >= first:
            raise BadIndexes(f"non-increasing order, previous: {found[-1][1]}, current: {first}")
        found.append((first, end))
    return found


def _interval(text: str, completions: int) -> tuple[int, int]:
    limits = text.split("-")
    if len(limits) > 2:
        raise BadIndexes(
            f"the fragment {quoted(text)} violates the requirement that an index interval can have "
            "at most two parts separated by '-'"
        )
    first = _index(limits[0], completions)
    if len(limits) == 1:
        return first, first
    end = _index(limits[1], completions)
    if first >= end:
        raise BadIndexes(f"non-increasing order, previous: {first}, current: {end}")
    return first, end


def _index(text: str, completions: int) -> int:
    digits = text[1:] if text[:1] == "+" else text  # Go's strconv.Atoi; "-" separates intervals
    index = capped(digits) if digits.isascii() and digits.isdigit() else MAX_INT64 + 1
    if index > MAX_INT64:
        raise BadIndexes(f"cannot convert string to integer for index: {quoted(text)}")
    if index >= completions:
        raise BadIndexes(f"too large index: {quoted(text)}")
    return index
