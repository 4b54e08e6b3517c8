"""The editable text of a document: its spans, and the lines that belong to each.

An entry of a mapping, or an item of a list, owns its lines with the comment at their end, the
comment lines right above it in its column, and those right below it that are indented deeper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.findings.edits import CannotEdit, Steps, locate
from jobsworth.manifests.editing.ranges import (
    ALIAS,
    LIST,
    MAPPING,
    SCALAR,
    MappingEntry,
    NoSpans,
    Span,
    spans_of,
)
from jobsworth.manifests.editing.rendering import Style, style_of
from jobsworth.manifests.parsing.document import Document, Text
from jobsworth.manifests.parsing.position_index import PositionNode
from jobsworth.record import Record


class LineBlock(Record):
    """The lines of an entry or item.

    ``start`` is the index of its first line, which may be a comment; ``head`` is that of its key or
        dash, in column ``column``; ``end`` is the index after its last line. ``shares`` is True if the
        dash of an outer list precedes the head on its line.
    """

    start: int
    head: int
    column: int
    end: int
    shares: bool


class FoundSpan(Record):
    """A value in the tree, its container, its entry or index there, and True for flow style."""

    span: Span
    holder: Span | None
    entry: MappingEntry | None
    index: int
    flows: bool

    @property
    def position(self) -> int:
        """The position among the entries or items of its container; 0 for the root."""
        if self.holder is None or self.entry is None:
            return self.index
        return self.holder.entries.index(self.entry)


class EditableText:
    """An immutable text with its spans; parsed when a span is first needed.

    Its methods raise CannotEdit for a text that cannot be edited.

    Args:
        text: the text, without byte order mark.
        json: True for JSON.
        style: the style of new values; by default, that of the text.
    """

    __slots__ = ("_block_scalars", "_root", "_style", "json", "text")

    def __init__(self, text: str, *, json: bool, style: Style | None = None) -> None:
        self.text = text
        self.json = json
        self._style = style
        self._root: Span | None = None
        self._block_scalars: dict[int, Span] | None = None

    @property
    def root(self) -> Span:
        """The span of the whole value."""
        if self._root is None:
            try:
                self._root = spans_of(self.text, json=self.json)
            except NoSpans as error:
                raise CannotEdit(str(error)) from error
            if self._root is None:
                raise CannotEdit("this document is empty")
        return self._root

    @property
    def style(self) -> Style:
        """The style of new values."""
        if self._style is None:
            self._style = style_of(self.text, self.root, json=self.json)
        return self._style

    def _spans(self) -> Iterator[Span]:
        return self.root.descendants()

    def changed(self, *changes: tuple[int, int, str]) -> EditableText:
        """Return the text with parts replaced, each given as (start, end, new text)."""
        parts: list[str] = []
        unchanged = 0
        for start, end, new in sorted(changes):
            parts += (self.text[unchanged:start], new)
            unchanged = end
        parts.append(self.text[unchanged:])
        return EditableText("".join(parts), json=self.json, style=self._style)

    def find(self, steps: Steps) -> FoundSpan:
        """Return a value; raise CannotEdit if other places share its text."""
        return self.path(steps)[-1]

    def path(self, steps: Steps) -> list[FoundSpan]:
        """Return the values from the root to a place; raise CannotEdit if other places share one."""
        found = FoundSpan(self.root, None, None, 0, flows=False)
        way = [found]
        for step in steps:
            holder = found.span
            if holder.kind == ALIAS:
                raise CannotEdit("an alias (`*`) shares it with other places; edit it by hand")
            flows = found.flows or holder.flows
            if holder.kind == MAPPING and isinstance(step, str):
                entry = holder.entry(step)
                if entry is None:
                    raise CannotEdit(
                        "a merge key (`<<`) brings it from another mapping; edit it by hand"
                    )
                found = FoundSpan(entry.value, holder, entry, 0, flows=flows)
            elif holder.kind == LIST and isinstance(step, int) and step < len(holder.items):
                found = FoundSpan(holder.items[step], holder, None, step, flows=flows)
            else:
                raise CannotEdit("its position in the text is unknown; edit it by hand")
            way.append(found)
        return way

    def column(self, index: int) -> int:
        return index - self.line_start(index)

    def line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def line_end(self, index: int) -> int:
        """Return the index of the next line feed, or of the end of the text."""
        end = self.text.find("\n", index)
        return end if end >= 0 else len(self.text)

    def next_line(self, index: int) -> int:
        return min(self.line_end(index) + 1, len(self.text))

    def begins_line(self, index: int) -> bool:
        return not self.text[self.line_start(index) : index].strip()

    def ends_line(self, index: int) -> bool:
        """Return True if only a comment follows on the line."""
        return self.text[index : self.line_end(index)].strip()[:1] in ("", "#")

    def head(self, found: FoundSpan) -> int:
        """Return the index of the key or dash of a value in a block."""
        if found.entry is not None:
            return found.entry.key.start
        assert found.holder is not None
        column = self.column(self._first_dash(found.holder))
        index = found.span.start
        while True:
            start = self.line_start(index)
            dash = start + column
            has_dash = self.text[dash : dash + 1] == "-" and dash < found.span.start
            if has_dash and "#" not in self.text[start:dash]:
                return dash
            if start == 0:
                raise CannotEdit("the position of this item's dash is unknown; edit it by hand")
            index = start - 1

    def _first_dash(self, holder: Span) -> int:
        if self.text[holder.content : holder.content + 1] != "-":
            raise CannotEdit("the positions of this list's dashes are unknown; edit it by hand")
        return holder.content

    def after_head(self, found: FoundSpan) -> int:
        """Return the index after the colon of a key, or after a dash."""
        if found.entry is None:
            return self.head(found) + 1
        index = self.text.find(":", found.entry.key.end)
        if index < 0 or self.text[found.entry.key.end : index].strip():
            raise CannotEdit("there is no colon after this key; edit it by hand")
        return index + 1

    def unit(self, found: FoundSpan) -> LineBlock:
        """Return the lines of an entry or item of a block."""
        head = self.head(found)
        column = self.column(head)
        before = self.text[self.line_start(head) : head]
        if before.strip(" -"):
            raise CannotEdit("other content precedes it on its line; edit it by hand")
        shares = bool(before.strip())
        end = self._end_of_lines(max(found.span.end, self.after_head(found)))
        while self._is_comment(end, deeper_than=column) or self._is_unused_child(
            end, found, column
        ):
            end = self.next_line(end)
        start = self.line_start(head)
        while not shares and start and self._is_comment(self.line_start(start - 1), at=column):
            start = self.line_start(start - 1)
        return LineBlock(start, head, column, end, shares=shares)

    def units(self, holder: Span) -> list[LineBlock]:
        """Return the lines of every entry or item of a block."""
        units: list[LineBlock] = []
        for found in self.members(holder, flows=False):
            unit = self.unit(found)
            if units and unit.start < units[-1].end:
                # The comments in between belong to the entry or item before.
                unit = LineBlock(
                    units[-1].end, unit.head, unit.column, unit.end, shares=unit.shares
                )
            units.append(unit)
        return units

    def _is_unused_child(self, start: int, found: FoundSpan, column: int) -> bool:
        """Return True for a comment at the column of a key that is a child of its block, not in use.

        It is an item (``# - name: b``) of a list whose dashes are at the column of the key, or is indented
        within the comment (``#   name: b``) as deep as the children of the key.
        """
        if not self._is_comment(start, at=column) or found.span.flows:
            return False
        text = self.text[start : self.line_end(start)].lstrip(" ")[1:]
        inside = column + 1 + len(text) - len(text.lstrip(" "))
        if found.span.kind == LIST:
            dashes = self.column(found.span.content)
            return text.lstrip(" ").startswith("- ") and (dashes == column or inside > dashes)
        return found.span.kind == MAPPING and inside > self.column(found.span.content) + 1

    def members(self, holder: Span, *, flows: bool) -> list[FoundSpan]:
        """Return the values that a mapping or list holds."""
        if holder.kind == MAPPING:
            return [
                FoundSpan(entry.value, holder, entry, 0, flows=flows) for entry in holder.entries
            ]
        return [
            FoundSpan(item, holder, None, index, flows=flows)
            for index, item in enumerate(holder.items)
        ]

    def _end_of_lines(self, end: int) -> int:
        """Return the index after the last line of a value, without blank lines after a block scalar."""
        if end and self.text[end - 1] == "\n":
            header = self._header_of_text(end)
            while "+" not in header:
                previous = self.line_start(end - 1)
                if self.text[previous:end].strip() or previous == 0:
                    break
                end = previous
            return end
        if not self.ends_line(end):
            raise CannotEdit("other content follows it on its line; edit it by hand")
        return self.next_line(end)

    def _header_of_text(self, end: int) -> str:
        """Return the header (``|-``, ``>+``) of the block scalar that ends at an index."""
        if self._block_scalars is None:
            self._block_scalars = {
                span.end: span for span in self._spans() if span.style in ("|", ">")
            }
        scalar = self._block_scalars.get(end)
        if scalar is None:
            return "+"
        return self.text[scalar.content : self.line_end(scalar.content)].partition("#")[0]

    def _is_comment(self, start: int, *, at: int = -1, deeper_than: int = -1) -> bool:
        line = self.text[start : self.line_end(start)]
        bare = line.lstrip(" ")
        column = len(line) - len(bare)
        return bare.startswith("#") and (column == at if at >= 0 else column > deeper_than)

    def comment_lines_above(self, index: int) -> int:
        """Return the start of the comment lines right above a line; of the line itself if none."""
        start = self.line_start(index)
        while start and self.text[self.line_start(start - 1) : start].lstrip().startswith("#"):
            start = self.line_start(start - 1)
        return start

    def lines_inserted(self, at: int, lines: Sequence[str]) -> tuple[int, int, str]:
        """Return the change that inserts lines before the line that begins at an index."""
        newline = self.style.newline
        if at and self.text[at - 1] == "\n":
            newline = "\r\n" if self.text.endswith("\r", 0, at - 1) else "\n"
        new = newline.join(lines)
        if at and self.text[at - 1] != "\n":
            return at, at, newline + new
        return at, at, new + newline


_BYTE_ORDER_MARK = "\ufeff"


class ScalarTexts:
    """Returns the texts of scalars in a file's documents; parses each document once."""

    __slots__ = ("_sheet", "_text")

    def __init__(self) -> None:
        self._text: Text | None = None
        self._sheet: EditableText | None = None

    def text(self, document: Document, field: str) -> str | None:
        """Return the text of a scalar, without quotes and tag: ``yes`` for a value of True.

        None if the field does not exist or is not a scalar.
        """
        place = locate(document.value, field)
        steps = (*locate(None, document.path).missing, *place.steps)
        outline = document.outline
        if outline is not None:
            return None if place.missing else _text_at(outline, steps)
        if self._sheet is None or self._text is not document._text:  # the items of a List share it
            source = document.text.decode("utf-8", "surrogateescape").removeprefix(_BYTE_ORDER_MARK)
            self._text = document._text
            self._sheet = EditableText(source, json=document.is_json)
        try:
            found = self._sheet.find(steps)
        except CannotEdit:
            return None
        return found.span.text if found.span.kind == SCALAR and not place.missing else None


def _text_at(node: PositionNode, steps: Steps) -> str | None:
    for step in steps:
        if isinstance(node.children, dict) and isinstance(step, str):
            node = node.children[step][1]
        elif isinstance(node.children, list) and isinstance(step, int):
            node = node.children[step]
        else:
            return None
    return node.text if node.children is None else None
