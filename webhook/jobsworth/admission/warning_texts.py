"""Warnings as an API server passes them on: short, few, on one line.

>>> texts(["a" * 300])[0][-3:], len(texts(["a" * 300])[0])
('aa…', 254)
>>> texts([f"warning {number}" for number in range(12)])[-1]
'and 3 more warnings, in the log of jobsworth'
"""

from __future__ import annotations

from collections.abc import Iterable

MOST_BYTES = 256
"""The length that kubernetes.io asks webhooks to keep to, for one warning."""

MOST_WARNINGS = 10


def texts(warnings: Iterable[str]) -> list[str]:
    """The warnings, each once, in at most :data:`MOST_BYTES` bytes, at most :data:`MOST_WARNINGS`."""
    distinct = list(dict.fromkeys(filter(None, map(_one_line, warnings))))
    if len(distinct) <= MOST_WARNINGS:
        return distinct
    left = len(distinct) - MOST_WARNINGS + 1
    return [*distinct[: MOST_WARNINGS - 1], f"and {left} more warnings, in the log of jobsworth"]


def _one_line(text: str) -> str:
    # What cannot be printed would make the API server drop the warning: it travels in a header.
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    if len(text.encode()) <= MOST_BYTES:
        return text
    shortened = text.encode()[: MOST_BYTES - len("…".encode())].decode(errors="ignore")
    return f"{shortened}…"
