"""Limit warnings to what an API server returns to a client: short, few, each on one line.

>>> texts(["a" * 300])[0][-3:], len(texts(["a" * 300])[0])
('aa…', 254)
>>> texts([f"warning {number}" for number in range(12)])[-1]
'and 3 more warnings; see the log of jobsworth'
"""

from __future__ import annotations

from collections.abc import Iterable

MOST_BYTES = 256
"""The length limit for one warning that kubernetes.io recommends to webhooks, in bytes."""

MOST_WARNINGS = 10


def texts(warnings: Iterable[str]) -> list[str]:
    """Return at most :data:`MOST_WARNINGS` distinct warnings of at most :data:`MOST_BYTES` bytes each."""
    distinct = list(dict.fromkeys(filter(None, map(_one_line, warnings))))
    if len(distinct) <= MOST_WARNINGS:
        return distinct
    left = len(distinct) - MOST_WARNINGS + 1
    return [*distinct[: MOST_WARNINGS - 1], f"and {left} more warnings; see the log of jobsworth"]


def _one_line(text: str) -> str:
    # The API server sends warnings in an HTTP header and drops those with unprintable characters.
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    if len(text.encode()) <= MOST_BYTES:
        return text
    shortened = text.encode()[: MOST_BYTES - len("…".encode())].decode(errors="ignore")
    return f"{shortened}…"
