"""Limits on the size of an answer: the API server, its audit log and a user read no more.

Sizes are bytes of JSON, in which a character takes one to six.

    >>> listed(["a", "b", "c"], most=2)
    (['a', 'b'], 1)
    >>> cut("x" * 1000, 200)
    'xxxxxxxxxx… (980 characters omitted) …xxxxxxxxxx'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

MOST_LISTED = 100
"""The largest number of causes in a denial, and of violations in a message."""
MOST_BYTES = 64 * 1024
"""The largest size of a message, of all causes and of all audit annotations."""
MOST_MESSAGE_BYTES = 16 * 1024
"""The largest size of the message of one cause: an API server can print a whole list in it."""
MOST_PATCH_BYTES = 128 * 1024
"""The largest size of a patch."""
MOST_NAME_BYTES = 2 * 1024
"""The largest size of a name in a message; valid ones have at most 253 characters."""

_MOST_ESCAPED = 6
"""The bytes of a character that JSON escapes."""
_NOTE_BYTES = 80
"""The bytes of the note that stands for the omitted characters."""

T = TypeVar("T")


def size(text: str) -> int:
    """Return the bytes of a string in JSON, with its quotes."""
    return len(json.dumps(text))


def most_size(text: str) -> int:
    """Return at least the bytes of a string in JSON, without looking at its characters."""
    return (len(text) + 1) * _MOST_ESCAPED


def fits(text: str, most: int) -> bool:
    """Return True if a string takes at most so many bytes in JSON."""
    return most_size(text) <= most or size(text) <= most


def cut(text: str, most: int = MOST_BYTES) -> str:
    """Return a string that takes at most `most` bytes in JSON, without its middle if it is longer."""
    if fits(text, most):
        return text
    kept = max(0, most - _NOTE_BYTES) // (2 * _MOST_ESCAPED)
    omitted = len(text) - 2 * kept
    return f"{text[:kept]}… ({omitted:,} characters omitted) …{text[-kept:]}"


def listed(
    items: Sequence[T],
    size_of: Callable[[T], int] = lambda item: 0,
    *,
    most: int = MOST_LISTED,
    most_bytes: int = MOST_BYTES,
) -> tuple[Sequence[T], int]:
    """Return the first items within the limits, at least one, and the number of the others."""
    total = 0
    for count, item in enumerate(items[:most]):
        total += size_of(item)
        if count and total > most_bytes:
            return items[:count], len(items) - count
    return items[:most], max(0, len(items) - most)
