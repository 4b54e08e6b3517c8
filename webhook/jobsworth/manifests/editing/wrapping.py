"""Changes of a text that put values into a list or mapping of their own, or that replace a scalar.

The text of a value stays as it is, with its comments, anchors and number formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.findings.edits import CannotEdit, identical
from jobsworth.manifests.editing import rendering
from jobsworth.manifests.editing.editable_text import EditableText, FoundSpan
from jobsworth.manifests.editing.ranges import ALIAS, LIST, MAPPING
from jobsworth.manifests.editing.text_edits import comment_of_header

Change = tuple[int, int, str]


def changes_to(sheet: EditableText, found: FoundSpan, old: Any, new: Any) -> Iterator[Change]:
    """Yield the changes of the text, as (start, end, new text), that turn a value into another.

    Args:
        sheet: the text.
        found: the place of the value.
        old: the value.
        new: a list or mapping of which the value is the only entry, or a scalar.

    Raises:
        CannotEdit: the text of the value cannot be kept.
    """
    span = found.span
    brackets = _brackets(sheet, old, new)
    if brackets is None:
        text = rendering.scalar(new, sheet.style, flows=True)
        yield span.content, span.end, text
    elif span.kind in (MAPPING, LIST) and not (span.flows or sheet.json):
        if not isinstance(new, list):
            raise CannotEdit("a block cannot be put in brackets; edit it by hand")
        yield from _as_item(sheet, found)
    elif span.kind in (MAPPING, LIST, ALIAS) or _is_kept(sheet, found, old):
        yield span.start, span.start, brackets[0]
        yield span.end, span.end, brackets[1]
    else:
        text = rendering.scalar(old, sheet.style, flows=True, quote=span.style.strip("|>"))
        after = ""
        if span.style in ("|", ">"):
            after = comment_of_header(sheet.text[span.content : span.end])
            after += sheet.style.newline if sheet.text[span.end - 1] == "\n" else ""
        yield span.start, span.start, brackets[0]
        yield span.content, span.end, f"{text}{brackets[1]}{after}"


def _brackets(sheet: EditableText, old: Any, new: Any) -> tuple[str, str] | None:
    """Return the text before and after the old value in the new one; None if it does not hold it."""
    if isinstance(new, list) and identical(new, [old]):
        return "[", "]"
    if isinstance(new, dict) and identical([*new.values()], [old]):
        (name,) = new
        return f"{{{rendering.scalar(name, sheet.style, flows=True)}:{sheet.style.space}", "}"
    return None


def _is_kept(sheet: EditableText, found: FoundSpan, value: Any) -> bool:
    """Return True if the text of a scalar means the same in brackets."""
    span = found.span
    if span.style in ("|", ">"):
        return False
    if span.style or found.flows or sheet.json or not isinstance(value, str):
        return True
    plain = rendering.scalar(value, sheet.style, flows=True)
    return plain == sheet.text[span.content : span.end]


def _as_item(sheet: EditableText, found: FoundSpan) -> Iterator[Change]:
    """Yield the changes that make a block the only item of a list: a dash, and deeper indentation."""
    span, unit = found.span, sheet.unit(found)
    properties = sheet.text[span.start : span.content].strip()
    column = sheet.column(span.content)
    if not sheet.begins_line(span.content) or "#" in properties or "\n" in properties:
        raise CannotEdit("other content precedes it on its line; edit it by hand")
    if properties:  # an anchor or a tag, on the line of the key
        before = len(sheet.text[: span.start]) - len(sheet.text[: span.start].rstrip(" "))
        yield span.start - before, span.start + len(properties), ""
        properties += f"{sheet.style.newline}{' ' * (column + 2)}"
    yield span.content, span.content, f"- {properties}"
    at = sheet.next_line(span.content)
    while at < unit.end:
        if sheet.text[at : sheet.line_end(at)].strip():
            yield at, at, "  "
        at = sheet.next_line(at)
