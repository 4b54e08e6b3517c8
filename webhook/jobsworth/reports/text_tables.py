"""Tables in text: columns of equal width, whose cells are wrapped where the terminal ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

GAP = 2
NARROWEST = 40
"""The least width of a table; in a narrower terminal, the terminal itself breaks the lines."""


def aligned(rows: Sequence[tuple[str, ...]], width: int | None = None) -> Iterator[str]:
    """Return the lines of a table.

    Args:
        rows: the cells of each row, as many in each.
        width: the columns of the terminal; None for no limit.
    """
    natural = [max(map(len, column)) for column in zip(*rows, strict=True)]
    if width is None or width < NARROWEST:
        widths = natural
    else:
        longest_words = [
            max((len(word) for cell in column for word in cell.split()), default=0)
            for column in zip(*rows, strict=True)
        ]
        widths = fitted(natural, longest_words, width - GAP * (len(natural) - 1))
    for row in rows:
        wrapped = [
            [cell] if len(cell) <= room else _wrapped(cell, room)
            for cell, room in zip(row, widths, strict=True)
        ]
        for number in range(max(map(len, wrapped), default=0)):
            parts = [lines[number] if number < len(lines) else "" for lines in wrapped]
            padded = (part.ljust(room) for part, room in zip(parts, widths, strict=True))
            yield (" " * GAP).join(padded).rstrip()


def fitted(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return the widths of columns in a room, taken from the widest ones first.

    >>> fitted([10, 30, 40], [8, 9, 9], 60)
    [10, 25, 25]

    Args:
        natural: the widths without a limit.
        least: the widths below which a word would be broken; no column gets narrower.
        room: the sum of the widths to fit into, if possible.
    """
    widths = list(natural)
    while sum(widths) > room:
        shrinkable = [index for index, width in enumerate(widths) if width > least[index]]
        if not shrinkable:
            break
        widest = max(shrinkable, key=lambda index: (widths[index], index))
        widths[widest] -= 1
    return widths


def _wrapped(cell: str, room: int) -> list[str]:
    indentation = " " * (len(cell) - len(cell.lstrip()))
    return wrap(
        cell,
        max(room, 1),
        initial_indent="",
        subsequent_indent=indentation,
        break_long_words=False,
        break_on_hyphens=False,
    )


def wrapped_line(line: str, width: int | None, *, hanging: int = 4) -> list[str]:
    """Return a line of text, wrapped between words; further lines are indented below it.

    Args:
        line: the text.
        width: the columns of the terminal; None for no limit.
        hanging: the further indentation of the lines after the first.
    """
    if width is None or width < NARROWEST or len(line) <= width:
        return [line]
    indentation = len(line) - len(line.lstrip())
    return wrap(
        line,
        width,
        subsequent_indent=" " * (indentation + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )
