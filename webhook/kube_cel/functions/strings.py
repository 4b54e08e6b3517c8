"""Functions of strings (cel-go, ``ext.Strings`` version 2, which Kubernetes uses), and regular expressions.

Regular expressions are RE2's: the syntax of Go's, and time that is linear in the text.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from kube_cel.values import CelError, Function, NoOverload, check, of_strings

MAX_TEXT = 4 * 1024 * 1024
"""The longest text that a function makes, in characters: a request has at most 3 MiB."""

_ASCII_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_ASCII_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_SPACE = (
    " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
ESCAPES = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}


def bounded(length: int) -> None:
    """Check the length of a text before it is made.

    Raises:
        CelError: it is longer than :data:`MAX_TEXT`.
    """
    if length > MAX_TEXT:
        raise CelError(f"the text would have {length} characters; the maximum is {MAX_TEXT}")


def _char_at(text: str, at: int) -> str:
    check(str, text)
    check(int, at)
    if not 0 <= at <= len(text):
        raise CelError(f"index out of range: {at}")
    return text[at : at + 1]


def _index_of(text: str, part: str, start: int = 0) -> int:
    check(str, text, part)
    check(int, start)
    if part == "":
        return start
    if start < 0:
        raise CelError(f"index out of range: {start}")
    if start >= len(text):
        return -1
    return text.find(part, start)


def _last_index_of(text: str, part: str, *starts: int) -> int:
    check(str, text, part)
    check(int, *starts)
    start = starts[0] if starts else len(text) - len(part)
    if part == "":
        return start if starts else len(text)
    if starts and start < 0:
        raise CelError(f"index out of range: {start}")
    if starts and start >= len(text):
        return -1
    return _last(text[: max(start, 0) + len(part)], part) if start >= 0 else -1


def _last(text: str, part: str) -> int:
    """Return the last index of a part; ``str.rfind`` takes time for each character of both."""
    found = text[::-1].find(part[::-1])
    return -1 if found < 0 else len(text) - found - len(part)


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    check(str, text, old, new)
    check(int, limit)
    found = text.count(old) if limit < 0 else min(limit, text.count(old))
    bounded(len(text) + found * (len(new) - len(old)))
    return text.replace(old, new, limit)


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    check(str, text, separator)
    check(int, limit)
    if limit == 0:
        return []
    if separator == "":
        parts = list(text)
        if 0 < limit < len(parts):
            return [*parts[: limit - 1], "".join(parts[limit - 1 :])]
        return parts
    return text.split(separator, limit - 1 if limit > 0 else -1)


def _substring(text: str, start: int, *ends: int) -> str:
    check(str, text)
    check(int, start, *ends)
    if not ends:
        if not 0 <= start <= len(text):
            raise CelError(f"index out of range: {start}")
        return text[start:]
    end = ends[0]
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    if not 0 <= start <= len(text):
        raise CelError(f"index out of range: {start}")
    if not 0 <= end <= len(text):
        raise CelError(f"index out of range: {end}")
    return text[start:end]


def _join(items: Any, separator: str = "") -> str:
    check(list, items)
    check(str, separator)
    if any(not isinstance(each, str) for each in items):
        raise NoOverload
    bounded(sum(map(len, items)) + len(separator) * len(items))
    return separator.join(items)


def _escape_key(text: str) -> str:
    """Return a key as a step of a JSON pointer (RFC 6901)."""
    return text.replace("~", "~0").replace("/", "~1")


def _quote(text: str) -> str:
    shown = (
        ESCAPES.get(character) or ("\\" + character if character in '"\\' else character)
        for character in text
    )
    return f'"{"".join(shown)}"'


def _size(value: Any) -> int:
    if isinstance(value, (str, bytes, list, dict)):
        return len(value)
    raise NoOverload


FUNCTIONS: dict[str, Function] = {
    ".contains": of_strings(lambda text, part: part in text),
    ".startsWith": of_strings(lambda text, part: text.startswith(part)),
    ".endsWith": of_strings(lambda text, part: text.endswith(part)),
    ".lowerAscii": of_strings(lambda text: text.translate(_ASCII_LOWER)),
    ".upperAscii": of_strings(lambda text: text.translate(_ASCII_UPPER)),
    ".trim": of_strings(lambda text: text.strip(_SPACE)),
    ".charAt": _char_at,
    ".replace": _replace,
    ".split": _split,
    ".substring": _substring,
    ".join": _join,
    "strings.quote": of_strings(_quote),
    "jsonpatch.escapeKey": of_strings(_escape_key),
    "size": _size,
    ".size": _size,
}


def index_of(value: Any, *arguments: Any) -> int:
    """Return the first index of a part of a string or an item of a list; -1 without one."""
    if isinstance(value, list) and len(arguments) == 1:
        return _index_in(value, arguments[0], range(len(value)))
    return _index_of(value, *arguments)


def last_index_of(value: Any, *arguments: Any) -> int:
    """Return the last index of a part of a string or an item of a list; -1 without one."""
    if isinstance(value, list) and len(arguments) == 1:
        return _index_in(value, arguments[0], range(len(value) - 1, -1, -1))
    return _last_index_of(value, *arguments)


def _index_in(items: list[Any], wanted: Any, order: range) -> int:
    from kube_cel.operators import equal

    return next((at for at in order if equal(items[at], wanted)), -1)


FUNCTIONS |= {".indexOf": index_of, ".lastIndexOf": last_index_of}


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


FUNCTIONS |= {
    "matches": matches,
    ".matches": matches,
    ".find": _find,
    ".findAll": _find_all,
}
