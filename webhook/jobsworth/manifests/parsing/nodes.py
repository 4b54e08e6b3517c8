"""A document as a tree: each value with its place and, in a mapping, with that of its key."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from jobsworth.manifests.parsing.fast_yaml import Value
    from jobsworth.manifests.parsing.records import Position
    from jobsworth.manifests.parsing.scalars import Scalar

    Entry: TypeAlias = tuple[Position, "Node"]
    """A mapping's entry: where its key stands, and its value."""

DEEPEST = 10_000
"""Both go-yaml v2 (scannerc.go) and Go's encoding/json give up beyond."""

TOO_DEEP = f"the document nests deeper than the {DEEPEST} levels that kubectl accepts"


class Node:
    """A value in the text.

    ``children`` are the entries of a mapping by key, the items of a list, or None of a scalar.
    ``shown`` is False of a value that has no text of its own: that of ``key:`` with nothing behind
    it. ``scalar`` is what the scalar was before it became JSON (1e3 is 1000.0 there, and 1000 in
    ``value``). ``size`` counts what decoding it takes, ``height`` how deep it nests: both with
    aliases followed.
    """

    __slots__ = ("children", "height", "is_alias", "position", "scalar", "shown", "size", "value")

    def __init__(
        self,
        position: Position,
        value: Value = None,
        children: dict[str, Entry] | list[Node] | None = None,
    ) -> None:
        self.position = position
        self.value = value
        self.children = children
        self.scalar: Scalar = None
        self.shown = True
        self.size = 1
        self.height = 0
        self.is_alias = False


def copy_of(value: Value) -> Value:
    """Copy a value so that nothing in it is shared, however deep it is."""
    unfinished: list[dict[str, Value] | list[Value]] = []

    def copied(child: Value) -> Value:
        if isinstance(child, dict | list):
            child = child.copy()
            unfinished.append(child)
        return child

    result = copied(value)
    while unfinished:
        container = unfinished.pop()
        if isinstance(container, dict):
            for key, child in container.items():
                container[key] = copied(child)
        else:
            container[:] = map(copied, container)
    return result


def child_path(parent: str, key: str | int) -> str:
    """Write a field path as Kubernetes does.

    >>> child_path("", "spec"), child_path("spec.rules", 0), child_path("metadata.labels", "a.b/c")
    ('spec', 'spec.rules[0]', 'metadata.labels[a.b/c]')
    """
    if isinstance(key, int):
        return f"{parent}[{key}]"
    if not key.replace("-", "").replace("_", "").isalnum():
        return f"{parent}[{key}]"
    return f"{parent}.{key}" if parent else key
