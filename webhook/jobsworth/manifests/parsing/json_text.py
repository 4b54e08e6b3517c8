"""A fast path for JSON as Go reads it, with CPython's own scanner.

Errors and unusual documents go to ``json_tree``. ``exact`` is for JSON as the API server receives
it: 3.0 is a float, which an integer field rejects. Otherwise kubectl decodes and encodes the JSON
first, and sends 3 for 3.0.
"""

from __future__ import annotations

from typing import Any

from jobsworth.manifests.parsing.fast_yaml import NeedsFullParser, Value
from jobsworth.manifests.parsing.nodes import DEEPEST
from jobsworth.manifests.parsing.scalars import json_number

TOO_LARGE = "this number is too large for a 64-bit float; use at most 1.8e308, or a string"

_WHITESPACE = " \t\r\n"
_SCANNER_ERRORS = (ValueError, StopIteration, RecursionError, OverflowError, TypeError, SystemError)
"""Exceptions of the scanner; up to 3.12 a SystemError if ``json`` was never imported."""


def ordinary_json(scanner: Any, text: str, start: int) -> tuple[Value, int]:
    """Return the JSON value at ``start`` and the index after it, or raise NeedsFullParser.

    NeedsFullParser is raised for errors, duplicate keys and very deep nesting. The caller replaces
    halves of surrogate pairs (``\\ud83d``).
    """
    try:
        value, end = scanner(text, start)
    except _SCANNER_ERRORS as error:
        raise NeedsFullParser from error
    # Since 3.14 the scanner raises RecursionError by the size of the stack, far beyond kubectl's limit.
    opened = text.count("{", start, end) + text.count("[", start, end)
    if opened > DEEPEST and _is_deeper(value, DEEPEST):
        raise NeedsFullParser
    return value, end


def _is_deeper(value: Value, levels: int) -> bool:
    """Return True if lists and mappings are nested in more than so many levels."""
    level: list[Any] = [value]
    for _ in range(levels):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def json_scanner(*, exact: bool) -> Any:
    """Return the scanner of ``json`` without importing ``json``, which imports ``re`` (7 ms).

    None if the interpreter lacks it; all JSON then goes to ``json_tree``.
    """
    try:
        accelerator: Any = __import__("_json")
    except ImportError:
        return None

    def without_duplicates(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
        mapping = dict(pairs)
        if len(mapping) != len(pairs):
            raise ValueError
        return mapping

    def reject(constant: str) -> None:
        raise ValueError(constant)

    class Context:
        strict = True
        object_hook = None
        object_pairs_hook = staticmethod(without_duplicates)
        parse_float = staticmethod(lambda text: number(text, exact=exact))
        parse_int = parse_float
        parse_constant = staticmethod(reject)
        memo: dict[str, str] = {}  # noqa: RUF012

    return accelerator.make_scanner(Context)


def number(text: str, *, exact: bool) -> int | float:
    """Return the value of a JSON number; raise ValueError beyond the range of a float."""
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(TOO_LARGE)
    if "." in text or "e" in text or "E" in text:
        return value if exact else json_number(value)
    return int(text)


def skip_whitespace(text: str, index: int) -> int:
    while index < len(text) and text[index] in _WHITESPACE:
        index += 1
    return index
