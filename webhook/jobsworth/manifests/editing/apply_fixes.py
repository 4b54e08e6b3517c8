"""Apply fixes to the text of a manifest and change nothing else.

Indentation, quotes, comments, line ends and the other documents of the file stay byte for byte. To
guarantee that, every changed document is read again as kubectl reads it. If its value is not the one
that the edits produce, the fix is rejected and the file stays unchanged.
"""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit, edited, identical
from jobsworth.findings.fix import Edit
from jobsworth.manifests.editing.editable_text import EditableText
from jobsworth.manifests.editing.text_edits import applied
from jobsworth.manifests.parsing.document import Source
from jobsworth.manifests.parsing.records import Position
from jobsworth.manifests.parsing.stream_state import StreamState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.findings.fix import Fix
    from jobsworth.manifests.parsing.document import Document
    from jobsworth.manifests.parsing.fast_yaml import Value

_BYTE_ORDER_MARK = "\ufeff"


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
    passage = DocumentText(data, document)
    for edit in fix.edits:
        passage = passage.edited(_within(document._path, edit))
    return passage.bytes()


class DocumentText:
    """The part of a file that contains the text of one document, to be edited."""

    __slots__ = ("_after", "_before", "_json", "_language", "_text", "_value")

    def __init__(self, data: bytes, document: Document) -> None:
        whole = data.decode("utf-8", "surrogateescape")
        start, end = _bounds(whole, document)
        self._language = document._text.language
        self._json = self._language != "yaml"
        self._before = whole[:start]
        self._text = whole[start:end]
        self._after = whole[end:]
        self._value = self._read(self._text)

    def edited(self, edit: Edit) -> DocumentText:
        """Return the passage with an edit applied; raise CannotEdit if that is impossible."""
        try:
            wanted = edited(self._value, edit)
            text = applied(EditableText(self._text, json=self._json), self._value, edit).text
            same = identical(self._read(text), wanted)
        except RecursionError as error:
            raise CannotEdit(
                "the document is nested too deeply to edit; edit it by hand"
            ) from error
        if not same:
            raise CannotEdit("the edit would change something else in this text; edit it by hand")
        passage = object.__new__(DocumentText)
        passage._language, passage._json = self._language, self._json
        passage._before, passage._after = self._before, self._after
        passage._text, passage._value = text, wanted
        return passage

    def bytes(self) -> bytes:
        """Return the bytes of the whole file."""
        return (self._before + self._text + self._after).encode("utf-8", "surrogateescape")

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


def _bounds(whole: str, document: Document) -> tuple[int, int]:
    """Return the start and end index of a document's text in its file."""
    begin, text = document._text.begin, document._text.data.decode("utf-8", "surrogateescape")
    start = 0
    for _ in range(begin.line - 1):
        start = whole.index("\n", start) + 1
    if start == 0 and whole.startswith(_BYTE_ORDER_MARK):
        start = 1
    start += begin.column - 1
    if document._text.language != "yaml":
        return start, start + len(text)
    end = start
    for _ in range(text.count("\n")):
        end = whole.find("\n", end) + 1
        if not end:
            end = len(whole)  # the reader adds a line feed that the last line of a file may lack
            break
    if whole.startswith(_BYTE_ORDER_MARK, start):
        start += 1
    return start, end


def _within(path: str, edit: Edit) -> Edit:
    """Return the edit of an item of a List as an edit of the List."""
    if not path:
        return edit
    target = f"{path}.{edit.value}" if edit.action == "move" else edit.value
    return Edit(edit.action, f"{path}.{edit.field}", target)
