"""The values of literals."""

from __future__ import annotations

import re

from jobsworth.cel.syntax.syntax_error import CelSyntaxError
from jobsworth.cel.values import MAX_INT, MAX_UINT, MIN_INT, Uint

_ESCAPES = {"a": 7, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ESCAPED = re.compile(
    r"\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))",
    re.DOTALL,
)
_LAST_CHARACTER = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def integer(text: str, at: int) -> int:
    """Return the value of an integer literal with its sign.

    Raises:
        CelSyntaxError: it is not a 64-bit integer.
    """
    value = _number(text)
    if value is None or not MIN_INT <= value <= MAX_INT:
        raise CelSyntaxError(at, "invalid int literal")
    return value


def unsigned(text: str, at: int) -> Uint:
    """Return the value of an unsigned literal.

    Raises:
        CelSyntaxError: it is not an unsigned 64-bit integer.
    """
    value = _number(text[:-1])
    if value is None or value > MAX_UINT:
        raise CelSyntaxError(at, "invalid uint literal")
    return Uint(value)


def _number(text: str) -> int | None:
    digits = text.removeprefix("-")
    if len(digits) > 40:
        return None
    return int(text, 16) if digits.startswith("0x") else int(text)


def double(text: str, at: int) -> float:
    """Return the value of a literal with a fraction or exponent.

    Raises:
        CelSyntaxError: it is out of range.
    """
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise CelSyntaxError(at, "invalid double literal")
    return value


def string(token: str, at: int) -> str:
    """Return the value of a string literal.

    Raises:
        CelSyntaxError: an escape stands for no character.
    """
    body, raw = _body(token)
    if raw:
        return body

    def character(match: re.Match[str]) -> str:
        code = _code(match)
        if code > _LAST_CHARACTER or code in _SURROGATES:
            raise CelSyntaxError(at, "invalid unicode code point")
        return chr(code)

    return _ESCAPED.sub(character, body)


def octets(token: str, at: int) -> bytes:
    """Return the value of a bytes literal: escapes are bytes, other characters their UTF-8.

    Raises:
        CelSyntaxError: it has an escape for a character.
    """
    body, raw = _body(token[1:])
    if raw:
        return body.encode()
    made, end = bytearray(), 0
    for match in _ESCAPED.finditer(body):
        if match[2] or match[3]:
            raise CelSyntaxError(at, "unable to unescape string")
        made += body[end : match.start()].encode()
        made.append(_code(match))
        end = match.end()
    return bytes(made + body[end:].encode())


def _body(token: str) -> tuple[str, bool]:
    """Return the text between the quotes, with newlines as ``\\n``, and whether it is raw."""
    raw = token[0] in "rR"
    quoted = token[1:] if raw else token
    quotes = 3 if len(quoted) >= 6 and quoted[:3] in ("'''", '"""') else 1
    text = quoted[quotes:-quotes].replace("\r\n", "\n").replace("\r", "\n")
    return text, raw


def _code(match: re.Match[str]) -> int:
    digits = match[1] or match[2] or match[3]
    if digits:
        return int(digits, 16)
    if match[4]:
        return int(match[4], 8)
    return _ESCAPES.get(match[5], ord(match[5]))
