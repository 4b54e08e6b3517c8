"""Unified diffs of long files that differ in few places.

``difflib`` compares every line with all equal lines of the other file, and the manifests of a file have
most lines in common: 1,600 Jobs took 4 s. Fixes change some lines here and there, so this module compares
what lies between two runs of equal lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

Opcode = tuple[Literal["replace", "delete", "insert", "equal"], int, int, int, int]

_CONTEXT = 3
_WINDOW = 16
_RUN = 4
"""The number of equal lines at which two files are aligned again; fewer far from the last such run."""


class _LineMatcher(SequenceMatcher[bytes]):
    """Groups the operations of :func:`_opcodes`."""

    def __init__(self, before: Sequence[bytes], after: Sequence[bytes]) -> None:
        super().__init__(None, (), ())
        self._operations = list(_opcodes(before, after))

    def get_opcodes(self) -> list[Opcode]:
        return self._operations


def unified_lines(name: bytes, before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[bytes]:
    """Return the lines of a unified diff, the first two with the file's name; nothing if both are equal."""
    if before == after:
        return
    yield b"--- %b\n" % name
    yield b"+++ %b\n" % name
    for group in _LineMatcher(before, after).get_grouped_opcodes(_CONTEXT):
        (_, start, _, new_start, _), (_, _, end, _, new_end) = group[0], group[-1]
        yield b"@@ -%b +%b @@\n" % (_range(start, end), _range(new_start, new_end))
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (b" " + line for line in before[start:end])
                continue
            yield from (b"-" + line for line in before[start:end])
            yield from (b"+" + line for line in after[new_start:new_end])


def _range(start: int, end: int) -> bytes:
    """Return a range of lines as unified diffs have it: the first line from 1, and the number."""
    count = end - start
    if count == 1:
        return b"%d" % (start + 1)
    return b"%d,%d" % (start + 1 if count else start, count)


def _opcodes(before: Sequence[bytes], after: Sequence[bytes]) -> Iterator[Opcode]:
    """Yield the operations that turn one list of lines into another, as SequenceMatcher.get_opcodes does."""
    old, new = 0, 0
    while old < len(before) or new < len(after):
        start, new_start = old, new
        while old < len(before) and new < len(after) and before[old] == after[new]:
            old, new = old + 1, new + 1
        if old > start:
            yield "equal", start, old, new_start, new
        start, new_start = old, new
        found, old, new = _different(before, after, old, new)
        for tag, first, last, new_first, new_last in found:
            yield tag, start + first, start + last, new_start + new_first, new_start + new_last


def _different(
    before: Sequence[bytes], after: Sequence[bytes], old: int, new: int
) -> tuple[list[Opcode], int, int]:
    """Compare two lists of lines from a difference on, up to the next run of equal lines.

    Return the operations, relative to the start, and where the run begins.
    """
    width = _WINDOW
    while True:
        window, new_window = before[old : old + width], after[new : new + width]
        matcher = SequenceMatcher(None, window, new_window)
        least = max(1, _RUN * _WINDOW // width)
        runs = (block for block in matcher.get_matching_blocks() if block.size >= least)
        run = next(runs, None)
        if run is not None:
            codes = [code for code in matcher.get_opcodes() if code[1] < run.a or code[3] < run.b]
            return codes, old + run.a, new + run.b
        if old + width >= len(before) and new + width >= len(after):
            return matcher.get_opcodes(), len(before), len(after)
        width *= 2
