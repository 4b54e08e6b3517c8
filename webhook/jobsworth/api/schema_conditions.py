"""Conditions of JSON Schema, for the rules that it can express.

A condition stands at the function that checks the rule, as an argument of
:meth:`~jobsworth.api.declare.Struct.in_schema`; :mod:`jobsworth.validation.json_schema` compiles it. It may
be more lenient than the rule, never stricter.

>>> when(is_set("maxFailedIndexes"), is_("completionMode", "Indexed"))["then"]
{'required': ['completionMode'], 'properties': {'completionMode': {'const': 'Indexed'}}}
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

LAST = 100
"""The place of conditions without one."""


class SchemaCondition:
    """A condition on the objects of a type.

    Args:
        fields: the fields of the type in the condition; schemas of releases without one of them omit it.
        schema: a schema that every object accepted by the API server satisfies.
        place: orders the conditions of a type in its schema; equal ones stand in the order of the rules.
            Users compare published schemas, so a condition keeps its place.
        message: the server's words for an object that does not satisfy it, for editors: without the field,
            and without a value. Empty if the keywords of the schema say as much.
        since: the first release with the rule; empty for "1.25" and earlier.
    """

    __slots__ = ("fields", "message", "place", "schema", "since")

    def __init__(
        self, *fields: str, schema: Schema, place: int = LAST, message: str = "", since: str = ""
    ) -> None:
        self.fields = fields
        self.schema = schema
        self.place = place
        self.message = message
        self.since = since


NULL: Schema = {"type": "null"}
OBJECT: Schema = {"type": "object"}


def is_set(*fields: str) -> Schema:
    """Return a schema that requires all these fields to be set, and not to null."""
    return {"required": list(fields), "properties": {field: {"not": NULL} for field in fields}}


def is_(field: str, value: str) -> Schema:
    """Return a schema that requires a field to have this value."""
    return {"required": [field], "properties": {field: {"const": value}}}


def when(condition: Schema, then: Schema) -> Schema:
    """Return a schema that requires the second schema of objects that satisfy the first."""
    return {"if": condition, "then": then}


def within(path: str, schema: Schema) -> Schema:
    """Return a schema for a nested field that must be set."""
    for field in reversed(path.split(".")):
        schema = {"required": [field], "properties": {field: schema}}
    return schema


def where_present(path: str, schema: Schema) -> Schema:
    """Return a schema for a nested field, if it is set."""
    for field in reversed(path.split(".")):
        schema = {"properties": {field: schema}}
    return schema
