"""Parts of the JSON Schemas of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


DIALECT = "https://json-schema.org/draft/2020-12/schema"
POD_FAILURE_ACTIONS = ("FailJob", "FailIndex", "Ignore", "Count")
"""The actions of a rule of ``spec.podFailurePolicy`` (KEP-3329)."""
FAILURE_EFFECTS = ("fails the Job", "fails the index", "counted", "ignored")
"""The effects of a failed Pod."""


def object_schema(
    required: dict[str, Any], optional: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the schema of an object; it allows unknown keys."""
    return {
        "type": "object",
        "required": [*required],
        "properties": {**required, **(optional or {})},
    }


def version_schema(version: int) -> dict[str, Any]:
    """Return the schema of the version of a report."""
    return {"const": version, "description": "The version of this structure."}


def list_schema(items: dict[str, Any], description: str) -> dict[str, Any]:
    """Return the schema of a list."""
    return {"type": "array", "items": items, "description": description}


def text_schema(description: str) -> dict[str, Any]:
    """Return the schema of a text."""
    return {"type": "string", "description": description}


def text_or_null_schema(description: str) -> dict[str, Any]:
    """Return the schema of a text or null."""
    return {"type": ["string", "null"], "description": description}


def number_schema(description: str) -> dict[str, Any]:
    """Return the schema of a whole number from 0."""
    number: dict[str, Any] = {"type": "integer", "minimum": 0}
    return {**number, "description": description} if description else number


def number_or_null_schema(description: str = "") -> dict[str, Any]:
    """Return the schema of a whole number from 0, or null."""
    return {**number_schema(description), "type": ["integer", "null"]}


def amount_schema(description: str = "") -> dict[str, Any]:
    """Return the schema of a number from 0."""
    return {**number_schema(description), "type": "number"}


def amount_or_null_schema(description: str = "") -> dict[str, Any]:
    """Return the schema of a number from 0, or null."""
    return {**number_schema(description), "type": ["number", "null"]}


def map_schema(
    values: dict[str, Any], description: str, names: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Return the schema of a map; with names, it has no other keys."""
    keys = {"propertyNames": {"enum": list(names)}} if names else {}
    return {"type": "object", "additionalProperties": values, "description": description, **keys}


def time_schema(description: str = "") -> dict[str, Any]:
    """Return the schema of a time (RFC 3339)."""
    time: dict[str, Any] = {"type": "string", "format": "date-time"}
    return {**time, "description": description} if description else time


def time_or_null_schema(description: str = "") -> dict[str, Any]:
    """Return the schema of a time or null."""
    return {**time_schema(description), "type": ["string", "null"]}


def or_null_schema(schema: dict[str, Any], description: str) -> dict[str, Any]:
    """Return the schema of a value or null."""
    return {"anyOf": [schema, {"type": "null"}], "description": description}


def event_schema() -> dict[str, Any]:
    """Return the schema of an Event about a Job or Pod."""
    return object_schema(
        {
            "at": time_or_null_schema("When it happened last."),
            "type": {"type": "string"},
            "reason": {"type": "string"},
            "message": {"type": "string"},
            "count": number_schema("How often it happened."),
        }
    )
