"""Minimal edits of a document's text that preserve everything else.

Only the parts of a value that change are rewritten: to set a list, its items are moved, deleted and
inserted; to set a mapping, the fields that differ are set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jobsworth.findings.edits import (
    CannotEdit,
    EditTarget,
    Steps,
    at,
    identical,
    locate,
    moves_within_list,
)
from jobsworth.findings.fix import Edit
from jobsworth.manifests.editing import block_edits, flow_edits, rendering
from jobsworth.manifests.editing.editable_text import EditableText, FoundSpan
from jobsworth.manifests.editing.ranges import LIST, MAPPING, SCALAR


def applied(sheet: EditableText, value: Any, edit: Edit) -> EditableText:
    """Return the text with an edit applied; ``value`` is its decoded object. Raises CannotEdit."""
    place = locate(value, edit.field)
    if edit.action == "set":
        if place.missing:
            return _made(sheet, place, edit.value)
        if not place.steps:
            raise CannotEdit("the whole document cannot be replaced")
        return _set(sheet, place.steps, at(value, place.steps), edit.value)
    if edit.action == "insert":
        if place.missing:
            return _made(sheet, place, edit.value)
        return _inserted(sheet, place.steps[:-1], int(place.steps[-1]), edit.value)
    if place.missing or not place.steps:
        raise CannotEdit(f"the document has no field {edit.field}")
    if edit.action == "delete":
        return _deleted(sheet, place.steps)
    if edit.action == "rename":
        return _renamed(sheet, place.steps, edit.value)
    target = locate(value, edit.value)
    if moves_within_list(place.steps, target):
        return _moved_within_list(sheet, place.steps, int(target.steps[-1]))
    return _moved(sheet, place.steps, target, at(value, place.steps))


def _set(sheet: EditableText, steps: Steps, old: Any, new: Any) -> EditableText:
    if identical(old, new):
        return sheet
    *above, name = steps
    if isinstance(name, str):
        holder = sheet.find(tuple(above)).span
        if holder.kind == MAPPING and holder.entry(name) is None:
            return _with_key(sheet, tuple(above), name, new)  # the value comes from a merge key
    if isinstance(old, dict) and isinstance(new, dict) and old and new:
        return _set_mapping(sheet, steps, old, new)
    if isinstance(old, list) and isinstance(new, list) and old and new:
        return _set_list(sheet, steps, list(old), new)
    return _replaced(sheet, steps, new, old=old)


def _set_mapping(
    sheet: EditableText, steps: Steps, old: dict[str, Any], new: dict[str, Any]
) -> EditableText:
    for key, part in new.items():
        if key in old:
            sheet = _set(sheet, (*steps, key), old[key], part)
        else:
            sheet = _with_key(sheet, steps, key, part)
    for key in [key for key in old if key not in new]:
        sheet = _deleted(sheet, (*steps, key))
    return sheet


def _set_list(sheet: EditableText, steps: Steps, old: list[Any], new: list[Any]) -> EditableText:
    """Set a list: keep the unchanged items with their comments, and reorder them."""
    while len(old) > len(new):
        position = max(
            index for index, item in enumerate(old) if _count(item, old) > _count(item, new)
        )
        sheet = _deleted(sheet, (*steps, position))
        del old[position]
    for position, item in enumerate(new):
        if position < len(old) and identical(old[position], item):
            continue
        later = next(
            (index for index in range(position, len(old)) if identical(old[index], item)), None
        )
        if later is not None:
            sheet = _moved_within_list(sheet, (*steps, later), position)
            old.insert(position, old.pop(later))
        elif position < len(old) and not _count(old[position], new[position:]):
            sheet = _set(sheet, (*steps, position), old[position], item)
            old[position] = item
        else:
            sheet = _inserted(sheet, steps, position, item)
            old.insert(position, item)
    for position in reversed(range(len(new), len(old))):
        sheet = _deleted(sheet, (*steps, position))
    return sheet


def _count(item: Any, items: Sequence[Any]) -> int:
    return sum(identical(item, other) for other in items)


def _replaced(
    sheet: EditableText,
    steps: Steps,
    new: Any,
    comments: Mapping[str, str] | None = None,
    old: Any = None,
) -> EditableText:
    """Replace a value by another.

    Args:
        sheet: the text.
        steps: the place of the value.
        new: the other value.
        comments: comments by the lines that they stand behind; kept behind the same lines of a block.
        old: the value; a block list that becomes the only value of an object keeps its lines.
    """
    found = sheet.find(steps)
    span, style = found.span, sheet.style
    if found.holder is None:
        raise CannotEdit("the whole document cannot be replaced")
    in_block = not (found.flows or sheet.json)
    if in_block and span.kind in (MAPPING, LIST) and not span.flows:
        below = span.kind == LIST and sheet.line_start(span.start) > sheet.after_head(found)
        if below and isinstance(new, dict) and identical([*new.values()], [old]):
            return block_edits.within_key(
                sheet, found, rendering.scalar(next(iter(new)), style, flows=False)
            )
        fits = rendering.fits_line(new)
        behind = _comments_behind_lines(sheet.text[span.start : sheet.line_end(span.end)])
        sheet = block_edits.replaced(sheet, found, rendering.inline(new if fits else None, style))
        return sheet if fits else _replaced(sheet, steps, new, behind)
    if in_block and not span.flows and not rendering.fits_line(new):
        if span.style in ("|", ">"):
            return _replaced(_replaced(sheet, steps, None), steps, new)
        indent = style.offset if isinstance(new, list) else style.step
        lines = _with_comments(rendering.block(new, style), comments or {})
        return block_edits.filled(sheet, found, lines, indent=indent)
    if isinstance(new, dict | list):
        text = rendering.inline(new, style)
    else:
        text = rendering.scalar(new, style, flows=found.flows, quote=span.style)
    if span.is_empty():
        if sheet.text[span.start - 1 : span.start] not in (":", "-"):
            raise CannotEdit("there is no colon before it; edit it by hand")
        return sheet.changed((span.start, span.end, f" {text}"))
    if span.anchored:
        anchor = next(
            part for part in sheet.text[span.start : span.content].split() if part[0] == "&"
        )
        text = f"{anchor} {text}"
    if span.style in ("|", ">"):
        text += comment_of_header(sheet.text[span.start : span.end])
        if sheet.text[span.end - 1] == "\n":
            text += style.newline
    return sheet.changed((span.start, span.end, text))


def _comments_behind_lines(text: str) -> dict[str, str]:
    """Return the comments behind the lines of a block, by the text of each line that stands there once."""
    lines = [line.strip() for line in text.splitlines()]
    found: dict[str, str] = {}
    for line in lines:
        content, mark, comment = line.partition(" #")
        content = _without_dash(content.rstrip())
        if mark and content:
            found[content] = "" if content in found else f"#{comment}"
    return {content: comment for content, comment in found.items() if comment}


def _with_comments(lines: Sequence[str], comments: Mapping[str, str]) -> list[str]:
    return [
        f"{line}  {comments[content]}"
        if (content := _without_dash(line.strip())) in comments
        else line
        for line in lines
    ]


def _without_dash(line: str) -> str:
    while line.startswith("- "):
        line = line[2:].lstrip()
    return line


def comment_of_header(scalar: str) -> str:
    """Return the comment beside the indicator of a block scalar, with the blanks before it."""
    header = scalar.partition("\n")[0].rstrip("\r")
    indicator = header.partition(" #")[0].rstrip()
    return header[len(indicator) :].rstrip()


def _made(sheet: EditableText, place: EditTarget, new: Any) -> EditableText:
    """Create an absent field or item, with its missing parents."""
    for step in reversed(place.missing[1:]):
        new = {step: new} if isinstance(step, str) else [new]
    first = place.missing[0]
    if isinstance(first, str):
        return _with_key(sheet, place.steps, first, new)
    return _inserted(sheet, place.steps, first, new)


def _with_key(sheet: EditableText, steps: Steps, name: str, new: Any) -> EditableText:
    lines = rendering.entry(name, new, sheet.style)
    return _with_entry(sheet, steps, name, new, lines)


def _with_entry(
    sheet: EditableText,
    steps: Steps,
    name: str,
    new: Any,
    lines: Sequence[str],
    *,
    comments: Sequence[str] = (),
) -> EditableText:
    """Add an entry to a mapping.

    ``lines`` is its block form at column 0; ``comments`` are written above it in brackets of several lines.
    """
    found = sheet.find(steps)
    span, style = found.span, sheet.style
    if span.kind == SCALAR:  # null
        if sheet.json or found.flows:
            return _replaced(sheet, steps, {name: new})
        return block_edits.filled(sheet, found, lines, indent=style.step)
    if span.kind != MAPPING:
        raise CannotEdit("an alias (`*`) shares it with other places; edit it by hand")
    if not span.flows:
        return block_edits.with_key(sheet, span, lines)
    in_block = not found.flows and not sheet.json and found.holder is not None
    if in_block and not span.entries and (len(lines) > 1 or " #" in lines[0]):
        return block_edits.filled(sheet, found, lines, indent=style.step)
    text = rendering.inline({name: new}, style)[1:-1]
    form = lines if sheet.json else [*comments, text]
    return flow_edits.with_new(sheet, span, len(span.entries), text, form)


def _inserted(sheet: EditableText, steps: Steps, position: int, new: Any) -> EditableText:
    found = sheet.find(steps)
    span, style = found.span, sheet.style
    if span.kind == SCALAR:  # null
        return _replaced(sheet, steps, [new])
    if span.kind != LIST:
        raise CannotEdit("an alias (`*`) shares it with other places; edit it by hand")
    if not span.flows:
        if isinstance(new, dict | list) and all(item.flows for item in span.items):
            lines = [f"- {rendering.inline(new, style)}"]
        else:
            lines = rendering.item(new, style)
        return block_edits.with_item(sheet, span, position, lines)
    if not span.items and not found.flows and not sheet.json and not rendering.fits_line([new]):
        return block_edits.filled(sheet, found, rendering.item(new, style), indent=style.offset)
    lines = rendering.block(new, style) if sheet.json and not rendering.fits_line(new) else []
    return flow_edits.with_new(sheet, span, position, rendering.inline(new, style), lines)


def _deleted(sheet: EditableText, steps: Steps) -> EditableText:
    """Remove an entry or item; remove an emptied list too, unless its mapping has no other key."""
    found = sheet.find(steps)
    holder = found.holder
    assert holder is not None
    if len(holder.entries) + len(holder.items) > 1:
        if holder.flows:
            return flow_edits.without(sheet, holder, found.position)
        return block_edits.without(sheet, found)
    around = sheet.find(steps[:-1])
    outer = around.holder
    if holder.kind == LIST and around.entry is not None and outer and len(outer.entries) > 1:
        return _deleted(sheet, steps[:-1])
    return _replaced(sheet, steps[:-1], [] if holder.kind == LIST else {})


def _renamed(sheet: EditableText, steps: Steps, name: str) -> EditableText:
    entry = sheet.find(steps).entry
    if entry is None or entry.key.kind != SCALAR:
        raise CannotEdit("the position of its key is unknown; edit it by hand")
    key = entry.key
    text = rendering.scalar(name, sheet.style, flows=True, quote=key.style)
    return sheet.changed((key.content, key.end, text))


def _moved_within_list(sheet: EditableText, steps: Steps, position: int) -> EditableText:
    found = sheet.find(steps)
    assert found.holder is not None
    move = flow_edits.moved if found.holder.flows else block_edits.moved
    return move(sheet, found.holder, found.index, position)


def _moved(sheet: EditableText, steps: Steps, target: EditTarget, value: Any) -> EditableText:
    """Move a field or item to an absent place: create it there, then delete it here.

    It keeps its text if that is valid in the new place, and is rendered again otherwise.
    """
    source, holder = sheet.find(steps), sheet.find(target.steps).span
    *above, last = target.missing
    if (source.entry is None) != isinstance(last, int) or not all(
        isinstance(step, str) for step in above
    ):
        return _deleted(_made(sheet, target, value), steps)
    comments_above, comment_behind = (
        flow_edits.comments_of(sheet, source) if source.flows else ([], "")
    )
    if source.entry is None:
        lines = None if source.flows else block_edits.lines_of(sheet, source)
    else:
        lines = _lines_of_entry(sheet, source, target, comments_above, comment_behind)
    if lines is None or (
        isinstance(last, int) and not above and (holder.flows or not holder.items)
    ):
        return _deleted(_made(sheet, target, value), steps)
    if isinstance(last, int) and not above:
        return _deleted(block_edits.with_item(sheet, holder, last, lines), steps)
    for number, step in enumerate(reversed(above)):
        width = sheet.style.offset if number == 0 and isinstance(last, int) else sheet.style.step
        key = rendering.scalar(str(step), sheet.style, flows=True)
        lines = [f"{key}:", *(block_edits.indented(line, width) for line in lines)]
    for step in reversed(target.missing[1:]):
        value = [value] if isinstance(step, int) else {step: value}
    comments = [*comments_above, *filter(None, [comment_behind])]
    name = str(target.missing[0])
    return _deleted(_with_entry(sheet, target.steps, name, value, lines, comments=comments), steps)


def _lines_of_entry(
    sheet: EditableText, source: FoundSpan, target: EditTarget, above: Sequence[str], behind: str
) -> list[str] | None:
    """Return a field's own text moved to column 0; None if it cannot be kept.

    ``above`` and ``behind`` are its comments, if it is in brackets.
    """
    assert source.entry is not None
    key = source.entry.key
    name = rendering.scalar(str(target.missing[-1]), sheet.style, flows=True, quote=key.style)
    if not source.flows:
        return block_edits.lines_of(sheet, source, name=name)
    text = sheet.text[key.end : source.span.end]
    if "\n" not in text and (not sheet.json or len(target.missing) == 1):
        return [*above, f"{name}{text}  {behind}".rstrip()]
    if not sheet.json or len(target.missing) > 1:
        return None
    line = sheet.text[sheet.line_start(key.start) : key.start]
    margin = line[: len(line) - len(line.lstrip())]
    first, *rest = text.replace("\r\n", "\n").split("\n")
    return [name + first, *(line.removeprefix(margin) for line in rest)]
