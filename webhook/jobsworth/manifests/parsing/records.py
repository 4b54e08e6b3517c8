"""The small values that reading a manifest gives: a place, an error, a note."""

from __future__ import annotations

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    NoteKind = Literal[
        "duplicate-key", "merge-override", "coerced-key", "dropped-content", "replaced-bytes"
    ]


class Position(Record):
    """A place in a file: line and column, both counted from 1, the column in characters.

    >>> Position(3, 7)
    Position(line=3, column=7)
    """

    line: int
    column: int


class ManifestError(Record):
    """A manifest, or one document of it, that cannot be read: where, and what would be right.

    It is a value, not an exception: one broken document does not stop the others. Of a whole file
    that cannot be read (it is missing, say) the place is line 1, column 1.
    """

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class Note(Record):
    """Something that kubectl does in silence with a document, and that its author should know.

    ``field`` is the Kubernetes path of the entry, ``position`` where it stands. ``other`` is the
    second place of a pair: of ``duplicate-key`` the occurrence before it, whose value is lost; of
    ``merge-override`` the ``<<`` whose value replaces the document's own.
    """

    kind: NoteKind
    field: str
    message: str
    position: Position
    other: Position | None = None


class Unreadable(Exception):
    """Within this package: the document cannot be read, because of what stands at this place."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position
