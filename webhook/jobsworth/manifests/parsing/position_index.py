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
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.manifests.parsing.libyaml import Mark, YamlEvent


_key_names = Remembered(lambda text: key_text(resolve(text)) if text else "null")
"""The keys that plain scalars are, since manifests repeat the same ones."""


class PositionNode:
    """The position of a value: like a Node, with the parser's mark as its position.

    ``text`` is that of a scalar, without quotes: ``yes`` for a value of True.
    """

    __slots__ = ("children", "position", "shown", "text")

    def __init__(
        self,
        position: Mark,
        children: dict[str, tuple[Mark, PositionNode]] | list[PositionNode] | None,
        shown: bool = True,
        text: str = "",
    ) -> None:
        self.position = position
        self.children = children
        self.shown = shown
        self.text = text


def index_positions(data: bytes, events: Sequence[YamlEvent] | None = None) -> PositionNode | None:
    """Return the root of a document that was read without an error; None if a tree is needed.

    ``events`` are those of the parser, if it has read the text already. A tree is needed where a value
    does not stand at its place in the text: for aliases and merges.
    """
    names: Any = backend().names
    next_event = backend().events(data) if events is None else iter(events).__next__
    scalar, mapping, sequence = (
        names.ScalarEvent,
        names.MappingStartEvent,
        names.SequenceStartEvent,
    )
    ends = (names.MappingEndEvent, names.SequenceEndEvent)
    root: PositionNode | None = None
    holder: Any = None
    holders: list[Any] = []
    key: tuple[str, Mark] | None = None
    try:
        while True:
            event = next_event()
            kind = event.__class__
            if kind is scalar:
                start, text = event.start_mark, event.value
                if key is None and holder.__class__ is dict:
                    if event.implicit[0]:
                        if text == "<<":
                            return None
                        text = _key_names[text]
                    key = text, start
                    continue
                spot = PositionNode(start, None, start.index != event.end_mark.index, text)
            elif kind is mapping or kind is sequence:
                spot = PositionNode(event.start_mark, {} if kind is mapping else [])
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
                holder[key[0]] = key[1], spot
                key = None
            elif holder is not None:
                holder.append(spot)
            elif spot.children is None:
                return spot
            else:
                root = spot
            if spot.children is not None:
                holder = spot.children
                holders.append(holder)
    except (names.YAMLError, ScalarError, UnicodeDecodeError, IndexError):
        return None
