"""Positions in a text: those of findings, those of an editor, and offsets in characters.

Findings count lines at line feeds and columns in characters, from 1; the protocol ends a line at a carriage
return, too, and counts columns from 0 in the code units that client and server agreed on.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from lsprotocol import types
from pygls.workspace import PositionCodec, ServerTextPosition

from jobsworth.findings.located_finding import LocatedFinding

_LINE_END = re.compile("\r\n|\n|\r")
_BOM = "\ufeff"


class TextPositions:
    """Converts positions in one text.

    Args:
        text: the text.
        codec: counts the code units of the client.
    """

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.text = text
        self._codec = codec
        self._feeds = [0, *(match.end() for match in re.finditer("\n", text))]
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        self._lines = _LINE_END.split(text)
        self._lead = len(_BOM) if text.startswith(_BOM) else 0

    def offset(self, line: int, column: int) -> int:
        """Return the offset of the place of a finding; that of the end for a place behind the text."""
        lead = self._lead if line == 1 else 0
        return min(self.line_start(line) + lead + column - 1, len(self.text))

    def line_start(self, line: int) -> int:
        """Return the offset at which a line of findings begins; that of the end for one behind the text."""
        return self._feeds[line - 1] if line <= len(self._feeds) else len(self.text)

    def position(self, offset: int) -> types.Position:
        """Return the editor's position of an offset."""
        line = bisect_right(self._starts, offset) - 1
        place = ServerTextPosition(line, offset - self._starts[line])
        return self._codec.position_to_client_units(self._lines, place)

    def offset_at(self, position: types.Position) -> int:
        """Return the offset of an editor's position, within the text."""
        if position.line >= len(self._lines):
            return len(self.text)
        place = self._codec.position_from_client_units(self._lines, position)
        return min(self._starts[place.line] + place.character, len(self.text))

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and the column of an offset, as findings count them."""
        line = bisect_right(self._feeds, offset) - 1
        return line + 1, offset - self._feeds[line] + 1

    def range(self, start: int, end: int) -> types.Range:
        """Return the editor's range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def range_of(self, located: LocatedFinding) -> types.Range:
        """Return the range of the key or value of a finding."""
        from jobsworth.findings.located_finding import token_width

        line, column = located.line or 1, located.column or 1
        start = self.offset(line, column)
        width = max(token_width(located.excerpt, column - 1), 1)
        return self.range(start, max(start, min(start + width, self.line_start(line + 1))))
