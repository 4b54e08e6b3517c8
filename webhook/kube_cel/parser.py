"""The parser of CEL (cel-spec, doc/langdef.md, "Syntax")."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kube_cel.lexer import (
    CelSyntaxError,
    Token,
    double,
    integer,
    octets,
    string,
    tokens,
    unsigned,
)
from kube_cel.nodes import (
    Call,
    Entry,
    ListLiteral,
    Literal,
    Loop,
    MapLiteral,
    Name,
    Node,
    OptionalMap,
    Select,
    StructField,
    StructLiteral,
)

Expander = Callable[[int, str, Node, Sequence[Node]], Node]

_ACCUMULATORS = ("__result__", "@result")
"""The names that expanded macros of the API server use, which no variable may have."""


def expanded(
    at: int,
    name: str,
    target: Node | None,
    arguments: tuple[Node, ...],
    macros: frozenset[tuple[str, int]],
) -> Node:
    """Return the call of a function, or what a macro stands for.

    Args:
        at: the offset of its bracket.
        name: of the function.
        target: what it is called on; None for a plain call.
        arguments: of the call.
        macros: the known macros on a target, by name and number of arguments.

    Raises:
        CelSyntaxError: an argument of a macro must be a name or a field, and is not.
    """
    if target is None:
        if name == "has" and len(arguments) == 1:
            return _tested(at, arguments[0])
        return Call(at, name, None, arguments)
    if (name, len(arguments)) in macros:
        return _EXPANDERS[name](at, name, target, arguments)
    return Call(at, name, target, arguments)


def _tested(at: int, field: Node) -> Node:
    if not isinstance(field, Select) or field.optional:
        raise CelSyntaxError(field.at, "invalid argument to has() macro")
    return Select(at, field.operand, field.field, test=True)


def _predicate(at: int, name: str, target: Node, arguments: Sequence[Node]) -> Node:
    """Expand ``all``, ``exists``, ``exists_one``, ``filter``: variables and a condition."""
    return Loop(at, name, target, _names(arguments[:-1]), arguments[-1], None)


def _mapped(at: int, name: str, target: Node, arguments: Sequence[Node]) -> Node:
    """Expand ``map``: a variable, perhaps a condition, and what is made of an item."""
    condition = arguments[1] if len(arguments) == 3 else None
    return Loop(at, name, target, _names(arguments[:1]), condition, arguments[-1])


def _transformed(at: int, name: str, target: Node, arguments: Sequence[Node]) -> Node:
    """Expand ``transformList`` and so on: two variables, perhaps a condition, and what is made of an item."""
    condition = arguments[2] if len(arguments) == 4 else None
    return Loop(at, name, target, _names(arguments[:2]), condition, arguments[-1])


def _sorted(at: int, name: str, target: Node, arguments: Sequence[Node]) -> Node:
    return Loop(at, name, target, _names(arguments[:1]), None, arguments[-1])


def _optional(at: int, name: str, target: Node, arguments: Sequence[Node]) -> Node:
    variable = arguments[0]
    if not isinstance(variable, Name):
        raise CelSyntaxError(variable.at, f"{name}() variable name must be a simple identifier")
    return OptionalMap(at, target, variable.name, arguments[1], name == "optFlatMap")


def _names(variables: Sequence[Node]) -> tuple[str, ...]:
    names: list[str] = []
    for variable in variables:
        if not isinstance(variable, Name) or variable.name.startswith("."):
            raise CelSyntaxError(variable.at, "argument must be a simple name")
        if variable.name in _ACCUMULATORS:
            raise CelSyntaxError(variable.at, "iteration variable overwrites accumulator variable")
        if variable.name in names:
            raise CelSyntaxError(variable.at, f"duplicate variable name: {variable.name}")
        names.append(variable.name)
    return tuple(names)


_EXPANDERS: dict[str, Expander] = {
    "all": _predicate,
    "exists": _predicate,
    "exists_one": _predicate,
    "existsOne": _predicate,
    "filter": _predicate,
    "map": _mapped,
    "transformList": _transformed,
    "transformMap": _transformed,
    "transformMapEntry": _transformed,
    "sortBy": _sorted,
    "optMap": _optional,
    "optFlatMap": _optional,
}


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
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "in"), 3),
    **dict.fromkeys(("+", "-"), 4),
    **dict.fromkeys(("*", "/", "%"), 5),
}
"""Binary operators: those with a higher number bind tighter; all associate to the left."""
_JOINING = ("||", "&&")
"""Operators of which a chain is one call, since the order of its operands does not matter."""

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
        token = self._tokens[self._index]
        return token.kind == "sign" and token.text == sign

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
            self._token.at, f"mismatched input '{shown}' expecting {wanted}", of_grammar=True
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
                self._token.at, f"extraneous input '{shown}' expecting <EOF>", of_grammar=True
            )

    def expression(self, outer: int, *, conditional: bool = True) -> _Parsed:
        """Parse operands, the binary operators between them, and a conditional operator after them.

        Args:
            outer: the number of brackets around them.
            conditional: False for the first result of a conditional operator, which is none itself.
        """
        if outer > MAX_BRACKETS:
            raise CelSyntaxError(
                self._token.at, f"brackets are nested more than {MAX_BRACKETS} levels deep"
            )
        operands, operators = [self._operand(outer)], list[Token]()
        while True:
            token = self._token
            precedence = _PRECEDENCE.get(token.text, 0) if token.kind == "sign" else 0
            while operators and precedence <= _PRECEDENCE[operators[-1].text]:
                if operators[-1].text == token.text in _JOINING:
                    break
                self._apply(operators, operands)
            if precedence == 0:
                break
            operators.append(self._next())
            operands.append(self._operand(outer))
        ((test, depth),) = operands
        if not conditional or not self._sees("?"):
            return test, depth
        at = self._next().at
        chosen, second = self.expression(outer, conditional=False)
        self._expect(":")
        other, third = self.expression(outer + 1)
        depth = self._checked(1 + max(depth, second, third))
        return Call(at, "_?_:_", None, (test, chosen, other)), depth

    def _apply(self, operators: list[Token], operands: list[_Parsed]) -> None:
        """Replace the last operator, or the chain that it ends, and its operands by their call."""
        sign, count = operators.pop(), 2
        while sign.text in _JOINING and operators and operators[-1].text == sign.text:
            operators.pop()
            count += 1
        nodes, depths = zip(*operands[-count:], strict=True)
        function = "@in" if sign.text == "in" else f"_{sign.text}_"
        call = Call(sign.at, function, None, nodes)
        operands[-count:] = [(call, self._checked(1 + max(depths)))]

    def _operand(self, outer: int) -> _Parsed:
        """Parse a primary value with the signs before it and the members after it."""
        sign, count = self._token, 0
        if self._sees("!") or self._sees("-"):
            # The minus of a number belongs to the number.
            while self._sees(sign.text) and not (sign.text == "-" and self._is_number(1)):
                self._index += 1
                count += 1
        node, depth = self._primary(outer)
        while self._sees(".") or self._sees("["):
            if self._sees("."):
                node, depth = self._after_dot(node, depth, outer)
            else:
                at = self._next().at
                function = "_[?_]" if self._accept("?") else "_[_]"
                index, more = self.expression(outer + 1)
                self._expect("]")
                node = Call(at, function, None, (node, index))
                depth = max(depth, more) + 1
            self._checked(depth)
        if count % 2 == 0:
            return node, depth
        return Call(sign.at, f"{sign.text}_", None, (node,)), self._checked(depth + 1)

    def _is_number(self, ahead: int) -> bool:
        return self._tokens[self._index + ahead].kind in ("int", "double")

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
            return Literal(token.at, unsigned(self._next().text, token.at)), 1
        if token.kind == "string":
            return Literal(token.at, string(self._next().text, token.at)), 1
        if token.kind == "bytes":
            return Literal(token.at, octets(self._next().text, token.at)), 1
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
            return Literal(at, double(sign + token.text, at))
        return Literal(at, integer(sign + token.text, at))

    def _named(self, outer: int) -> _Parsed:
        dot, token = "", self._token
        if token.kind == "sign":
            dot, token = ".", self._tokens[self._index + 1]
            self._index += 1
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
            fields, depth = self._fields(outer)
            return StructLiteral(at, name, fields), self._checked(depth + 1)
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

    def _fields(self, outer: int) -> tuple[tuple[StructField, ...], int]:
        fields, depth = [], 0
        while not self._accept("}"):
            optional = self._accept("?")
            name = self._next()
            if name.kind not in ("name", "quoted name"):
                self._index -= 1
                raise self._unexpected("IDENTIFIER")
            colon = self._expect(":")
            value, more = self.expression(outer + 1)
            fields.append(StructField(colon, name.text, value, optional))
            depth = max(depth, more)
            if not self._accept(","):
                self._expect("}")
                break
        return tuple(fields), depth

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
