"""Tables in text: columns of equal width, whose cells are wrapped where the terminal ends."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import accumulate
from textwrap import wrap

GAP = 2
INDENTATION = 4
READABLE = 16
"""The least width of a column with longer cells."""
NARROWEST = 40
"""The least width of a table; in a narrower terminal, the terminal itself breaks the lines."""


def aligned(
    rows: Sequence[tuple[str, ...]],
    width: int | None = None,
    *,
    unbroken: Container[int] = (),
    headed: bool = False,
) -> Iterator[str]:
    """Return the lines of a table.

    Where the columns do not fit even with their cells wrapped, the last ones follow each row, indented.

    Args:
        rows: the cells of each row, as many in each.
        width: the columns of the terminal; None for no limit.
        unbroken: the numbers of columns whose cells are not wrapped.
        headed: the first row has the headers, which label the cells that follow a row.
    """
    columns = list(zip(*rows, strict=True))
    natural = [max(map(len, column)) for column in columns]
    if width is None or width < NARROWEST:
        yield from _lines(rows, natural)
        return
    room = width - GAP * (len(natural) - 1)
    least = [
        each if number in unbroken else max(_longest_word(column), min(each, READABLE))
        for number, (each, column) in enumerate(zip(natural, columns, strict=True))
    ]
    if sum(least) <= room:
        yield from _lines(rows, fitted(natural, least, room))
    else:
        yield from _stacked(rows, natural, width, headed=headed)


def _lines(rows: Sequence[tuple[str, ...]], widths: Sequence[int]) -> Iterator[str]:
    for row in rows:
        wrapped = [
            [cell] if len(cell) <= room else _wrapped(cell, room)
            for cell, room in zip(row, widths, strict=True)
        ]
        for number in range(max(map(len, wrapped), default=0)):
            parts = [lines[number] if number < len(lines) else "" for lines in wrapped]
            padded = (part.ljust(room) for part, room in zip(parts, widths, strict=True))
            yield (" " * GAP).join(padded).rstrip()


def _stacked(
    rows: Sequence[tuple[str, ...]], natural: Sequence[int], width: int, *, headed: bool
) -> Iterator[str]:
    """Return the lines of a table whose last columns follow each row, indented."""
    ends = accumulate(natural, lambda end, column: end + GAP + column)
    beside = max(sum(end <= width for end in ends), 1)
    widths = [min(each, width) for each in natural[:beside]]
    headers = rows[0][beside:]
    for number, row in enumerate(rows):
        yield from _lines([row[:beside]], widths)
        if headed:
            if number:
                yield from _labeled(headers, row[beside:], width)
            continue
        rest = [cell.strip() for cell in row[beside:] if cell.strip() not in ("", "-")]
        together = " " * INDENTATION + (" " * GAP).join(rest)
        each_alone = (" " * INDENTATION + cell for cell in rest)
        for line in [together] if len(together) <= width else each_alone:
            if rest:
                yield from wrapped_line(line, width, hanging=GAP)


def _labeled(headers: Sequence[str], cells: Sequence[str], width: int) -> Iterator[str]:
    """Return the lines of the last cells of a row, each beside its header."""
    label = max(map(len, headers)) + GAP
    for header, cell in zip(headers, cells, strict=True):
        if cell.strip() not in ("", "-"):
            line = " " * INDENTATION + header.ljust(label) + cell.strip()
            yield from wrapped_line(line, width, hanging=label)


def _longest_word(cells: Iterable[str]) -> int:
    return max((len(word) for cell in cells for word in cell.split()), default=0)


def fitted(natural: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Return the widths of columns in a room, taken from the widest ones first.

    >>> fitted([10, 30, 40], [8, 9, 9], 60)
    [10, 25, 25]

    Args:
        natural: the widths without a limit.
        least: the widths below which a column cannot be read; no column gets narrower.
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
