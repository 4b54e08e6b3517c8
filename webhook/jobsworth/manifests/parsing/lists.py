"""Lists of objects: each item of a ``List``, ``JobList`` and so on is a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.manifests.parsing.records import ManifestError, Note

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobsworth.manifests.parsing.document import Document
    from jobsworth.manifests.parsing.fast_yaml import Value


def expand_lists(documents: Iterable[Document]) -> list[Document]:
    """Replace each List by its items, and Lists among the items by theirs.

    A List has an ``apiVersion``, a ``kind`` that ends in List, and a list of ``items``. An item
    with neither apiVersion nor kind inherits them, as in kubectl: in a batch/v1 JobList it is a
    batch/v1 Job (decodeToList in apimachinery's unstructured/helpers.go).
    """
    expanded: list[Document] = []
    for document in documents:
        value = document.value
        if isinstance(value, dict) and _is_list(value):
            expanded.extend(_items_of(document, value))
        else:
            expanded.append(document)
    return expanded


def _is_list(value: dict[str, Value]) -> bool:
    kind = value.get("kind")
    return (
        isinstance(value.get("items"), list)
        and isinstance(kind, str)
        and kind.endswith("List")
        and bool(value.get("apiVersion"))
    )


def _items_of(document: Document, value: dict[str, Value]) -> list[Document]:
    found: list[Document] = []
    waiting: list[tuple[str, dict[str, Value]]] = [("", value)]
    for path, outer in waiting:  # grows by the Lists among the items
        kind, items = str(outer["kind"]).removesuffix("List"), outer["items"]
        for number, item in enumerate(items if isinstance(items, list) else ()):
            place = f"{path}.items[{number}]" if path else f"items[{number}]"
            if not isinstance(item, dict):
                found.append(_broken(document, len(found), place))
                continue
            if not item.get("kind") and not item.get("apiVersion") and kind:
                item["apiVersion"], item["kind"] = outer["apiVersion"], kind
            if _is_list(item):
                waiting.append((place, item))
            else:
                notes = _notes_within(document, place, first=not found)
                found.append(document.of_item(len(found), item, path=place, notes=notes))
    return found


def _broken(document: Document, number: int, place: str) -> Document:
    position = document.position(place)
    error = ManifestError(
        document.file,
        position.line,
        position.column,
        "an item of a List must be an object with apiVersion and kind",
    )
    return document.of_item(number, None, path=place, error=error)


def _notes_within(document: Document, place: str, *, first: bool) -> tuple[Note, ...]:
    """Return an item's notes, with paths within it; the first item also has those of the List."""
    prefix = f"{place}."
    notes = [
        Note(note.kind, note.field.removeprefix(prefix), note.message, note.position, note.other)
        for note in document.notes
        if note.field.startswith(prefix) or (first and not note.field.startswith("items["))
    ]
    return tuple(notes)
