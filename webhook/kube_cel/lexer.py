"""The tokens of an expression, the values of its literals, and the error of a text that is not CEL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from kube_cel.values import MAX_INT, MAX_UINT, MIN_INT, Uint

Kind = Literal["name", "quoted name", "int", "uint", "double", "string", "bytes", "sign", "end"]


class CelSyntaxError(ValueError):
    """A text is not a CEL expression.

    Attributes:
        at: the offset of the problem in characters.
        problem: the problem, in the words of kube-apiserver where it has them.
        message: the same as kube-apiserver reports it, which tells an error of the grammar from others.
    """

    def __init__(self, at: int, problem: str, *, of_grammar: bool = False) -> None:
        self.at = at
        self.problem = problem
        self.message = f"Syntax error: {problem}" if of_grammar else problem
        super().__init__(self.message)


KEYWORDS = frozenset(("in", "true", "false", "null"))

_ESCAPE = r"\\(?:[abfnrtv\"'`?\\]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})"
_STRING = (
    rf"'''(?:{_ESCAPE}|(?!''')[^\\])*'''"
    rf'|"""(?:{_ESCAPE}|(?!""")[^\\])*"""'
    rf"|'(?:{_ESCAPE}|[^\\'\n\r])*'"
    rf'|"(?:{_ESCAPE}|[^\\"\n\r])*"'
    r"|[rR](?:'''(?:(?!''')[\s\S])*'''|\"\"\"(?:(?!\"\"\")[\s\S])*\"\"\""
    r"|'[^'\n\r]*'|\"[^\"\n\r]*\")"
)
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f]+|//[^\n]*)"
    r"|(?P<double>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<uint>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])"
    r"|(?P<int>0x[0-9a-fA-F]+|[0-9]+)"
    rf"|(?P<bytes>[bB](?:{_STRING}))"
    rf"|(?P<string>{_STRING})"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<quoted>`[A-Za-z0-9_./ \-]+`)"
    r"|(?P<sign>==|!=|<=|>=|&&|\|\||[][{}().,?:+*/%<>!-])",
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its kind, its text, and its offset in characters."""

    kind: Kind
    text: str
    at: int


def tokens(source: str) -> list[Token]:
    """Return the tokens of an expression, without space and comments, and an end.

    Raises:
        CelSyntaxError: a character starts no token.
    """
    found: list[Token] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            raise CelSyntaxError(at, f"token recognition error at: '{source[at]}'", of_grammar=True)
        kind = match.lastgroup
        if kind == "quoted":
            found.append(Token("quoted name", match[0][1:-1], at))
        elif kind == "name" and match[0] in KEYWORDS:
            found.append(Token("sign", match[0], at))
        elif kind != "space":
            found.append(Token(kind, match[0], at))  # type: ignore[arg-type]
        at = match.end()
    found.append(Token("end", "", len(source)))
    return found


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
