"""The parser of CEL (cel-spec, doc/langdef.md, "Syntax")."""

from __future__ import annotations

from jobsworth.cel.syntax import literals
from jobsworth.cel.syntax.lexer import Token, tokens
from jobsworth.cel.syntax.macros import expanded
from jobsworth.cel.syntax.nodes import (
    Call,
    Entry,
    ListLiteral,
    Literal,
    MapLiteral,
    Name,
    Node,
    Select,
    StructLiteral,
)
from jobsworth.cel.syntax.syntax_error import CelSyntaxError

MAX_BRACKETS = 50
"""The depth to which brackets may be nested. Python's stack must hold the parser's calls."""

MAX_DEPTH = 150
"""The depth of a syntax tree, to which each operator of a chain adds one. Python's stack must hold it."""

_RESERVED = frozenset(
    (
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
        "package", "namespace", "return", "var", "void", "while",
    )
)  # fmt: skip
_PRECEDENCE = {
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "in"), 1),
    **dict.fromkeys(("+", "-"), 2),
    **dict.fromkeys(("*", "/", "%"), 3),
}
"""Binary operators: those with a higher number bind tighter; all associate to the left."""

_CONSTANTS = {"true": True, "false": False, "null": None}
_Parsed = tuple[Node, int]
"""A node, and the depth of its tree."""


def parse(source: str, macros: frozenset[tuple[str, int]], *, quoted_names: bool = True) -> Node:
    """Return the syntax tree of an expression.

    Args:
        source: the text.
        macros: names and numbers of arguments of the macros that are called like methods.
        quoted_names: members may be written between backticks.

    Raises:
        CelSyntaxError: it is not CEL, or nested too deeply.
    """
    found = tokens(source)
    quoted = next((token for token in found if token.kind == "quoted name"), None)
    if quoted is not None and not quoted_names:
        raise CelSyntaxError(quoted.at, "unsupported syntax: '`'")
    parser = _Parser(found, macros)
    node, _ = parser.expression(0)
    parser.end()
    return node


