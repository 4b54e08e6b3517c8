"""A report as sections, which are written as text or as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jobsworth.printable import printable
from jobsworth.reports.text import painted
from jobsworth.reports.text_tables import aligned, wrapped_line

LABEL = 8
"""Columns of the label of a fact."""

_SPECIAL = "\\`*_{}[]<>#|~&"

_AUTOLINKS = re.compile(
    r"@|[#!](?=\w)|:(?=//)|\bwww\.|\b(?:mailto|xmpp):|\bgh-(?=[0-9])", re.IGNORECASE
)
"""Begins a mention, a reference to an issue, or a link, where GitHub or GitLab make one of plain text.

They look for them in the rendered text, where a backslash is gone: only another node of the document
divides it. Source: GitHub Flavored Markdown 0.29, 6.9 "Autolinks (extension)".
"""
_DIVIDER = "<!-- -->"


class Fact(NamedTuple):
    """A labeled text; the command is not wrapped, so that it can be pasted."""

    label: str
    text: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: a table, a list, or lines that keep their form.

    Attributes:
        title: a heading; of a section without more, a sentence.
        rows: the cells of a table.
        headers: one for each column.
        bare: the text shows the table without its headers.
        items: sentences.
        lines: of a log, or of a chart.
        facts: labels with a text, and a command to paste or nothing.
        style: that of the title in colors: a severity; empty for bold.
    """

    title: str
    rows: Sequence[tuple[str, ...]] = ()
    headers: tuple[str, ...] = ()
    bare: bool = False
    items: Sequence[str] = ()
    lines: Sequence[str] = ()
    facts: Sequence[Fact] = ()
    style: str = ""

    def table(self) -> list[tuple[str, ...]]:
        """Return the headers and rows, without the columns that are empty in every row."""
        kept = [number for number, cells in enumerate(zip(*self.rows, strict=True)) if any(cells)]
        return [tuple(row[number] for number in kept) for row in (self.headers, *self.rows)]


def text_lines(
    sections: Iterable[Section], width: int | None = None, *, color: bool = False
) -> Iterator[str]:
    """Yield the lines of a text.

    Args:
        width: the columns of the terminal, at which all is wrapped but commands, logs and charts; None for no
            limit.
        color: use terminal colors.
    """
    paint = painted if color else _plain
    room = None if width is None else width - 2
    for number, section in enumerate(sections):
        if number:
            yield ""
        if section.title:
            for line in wrapped_line(printable(section.title), width, hanging=2):
                yield paint(line, section.style or "bold")
        for fact in section.facts:
            yield from fact_lines(fact, width, color=color)
        if section.rows:
            rows = section.table()
            lines = aligned(rows[section.bare :], room, headed=not section.bare)
            yield from (printable(f"  {line}") for line in lines)
        for each in section.items:
            yield from wrapped_line(printable(f"  - {each}"), width, hanging=2)
        yield from (printable(f"  {each}") for each in section.lines)


def fact_lines(fact: Fact, width: int | None, *, color: bool) -> Iterator[str]:
    """Yield the lines of a labeled text, wrapped beside its label."""
    paint = painted if color else _plain
    label = fact.label.ljust(LABEL)
    lines = wrapped_line(printable(label + fact.text), width, hanging=LABEL) if fact.text else []
    if fact.command:
        command = paint(printable(fact.command), "info")
        lines.append(f"{' ' * LABEL if lines else label}{command}")
    for number, line in enumerate(lines):
        yield line if number else paint(label, "bold") + line[LABEL:]


def _plain(text: str, style: str) -> str:
    return text


def markdown_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield the lines of a Markdown document, for an issue or a pull request."""
    for section in sections:
        if section.title and not (section.rows or section.items or section.lines):
            yield from (f"**{escaped(section.title)}**", "")
            for label, text, command in section.facts:
                yield f"- **{label}**: {escaped(text)}".rstrip()
                if command:
                    yield from ("", "  ``````sh", f"  {printable(command)}", "  ``````")
            yield from [""] if section.facts else []
            continue
        if section.title:
            yield from (f"#### {escaped(section.title)}", "")
        if section.rows:
            headers, *rows = section.table()
            yield from (*table(headers, rows), "")
        if section.items:
            yield from (*bullets(section.items), "")
        if section.lines:
            # A longer fence than any that a line may hold.
            yield from ("``````text", *map(printable, section.lines), "``````", "")


def table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(map(escaped, headers))} |"
    yield f"|{' --- |' * len(headers)}"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"


def bullets(items: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a list."""
    for item in items:
        yield f"- {escaped(item)}"


def escaped(text: str) -> str:
    r"""Return text that Markdown and HTML show as it is, and that mentions no user and links nowhere.

    >>> escaped("rules[0] @here")
    'rules\\[0\\] @<!-- -->here'
    """
    text, parts, done = printable(text), [], 0
    for found in _AUTOLINKS.finditer(text):
        parts += [_escaped(text[done : found.end()]), _DIVIDER]
        done = found.end()
    return "".join((*parts, _escaped(text[done:])))


def _escaped(text: str) -> str:
    return "".join(
        "&amp;"
        if each == "&"
        else "&lt;"
        if each == "<"
        else f"\\{each}"
        if each in _SPECIAL
        else each
        for each in text
    )
