"""Building blocks of the JSON Schema of a JobPolicy."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

MAX_INT64 = 2**63 - 1
SHARE_PATTERN = "^(100|[1-9]?[0-9])%$"

NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_INT64}
SHARE: Schema = {**NUMBER, "type": ["integer", "string"], "pattern": SHARE_PATTERN}
"""A number, or a percentage of the completions."""


def closed(properties: Schema, *, required: list[str] | None = None, **more: Any) -> Schema:
    """Return the schema of an object that allows no other fields."""
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **more,
    }


def text(description: str, **more: Any) -> Schema:
    """Return the schema of a string that is not empty."""
    return {"type": "string", "minLength": 1, "description": description, **more}


def by_key(value: Schema, description: str) -> Schema:
    """Return the schema of a non-empty map with arbitrary keys and values of one type."""
    return {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": value,
        "description": description,
    }


def listed(item: Schema, description: str) -> Schema:
    """Return the schema of a non-empty list of unique items."""
    return {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": item,
        "description": description,
    }


def texts(description: str) -> Schema:
    """Return the schema of a non-empty list of unique, non-empty strings."""
    return listed({"type": "string", "minLength": 1}, description)
