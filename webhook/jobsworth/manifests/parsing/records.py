"""Values that result from reading a manifest: positions, errors and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.record import Record

if TYPE_CHECKING:
    from typing import Literal

    NoteKind = Literal[
        "duplicate-key", "merge-override", "coerced-key", "dropped-content", "replaced-bytes"
    ]


class Position(Record):
    """A position in a file: line and column, both counted from 1, the column in characters.

    >>> Position(3, 7)
    Position(line=3, column=7)
    """

    line: int
    column: int


class ManifestError(Record):
    """An error that makes a manifest, or one of its documents, unreadable, and its solution.

    It is a value, not an exception: one broken document does not stop the others. If a whole file
    cannot be read, for example because it is missing, the position is line 1, column 1.
    """

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class Note(Record):
    """A change that kubectl makes to a document without a warning.

    ``field`` is the Kubernetes path of the entry, ``position`` its position. ``other`` is a second
    position: for ``duplicate-key`` the earlier occurrence, whose value is lost; for
    ``merge-override`` the ``<<`` whose value replaces the document's own.
    """

    kind: NoteKind
    field: str
    message: str
    position: Position
    other: Position | None = None


class Unreadable(Exception):
    """Raised inside this package for a document that cannot be read, with the position of the cause."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
