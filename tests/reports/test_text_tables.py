"""Tables that fit a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.reports.text_tables import NARROWEST, aligned, wrapped_line

ROWS = [
    ("cause", "rule", "what follows"),
    ("eviction API (kubectl drain)", "rules[0]", "ignored; new Pod after 10 s"),
]
WORDS = st.lists(st.text("abc", min_size=1, max_size=8), min_size=0, max_size=9).map(" ".join)


def test_a_table_has_no_limit_without_a_terminal() -> None:
    assert list(aligned(ROWS)) == [
        "cause                         rule      what follows",
        "eviction API (kubectl drain)  rules[0]  ignored; new Pod after 10 s",
    ]


def test_the_widest_cells_are_wrapped_at_the_width_of_a_terminal() -> None:
    assert list(aligned(ROWS, 50)) == [
        "cause                rule      what follows",
        "eviction API         rules[0]  ignored; new Pod",
        "(kubectl drain)                after 10 s",
    ]


@pytest.mark.parametrize("width", [1, NARROWEST - 1])
def test_a_narrow_terminal_breaks_the_lines_itself(width: int) -> None:
    assert list(aligned(ROWS, width)) == list(aligned(ROWS))
    assert wrapped_line("word " * 20, width) == ["word " * 20]


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1), st.integers(NARROWEST, 120))
def test_no_line_is_longer_than_the_terminal_and_no_word_is_lost(
    rows: list[tuple[str, str, str]], width: int
) -> None:
    lines = list(aligned(rows, width))
    assert all(len(line) <= width for line in lines)
    written = sorted(word for line in lines for word in line.split())
    assert written == sorted(word for row in rows for cell in row for word in cell.split())


def test_a_long_sentence_is_indented_below_its_beginning() -> None:
    assert wrapped_line("  - " + "word " * 10, NARROWEST, hanging=2) == [
        "  - word word word word word word word",
        "    word word word",
    ]
