"""Check a document against a schema, with messages that say what to do.

It knows the keywords of :mod:`jobsworth.simulation.scenario_schema`, no others. The schema library of the
policies needs packages that a plain installation does not have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from jobsworth.findings.near_names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.simulation.scenario_schema import Schema

Problem = tuple[str, str]
"""A field path and a message."""

NO_ITEM = "needs at least one item"
_MOST_SHOWN = 60


def problems(value: Any, schema: Schema, path: str = "") -> Iterator[Problem]:
    """Yield the problems of a value that is to match a schema."""
    if "const" in schema:
        if value != schema["const"]:
            yield path, f"must be {schema['const']}, not {_shown(value)}"
        return
    if "enum" in schema:
        if value not in schema["enum"]:
            hint = did_you_mean(value, schema["enum"]) if isinstance(value, str) else ""
            yield path, f"{_shown(value)} is none of {', '.join(schema['enum'])}. {hint}".strip()
        return
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind = next((name for name in types if _TYPES[name](value)), None)
    if kind is None:
        yield path, f"must be {' or '.join(_WORDS[name] for name in types)}, not {_shown(value)}"
        return
    yield from _CHECKS.get(kind, _nothing)(value, schema, path)


def _nothing(value: Any, schema: Schema, path: str) -> Iterator[Problem]:
    yield from ()


def _object(value: dict[str, Any], schema: Schema, path: str) -> Iterator[Problem]:
    fields = schema.get("properties")
    if fields is None:
        return
    for name in schema.get("required", ()):
        if name not in value:
            yield _below(path, name), "is required"
    if not schema.get("minProperties", 0) <= len(value) <= schema.get("maxProperties", 10**9):
        yield path, f"needs exactly one of {', '.join(fields)}"
    for name, below in value.items():
        if name not in fields:
            hint = did_you_mean(name, fields) if isinstance(name, str) else ""
            known = hint or f"known fields: {', '.join(fields)}"
            yield _below(path, str(name)), f"unknown field; {known}"
        else:
            yield from problems(below, fields[name], _below(path, name))


def _array(value: list[Any], schema: Schema, path: str) -> Iterator[Problem]:
    if len(value) > schema.get("maxItems", 10**9):
        yield path, f"has {len(value)} items; at most {schema['maxItems']} are supported"
        return
    if len(value) < schema.get("minItems", 0):
        yield path, NO_ITEM
    for number, item in enumerate(value):
        yield from problems(item, schema["items"], f"{path}[{number}]")


def _string(value: str, schema: Schema, path: str) -> Iterator[Problem]:
    if len(value) > schema.get("maxLength", 10**9):
        yield path, f"is longer than {schema['maxLength']} characters"
        return
    pattern = schema.get("pattern")
    if pattern is not None and not re.search(pattern, value):
        example = _example(schema["description"])
        yield path, f"{_shown(value)} is not valid; expected: {example}"


def _number(value: float, schema: Schema, path: str) -> Iterator[Problem]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and value < low:
        yield path, f"must be at least {low}, not {_shown(value)}"
    elif high is not None and value > high:
        yield path, f"must be at most {high}, not {_shown(value)}"


def _example(description: str) -> str:
    return description.rstrip(".")


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _shown(value: Any) -> str:
    if isinstance(value, dict | list):
        return _WORDS["object" if isinstance(value, dict) else "array"]
    if value is None:
        return "nothing"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


_CHECKS: dict[str, Callable[[Any, Schema, str], Iterator[Problem]]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _number,
    "number": _number,
}
_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
_WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
}
