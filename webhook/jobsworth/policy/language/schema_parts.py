"""Pieces of which the JSON Schema of a JobPolicy is made."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

MAX_INT64 = 2**63 - 1
SHARE_PATTERN = "^(100|[1-9]?[0-9])%$"

NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_INT64}
SHARE: Schema = {**NUMBER, "type": ["integer", "string"], "pattern": SHARE_PATTERN}
"""A number, or a percentage of the completions."""


def closed(properties: Schema, *, required: list[str] | None = None, **more: Any) -> Schema:
    """An object that has no other fields than these."""
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
        **more,
    }


def text(description: str, **more: Any) -> Schema:
    """A string that is not empty."""
    return {"type": "string", "minLength": 1, "description": description, **more}


def by_key(value: Schema, description: str) -> Schema:
    """An object of any keys, at least one, that have values of one kind."""
    return {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": value,
        "description": description,
    }


def listed(item: Schema, description: str) -> Schema:
    """A list of different items, at least one."""
    return {
        "type": "array",
        "minItems": 1,
        "uniqueItems": True,
        "items": item,
        "description": description,
    }


def texts(description: str) -> Schema:
    """A list of different strings, none of them empty."""
    return listed({"type": "string", "minLength": 1}, description)
