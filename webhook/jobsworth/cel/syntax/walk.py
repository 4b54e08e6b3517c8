"""The parts of a syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cel.syntax.nodes import (
    Call,
    ListLiteral,
    Loop,
    MapLiteral,
    OptionalMap,
    Select,
    StructLiteral,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.cel.syntax.nodes import Node


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a node, in the order of the text."""
    match node:
        case Select():
            return (node.operand,)
        case Call():
            return node.arguments if node.target is None else (node.target, *node.arguments)
        case ListLiteral():
            return node.items
        case MapLiteral():
            return tuple(part for entry in node.entries for part in (entry.key, entry.value))
        case StructLiteral():
            return node.values
        case Loop():
            parts = (node.range, node.condition, node.body)
            return tuple(part for part in parts if part is not None)
        case OptionalMap():
            return (node.operand, node.body)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all its parts."""
    rest = [node]
    while rest:
        part = rest.pop()
        yield part
        rest.extend(reversed(children(part)))


def bound_names(node: Node) -> tuple[str, ...]:
    """Return the names of the variables that a macro declares; none for other nodes."""
    match node:
        case Loop():
            return node.names
        case OptionalMap():
            return (node.name,)
    return ()
