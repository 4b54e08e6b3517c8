"""Line and column of the characters of a document in its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.manifests.parsing.records import Position

if TYPE_CHECKING:
    from jobsworth.manifests.parsing.libyaml import Mark

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
