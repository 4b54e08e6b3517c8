"""JSON as Go reads it, fast, by CPython's own scanner; errors and the odd go to ``json_tree``.

``exact`` is JSON as the API server gets it: 3.0 is a float, which an integer field refuses.
Otherwise it is JSON that kubectl reads first and writes anew: 3.0 has become 3 when it is sent.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.fast_yaml import NeedsFullParser
from jobsworth.manifests.parsing.scalars import json_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.manifests.parsing.fast_yaml import Value

TOO_LARGE = "this number is too large for JSON's readers (a 64-bit float has up to 1.8e308)"

_WHITESPACE = " \t\r\n"
_SCANNER_ERRORS = (ValueError, StopIteration, RecursionError, OverflowError, TypeError, SystemError)
"""What the scanner raises; up to 3.12 it is a SystemError where ``json`` was never imported."""


def ordinary_json(scanner: Any, text: str, start: int) -> tuple[Value, int]:
    """Return the JSON value at ``start`` and the index behind it, or raise NeedsFullParser.

    NeedsFullParser are errors, duplicate keys and very deep nesting. Of halves of surrogate pairs
    (``\\ud83d``) the caller takes care.
    """
    try:
        value, end = scanner(text, start)
    except _SCANNER_ERRORS as error:
        raise NeedsFullParser from error
    return value, end


def json_scanner(*, exact: bool) -> Any:
    """Make the scanner that ``json`` has, without ``json``, which imports ``re`` and takes 7 ms.

    None where the interpreter has none: then all JSON is extraordinary.
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

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    class Context:
        strict = True
        object_hook = None
        object_pairs_hook = staticmethod(without_duplicates)
        parse_float = staticmethod(lambda text: number(text, exact=exact))
        parse_int = parse_float
        parse_constant = staticmethod(refuse)
        memo: dict[str, str] = {}  # noqa: RUF012

    return accelerator.make_scanner(Context)


def number(text: str, *, exact: bool) -> int | float:
    """Read a JSON number; raise ValueError beyond a float's range."""
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
