"""Go durations: ``1h30m``, ``-1.5s``, ``300ms``.

Source: ``time.ParseDuration`` of Go 1.26; ``@every`` of a cron schedule returns its errors.

    >>> parse("1h30m") == 5400 * 10**9
    True
"""

from __future__ import annotations

from kube_cel.formats.names import DIGITS

_UNITS = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,  # the micro sign
    "μs": 10**3,  # the Greek letter
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}

_LIMIT, _UINT64 = 2**63, 2**64
_LIMIT_LENGTH = len(str(_LIMIT))
_NUMBER_CHARACTERS = DIGITS + "."


class BadDuration(ValueError):
    """A duration that cannot be parsed, with Go's message."""


def parse(text: str) -> int:
    """Parse a duration; return nanoseconds.

    Raises:
        BadDuration: the text is malformed, has no unit or an unknown one, or is out of range.

    >>> parse("-1.5us")
    -1500
    >>> parse("90")
    Traceback (most recent call last):
    kube_cel.formats.duration.BadDuration: time: missing unit in duration "90"
    """
    start = 1 if text[:1] in ("-", "+") else 0
    if text[start:] == "0":
        return 0
    if start == len(text):
        raise _bad("invalid duration", text)
    total = 0
    while start < len(text):
        part, start = _part(text, start)
        total = (total + part) % _UINT64  # overflows to 0 at 2**64, as upstream
        if total > _LIMIT:
            raise _bad("invalid duration", text)
    if text[0] == "-":
        return -total
    if total == _LIMIT:
        raise _bad("invalid duration", text)
    return total


def _part(text: str, start: int) -> tuple[int, int]:
    """Parse the number and unit at an index; return (nanoseconds, end index)."""
    point = _end_of_digits(text, start)
    end = _end_of_digits(text, point + 1) if text[point : point + 1] == "." else point
    whole, fraction = text[start:point].lstrip("0"), text[point + 1 : end]
    if point == start and not fraction:
        raise _bad("invalid duration", text)
    if len(whole) > _LIMIT_LENGTH or int(whole or "0") > _LIMIT:
        raise _bad("invalid duration", text)
    name = text[end : _end_of_unit(text, end)]
    if not name:
        raise _bad("missing unit in duration", text)
    unit = _UNITS.get(name)
    if unit is None:
        raise _bad(f"unknown unit {_quoted(name)} in duration", text)
    amount = int(whole or "0") * unit + _fraction(fraction, unit)
    if amount > _LIMIT:
        raise _bad("invalid duration", text)
    return amount, end + len(name)


def _end_of_digits(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end] in DIGITS:
        end += 1
    return end


def _end_of_unit(text: str, start: int) -> int:
    end = start
    while end < len(text) and text[end] not in _NUMBER_CHARACTERS:
        end += 1
    return end


def _fraction(digits: str, unit: int) -> int:
    """Return the fraction in nanoseconds, computed in floating point as Go does."""
    value, scale = 0, 1.0
    for digit in digits:
        if value > (_LIMIT - 1) // 10 or value * 10 + int(digit) > _LIMIT:
            break  # further digits would not change the result
        value = value * 10 + int(digit)
        scale *= 10
    return int(float(value) * (unit / scale))


def _bad(problem: str, text: str) -> BadDuration:
    return BadDuration(f"time: {problem} {_quoted(text)}")


def _quoted(text: str) -> str:
    r"""Quote a text as Go's ``time`` package does: bytes other than printable ASCII in hexadecimal.

    >>> print(_quoted("1é"))
    "1\xc3\xa9"
    """
    return '"' + "".join(map(_quoted_character, text)) + '"'


def _quoted_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if " " <= character < "\x80":
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
