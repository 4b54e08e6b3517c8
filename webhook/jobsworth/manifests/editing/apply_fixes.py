"""Apply fixes to the text of a manifest and change nothing else.

Indentation, quotes, comments, line ends and the other documents of the file stay byte for byte. To
guarantee that, every changed document is read again as kubectl reads it. If its value is not the one
that the edits produce, the fix is rejected and the file stays unchanged.

A fix costs what the smallest part of the text that can hold it costs (see
:mod:`jobsworth.manifests.editing.excerpt`); several fixes of one document share its parsing and, if they
change different parts, its second reading.

The text of a value stays as it is, with its comments, anchors and number formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from jobsworth.findings.edits import CannotEdit, Steps, at, edited, identical, locate
from jobsworth.findings.fix import Edit, Fix
from jobsworth.manifests.editing import rendering
from jobsworth.manifests.editing.editable_text import EditableText, FoundSpan
from jobsworth.manifests.editing.excerpt import Excerpt, excerpts
from jobsworth.manifests.editing.ranges import ALIAS, LIST, MAPPING
from jobsworth.manifests.editing.text_edits import applied, comment_of_header
from jobsworth.manifests.parsing.document import Document, Source
from jobsworth.manifests.parsing.fast_yaml import Value
from jobsworth.manifests.parsing.records import Position
from jobsworth.manifests.parsing.stream_state import StreamState
from jobsworth.record import Record

_BYTE_ORDER_MARK = "\ufeff"

Change = tuple[int, int, str]


def fixed(data: bytes, document: Document, fix: Fix) -> bytes:
    """Return the bytes of a file with a fix applied in one of its documents.

    ``data`` is the content from which ``document`` was read. Raises CannotEdit with the reason.

        >>> from jobsworth.manifests import read_text
        >>> from jobsworth.findings.fix import Fix
        >>> text = b"values: [3, 1] # two\\n"
        >>> (document,) = read_text(text, "job.yaml")
        >>> fixed(text, document, Fix("sort", Edit("set", "values", [1, 3]), safe=True))
        b'values: [1, 3] # two\\n'
    """
    file = FileText(data)
    text = file.text_of(document)
    return file.with_changes(text.checked([text.patch(document, fix)]))


def rewritten(data: bytes, replacements: Iterable[tuple[Document, Mapping[Steps, Any]]]) -> bytes:
    """Return the bytes of a file with values put into a list or mapping of their own, or replaced.

        >>> from jobsworth.manifests import read_text
        >>> text = b"spec:\\n  a: 0x10 # sixteen\\n"
        >>> (document,) = read_text(text, "policy.yaml")
        >>> rewritten(text, [(document, {("spec", "a"): {"value": 16}})])
        b'spec:\\n  a: {value: 0x10} # sixteen\\n'

    Args:
        data: the content from which the documents were read.
        replacements: documents, or items of a List, each with the new values by their places in it. A new
            value is a list or mapping whose only entry is the old value, or a scalar.

    Raises:
        CannotEdit: the text of a value cannot be kept, or more than these values would change.
    """
    file = FileText(data)
    texts: dict[int, tuple[DocumentText, dict[Steps, Any]]] = {}
    for document, by_place in replacements:
        # The items of a List share its text.
        _, found = texts.setdefault(id(document._text), (file.text_of(document), {}))
        above = locate(None, document.path).missing
        found.update({(*above, *steps): new for steps, new in by_place.items()})
    return file.with_changes(text.rewritten(found) for text, found in texts.values())


class TextPatch(Record):
    """A part of a text and what replaces it.

    Attributes:
        start, end: the range in the text.
        old, new: the text in the range, and its replacement.
        edits: those that the patch makes, in the document's own value.
    """

    start: int
    end: int
    old: str
    new: str
    edits: tuple[Edit, ...] = ()


class FileText:
    """The text of a file, with the places of its lines."""

    __slots__ = ("_line_starts", "text")

    def __init__(self, data: bytes) -> None:
        self.text = data.decode("utf-8", "surrogateescape")
        self._line_starts = [0]
        for line in self.text.split("\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)

    def text_of(self, document: Document) -> DocumentText:
        """Return the text of one of the file's documents; for an item of a List, that of the List."""
        begin, data = document._text.begin, document._text.data.decode("utf-8", "surrogateescape")
        start = self._line_starts[begin.line - 1]
        if start == 0 and self.text.startswith(_BYTE_ORDER_MARK):
            start = 1
        start += begin.column - 1
        language = document._text.language
        if language != "yaml":
            return DocumentText(self.text[start : start + len(data)], start, language)
        # The reader adds a line feed that the last line of a file may lack.
        last = min(begin.line - 1 + data.count("\n"), len(self._line_starts) - 1)
        end = min(self._line_starts[last], len(self.text))
        if self.text.startswith(_BYTE_ORDER_MARK, start):
            start += 1
        return DocumentText(self.text[start:end], start, language)

    def with_changes(self, patches: Iterable[TextPatch]) -> bytes:
        """Return the file's bytes with some patches, none of which overlaps another."""
        parts: list[str] = []
        unchanged = 0
        for patch in sorted(patches, key=lambda patch: patch.start):
            parts += (self.text[unchanged : patch.start], patch.new)
            unchanged = patch.end
        parts.append(self.text[unchanged:])
        return "".join(parts).encode("utf-8", "surrogateescape")

    def whole_lines(self, patch: TextPatch) -> tuple[int, str, str]:
        """Return the number of a patch's first line, and its lines before and after."""
        from bisect import bisect_right

        first = bisect_right(self._line_starts, patch.start) - 1
        last = bisect_right(self._line_starts, patch.end)
        start = self._line_starts[first]
        end = min(self._line_starts[min(last, len(self._line_starts) - 1)], len(self.text))
        head, tail = self.text[start : patch.start], self.text[patch.end : end]
        return first + 1, f"{head}{patch.old}{tail}", f"{head}{patch.new}{tail}"


