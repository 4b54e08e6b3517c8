"""The documentation of the field under the cursor: meaning, type, values, default, release and gate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lsprotocol import types

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Struct
from jobsworth.api.declared_types import field_at
from jobsworth.api.descriptions import field_descriptions
from jobsworth.api.jobset.versions import API_VERSION, KIND
from jobsworth.api.kinds import kind
from jobsworth.lsp.open_text import OpenText
from jobsworth.manifests import Document, read_text
from jobsworth.manifests.parsing.nodes import child_path
from jobsworth.printable import printable

Steps = Sequence[str | int]


def hover(text: OpenText, server: ApiServer, position: types.Position) -> types.Hover | None:
    """Return the documentation of the field at a position; None where there is no known field.

    Args:
        text: a text.
        server: the API server of the file.
        position: the editor's position.
    """
    offset = text.positions.offset_at(position)
    line, column = text.positions.place(offset)
    document = _document_at(read_text(text.data, text.path), line, column)
    if document is None:
        return None
    steps, place = document.steps_at(line, column)
    if place is None or place.line != line or not isinstance(steps[-1], str):
        return None
    root = _type_of(document.value)
    inner = _below(steps, document.path)
    found = field_at(root, inner) if root is not None and inner else None
    if found is None:
        return None
    start = text.positions.offset(place.line, place.column)
    shown = text.positions.range(start, start + len(steps[-1]))
    lines = field_documentation(*found, _path(inner), server)
    content = types.MarkupContent(types.MarkupKind.Markdown, "\n".join(lines))
    return types.Hover(content, shown)


def _document_at(documents: Sequence[Document], line: int, column: int) -> Document | None:
    """Return the last readable document that begins before a place."""
    found = None
    for document in documents:
        if document.error is None:
            start = document.position("")
            if found is None or (start.line, start.column) <= (line, column):
                found = document
    return found


def _type_of(value: Any) -> Struct | None:
    """Return the type of an object whose fields are declared; None for another."""
    if not isinstance(value, dict):
        return None
    api_version, name = value.get("apiVersion"), value.get("kind")
    if (api_version, name) == (API_VERSION, KIND):
        from jobsworth.api.jobset.job_set import JobSet

        return JobSet
    return kind(api_version, name)


def _below(steps: Steps, path: str) -> Steps:
    """Return the steps below a path; none if they lead elsewhere."""
    for index in range(len(steps) + 1):
        if _path(steps[:index]) == path:
            return steps[index:]
    return []


def _path(steps: Steps) -> str:
    path = ""
    for step in steps:
        path = child_path(path, step)
    return path


def field_documentation(
    holder: Struct, field: Field, path: str, server: ApiServer
) -> Iterator[str]:
    """Yield the documentation of a field as Markdown.

    Args:
        holder: the type that has the field.
        field: the field.
        path: its path in the object.
        server: the API server of the object.
    """
    yield f"`{printable(path)}`: {_type_name(field.type)}"
    text = field_descriptions().get(f"{holder.name}.{field.name}")
    if text:
        yield ""
        yield text
    facts = list(_facts(field, server))
    if facts:
        yield ""
        yield from (f"- {fact}" for fact in facts)


def _facts(field: Field, server: ApiServer) -> Iterator[str]:
    names = [
        name
        for name in field.enum or field.values
        if name and server.knows(field.values_since.get(name, ""), "")
    ]
    if names:
        yield "values: " + ", ".join(f"`{name}`" for name in names)
    if field.default not in (None, {}):
        yield f"default: `{_literal(field.default)}`"
    if field.bounds is not None:
        yield field.bounds.detail
    if field.required is not False:
        yield "required"
    if field.since:
        yield f"since Kubernetes {field.since}" + _unknown_to(field, server)
    if field.until:
        yield f"until Kubernetes {field.until}"
    if field.gate and server.knows(field.since, field.until):
        state = "on" if server.enabled(field.gate) else "off: the server drops the field"
        yield f"feature gate {server.name_of(field.gate)}, {state} in {server.release}"


def _unknown_to(field: Field, server: ApiServer) -> str:
    known = server.knows(field.since, field.until)
    return "" if known else f": {server.release} does not know the field"


def _literal(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _type_name(kind: Any) -> str:
    """Return the name of a type for people.

    >>> from jobsworth.api.declare import Int32, String
    >>> _type_name(ListOf(Int32)), _type_name(MapOf(String)), _type_name(Pointer(String))
    ('list of int32', 'map of string', 'string')
    """
    if isinstance(kind, Pointer):
        return _type_name(kind.target)
    if isinstance(kind, ListOf):
        return f"list of {_type_name(kind.item)}"
    if isinstance(kind, MapOf):
        return f"map of {_type_name(kind.value)}"
    return str(kind)
