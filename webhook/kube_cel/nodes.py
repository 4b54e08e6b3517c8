"""The syntax tree of a CEL expression, with its macros expanded.

``at`` is the offset in characters of the sign that stands for a node: the operator, the bracket of a call,
the dot of a member. kube-apiserver reports errors at the same places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression.

    Attributes:
        at: its offset.
    """

    at: int


@dataclass(frozen=True, slots=True)
class Literal(Node):
    """A constant: a value of :mod:`kube_cel.values`."""

    value: Any


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A variable, or the first part of a qualified name."""

    name: str


@dataclass(frozen=True, slots=True)
class Select(Node):
    """A member of a value: ``a.b``, ``a.?b`` if ``optional``, ``has(a.b)`` if ``test``."""

    operand: Node
    field: str
    optional: bool = False
    test: bool = False


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A call of a function, or of an operator, whose name is written like ``_+_``."""

    function: str
    target: Node | None
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ListLiteral(Node):
    """A list; the items with an index in ``optional`` are written ``[?item]``."""

    items: tuple[Node, ...]
    optional: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Entry(Node):
    """An entry of a map literal, written ``?key: value`` if ``optional``."""

    key: Node
    value: Node
    optional: bool


@dataclass(frozen=True, slots=True)
class MapLiteral(Node):
    """A map."""

    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class StructField(Node):
    """A field of a message literal, written ``?name: value`` if ``optional``."""

    name: str
    value: Node
    optional: bool


@dataclass(frozen=True, slots=True)
class StructLiteral(Node):
    """A message, such as ``Object.spec{suspend: true}`` of a policy that mutates."""

    name: str
    fields: tuple[StructField, ...]


@dataclass(frozen=True, slots=True)
class Loop(Node):
    """A macro that iterates over a list or map.

    Attributes:
        macro: the name, such as ``all``.
        range: the value to iterate over.
        names: of the loop variables: one, or two of a macro with two variables.
        condition: which items count; None if all do.
        body: what is made of an item; None where only the condition matters.
    """

    macro: str
    range: Node
    names: tuple[str, ...]
    condition: Node | None
    body: Node | None


@dataclass(frozen=True, slots=True)
class OptionalMap(Node):
    """``optional.optMap(name, body)``, or ``optFlatMap`` if ``flat``."""

    operand: Node
    name: str
    body: Node
    flat: bool


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
            return tuple(field.value for field in node.fields)
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
