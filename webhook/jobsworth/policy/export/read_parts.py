"""The parts of an object that an expression reads, to compare them in the new and in the stored object.

An expression that reads the same parts has the same value for both, or none for both. An update that changes
none of them therefore causes no violation that the stored object does not have. CEL can compare the parts,
while it cannot ask if an expression has a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from jobsworth.policy.export.cel_text import literal
from kube_cel.nodes import (
    Call,
    ListLiteral,
    Literal,
    Loop,
    Name,
    Node,
    Select,
    bound_names,
    children,
)

_INDEXES = ("_[_]", "_[?_]")
_NULL = "dyn(null)"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a variable.

    Attributes:
        root: the variable.
        steps: what follows it: ``.?spec``, ``[?"key"]``.
        items: what is read of the items of a list; empty for all of the part.
        item: the variable of an item.
        is_test: True if it is only read if the part is set.
    """

    root: str
    steps: tuple[str, ...]
    items: tuple[Part, ...] = ()
    item: str = ""
    is_test: bool = False

    def text(self, names: Mapping[str, str]) -> str:
        """Return the expression of the part, null if it is absent.

        Args:
            names: the variables that the roots stand for.
        """
        value = f"{names.get(self.root, self.root)}{''.join(self.steps)}"
        if self.is_test:
            return f"{value}.hasValue()"
        if not self.items:
            return f"{value}.orValue({_NULL})"
        inner = {**names, self.item: self.item}
        read = ", ".join(f"dyn({one.text(inner)})" for one in self.items)
        return f"{value}.orValue([]).map({self.item}, [{read}])"


def read_parts(trees: Iterable[Node], roots: Iterable[str]) -> list[Part] | None:
    """Return the parts of some variables that expressions read; None if they read a variable as a whole."""
    found = list(dict.fromkeys(part for tree in trees for part in _read(tree, frozenset(roots))))
    return found if all(part.steps for part in found) else None


def _read(node: Node, roots: frozenset[str]) -> Iterator[Part]:
    part = _part(node, roots)
    if part is not None:
        yield part
        return
    if _is_test_for_null(node):
        return
    hidden = roots.difference(bound_names(node))
    if isinstance(node, Loop):
        lists = _lists(node.range, roots)
        inner = [each for each in (node.condition, node.body) if each is not None]
        items = list(
            dict.fromkeys(one for each in inner for one in _read(each, frozenset(node.names[:1])))
        )
        if lists and len(node.names) == 1 and items and all(_is_of_item(one) for one in items):
            for one in lists:
                yield Part(one.root, one.steps, tuple(items), node.names[0])
            for each in inner:
                yield from _read(each, hidden)
            return
    outer = getattr(node, "range", None) or getattr(node, "operand", None)
    for each in children(node):
        yield from _read(each, roots if each is outer else hidden)


def _is_test_for_null(node: Node) -> bool:
    """Return True for a comparison with null of a variable: one result for all objects of a kind."""
    return (
        isinstance(node, Call)
        and node.function in ("_==_", "_!=_")
        and isinstance(node.arguments[0], Name)
        and isinstance(node.arguments[1], Literal)
        and node.arguments[1].value is None
    )


def _is_of_item(part: Part) -> bool:
    """Return True if a part is a field, or below a field, of a loop variable: a key of a map has none."""
    return bool(part.steps) and part.steps[0].startswith(".")


def _part(node: Node, roots: frozenset[str]) -> Part | None:
    """Return the part that a node stands for; None if it is another expression."""
    match node:
        case Name() if node.name in roots:
            return Part(node.name, ())
        case Select():
            part = _below(_part(node.operand, roots), f".?{node.field}")
            return replace(part, is_test=True) if part is not None and node.test else part
        case Call(function=name, arguments=(holder, Literal(value=str() | int() as index))):
            if name in _INDEXES and not isinstance(index, bool):
                return _below(_part(holder, roots), f"[?{literal(index)}]")
    return None


def _below(part: Part | None, step: str) -> Part | None:
    return None if part is None else Part(part.root, (*part.steps, step))


def _lists(node: Node, roots: frozenset[str]) -> list[Part]:
    """Return the lists that a range joins; none if it is another expression."""
    part = _part(node, roots)
    if part is not None:
        return [part]
    match node:
        case Call(function="_+_", arguments=(one, other)):
            both = [_lists(one, roots), _lists(other, roots)]
            return [*both[0], *both[1]] if all(both) else []
        case Call(
            function="orValue", target=Node() as optional, arguments=(ListLiteral(items=()),)
        ):
            return _lists(optional, roots)
    return []
