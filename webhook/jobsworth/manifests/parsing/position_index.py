"""The positions of an ordinary document's values, and the texts of its scalars.

Reading a document as a tree (:mod:`jobsworth.manifests.parsing.yaml_tree`) decodes every value again and
checks what kubectl rejects. A document with a known value and without aliases and merges does not need
that; skipping it saves time when thousands of files are linted.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.libyaml import backend
from jobsworth.manifests.parsing.scalars import ScalarError, key_text, resolve
from jobsworth.remembered import Remembered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeAlias

    from jobsworth.manifests.parsing.fast_yaml import Parsed
    from jobsworth.manifests.parsing.libyaml import Mark, YamlEvent, YamlNode

    Outline: TypeAlias = "PositionNode | ComposedPosition"
    Children: TypeAlias = "dict[str, tuple[Mark, ComposedPosition]] | list[ComposedPosition]"


_key_names = Remembered(lambda text: key_text(resolve(text)) if text else "null")
"""The keys that plain scalars are, since manifests repeat the same ones."""


class PositionNode:
    """The position of a value: like a Node, with the parser's mark as its position.

    Args:
        event: the parser's first event of the value.
        children: of a mapping, the values by key, with the position of the key; of a list, the values; None
            for a scalar.
    """

    __slots__ = ("_event", "children")

    def __init__(
        self,
        event: YamlEvent,
        children: dict[str, tuple[Mark, PositionNode]] | list[PositionNode] | None = None,
    ) -> None:
        self._event = event
        self.children = children

    @property
    def position(self) -> Mark:
        """The start of the value."""
        return self._event.start_mark

    @property
    def shown(self) -> bool:
        """False for a null without text."""
        event = self._event
        return self.children is not None or event.start_mark.index != event.end_mark.index

    @property
    def text(self) -> str:
        """The text of a scalar, without quotes: ``yes`` for a value of True."""
        return self._event.value


class ComposedPosition:
    """The position of a value that libyaml has composed: like a PositionNode, with children read on demand.

    Args:
        node: the parser's node; all keys in it are strings.
    """

    __slots__ = ("_children", "_node")

    def __init__(self, node: YamlNode) -> None:
        self._node = node
        self._children: Children | None = None

    @property
    def children(self) -> Children | None:
        """Of a mapping, the values by key, with the position of the key; of a list, the values."""
        parts = self._node.value
        if self._children is None and type(parts) is not str:
            if parts and type(parts[0]) is tuple:
                self._children = {
                    key.value: (key.start_mark, ComposedPosition(part)) for key, part in parts
                }
            else:
                self._children = list(map(ComposedPosition, parts))
        return self._children

    @property
    def position(self) -> Mark:
        """The start of the value."""
        return self._node.start_mark

    @property
    def shown(self) -> bool:
        """False for a null without text."""
        node = self._node
        return type(node.value) is not str or node.start_mark.index != node.end_mark.index

    @property
    def text(self) -> str:
        """The text of a scalar, without quotes: ``yes`` for a value of True."""
        text: str = self._node.value
        return text


def index_positions(data: bytes, parsed: Parsed = None) -> Outline | None:
    """Return the root of a document that was read without an error; None if a tree is needed.

    ``parsed`` is what the parser returned, if it has read the text already. A tree is needed where a value
    does not stand at its place in the text: for aliases and merges.
    """
    if parsed is None or type(parsed) is list:
        return _index_of_events(data, parsed)
    node: Any = parsed
    return ComposedPosition(node)


def _index_of_events(data: bytes, events: Iterable[YamlEvent] | None) -> PositionNode | None:
    names: Any = backend().names
    scalar, mapping, sequence = (
        names.ScalarEvent,
        names.MappingStartEvent,
        names.SequenceStartEvent,
    )
    ends = (names.MappingEndEvent, names.SequenceEndEvent)
    root: PositionNode | None = None
    holder: Any = None
    holders: list[Any] = []
    key: str | None = None
    key_mark: Any = None
    try:
        for event in iter(backend().events(data), None) if events is None else events:
            kind = event.__class__
            if kind is scalar:
                if key is None and holder.__class__ is dict:
                    key, key_mark = event.value, event.start_mark
                    if event.implicit[0]:
                        if key == "<<":
                            return None
                        key = _key_names[key]
                    continue
                node = PositionNode(event)
            elif kind is mapping or kind is sequence:
                node = PositionNode(event, {} if kind is mapping else [])
            elif kind in ends:
                holders.pop()
                if not holders:
                    return root
                holder = holders[-1]
                continue
            elif kind is names.StreamStartEvent or kind is names.DocumentStartEvent:
                continue
            else:  # an alias; the end of a document without a value
                return None
            if key is not None:
                holder[key] = key_mark, node
                key = None
            elif holder is not None:
                holder.append(node)
            elif node.children is None:
                return node
            else:
                root = node
            if node.children is not None:
                holder = node.children
                holders.append(holder)
    except (names.YAMLError, ScalarError, UnicodeDecodeError, IndexError):
        pass
    return None
