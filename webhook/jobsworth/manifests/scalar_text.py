"""What a scalar says in the text of a document, before anything is made of it."""

from __future__ import annotations

from jobsworth.api.editing import CannotEdit, locate
from jobsworth.manifests.sheet import Sheet
from jobsworth.manifests.spans import SCALAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jobsworth.manifests.values import Value

_BYTE_ORDER_MARK = "\ufeff"


def scalar_text(data: bytes, path: str, value: Value, field: str, *, json: bool) -> str | None:
    """Give what a scalar says, without its quotes and tag; None where there is no scalar.

    ``data`` is the text, ``path`` leads in it to the object whose ``value`` has the ``field``.
    """
    place = locate(value, field)
    try:
        source = data.decode("utf-8", "surrogateescape").removeprefix(_BYTE_ORDER_MARK)
        sheet = Sheet(source, json=json)
        found = sheet.find((*locate(None, path).missing, *place.steps))
    except CannotEdit:
        return None
    return found.span.text if found.span.kind == SCALAR and not place.missing else None
