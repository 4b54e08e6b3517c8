"""A document as a tree, each value with its position and that of its key; and the state of building it."""

from __future__ import annotations

from typing import TypeAlias

from jobsworth.manifests.parsing.fast_yaml import Value
from jobsworth.manifests.parsing.records import Position
from jobsworth.manifests.parsing.scalars import Scalar

Entry: TypeAlias = tuple[Position, "Node"]
"""An entry of a mapping: the position of its key, and its value."""


DEEPEST = 10_000
"""The maximum nesting depth of both go-yaml v2 (scannerc.go) and Go's encoding/json."""

TOO_DEEP = f"kubectl accepts at most {DEEPEST} levels of nesting; nest this document less deeply"


class Node:
    """A value in the text.

    ``children`` are the entries of a mapping by key, the items of a list, or None for a scalar.
    ``shown`` is False for a value without text: that of ``key:`` with nothing after it. ``scalar``
    is the scalar before its conversion to JSON (1e3 is 1000.0 there, and 1000 in ``value``).
    ``size`` is the number of values that decoding visits, ``height`` the depth of nesting, both
    with aliases expanded.
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
    """Copy a value of any depth so that no part of it is shared."""
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
    """Return the path of a child, as Kubernetes writes field paths.

    >>> child_path("", "spec"), child_path("spec.rules", 0), child_path("metadata.labels", "a.b/c")
    ('spec', 'spec.rules[0]', 'metadata.labels[a.b/c]')
    """
    if isinstance(key, int):
        return f"{parent}[{key}]"
    if not key.replace("-", "").replace("_", "").isalnum():
        return f"{parent}[{key}]"
    return f"{parent}.{key}" if parent else key


class YamlFrame:
    """A mapping or a list that is still open."""

    __slots__ = (
        "entries",
        "flows",
        "items",
        "key",
        "key_kinds",
        "key_node",
        "mapping",
        "merged",
        "merges",
        "node",
    )

    def __init__(self, node: Node, *, flows: bool) -> None:
        self.node = node
        self.flows = flows  # flow style: in brackets
        self.items: list[Node] | None = None  # only of a list
        self.entries: dict[str, Entry] = {}  # this and the following: only of a mapping
        self.mapping: dict[str, Value] = {}
        self.key: str | None = None  # still without its value
        self.key_node = node
        self.merges = False  # the key is a merge key
        self.merged: set[str] = set()  # keys with a merged value
        self.key_kinds: dict[str, type] = {}

    def expects_key(self) -> bool:
        return self.items is None and self.key is None


class AliasBudget:
    """Counts the values that go-yaml decodes, to reject excessive aliasing as it does.

    Source: allowedAliasRatio in decode.go: aliases may contribute 99 % of up to 400,000 values, and
    10 % of 4,000,000 and more.
    """

    def __init__(self) -> None:
        self._decoded = 1
        self._aliased = 0

    def spend(self, aliased: int) -> bool:
        """Count a value and those that an alias adds; return True if they are within the limit."""
        self._decoded += 1 + aliased
        self._aliased += aliased
        if self._aliased <= 100 or self._decoded <= 1000:
            return True
        allowed = 0.99 - 0.89 * (self._decoded - 400_000) / 3_600_000
        return self._aliased / self._decoded <= min(max(allowed, 0.10), 0.99)

    def give_back(self) -> None:
        self._decoded -= 1
