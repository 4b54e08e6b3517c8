"""Bounded cache of a function of one string, for strings that manifests repeat."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Value = TypeVar("Value")

MAX_ENTRIES = 1024
MAX_LENGTH = 512
"""The length of a text in characters that is kept: a thousand hostile texts must not fill the memory."""


def bounded_cache(function: Callable[[str], Value]) -> Callable[[str], Value]:
    """Cache the results of a pure function by ``lru_cache``, but not those for long texts.

    >>> square = bounded_cache(lambda text: int(text) ** 2)
    >>> square("12"), square("12")
    (144, 144)
    """
    kept = lru_cache(maxsize=MAX_ENTRIES)(function)

    @wraps(function)
    def lookup(text: str) -> Value:
        return kept(text) if len(text) <= MAX_LENGTH else function(text)

    return lookup
