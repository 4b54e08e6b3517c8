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
WORDS = st.lists(st.text("abc", min_size=1, max_size=30), min_size=0, max_size=9).map(" ".join)


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


def test_columns_that_do_not_fit_follow_their_row() -> None:
    rows = [
        ("Pod", "node", "created", "how", "what followed"),
        (
            "nightly-29400000-x7k2p",
            "gke-batch-pool-1-8f3c9d2e-abcd",
            "0:00:01",
            "exit 1",
            "counted",
        ),
        ("nightly-29400000-b4q8z", "", "-", "Pending: ErrImagePull: not found in the registry", ""),
        ("nightly-29400000-c2vvd", "", "-", "", ""),
    ]
    assert list(aligned(rows, 66)) == [
        "Pod                     node                            created",
        "    how  what followed",
        "nightly-29400000-x7k2p  gke-batch-pool-1-8f3c9d2e-abcd  0:00:01",
        "    exit 1  counted",
        "nightly-29400000-b4q8z                                  -",
        "    Pending: ErrImagePull: not found in the registry",
        "nightly-29400000-c2vvd                                  -",
    ]


def test_headers_label_the_cells_that_follow_a_row() -> None:
    rows = [
        ("Pod", "how it ended", "recorded", "with it"),
        (
            "nightly-29400000-x7k2p",
            "trainer exit 143, DisruptionTarget (EvictionByEvictionAPI)",
            "rules[0] FailJob: the Job fails",
            "rules[0] Ignore: ignored",
        ),
        ("nightly-29400000-b4q8z", "exit 75", "-", ""),
    ]
    assert list(aligned(rows, 66, headed=True)) == [
        "Pod",
        "nightly-29400000-x7k2p",
        "    how it ended  trainer exit 143, DisruptionTarget",
        "                  (EvictionByEvictionAPI)",
        "    recorded      rules[0] FailJob: the Job fails",
        "    with it       rules[0] Ignore: ignored",
        "nightly-29400000-b4q8z",
        "    how it ended  exit 75",
    ]
    assert list(aligned(rows, headed=True)) == list(aligned(rows))


def test_a_column_of_expressions_is_not_wrapped() -> None:
    rows = [
        ("CRONJOB", "SCHEDULE", "what follows"),
        ("batch/nightly", "30 2 * * 1-5", "the last run succeeded after a long time"),
    ]
    assert list(aligned(rows, 48, unbroken={1})) == [
        "CRONJOB        SCHEDULE      what follows",
        "batch/nightly  30 2 * * 1-5  the last run",
        "                             succeeded after a",
        "                             long time",
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
