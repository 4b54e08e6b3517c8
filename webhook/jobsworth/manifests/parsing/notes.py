"""Notes on suspicious YAML that kubectl accepts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from jobsworth.manifests.parsing.nodes import child_path
from jobsworth.manifests.parsing.records import Note, NoteKind, Position


class Frame(Protocol):
    """A mapping or list that is being read: its current key, or the items so far."""

    key: Any
    items: Any


_MAX_ENTRIES = 200
"""The maximum number of notes. A document with more is generated or malicious."""


class NoteTaker:
    """Collects the notes on a document while it is read; ``frames`` are the open containers."""

    def __init__(self, frames: Sequence[Frame]) -> None:
        self._frames = frames
        self._notes: list[Note] = []
        self._objects: list[_SecondObject] = []

    def notes(self) -> tuple[Note, ...]:
        second = {
            id(each): found for found in self._objects if found.is_object for each in found.notes
        }
        notes: list[Note] = []
        for note in self._notes:
            found = second.get(id(note))
            if found is None:
                notes.append(note)
            elif note is found.notes[0]:
                notes.append(found.missing_separator())
        return tuple(notes)

    def second_object(self, key: str, lost: str) -> None:
        """Record that a key of an object follows, after a whole object in the same document.

        Args:
            key: the key, apiVersion or kind.
            lost: the object that the following one replaces, such as ``Job etl``.
        """
        if not self._objects or key in self._objects[-1].keys:
            self._objects.append(_SecondObject(lost))

    def duplicate_key(
        self, key: str, again: Position, first: Position, *, by_chance: bool = False
    ) -> None:
        kept = "kubectl uses a random one" if by_chance else "only the last is used"
        self._add(
            "duplicate-key",
            key,
            f"duplicate key `{key}` in lines {first.line} and {again.line}: {kept}; remove one",
            again,
            first,
        )

    def merge_override(self, key: str, own: Position, merge: Position) -> None:
        self._add(
            "merge-override",
            key,
            f"the `<<` in line {merge.line} comes after `{key}` and replaces its value: kubectl "
            "takes the later one; put `<<` first",
            own,
            merge,
        )

    def coerced_key(self, source: str, key: str, position: Position) -> None:
        self._add(
            "coerced-key",
            key,
            f'the key `{source}` is not a string: kubectl converts it to "{key}"; put it in quotes',
            position,
        )

    def dropped_content(self, position: Position) -> None:
        self._notes.append(
            Note(
                "dropped-content",
                "",
                "kubectl ignores the text from here to the next `---` line: the document has ended; "
                "remove it, or put `---` before it",
                position,
            )
        )

    def _add(
        self,
        kind: NoteKind,
        key: str,
        message: str,
        position: Position,
        other: Position | None = None,
    ) -> None:
        if len(self._notes) < _MAX_ENTRIES:
            path = ""
            for frame in self._frames[:-1]:
                path = child_path(path, frame.key if frame.items is None else len(frame.items))
            note = Note(kind, child_path(path, key), message, position, other)
            self._notes.append(note)
            if kind == "duplicate-key" and not path and self._objects:
                self._objects[-1].take(key, note)


class _SecondObject:
    """A second object in a document: the notes on the keys that it repeats, and the object before it."""

    __slots__ = ("_lost", "keys", "notes")

    def __init__(self, lost: str) -> None:
        self._lost = lost
        self.keys: set[str] = set()
        self.notes: list[Note] = []

    def take(self, key: str, note: Note) -> None:
        self.keys.add(key)
        self.notes.append(note)

    @property
    def is_object(self) -> bool:
        """True if it repeats another key, too; one repeated key is only that."""
        return len(self.notes) > 1

    def missing_separator(self) -> Note:
        first = self.notes[0]
        return Note(
            "duplicate-key",
            first.field,
            f"a separator `---` is missing before line {first.position.line}, where the next object begins: "
            f"kubectl ignores the {self._lost} above; insert `---`",
            first.position,
            first.other,
            begins_object=True,
        )
