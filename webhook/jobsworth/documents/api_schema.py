"""Schemas of the parts of a Pod that a policy has as they are in a Pod, from the declarations of the API.

They have the fields and types of every release. What else the API server requires of a value is checked with
the policy: see :mod:`jobsworth.policy.defaults`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Scalar, Struct
from jobsworth.api.descriptions import field_descriptions
from jobsworth.documents.declared import Schema

MAX_ENTRIES = 256
"""The maximum number of entries of a list or map, unless it has a smaller maximum of its own."""

MAX_TEXT = 4096
"""The maximum number of characters of a text."""

_DESCRIPTIONS = field_descriptions()
_SCALARS: dict[str, Schema] = {
    "string": {"type": "string", "maxLength": MAX_TEXT},
    "boolean": {"type": "boolean"},
    "int32": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "int64": {"type": "integer"},
    "quantity": {"type": ["integer", "string"]},
}


def api_schema(declared: Any, only: Sequence[str] = ()) -> Schema:
    """Return the schema of a type of the API: closed, without null, with bounded lists and maps.

    Args:
        declared: the type.
        only: the fields that a policy may have; empty for all.
    """
    if isinstance(declared, Pointer):
        return api_schema(declared.target)
    if isinstance(declared, Scalar):
        return _SCALARS[declared.name]
    if isinstance(declared, ListOf):
        items = api_schema(declared.item)
        return {"type": "array", "items": items, "maxItems": MAX_ENTRIES}
    if isinstance(declared, MapOf):
        values = api_schema(declared.value)
        return {"type": "object", "additionalProperties": values, "maxProperties": MAX_ENTRIES}
    assert isinstance(declared, Struct)
    fields = {name: field for name, field in declared.fields.items() if not only or name in only}
    properties = {
        name: _field(field) | {"description": _DESCRIPTIONS[f"{declared.name}.{name}"]}
        for name, field in fields.items()
    }
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _field(field: Field) -> Schema:
    found = api_schema(field.type)
    return {"enum": list(field.enum)} if field.enum and "items" not in found else found
