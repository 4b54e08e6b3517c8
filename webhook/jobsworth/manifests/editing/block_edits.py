"""Edits of block-style YAML: entries and items on lines of their own."""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.findings.edits import CannotEdit
from jobsworth.manifests.editing.editable_text import EditableText, FoundSpan, LineBlock
from jobsworth.manifests.editing.ranges import LIST, MAPPING, MappingEntry, Span

_LONG = ("spec", "template", "jobTemplate", "initContainers", "containers")
"""Fields that manifests usually have at the end of a mapping."""


def without(sheet: EditableText, found: FoundSpan) -> EditableText:
    """Remove one of several entries or items, with its comments."""
    assert found.holder is not None
    units = sheet.units(found.holder)
    number = found.position
    unit = units[number]
    if not unit.shares:
        return sheet.changed(_without_lines(sheet, units, number))
    # The first entry after a dash: the next entry takes its place on the line, under its own comments.
    second = units[1]
    margin = sheet.text[sheet.line_start(unit.head) : unit.head]
    dash = len(margin) - len(margin.lstrip(" "))
    comments = _shifted(
        sheet.text[second.start : sheet.line_start(second.head)], dash - unit.column
    )
    at = sheet.line_start(unit.head)
    return sheet.changed((unit.head, second.head, ""), (at, at, comments))


def _without_lines(
    sheet: EditableText, units: list[LineBlock], number: int
) -> tuple[int, int, str]:
    """Return the change that removes an entry's lines, and the blank lines on one side of them."""
    start, end = units[number].start, units[number].end
    before = sheet.text[units[number - 1].end : start] if number else ""
    after = sheet.text[end : units[number + 1].start] if number + 1 < len(units) else ""
    if not after.strip() and (number == 0 or (before and not before.strip())):
        end += len(after)
    if number and number + 1 == len(units) and not before.strip():
        start -= len(before)
    if end == len(sheet.text) and not sheet.text.endswith("\n"):
        start -= len(sheet.text[:start]) - len(sheet.text[:start].removesuffix("\n"))
        start -= len(sheet.text[:start]) - len(sheet.text[:start].removesuffix("\r"))
    return start, end, ""


def with_item(sheet: EditableText, holder: Span, index: int, lines: Sequence[str]) -> EditableText:
    """Insert lines, given at column 0, before the item of a list at an index, or at the end."""
    units = sheet.units(holder)
    unit = units[min(index, len(units) - 1)]
    new = [indented(line, unit.column) for line in lines]
    from itertools import pairwise

    gaps = {sheet.text[one.end : two.start] for one, two in pairwise(units)}
    blank = [""] if gaps and all(gap and not gap.strip() for gap in gaps) else []
    if index == len(units):
        return sheet.changed(sheet.lines_inserted(unit.end, [*blank, *new]))
    if unit.shares:
        raise CannotEdit("other content precedes it on its line; edit it by hand")
    return sheet.changed(sheet.lines_inserted(unit.start, [*new, *blank]))


def with_key(sheet: EditableText, holder: Span, lines: Sequence[str]) -> EditableText:
    """Add an entry, given at column 0, to a mapping that is not empty.

    Insert it after the last entry that fits on a line. If there is none, insert it before the
    fields that are long in every manifest, or at the end.
    """
    units = sheet.units(holder)
    at = units[-1].end
    long = [number for number, entry in enumerate(holder.entries) if entry.name in _LONG]
    short = [number for number, entry in enumerate(holder.entries) if _fits_line(entry)]
    if short:
        at = units[short[-1]].end
    elif long and not units[long[0]].shares:
        at = units[long[0]].start
    new = [indented(line, units[0].column) for line in lines]
    return sheet.changed(sheet.lines_inserted(at, new))


def _fits_line(entry: MappingEntry) -> bool:
    value = entry.value
    if entry.name in _LONG:
        return False
    return value.flows or (value.kind not in (MAPPING, LIST) and value.style not in ("|", ">"))


