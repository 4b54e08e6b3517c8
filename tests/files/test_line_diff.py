"""Diffs of long files: they turn one file into the other, and agree with difflib where files are short."""

from __future__ import annotations

import re
from difflib import diff_bytes, unified_diff

from hypothesis import given, settings
from hypothesis import strategies as st

from jobsworth.files.fixing.line_diff import unified_lines

some_lines = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"e\n"]), max_size=80)


def applied(before: list[bytes], diff: list[bytes]) -> list[bytes]:
    """The file that ``patch`` makes of another."""
    after: list[bytes] = []
    position = 0
    for line in diff[2:]:
        if line.startswith(b"@@"):
            found = re.match(rb"@@ -(\d+)(,0)?", line)
            assert found is not None
            start = int(found[1]) - (not found[2])
            after += before[position:start]
            position = start
        elif line.startswith(b"+"):
            after.append(line[1:])
        else:
            assert before[position] == line[1:]
            after += [before[position]] if line.startswith(b" ") else []
            position += 1
    return after + before[position:]


@given(some_lines, some_lines)
@settings(deadline=None)
def test_a_diff_makes_the_new_file_of_the_old_one(before: list[bytes], after: list[bytes]) -> None:
    diff = list(unified_lines(b"f", before, after))
    assert applied(before, diff) == after
    assert bool(diff) == (before != after)


@given(
    st.integers(0, 99), st.integers(0, 3), st.lists(st.sampled_from([b"x\n", b"y\n"]), max_size=4)
)
@settings(deadline=None)
def test_one_change_is_shown_as_difflib_shows_it(at: int, count: int, new: list[bytes]) -> None:
    before = [b"%d\n" % number for number in range(100)]
    after = [*before[:at], *new, *before[at + count :]]
    wanted = diff_bytes(unified_diff, before, after, b"f", b"f")
    assert list(unified_lines(b"f", before, after)) == list(wanted)
