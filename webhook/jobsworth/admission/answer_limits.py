"""Limits on the size of an answer: the API server, its audit log and a user read no more.

Sizes are bytes of JSON, in which a character takes one to six.

    >>> listed(["a", "b", "c"], len, most=2)
    (['a', 'b'], 1)
    >>> cut("x" * 1000, 200)
    'xxxxxxxxxx… (980 characters omitted) …xxxxxxxxxx'
    >>> warning_texts(["a" * 300])[0][-3:], len(warning_texts(["a" * 300])[0])
    ('aa…', 254)
    >>> warning_texts([f"warning {number}" for number in range(12)])[-1]
    'and 3 more warnings; see the log of jobsworth'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

MAX_LISTED = 100
"""The largest number of causes in a denial, and of violations in a message."""
MAX_BYTES = 64 * 1024
"""The largest size of a message, of all causes and of all audit annotations."""
MAX_MESSAGE_BYTES = 16 * 1024
"""The largest size of the message of one cause: an API server can print a whole list in it."""
MAX_PATCH_BYTES = 128 * 1024
"""The largest size of a patch."""
MAX_NAME_BYTES = 2 * 1024
"""The largest size of a name in a message; valid ones have at most 253 characters."""
MAX_WARNINGS = 10
MAX_WARNING_BYTES = 256
"""The length limit for one warning that kubernetes.io recommends to webhooks, in bytes of UTF-8."""

_MAX_ESCAPED = 6
"""The bytes of a character that JSON escapes."""
_NOTE_BYTES = 80
"""The bytes of the note that stands for the omitted characters."""

T = TypeVar("T")


def size(text: str) -> int:
    """Return the bytes of a string in JSON, with its quotes."""
    return len(json.dumps(text))


def most_size(text: str) -> int:
    """Return at least the bytes of a string in JSON, without looking at its characters."""
    return (len(text) + 1) * _MAX_ESCAPED


def fits(text: str, most: int) -> bool:
    """Return True if a string takes at most so many bytes in JSON."""
    return most_size(text) <= most or size(text) <= most


def cut(text: str, most: int = MAX_BYTES) -> str:
    """Return a string that takes at most `most` bytes in JSON, without its middle if it is longer."""
    if fits(text, most):
        return text
    kept = max(0, most - _NOTE_BYTES) // (2 * _MAX_ESCAPED)
    omitted = len(text) - 2 * kept
    return f"{text[:kept]}… ({omitted:,} characters omitted) …{text[-kept:]}"


def listed(
    items: Sequence[T],
    size_of: Callable[[T], int],
    most: int = MAX_LISTED,
) -> tuple[Sequence[T], int]:
    """Return the first items within the limits, at least one, and the number of the others."""
    total = 0
    for count, item in enumerate(items[:most]):
        total += size_of(item)
        if count and total > MAX_BYTES:
            return items[:count], len(items) - count
    return items[:most], max(0, len(items) - most)


def warning_texts(warnings: Iterable[str]) -> list[str]:
    """Return the distinct warnings, each on one line, cut and limited in number."""
    distinct = list(dict.fromkeys(filter(None, map(_one_line, warnings))))
    if len(distinct) <= MAX_WARNINGS:
        return distinct
    left = len(distinct) - MAX_WARNINGS + 1
    return [*distinct[: MAX_WARNINGS - 1], f"and {left} more warnings; see the log of jobsworth"]


def _one_line(text: str) -> str:
    # The API server sends warnings in an HTTP header and drops those with unprintable characters.
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    if len(text) <= MAX_WARNING_BYTES and (
        text.isascii() or len(text.encode()) <= MAX_WARNING_BYTES
    ):
        return text
    shortened = text.encode()[: MAX_WARNING_BYTES - len("…".encode())].decode(errors="ignore")
    return f"{shortened}…"
