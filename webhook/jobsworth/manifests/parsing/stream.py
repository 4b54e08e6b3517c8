"""Decode the bytes of a file into its documents; each item of a ``List`` is a document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from jobsworth.manifests.parsing.document import Document, Source, Text
from jobsworth.manifests.parsing.records import ManifestError, Note, Position
from jobsworth.manifests.parsing.stream_state import GO_SPACES, UTF16, UTF16_MARKS, StreamState

if TYPE_CHECKING:
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


_LOOKAHEAD = 4096
"""The number of bytes in which kubectl looks for the ``{`` of JSON (cli-runtime's visitor.go)."""


def read_text(data: bytes, file: str) -> list[Document]:
    """Return the documents in the bytes of a file; ``file`` is its name, which identifies JSON.

    A file named ``.json`` is decoded as strict JSON, as the API server does; any other as kubectl
    does. An unreadable document has an ``error``; the documents after it are still read. Empty
    documents are omitted. Each item of a List is a document.
    """
    from jobsworth.manifests.parsing import yaml_stream

    reading = StreamState(Source(file, data))
    if data.startswith(UTF16_MARKS):
        start = Position(1, 1)
        reading.broken(Text(reading.source, b"", start, "yaml"), UTF16, start)
    elif file[-5:].lower() == ".json":
        from jobsworth.manifests.parsing.json_stream import read_json

        read_json(reading)
    elif _begins_like_json(data):
        from jobsworth.manifests.parsing.json_stream import read_json_or_yaml

        read_json_or_yaml(reading)
    else:
        yaml_stream.read_yaml(reading, data, Position(1, 1))
    return expand_lists(reading.documents)


def _begins_like_json(data: bytes) -> bool:
    head = data[:_LOOKAHEAD].lstrip(b" \t\n\v\f\r")
    if head[:1] in (b"\xc2", b"\xe1", b"\xe2", b"\xe3"):  # possibly a Unicode space
        return head.decode("utf-8", "replace").lstrip(GO_SPACES).startswith("{")
    return head.startswith(b"{")
