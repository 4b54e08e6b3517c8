"""Positions of findings and of editors in the same text."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from jobsworth.lsp.text_positions import TextPositions
from support.editors.open_texts import UTF_16

UNITS = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    UTF_16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}
TEXTS = st.text("ab:\r\n é😀\u2028\x85\ufeff", max_size=30)


def counted(text: str, offset: int, encoding: str) -> tuple[int, int]:
    """Return the position of an offset, counted as the protocol says."""
    before = re.split("\r\n|\n|\r", text[:offset])
    name, size = UNITS[types.PositionEncodingKind(encoding)]
    return len(before) - 1, len(before[-1].encode(name, "surrogatepass")) // size


@pytest.mark.parametrize("encoding", UNITS)
@given(text=TEXTS, offset=st.integers(0, 30))
@example(text="a: 😀b", offset=5)
def test_positions_are_counted_in_the_units_of_the_client(
    encoding: str, text: str, offset: int
) -> None:
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        return  # between the two, there is no position
    positions = TextPositions(text, PositionCodec(encoding))
    position = positions.position(offset)
    assert (position.line, position.character) == counted(text, offset, encoding)
    assert positions.offset_at(position) == offset


@given(TEXTS, st.integers(0, 30))
def test_a_place_of_a_finding_is_a_line_and_a_column_of_characters(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    positions = TextPositions(text, PositionCodec(UTF_16))
    line, column = positions.place(offset)
    before = text[:offset].split("\n")
    assert (line, column) == (len(before), len(before[-1]) + 1)
    if not text.startswith("\ufeff"):
        assert positions.offset(line, column) == offset


@given(TEXTS, st.integers(1, 40), st.integers(1, 40), st.integers(0, 40), st.integers(0, 40))
def test_no_place_and_no_position_is_outside_the_text(
    text: str, line: int, column: int, row: int, character: int
) -> None:
    positions = TextPositions(text, PositionCodec(UTF_16))
    assert 0 <= positions.offset(line, column) <= len(text)
    assert 0 <= positions.offset_at(types.Position(row, character)) <= len(text)


def test_findings_do_not_count_the_mark_at_the_beginning() -> None:
    positions = TextPositions("\ufeffkind: Jo", PositionCodec(UTF_16))
    assert positions.offset(1, 1) == 1
    assert positions.offset(1, 7) == 7
