"""The syntax tree of a CEL expression, with its macros expanded.

``at`` is the offset in characters of the sign that stands for a node: the operator, the bracket of a call,
the dot of a member. kube-apiserver reports errors at the same places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    """A constant: a value of :mod:`jobsworth.cel.values`."""

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
class StructLiteral(Node):
    """A message, ``Object{}``, which no admission policy that validates can make."""

    name: str
    values: tuple[Node, ...]


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
