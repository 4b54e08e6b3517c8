"""The text of a scalar in a document, before it is converted to a value."""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit, locate
from jobsworth.manifests.editing.editable_text import EditableText
from jobsworth.manifests.editing.ranges import SCALAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.manifests.parsing.document import Document

_BYTE_ORDER_MARK = "\ufeff"


def scalar_text(document: Document, field: str) -> str | None:
    """Return the text of a scalar, without quotes and tag: ``yes`` for a value of True.

    None if the field does not exist or is not a scalar.
    """
    place = locate(document.value, field)
    data = document.text
    try:
        source = data.decode("utf-8", "surrogateescape").removeprefix(_BYTE_ORDER_MARK)
        sheet = EditableText(source, json=document.is_json)
        found = sheet.find((*locate(None, document.path).missing, *place.steps))
    except CannotEdit:
        return None
    return found.span.text if found.span.kind == SCALAR and not place.missing else None
