"""Macros: calls that iterate, test a field, or bind a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.syntax.nodes import Call, Loop, Name, Node, OptionalMap, Select
from jobsworth.cel.syntax.syntax_error import CelSyntaxError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
