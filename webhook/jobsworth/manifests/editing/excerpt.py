"""Excerpts: the smallest part of a document's text that a fix can be applied to on its own.

An edit of one container of a large Job, or of one item of a List, does not depend on the rest of the
text. In block style, the lines of an entry or item are a document by themselves, with the same columns;
in JSON, a value is. So its edits cost what the excerpt costs to parse, not what the document costs.

Only aliases join parts of a text, so an excerpt neither contains an alias or anchor nor lies in an anchored
value. (A directive would, too, but it must precede a separator, at which kubectl splits documents before it
parses them.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.findings.edits import CannotEdit, Steps, locate, remaining_path
from jobsworth.findings.fix import Edit
from jobsworth.manifests.editing.editable_text import EditableText, FoundSpan
from jobsworth.manifests.editing.ranges import ALIAS, LIST, MAPPING
from jobsworth.record import Record


class Excerpt(Record):
    """A part of a document's text that holds a value of the document.

    Attributes:
        start, end: its range in the text.
        steps: the place of its value in the document's value; empty for the whole document.
        margin: the blanks before it on its line, which JSON does not include in the range.
        holds_key: True if it begins with its value's key or dash, so that it reads as a mapping with one
            entry, or a list with one item.
    """

    start: int
    end: int
    steps: Steps = ()
    margin: str = ""
    holds_key: bool = False

    def value_in(self, value: Any) -> Any:
        """Return the value that the excerpt's text has, from that of its document."""
        for step in self.steps:
            value = value[step]
        if not self.holds_key:
            return value
        step = self.steps[-1]
        return {step: value} if isinstance(step, str) else [value]

    def edit(self, value: Any, edit: Edit) -> Edit:
        """Return an edit of the document as one of the excerpt's own value."""
        moved = self._path(value, edit.value) if edit.action == "move" else edit.value
        return Edit(edit.action, self._path(value, edit.field), moved)

    def _path(self, value: Any, path: str) -> str:
        if not self.steps:
            return path
        rest = remaining_path(value, path, self.steps)
        if not self.holds_key:
            return rest.removeprefix(".")
        step = self.steps[-1]
        return f"[{step if isinstance(step, str) else 0}]{rest}"


def excerpts(sheet: EditableText, value: Any, edits: Sequence[Edit]) -> Iterator[Excerpt]:
    """Yield the parts of a text to which edits can be applied, from the smallest to the whole text.

    Args:
        sheet: the document's text.
        value: its value.
        edits: those of one fix.
    """
    steps = _common_steps(value, edits, json=sheet.json)
    try:
        found = sheet.path(steps)
    except CannotEdit:  # an alias or a merge key on the way
        found = []
    first_anchored = next(
        (depth for depth, each in enumerate(found) if each.span.anchored), len(found)
    )
    excerpt = _json_excerpt if sheet.json else _block_excerpt
    for depth in range(first_anchored - 1, 0, -1):
        if found[depth].span.is_shared() or _has_shared_key(found[depth]):
            break
        part = excerpt(sheet, found[depth], steps[:depth])
        if part is not None:
            yield part
    yield Excerpt(0, len(sheet.text))


def _has_shared_key(found: FoundSpan) -> bool:
    return found.entry is not None and (found.entry.key.kind == ALIAS or found.entry.key.anchored)


def _block_excerpt(sheet: EditableText, found: FoundSpan, steps: Steps) -> Excerpt | None:
    """Return the lines of an entry or item in a block; None if other content shares its lines."""
    if found.flows or found.holder is None or found.holder.flows:
        return None
    try:
        unit = sheet.unit(found)
    except CannotEdit:
        return None
    if unit.shares:
        return None
    return Excerpt(unit.start, unit.end, steps, holds_key=True)


def _json_excerpt(sheet: EditableText, found: FoundSpan, steps: Steps) -> Excerpt | None:
    span = found.span
    if span.kind not in (MAPPING, LIST):
        return None
    margin = ""
    if "\n" in sheet.text[span.start : span.end] and not sheet.ends_line(span.start + 1):
        # Its first key shares the line on which the margin of all its lines begins.
        line = sheet.text[sheet.line_start(span.start) : span.start]
        margin = line[: len(line) - len(line.lstrip())]
        if margin.strip(" "):
            return None  # YAML begins no text with a tab
    return Excerpt(span.start, span.end, steps, margin=margin)


def _common_steps(value: Any, edits: Sequence[Edit], *, json: bool) -> Steps:
    """Return the place of the deepest value within which all edits stay."""
    common: Steps | None = None
    for edit in edits:
        for steps in _places(value, edit, json=json):
            if common is None:
                common = steps
                continue
            length = 0
            while length < min(len(common), len(steps)) and common[length] == steps[length]:
                length += 1
            common = common[:length]
    return common or ()


def _places(value: Any, edit: Edit, *, json: bool) -> Iterator[Steps]:
    """Yield the places of the values that an edit changes, with the siblings that it depends on."""
    place = locate(value, edit.field)
    if place.missing or (edit.action == "set" and not json):
        yield place.steps
    elif edit.action in ("delete", "move"):
        holder = value
        for step in place.steps[:-1]:
            holder = holder[step]
        # The last item of a list takes the list along.
        yield place.steps[:-2] if len(holder) == 1 else place.steps[:-1]
    else:
        yield place.steps[:-1]
    if edit.action == "move":
        target = locate(value, edit.value)
        yield target.steps if target.missing else target.steps[:-1]
