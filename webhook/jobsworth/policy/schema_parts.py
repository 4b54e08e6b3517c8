"""Building blocks of the schema of a JobPolicy.

The blocks use the keywords of JSON Schema that a CustomResourceDefinition also has, and its
``x-kubernetes-validations`` for what only CEL can express there. Lists, maps and texts are bounded, because
the API server estimates the cost of these expressions from the bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

Schema = dict[str, Any]

MAX_INT64 = 2**63 - 1
SHARE_PATTERN = "^(100|[1-9]?[0-9])%$"

MAX_TEXT = 4096
"""The maximum number of characters of a text."""

MAX_ENTRIES = 256
"""The maximum number of entries of a list or map, unless it has a smaller maximum of its own."""

RULES = "x-kubernetes-validations"
"""The keyword for CEL rules: a CustomResourceDefinition has them, the JSON Schema does not."""

ANY = "`*` matches any characters."

NUMBER: Schema = {"type": "integer", "minimum": 0, "maximum": MAX_INT64}
SHARE: Schema = {**NUMBER, "type": ["integer", "string"], "pattern": SHARE_PATTERN}
"""A number, or a percentage of the completions."""


def closed(
    properties: Schema,
    *,
    required: Sequence[str] = (),
    rules: Sequence[Schema] = (),
    **more: Any,
) -> Schema:
    """Return the schema of an object that allows no other fields; ``rules`` are in CEL."""
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": list(required)} if required else {}),
        **({RULES: list(rules)} if rules else {}),
        **more,
    }


def text(description: str, **more: Any) -> Schema:
    """Return the schema of a string that is not empty."""
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_TEXT,
        "description": description,
        **more,
    }


def by_key(value: Schema, description: str) -> Schema:
    """Return the schema of a non-empty map with arbitrary keys and values of one type."""
    return {
        "type": "object",
        "minProperties": 1,
        "maxProperties": MAX_ENTRIES,
        "additionalProperties": value,
        "description": description,
    }


def listed(item: Schema, description: str) -> Schema:
    """Return the schema of a non-empty list of unique items."""
    return {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_ENTRIES,
        "uniqueItems": True,
        "items": item,
        "description": description,
    }


def texts(description: str) -> Schema:
    """Return the schema of a non-empty list of unique, non-empty strings."""
    return listed({"type": "string", "minLength": 1, "maxLength": MAX_TEXT}, description)


def rule(expression: str, message: str) -> Schema:
    """Return a CEL rule, for the keyword :data:`RULES`."""
    return {"rule": expression, "message": message}
