"""The tokens of CEL (cel-spec, doc/langdef.md, "Syntax")."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.cel.syntax.syntax_error import CelSyntaxError

if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["name", "quoted name", "int", "uint", "double", "string", "bytes", "sign", "end"]

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
            raise CelSyntaxError(at, f"Syntax error: token recognition error at: '{source[at]}'")
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
