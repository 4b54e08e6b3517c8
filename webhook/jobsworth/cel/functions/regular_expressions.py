"""Regular expressions, by RE2: the syntax of Go's, and time that is linear in the text."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from jobsworth.cel.functions.arguments import check
from jobsworth.cel.values import CelError

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.cel.functions.arguments import Function

MAX_MEMORY = 2 * 1024 * 1024
"""The memory of a compiled expression in bytes, which bounds repetitions of repetitions."""


_IN_GO = {
    "missing ]": "missing closing ]",
    "missing )": "missing closing )",
    "no argument for repetition operator": "missing argument to repetition operator",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
}
"""Problems of RE2 that Go's package words differently."""


class MissingLibrary(CelError):
    """The library of regular expressions is not installed."""

    def __init__(self) -> None:
        super().__init__("regular expressions need google-re2, which is not installed")


@lru_cache(maxsize=128)
def compiled(pattern: str) -> Any:
    """Return a compiled regular expression.

    Raises:
        CelError: it is not one.
        MissingLibrary: google-re2 is not installed.
    """
    try:
        import re2
    except ImportError:
        raise MissingLibrary from None
    try:
        return re2.compile(_encodable(pattern), _options())
    except re2.error as error:
        shown = error.args[0]
        text = shown.decode("utf-8", "replace") if isinstance(shown, bytes) else str(shown)
        raise CelError(f"error parsing regexp: {_worded(text)}") from None


@cache
def _options() -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.max_mem = MAX_MEMORY
    # The memory of a search grows with the groups that it captures times the size of the pattern.
    options.never_capture = True
    return options


def _worded(problem: str) -> str:
    """Return a problem of RE2 in the words of Go."""
    what, colon, part = problem.partition(": ")
    return _IN_GO.get(what, what) + (f": `{part}`" if colon else "")


def _encodable(text: str) -> str:
    """Return a text with half surrogate pairs, which have no UTF-8, as question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def matches(text: Any, pattern: Any) -> bool:
    """Return True if a part of the text matches."""
    check(str, text, pattern)
    return compiled(pattern).search(_encodable(text)) is not None


def _find(text: Any, pattern: Any) -> str:
    check(str, text, pattern)
    found = compiled(pattern).search(_encodable(text))
    return "" if found is None else str(found[0])


def _find_all(text: Any, pattern: Any, limit: Any = -1) -> list[str]:
    check(str, text, pattern)
    check(int, limit)
    found: list[str] = []
    for match in compiled(pattern).finditer(_encodable(text)):
        if len(found) == limit:
            break
        found.append(match[0])
    return found


FUNCTIONS: dict[str, Function] = {
    "matches": matches,
    ".matches": matches,
    ".find": _find,
    ".findAll": _find_all,
}
