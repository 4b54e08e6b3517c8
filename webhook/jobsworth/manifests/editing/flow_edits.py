"""Edits of flow style: ``{a: 1, b: 2}``, ``[1, 2]``, and all of JSON.

An entry on lines of its own is edited as lines, with its comments; another one as part of a line.
Commas are added and removed as needed.
"""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.findings.edits import CannotEdit
from jobsworth.manifests.editing.editable_text import EditableText, FoundSpan
from jobsworth.manifests.editing.ranges import Span

Change = tuple[int, int, str]


def extents(holder: Span) -> list[tuple[int, int]]:
    """Return the start and end index of each entry or item."""
    if holder.entries:
        return [(entry.key.start, max(entry.key.end, entry.value.end)) for entry in holder.entries]
    return [(item.start, item.end) for item in holder.items]


def without(sheet: EditableText, holder: Span, index: int) -> EditableText:
    """Remove one of several entries or items."""
    places = extents(holder)
    start, end = places[index]
    last = index == len(places) - 1
    comma = _comma(sheet, end)
    after = end if comma is None else comma + 1
    lone = sheet.begins_line(start) and sheet.ends_line(after)
    changes: list[Change] = []
    if last and index and comma is None:
        before = _comma(sheet, places[index - 1][1])
        if before is not None:
            changes.append((before, before + 1, ""))
    if lone:
        changes.append((sheet.comment_lines_above(start), sheet.next_line(after), ""))
    elif not last:
        # A comment between the two may belong to the next one.
        if "#" in sheet.text[after : places[index + 1][0]]:
            before = len(sheet.text[:start].rstrip(" \t"))
            rest = sheet.text[after : sheet.line_end(after)].removesuffix("\r")
            changes.append((before, after + len(rest), ""))
        else:
            changes.append((start, places[index + 1][0], ""))
    elif "#" in sheet.text[places[index - 1][1] : start] or comma is not None:
        changes.append((start, after, ""))
    else:
        changes = [(places[index - 1][1], end, "")]
    return sheet.changed(*changes)


def comments_of(sheet: EditableText, found: FoundSpan) -> tuple[list[str], str]:
    """Return the comments that are deleted with an entry or item: above it, and behind it."""
    assert found.holder is not None
    places, index = extents(found.holder), found.position
    start, end = places[index]
    comma = _comma(sheet, end)
    after = end if comma is None else comma + 1
    begins, ends, only = sheet.begins_line(start), sheet.ends_line(after), len(places) == 1
    above, behind = "", ""
    if begins and (ends or only):
        above = sheet.text[sheet.comment_lines_above(start) : sheet.line_start(start)]
    if ends and (begins or only or index + 1 < len(places)):
        behind = sheet.text[after : sheet.line_end(after)].strip()
    return [line.strip() for line in above.splitlines()], behind


def with_new(
    sheet: EditableText, holder: Span, index: int, text: str, lines: Sequence[str] = ()
) -> EditableText:
    """Insert an entry or item before the one at an index, or after the last.

    ``text`` is its form on one line; if the others have lines of their own, it gets its own, too.
    """
    places = extents(holder)
    if not places:
        inside = sheet.text[holder.content + 1 : holder.end - 1]
        if inside.strip():
            raise CannotEdit("only a comment stands between these brackets; edit it by hand")
        return sheet.changed((holder.content + 1, holder.end - 1, text))
    if not _one_a_line(sheet, holder, places):
        if index < len(places):
            at = places[index][0]
            return sheet.changed((at, at, f"{text},{sheet.style.space}"))
        at = places[-1][1]
        return sheet.changed((at, at, f",{sheet.style.space}{text}"))
    margin = sheet.text[sheet.line_start(places[0][0]) : places[0][0]]
    text = (sheet.style.newline + margin).join(lines or [text])
    if index < len(places):
        at = sheet.comment_lines_above(places[index][0])
        return sheet.changed((at, at, f"{margin}{text},{sheet.style.newline}"))
    end = places[-1][1]
    comma = _comma(sheet, end)
    if comma is not None:
        at = sheet.next_line(comma)
        return sheet.changed((at, at, f"{margin}{text},{sheet.style.newline}"))
    at = sheet.next_line(end)
    return sheet.changed((end, end, ","), (at, at, f"{margin}{text}{sheet.style.newline}"))


def moved(sheet: EditableText, holder: Span, index: int, position: int) -> EditableText:
    """Move an item of a list to another position; each comma stays where it is."""
    places = extents(holder)
    parts = [sheet.text[start:end] for start, end in places]
    if not _one_a_line(sheet, holder, places):
        parts.insert(position, parts.pop(index))
        return sheet.changed(
            *((start, end, part) for (start, end), part in zip(places, parts, strict=True))
        )
    # For each item: the comment lines above it, its text, the comma, the comment after it.
    slots = []
    for start, end in places:
        comma = _comma(sheet, end)
        after = end if comma is None else comma + 1
        lead = sheet.text[sheet.comment_lines_above(start) : start]
        tail = sheet.text[after : sheet.line_end(after)]
        slots.append((lead, sheet.text[start:end], sheet.text[end:after], tail))
    order = [*range(len(places))]
    order.insert(position, order.pop(index))
    changes = []
    for (start, _), slot, source in zip(places, slots, order, strict=True):
        first = sheet.comment_lines_above(start)
        last = start + len(slot[1]) + len(slot[2]) + len(slot[3])
        lead, item, _, tail = slots[source]
        changes.append((first, last, f"{lead}{item}{slot[2]}{tail}"))
    return sheet.changed(*changes)


def _one_a_line(sheet: EditableText, holder: Span, places: list[tuple[int, int]]) -> bool:
    """Return True if every entry or item, and the closing bracket, begins a line."""
    starts = [*(start for start, _ in places), holder.end - 1]
    return all(map(sheet.begins_line, starts))


def _comma(sheet: EditableText, end: int) -> int | None:
    """Return the index of the comma after an entry or item, past blanks and comments."""
    text, index = sheet.text, end
    while index < len(text):
        if text[index] == "#":
            index = sheet.line_end(index)
        elif text[index] == ",":
            return index
        elif not text[index].isspace():
            return None
        index += 1
    return None
