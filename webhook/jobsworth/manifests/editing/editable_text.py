"""The editable text of a document: its spans, and the lines that belong to each.

An entry of a mapping, or an item of a list, owns its lines with the comment at their end, the
comment lines right above it in its column, and those right below it that are indented deeper.
"""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit
from jobsworth.manifests.editing.ranges import ALIAS, LIST, MAPPING, NoSpans, Span, spans_of
from jobsworth.manifests.editing.rendering import style_of
from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.findings.edits import Steps
    from jobsworth.manifests.editing.ranges import MappingEntry


class LineBlock(Record):
    """The lines of an entry or item.

    ``start`` is the beginning of its first line, a comment perhaps; ``head`` where its key or dash
    stands, ``column`` in which; ``end`` is behind its last line. ``shares`` tells that something
    stands before the head on its line: the dash of the list of which this is the first.
    """

    start: int
    head: int
    column: int
    end: int
    shares: bool


class FoundSpan(Record):
    """A value in the tree: what holds it, and as which entry or item; and if brackets do."""

    span: Span
    holder: Span | None
    entry: MappingEntry | None
    index: int
    flows: bool


class EditableText:
    """A text and its spans; every change makes another. Raises CannotEdit where it has none."""

    __slots__ = ("json", "root", "style", "text")

    def __init__(self, text: str, *, json: bool) -> None:
        try:
            root = spans_of(text, json=json)
        except NoSpans as error:
            raise CannotEdit(str(error)) from error
        if root is None:
            raise CannotEdit("there is nothing in this document")
        self.text = text
        self.json = json
        self.root = root
        self.style = style_of(text, root, json=json)

    def changed(self, *changes: tuple[int, int, str]) -> EditableText:
        """Make the sheet in which some parts of the text, from here to there, are others."""
        text = self.text
        for start, end, new in sorted(changes, reverse=True):
            text = text[:start] + new + text[end:]
        return EditableText(text, json=self.json)

    def find(self, steps: Steps) -> FoundSpan:
        """Find a value; raises CannotEdit where its text is not its own."""
        found = FoundSpan(self.root, None, None, 0, flows=False)
        for step in steps:
            holder = found.span
            if holder.kind == ALIAS:
                raise CannotEdit(
                    "it stands behind an alias (`*`), and so in several places at once"
                )
            flows = found.flows or holder.flows
            if holder.kind == MAPPING and isinstance(step, str):
                entry = holder.entry(step)
                if entry is None:
                    raise CannotEdit("it comes from somewhere else, by a merge key (`<<`)")
                found = FoundSpan(entry.value, holder, entry, 0, flows=flows)
            elif holder.kind == LIST and isinstance(step, int) and step < len(holder.items):
                found = FoundSpan(holder.items[step], holder, None, step, flows=flows)
            else:
                raise CannotEdit("it is not to be found in the text")
        return found

    def column(self, index: int) -> int:
        return index - self.line_start(index)

    def line_start(self, index: int) -> int:
        return self.text.rfind("\n", 0, index) + 1

    def line_end(self, index: int) -> int:
        """Return the index of the line feed, or of the text's end."""
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
        """Return where the key or the dash of a value in a block stands."""
        if found.entry is not None:
            return found.entry.key.start
        assert found.holder is not None
        column = self.column(self._first_dash(found.holder))
        index = found.span.start
        while True:
            start = self.line_start(index)
            dash = start + column
            found_here = self.text[dash : dash + 1] == "-" and dash < found.span.start
            if found_here and "#" not in self.text[start:dash]:
                return dash
            if start == 0:
                raise CannotEdit("the dash of this item is not to be found in the text")
            index = start - 1

    def _first_dash(self, holder: Span) -> int:
        if self.text[holder.content : holder.content + 1] != "-":
            raise CannotEdit("the dashes of this list are not to be found in the text")
        return holder.content

    def behind_head(self, found: FoundSpan) -> int:
        """Return the index behind the colon of a key, or behind a dash."""
        if found.entry is None:
            return self.head(found) + 1
        index = self.text.find(":", found.entry.key.end)
        if index < 0 or self.text[found.entry.key.end : index].strip():
            raise CannotEdit("there is no colon behind this key")
        return index + 1

    def unit(self, found: FoundSpan) -> LineBlock:
        """Return the lines of an entry or item of a block."""
        head = self.head(found)
        column = self.column(head)
        before = self.text[self.line_start(head) : head]
        if before.strip(" -"):
            raise CannotEdit("something that is not its own stands before it on its line")
        shares = bool(before.strip())
        end = self._end_of_lines(max(found.span.end, self.behind_head(found)))
        while self._is_comment(end, deeper_than=column):
            end = self.next_line(end)
        start = self.line_start(head)
        while not shares and start and self._is_comment(self.line_start(start - 1), at=column):
            start = self.line_start(start - 1)
        return LineBlock(start, head, column, end, shares=shares)

    def units(self, holder: Span) -> list[LineBlock]:
        """Return the lines of every entry or item of a block."""
        return [self.unit(found) for found in self.members(holder, flows=False)]

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
        """Give what is behind the last line of a value; blank lines behind a text are not its."""
        if end and self.text[end - 1] == "\n":
            header = self._header_of_text(end)
            while "+" not in header:
                previous = self.line_start(end - 1)
                if self.text[previous:end].strip() or previous == 0:
                    break
                end = previous
            return end
        if not self.ends_line(end):
            raise CannotEdit("something that is not its own stands behind it on its line")
        return self.next_line(end)

    def _header_of_text(self, end: int) -> str:
        """Return the ``|-`` or ``>+`` of the block text that ends here."""
        unseen = [self.root]
        while unseen:
            span = unseen.pop()
            if span.end == end and span.style in ("|", ">"):
                return self.text[span.content : self.line_end(span.content)].partition("#")[0]
            unseen.extend(span.children())
        return "+"

    def _is_comment(self, start: int, *, at: int = -1, deeper_than: int = -1) -> bool:
        line = self.text[start : self.line_end(start)]
        bare = line.lstrip(" ")
        column = len(line) - len(bare)
        return bare.startswith("#") and (column == at if at >= 0 else column > deeper_than)

    def comment_lines_above(self, index: int) -> int:
        """Return where the comment lines right above a line begin, or the line where none are."""
        start = self.line_start(index)
        while start and self.text[self.line_start(start - 1) : start].lstrip().startswith("#"):
            start = self.line_start(start - 1)
        return start

    def lines_inserted(self, at: int, lines: Sequence[str]) -> tuple[int, int, str]:
        """Return the change that puts lines before the line that begins here."""
        newline = self.style.newline
        if at and self.text[at - 1] == "\n":
            newline = "\r\n" if self.text[: at - 1].endswith("\r") else "\n"
        new = newline.join(lines)
        if at and self.text[at - 1] != "\n":
            return at, at, newline + new
        return at, at, new + newline
