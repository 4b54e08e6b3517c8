"""Values that result from reading a manifest: positions and their index, errors and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from jobsworth.record import Record

if TYPE_CHECKING:
    from jobsworth.manifests.parsing.libyaml import Mark


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
    cannot be read, the position is line 1, column 1; a path that does not exist has line 0.
    """

    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.message}"


class Note(Record):
    """A change that kubectl makes to a document without a warning.

    ``field`` is the Kubernetes path of the entry, ``position`` its position. ``other`` is a second
    position: for ``duplicate-key`` the earlier occurrence, whose value is lost; for
    ``merge-override`` the ``<<`` whose value replaces the document's own. ``begins_object`` is True where a
    separator is missing before the entry.
    """

    kind: NoteKind
    field: str
    message: str
    position: Position
    other: Position | None = None
    begins_object: bool = False


class Unreadable(Exception):
    """Raised inside this package for a document that cannot be read, with the position of the cause."""

    def __init__(self, message: str, position: Position) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


_OTHER_BREAKS = "\x85\u2028\u2029"


class LineIndex:
    """Positions in the text of a document, relative to its file.

    Editors count line feeds. YAML 1.1 also ends a line at a lone carriage return, at NEL and at two
    Unicode separators; if a text contains one of those, the parser's line numbers cannot be used.
    """

    def __init__(self, text: str, begin: Position) -> None:
        self.text = text
        self._begin = begin
        self._parser_lines_match = "\r" not in text and (
            text.isascii() or not any(character in text for character in _OTHER_BREAKS)
        )
        self._line_starts: list[int] = []

    def at(self, mark: Mark) -> Position:
        """Return the position of a parser's mark."""
        if self._parser_lines_match:
            return self._position(mark.line, mark.column)
        return self.at_index(mark.index)

    def at_index(self, index: int) -> Position:
        """Return the position of a character by its index."""
        if not self._line_starts:
            start = 0
            for line in self.text.split("\n"):
                self._line_starts.append(start)
                start += len(line) + 1
        from bisect import bisect_right

        number = bisect_right(self._line_starts, index) - 1
        return self._position(number, index - self._line_starts[number])

    def _position(self, line: int, column: int) -> Position:
        first_column = 1 if line else self._begin.column
        return Position(self._begin.line + line, first_column + column)
