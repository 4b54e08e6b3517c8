"""The positions of an ordinary document's values, and the texts of its scalars.

Reading a document as a tree (:mod:`jobsworth.manifests.parsing.yaml_tree`) decodes every value again and
checks what kubectl rejects. A document with a known value and without aliases and merges does not need
that; skipping it saves time when thousands of files are linted.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeAlias

from jobsworth.manifests.parsing.fast_yaml import Parsed
from jobsworth.manifests.parsing.libyaml import Mark, YamlEvent, YamlNode, backend
from jobsworth.manifests.parsing.scalars import ScalarError, key_text, resolve

Children: TypeAlias = "dict[str, tuple[Mark, PositionNode]] | list[PositionNode]"


@lru_cache(maxsize=1024)  # manifests repeat the same keys
def _key_name(text: str) -> str:
    """Return the key that a plain scalar is."""
    return key_text(resolve(text)) if text else "null"


class PositionNode:
    """The position of a value: like a Node, with the parser's mark as its position.

    Args:
        value: what the parser returned: the node of the value, in which all keys are strings, or its first
            event.
        children: as the property; None for a scalar, and for a node, whose children are read on demand.
    """

    __slots__ = ("_children", "_value")

    def __init__(self, value: YamlNode | YamlEvent, children: Children | None = None) -> None:
        self._value = value
        self._children = children

    @property
    def children(self) -> Children | None:
        """Of a mapping, the values by key, with the position of the key; of a list, the values."""
        if self._children is not None:
            return self._children
        parts: Any = self._value.value
        if type(parts) is not str:
            if parts and type(parts[0]) is tuple:
                self._children = {
                    key.value: (key.start_mark, PositionNode(part)) for key, part in parts
                }
            else:
                self._children = list(map(PositionNode, parts))
        return self._children

    @property
    def position(self) -> Mark:
        """The start of the value."""
        return self._value.start_mark

    @property
    def shown(self) -> bool:
        """False for a null without text."""
        value = self._value
        return self.children is not None or value.start_mark.index != value.end_mark.index

    @property
    def text(self) -> str:
        """The text of a scalar, without quotes: ``yes`` for a value of True."""
        text: str = self._value.value
        return text


def index_positions(data: bytes, parsed: Parsed = None) -> PositionNode | None:
    """Return the root of a document that was read without an error; None if a tree is needed.

    ``parsed`` is what the parser returned, if it has read the text already. A tree is needed where a value
    does not stand at its place in the text: for aliases and merges.
    """
    if parsed is None or type(parsed) is list:
        return _index_of_events(data, parsed)
    node: Any = parsed
    return PositionNode(node)


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
                        key = _key_name(key)
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
