"""The small values that reading a manifest gives: a place, an error, a note.

They are frozen classes written by hand. ``dataclasses`` and ``typing.NamedTuple`` would say the
same in fewer lines, but each imports more at start-up than all of this package (``re``,
``inspect``, ``collections``), and the start-up is what a person waits for when one file is checked.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, NoReturn

    NoteKind = Literal[
        "duplicate-key", "merge-override", "coerced-key", "dropped-content", "replaced-bytes"
    ]

set_once = object.__setattr__
"""How a frozen class fills its slots in ``__init__``."""


class Frozen:
    """A value: equal to another by its parts, hashable by them, never changed."""

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()

    def _parts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be removed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash((type(self), *self._parts()))

    def __repr__(self) -> str:
        parts = zip(self.__match_args__, self._parts(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={part!r}' for name, part in parts)})"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        """Copying and pickling go through the constructor: results may cross to another process."""
        return (type(self), self._parts())


class Position(Frozen):
    """A place in a file: line and column, both counted from 1, the column in characters.

    >>> Position(3, 7)
    Position(line=3, column=7)
    """

    __slots__ = ("column", "line")
    __match_args__ = ("line", "column")
    line: int
    column: int

    def __init__(self, line: int, column: int) -> None:
        set_once(self, "line", line)
        set_once(self, "column", column)


class ManifestError(Frozen):
    """A manifest, or one document of it, that cannot be read: where, and what would be right.

    It is a value, not an exception: one broken document does not stop the others. Of a whole file
    that cannot be read (it is missing, say) the place is line 1, column 1.
    """

    __slots__ = ("column", "file", "line", "message")
    __match_args__ = ("file", "line", "column", "message")
    file: str
    line: int
    column: int
    message: str

    def __init__(self, file: str, line: int, column: int, message: str) -> None:
        set_once(self, "file", file)
        set_once(self, "line", line)
        set_once(self, "column", column)
        set_once(self, "message", message)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class Note(Frozen):
    """Something that kubectl does in silence with a document, and that its author should know.

    ``field`` is the Kubernetes path of the entry, ``position`` where it stands. ``other`` is the
    second place of a pair: of ``duplicate-key`` the occurrence before it, whose value is lost; of
    ``merge-override`` the ``<<`` whose value replaces the document's own.
    """

    __slots__ = ("field", "kind", "message", "other", "position")
    __match_args__ = ("kind", "field", "message", "position", "other")
    kind: NoteKind
    field: str
    message: str
    position: Position
    other: Position | None

    def __init__(
        self,
        kind: NoteKind,
        field: str,
        message: str,
        position: Position,
        other: Position | None = None,
    ) -> None:
        set_once(self, "kind", kind)
        set_once(self, "field", field)
        set_once(self, "message", message)
        set_once(self, "position", position)
        set_once(self, "other", other)


class Unreadable(Exception):
    """Within this package: the document cannot be read, because of what stands at this place."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