class _Parser:
    def __init__(self, found: list[Token], macros: frozenset[tuple[str, int]]) -> None:
        self._tokens = found
        self._index = 0
        self._macros = macros

    @property
    def _token(self) -> Token:
        return self._tokens[self._index]

    def _sees(self, sign: str) -> bool:
        return self._token.kind == "sign" and self._token.text == sign

    def _accept(self, sign: str) -> bool:
        if self._sees(sign):
            self._index += 1
            return True
        return False

    def _next(self) -> Token:
        token = self._token
        self._index += 1
        return token

    def _expect(self, sign: str) -> int:
        if not self._sees(sign):
            raise self._unexpected(f"'{sign}'")
        return self._next().at

    def _unexpected(self, wanted: str) -> CelSyntaxError:
        shown = self._token.text or "<EOF>"
        return CelSyntaxError(
            self._token.at, f"Syntax error: mismatched input '{shown}' expecting {wanted}"
        )

    def _checked(self, depth: int) -> int:
        if depth > MAX_DEPTH:
            raise CelSyntaxError(
                self._token.at, f"the expression is nested more than {MAX_DEPTH} levels deep"
            )
        return depth

    def end(self) -> None:
        if self._token.kind != "end":
            shown = self._token.text
            raise CelSyntaxError(
                self._token.at, f"Syntax error: extraneous input '{shown}' expecting <EOF>"
            )

    def expression(self, outer: int) -> _Parsed:
        """Parse an expression inside `outer` brackets."""
        if outer > MAX_BRACKETS:
            raise CelSyntaxError(
                self._token.at, f"brackets are nested more than {MAX_BRACKETS} levels deep"
            )
        test, depth = self._any(outer)
        if not self._sees("?"):
            return test, depth
        at = self._next().at
        chosen, second = self._any(outer)
        self._expect(":")
        other, third = self.expression(outer + 1)
        depth = self._checked(1 + max(depth, second, third))
        return Call(at, "_?_:_", None, (test, chosen, other)), depth

    def _any(self, outer: int) -> _Parsed:
        """Parse operands that ``||`` joins: one call, since their order does not matter."""
        operands, at, depth = [], 0, 0
        while True:
            node, more = self._all(outer)
            operands.append(node)
            depth = max(depth, more)
            if not self._sees("||"):
                return self._joined("_||_", operands, at, depth)
            at = self._next().at

    def _all(self, outer: int) -> _Parsed:
        """Parse operands that ``&&`` joins."""
        operands, at, depth = [], 0, 0
        while True:
            node, more = self._binary(outer, 1)
            operands.append(node)
            depth = max(depth, more)
            if not self._sees("&&"):
                return self._joined("_&&_", operands, at, depth)
            at = self._next().at

    def _joined(self, function: str, operands: list[Node], at: int, depth: int) -> _Parsed:
        if len(operands) == 1:
            return operands[0], depth
        return Call(at, function, None, tuple(operands)), self._checked(depth + 1)

    def _binary(self, outer: int, loosest: int) -> _Parsed:
        left, depth = self._unary(outer)
        while self._token.kind == "sign":
            precedence = _PRECEDENCE.get(self._token.text, 0)
            if precedence < loosest:
                break
            sign = self._next()
            right, more = self._binary(outer, precedence + 1)
            function = "@in" if sign.text == "in" else f"_{sign.text}_"
            left = Call(sign.at, function, None, (left, right))
            depth = self._checked(1 + max(depth, more))
        return left, depth

    def _unary(self, outer: int) -> _Parsed:
        if not (self._sees("!") or self._sees("-")):
            return self._member(outer)
        sign, count = self._token, 0
        # The minus of a number belongs to the number.
        while self._sees(sign.text) and not (sign.text == "-" and self._is_number(1)):
            self._index += 1
            count += 1
        node, depth = self._member(outer)
        if count % 2 == 0:
            return node, depth
        return Call(sign.at, f"{sign.text}_", None, (node,)), self._checked(depth + 1)

    def _is_number(self, ahead: int) -> bool:
        return self._tokens[self._index + ahead].kind in ("int", "double")

    def _member(self, outer: int) -> _Parsed:
        node, depth = self._primary(outer)
        while True:
            if self._sees("."):
                node, depth = self._after_dot(node, depth, outer)
            elif self._sees("["):
                at = self._next().at
                function = "_[?_]" if self._accept("?") else "_[_]"
                index, more = self.expression(outer + 1)
                self._expect("]")
                node = Call(at, function, None, (node, index))
                depth = max(depth, more) + 1
            else:
                return node, depth
            self._checked(depth)

    def _after_dot(self, node: Node, depth: int, outer: int) -> _Parsed:
        at = self._next().at
        optional = self._accept("?")
        token = self._token
        if token.kind not in ("name", "quoted name"):
            raise self._unexpected("IDENTIFIER")
        self._index += 1
        if optional or token.kind == "quoted name" or not self._sees("("):
            return Select(at, node, token.text, optional), depth + 1
        bracket = self._next().at
        arguments, more = self._list(")", outer)
        call = expanded(bracket, token.text, node, arguments, self._macros)
        return call, max(depth, more) + 1

    def _primary(self, outer: int) -> _Parsed:
        token = self._token
        if token.kind in ("int", "double") or (
            token.kind == "sign" and token.text == "-" and self._is_number(1)
        ):
            return self._number(), 1
        if token.kind == "uint":
            return Literal(token.at, literals.unsigned(self._next().text, token.at)), 1
        if token.kind == "string":
            return Literal(token.at, literals.string(self._next().text, token.at)), 1
        if token.kind == "bytes":
            return Literal(token.at, literals.octets(self._next().text, token.at)), 1
        if token.kind == "name" or self._sees("."):
            return self._named(outer)
        if token.kind == "sign":
            if token.text in _CONSTANTS:
                self._index += 1
                return Literal(token.at, _CONSTANTS[token.text]), 1
            if self._accept("("):
                node, depth = self.expression(outer + 1)
                self._expect(")")
                return node, depth
            if self._accept("["):
                return self._items(token.at, outer)
            if self._accept("{"):
                return self._entries(token.at, outer)
        raise self._unexpected("an expression")

    def _number(self) -> Node:
        at = self._token.at
        sign = "-" if self._accept("-") else ""
        token = self._next()
        if token.kind == "double":
            return Literal(at, literals.double(sign + token.text, at))
        return Literal(at, literals.integer(sign + token.text, at))

    def _named(self, outer: int) -> _Parsed:
        dot = "." if self._accept(".") else ""
        token = self._token
        if token.kind != "name":
            raise self._unexpected("IDENTIFIER")
        self._index += 1
        if token.text in _RESERVED:
            raise CelSyntaxError(token.at, f"reserved identifier: {token.text}")
        if self._sees("("):
            bracket = self._next().at
            arguments, depth = self._list(")", outer)
            return expanded(bracket, token.text, None, arguments, self._macros), depth + 1
        name = self._message_name(token.text)
        if name is not None:
            at = self._expect("{")
            values, depth = self._fields(outer)
            return StructLiteral(at, name, values), depth + 1
        return Name(token.at, dot + token.text), 1

    def _message_name(self, first: str) -> str | None:
        """Return the name of a message literal, and read it; None if this is not one."""
        parts, index = [first], self._index
        while (
            self._tokens[index].text == "."
            and self._tokens[index].kind == "sign"
            and self._tokens[index + 1].kind == "name"
        ):
            parts.append(self._tokens[index + 1].text)
            index += 2
        if self._tokens[index].kind != "sign" or self._tokens[index].text != "{":
            return None
        self._index = index
        return ".".join(parts)

    def _fields(self, outer: int) -> tuple[tuple[Node, ...], int]:
        values, depth = [], 0
        while not self._accept("}"):
            self._accept("?")
            if self._next().kind not in ("name", "quoted name"):
                self._index -= 1
                raise self._unexpected("IDENTIFIER")
            self._expect(":")
            value, more = self.expression(outer + 1)
            values.append(value)
            depth = max(depth, more)
            if not self._accept(","):
                self._expect("}")
                break
        return tuple(values), depth

    def _list(self, end: str, outer: int) -> tuple[tuple[Node, ...], int]:
        """Parse the arguments of a call after its bracket."""
        found, depth = [], 0
        if not self._accept(end):
            while True:
                node, more = self.expression(outer + 1)
                found.append(node)
                depth = max(depth, more)
                if not self._accept(","):
                    break
            self._expect(end)
        return tuple(found), depth

    def _skip_lone_comma(self, end: str) -> None:
        """The grammar allows ``[,]`` and ``{,}``."""
        if self._sees(",") and self._tokens[self._index + 1].text == end:
            self._index += 1

    def _items(self, at: int, outer: int) -> _Parsed:
        items: list[Node] = []
        optional: set[int] = set()
        depth = 0
        self._skip_lone_comma("]")
        while not self._accept("]"):
            if self._accept("?"):
                optional.add(len(items))
            node, more = self.expression(outer + 1)
            items.append(node)
            depth = max(depth, more)
            if not self._accept(","):
                self._expect("]")
                break
        return ListLiteral(at, tuple(items), frozenset(optional)), self._checked(depth + 1)

    def _entries(self, at: int, outer: int) -> _Parsed:
        entries, depth = [], 0
        self._skip_lone_comma("}")
        while not self._accept("}"):
            optional = self._accept("?")
            key, first = self.expression(outer + 1)
            colon = self._expect(":")
            value, second = self.expression(outer + 1)
            entries.append(Entry(colon, key, value, optional))
            depth = max(depth, first, second)
            if not self._accept(","):
                self._expect("}")
                break
        return MapLiteral(at, tuple(entries)), self._checked(depth + 1)
