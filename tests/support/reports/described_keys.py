"""The keys of a report that its schema does not describe."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator

Schema = dict[str, Any]


def undescribed(value: Any, schema: Schema) -> list[str]:
    """Return the paths of the keys of a valid report that its schema allows and does not describe."""
    return sorted({*_undescribed(value, [schema], schema, "")})


def _undescribed(value: Any, schemas: list[Schema], root: Schema, path: str) -> Iterator[str]:
    if {} in schemas:  # any value is meant
        return
    meant = [each for schema in schemas for each in _meant(value, schema, root)]
    if isinstance(value, dict):
        for key, part in value.items():
            found = [each["properties"][key] for each in meant if key in each.get("properties", {})]
            found += [
                each["additionalProperties"] for each in meant if "additionalProperties" in each
            ]
            if not found:
                yield f"{path}.{key}"
            yield from _undescribed(part, found, root, f"{path}.{key}")
    elif isinstance(value, list):
        items = [each["items"] for each in meant if "items" in each]
        for item in value:
            yield from _undescribed(item, items, root, f"{path}[]")


def _meant(value: Any, schema: Schema, root: Schema) -> Iterator[Schema]:
    """Yield a schema and those to which it refers, of alternatives those that the value meets."""
    if "$ref" in schema:
        yield from _meant(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
        return
    yield schema
    for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if Draft202012Validator({**each, "$defs": root.get("$defs", {})}).is_valid(value):
            yield from _meant(value, each, root)