def filled(
    sheet: EditableText, found: FoundSpan, lines: Sequence[str], *, indent: int
) -> EditableText:
    """Replace null, ``{}``, ``[]`` or a scalar by a block, given at column 0."""
    head = sheet.head(found)
    after_head = sheet.after_head(found)
    column = sheet.column(head)
    if found.entry is None:
        text = f"{sheet.style.newline}{' ' * (column + 2)}".join(lines)
        return sheet.changed((after_head, max(found.span.end, after_head), f" {text}"))
    below = sheet.next_line(max(found.span.end, after_head))
    changes = [sheet.lines_inserted(below, [indented(line, column + indent) for line in lines])]
    if found.span.end > after_head:
        changes.append((after_head, found.span.end, ""))
    return sheet.changed(*changes)


def moved(sheet: EditableText, holder: Span, index: int, position: int) -> EditableText:
    """Move an item of a list to another position; text between items stays in its place."""
    units = sheet.units(holder)
    if units[0].shares:
        raise CannotEdit(
            "the first item of this list shares its line with another list; edit it by hand"
        )
    parts = [sheet.text[unit.start : unit.end] for unit in units]
    from itertools import pairwise

    gaps = [sheet.text[before.end : after.start] for before, after in pairwise(units)]
    ended = parts[-1].endswith("\n")
    if not ended:
        parts[-1] += sheet.style.newline
    parts.insert(position, parts.pop(index))
    text = "".join(part + gap for part, gap in zip(parts, [*gaps, ""], strict=True))
    if not ended:
        text = text.removesuffix("\n").removesuffix("\r")
    return sheet.changed((units[0].start, units[-1].end, text))


def replaced(sheet: EditableText, found: FoundSpan, text: str) -> EditableText:
    """Replace a block by a value on the line of its key or dash, and keep the comment there."""
    if found.span.anchored:
        raise CannotEdit("an alias may use its anchor (`&`); edit it by hand")
    unit = sheet.unit(found)
    after_head = sheet.after_head(found)
    if sheet.line_start(found.span.content) == sheet.line_start(after_head):
        rest = sheet.style.newline if sheet.text.endswith("\n", 0, unit.end) else ""
    else:
        rest = sheet.text[after_head : sheet.next_line(after_head)]
        if not sheet.text.endswith("\n", 0, unit.end):
            rest = rest.removesuffix("\n").removesuffix("\r")
    return sheet.changed((after_head, unit.end, f" {text}{rest}"))


def within_key(sheet: EditableText, found: FoundSpan, name: str) -> EditableText:
    """Put the lines of a block list, with their comments, below a key of their own."""
    if found.span.anchored:
        raise CannotEdit("an alias may use its anchor (`&`); edit it by hand")
    unit, step = sheet.unit(found), sheet.style.step
    start = sheet.next_line(sheet.after_head(found))
    key = f"{' ' * (unit.column + step)}{name}:{sheet.style.newline}"
    return sheet.changed((start, unit.end, key + _shifted(sheet.text[start : unit.end], step)))


def lines_of(sheet: EditableText, found: FoundSpan, *, name: str = "") -> list[str]:
    """Return the lines of an entry or item, moved to column 0; an entry may get a new name."""
    assert found.holder is not None
    unit = sheet.units(found.holder)[found.position]
    comments = "" if unit.shares else sheet.text[unit.start : sheet.line_start(unit.head)]
    after_name = unit.head if found.entry is None else found.entry.key.end
    first, *rest = _lines(sheet.text[after_name : unit.end])
    above, below = (
        [indented(line, -unit.column) for line in lines] for lines in (_lines(comments), rest)
    )
    return [*above, name + first, *below]


def _lines(text: str) -> list[str]:
    lines = text.removesuffix("\n").split("\n") if text else []
    return [line.removesuffix("\r") for line in lines]


def _shifted(text: str, by: int) -> str:
    return "\n".join(indented(line, by) for line in text.split("\n"))


def indented(line: str, by: int) -> str:
    """Indent a line by some columns, or unindent it as far as it has blanks; keep empty lines."""
    if not line.strip():
        return line
    if by >= 0:
        return " " * by + line
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(-by, blanks) :]
