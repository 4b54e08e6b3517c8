"""Parts of the JSON Schemas of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any


def object_schema(
    required: dict[str, Any], optional: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return the schema of an object; it allows unknown keys."""
    return {
        "type": "object",
        "required": [*required],
        "properties": {**required, **(optional or {})},
    }


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
