"""The text of a scalar in a document, before it is converted to a value."""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit, Steps, locate
from jobsworth.manifests.editing.editable_text import EditableText
from jobsworth.manifests.editing.ranges import SCALAR
from jobsworth.manifests.parsing.document import Document, Text
from jobsworth.manifests.parsing.position_index import PositionNode

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