class DocumentText:
    """The text of one document, to be edited.

    Args:
        text: the text.
        start: its index in its file.
        language: the language in which kubectl reads it.

    Attributes:
        size: the length of the text.
        size_read: the length of all parts that patches have read so far.
    """

    __slots__ = ("_language", "_sheet", "_start", "_text", "_value", "size", "size_read")

    def __init__(self, text: str, start: int, language: str) -> None:
        self._text = text
        self._start = start
        self._language = language
        self._sheet = EditableText(text, json=language != "yaml")
        self._value: Value = None
        self.size = len(text)
        self.size_read = 0

    @property
    def value(self) -> Value:
        """The value of the text; raises CannotEdit if it cannot be read on its own."""
        if self._value is None:
            self._value = self._read(self._text)
        return self._value

    def patch(self, document: Document, fix: Fix) -> TextPatch:
        """Return the patch of the file for a fix; raise CannotEdit if it is impossible.

        The patch's part of the text was read again with the edits applied. The rest of the document is
        read again by :meth:`checked`.

        Args:
            document: the document, or the item of the List, that the fix is for.
            fix: the fix.
        """
        edits = tuple(_within(document._path, edit) for edit in fix.edits)
        try:
            wanted = edited(self.value, *edits)
            for excerpt in excerpts(self._sheet, self.value, edits):
                patch = self._patch_of(excerpt, edits, wanted)
                if patch is not None:
                    return patch
        except RecursionError as error:
            raise CannotEdit(_TOO_DEEP) from error
        raise CannotEdit("the document is not what was validated; edit it by hand")

    def rewritten(self, replacements: Mapping[Steps, Any]) -> TextPatch:
        """Return the patch that puts values into a list or mapping of their own, or replaces them.

        Raises:
            CannotEdit: the text of a value cannot be kept, or more than these values would change.
        """
        changes: list[tuple[int, int, str]] = []
        try:
            wanted = deepcopy(self.value)
            for steps, new in replacements.items():
                found, old = self._sheet.find(steps), at(self.value, steps)
                changes += changes_to(self._sheet, found, old, new)
                at(wanted, steps[:-1])[steps[-1]] = new
            text = self._sheet.changed(*changes).text
            same = identical(self._read(text), wanted)
        except RecursionError as error:
            raise CannotEdit(_TOO_DEEP) from error
        if not same:
            raise CannotEdit(_SOMETHING_ELSE)
        return TextPatch(self._start, self._start + len(self._text), self._text, text)

    def checked(self, patches: Sequence[TextPatch]) -> Sequence[TextPatch]:
        """Return patches that change nothing else if applied together; raise CannotEdit if they do."""
        if [patch.old for patch in patches] == [self._text]:
            return patches  # it was read as a whole
        parts: list[str] = []
        unchanged = 0
        for patch in sorted(patches, key=lambda patch: patch.start):
            parts += (self._text[unchanged : patch.start - self._start], patch.new)
            unchanged = patch.end - self._start
        parts.append(self._text[unchanged:])
        wanted = self.value
        try:
            for patch in patches:
                wanted = edited(wanted, *patch.edits)
            same = identical(self._read("".join(parts)), wanted)
        except RecursionError as error:
            raise CannotEdit(_TOO_DEEP) from error
        if not same:
            raise CannotEdit(_SOMETHING_ELSE)
        return patches

    def _patch_of(
        self, excerpt: Excerpt, edits: tuple[Edit, ...], wanted: Value
    ) -> TextPatch | None:
        """Return the patch of an excerpt; None if the excerpt cannot be read on its own."""
        old = self._text[excerpt.start : excerpt.end]
        self.size_read += len(old)
        value = excerpt.value_in(self.value)
        if not excerpt.steps:
            sheet = self._sheet
        else:
            try:
                if not identical(self._read(excerpt.margin + old), value):
                    return None
            except CannotEdit:
                return None
            sheet = EditableText(
                excerpt.margin + old, json=self._sheet.json, style=self._sheet.style
            )
        for edit in edits:
            own = excerpt.edit(self.value, edit)
            sheet, value = applied(sheet, value, own), edited(value, own)
            if not identical(self._read(sheet.text), value):
                raise CannotEdit(_SOMETHING_ELSE)
        if not identical(value, excerpt.value_in(wanted)):
            return None
        start, end = self._start + excerpt.start, self._start + excerpt.end
        return TextPatch(start, end, old, sheet.text[len(excerpt.margin) :], edits)

    def _read(self, text: str) -> Value:
        """Return the value of a text, read as at its position in the file."""
        data = text.encode("utf-8", "surrogateescape")
        reading = StreamState(Source("", data))
        if self._language == "exact json":
            from jobsworth.manifests.parsing.json_stream import read_json

            read_json(reading)
        elif self._language == "json":
            from jobsworth.manifests.parsing.json_stream import read_json_or_yaml

            read_json_or_yaml(reading)
        else:
            from jobsworth.manifests.parsing.yaml_stream import read_yaml

            read_yaml(reading, data, Position(1, 1))
        if len(reading.documents) != 1 or reading.documents[0].error is not None:
            raise CannotEdit("the edited text would be unreadable; edit it by hand")
        return reading.documents[0].value


_TOO_DEEP = "the document is nested too deeply to edit; edit it by hand"
_SOMETHING_ELSE = "the edit would change something else in this text; edit it by hand"


def _within(path: str, edit: Edit) -> Edit:
    """Return the edit of an item of a List as an edit of the List."""
    if not path:
        return edit
    target = f"{path}.{edit.value}" if edit.action == "move" else edit.value
    return Edit(edit.action, f"{path}.{edit.field}", target)


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
