"""What reading a YAML document keeps in mind: where it is, and how much aliases have brought."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.manifests.parsing.fast_yaml import Value
    from jobsworth.manifests.parsing.nodes import Entry, Node


class YamlFrame:
    """A mapping or a list that has begun and not ended."""

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
        self.flows = flows  # written with brackets
        self.items: list[Node] | None = None  # of a list
        self.entries: dict[str, Entry] = {}  # of a mapping, as all that follows
        self.mapping: dict[str, Value] = {}
        self.key: str | None = None  # which waits for its value
        self.key_node = node
        self.merges = False  # the key is a merge key
        self.merged: set[str] = set()  # the keys whose values merges have brought
        self.key_kinds: dict[str, type] = {}

    def expects_key(self) -> bool:
        return self.items is None and self.key is None


class AliasBudget:
    """Counts what go-yaml decodes, and refuses what it calls excessive aliasing.

    Facts: decode.go, allowedAliasRatio: of up to 400,000 values 99 % may come from aliases, of
    4,000,000 and more 10 %.
    """

    def __init__(self) -> None:
        self._decoded = 1
        self._aliased = 0

    def spend(self, aliased: int) -> bool:
        """Count one value and those that an alias brings; tell whether that is within bounds."""
        self._decoded += 1 + aliased
        self._aliased += aliased
        if self._aliased <= 100 or self._decoded <= 1000:
            return True
        allowed = 0.99 - 0.89 * (self._decoded - 400_000) / 3_600_000
        return self._aliased / self._decoded <= min(max(allowed, 0.10), 0.99)

    def give_back(self) -> None:
        self._decoded -= 1
