"""State of reading a YAML document: its open containers, and the share of aliased values."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jobsworth.manifests.parsing.fast_yaml import Value
    from jobsworth.manifests.parsing.nodes import Entry, Node


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
