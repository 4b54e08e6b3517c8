"""Tolerations as JSON in an annotation, which preceded the field (Kubernetes 1.6).

Imported only if a template has that annotation.
"""

from __future__ import annotations

import json
from typing import Any

_FIELDS = {
    "key": ("key", "Key", "string"),
    "operator": ("operator", "Operator", "core.TolerationOperator"),
    "value": ("value", "Value", "string"),
    "effect": ("effect", "Effect", "core.TaintEffect"),
    "tolerationseconds": ("tolerationSeconds", "TolerationSeconds", "int64"),
}
"""For each lowercase name: the field name, and the server's names of the field and its type."""

_KINDS = {
    dict: "object",
    list: "array",
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
}


class BadTolerations(ValueError):
    """A text that is not a list of tolerations; for a wrong type, the API server's message."""


def read(text: str) -> list[dict[str, Any]]:
    """Decode the tolerations, omitting unset fields and empty strings.

    >>> read('[{"Key": "a", "operator": "Exists"}]')
    [{'key': 'a', 'operator': 'Exists'}]

    Raises:
        BadTolerations: the text is not JSON, or not a list of tolerations.
    """
    try:
        value = json.loads(text, parse_constant=_not_json)
    except (ValueError, RecursionError) as error:
        raise BadTolerations(f"not JSON: {error}") from None
    if value is None:
        return []
    if type(value) is not list:
        raise BadTolerations(
            f"json: cannot unmarshal {_KINDS[type(value)]} into Go value of type []core.Toleration"
        )
    return [_toleration(item) for item in value]


def _not_json(constant: str) -> None:
    raise ValueError(constant)


def _toleration(item: Any) -> dict[str, Any]:
    toleration: dict[str, Any] = {}
    if item is None:
        return toleration
    if type(item) is not dict:
        raise BadTolerations(
            f"json: cannot unmarshal {_KINDS[type(item)]} into Go value of type core.Toleration"
        )
    for key, value in item.items():
        if value is None or key.lower() not in _FIELDS:
            continue
        name, go_name, go_type = _FIELDS[key.lower()]
        wrong = _wrong_integer(value) if go_type == "int64" else _wrong_string(value)
        if wrong:
            target = f"struct field Toleration.{go_name} of type {go_type}"
            raise BadTolerations(f"json: cannot unmarshal {wrong} into Go {target}")
        if value == "":
            toleration.pop(name, None)
        else:
            toleration[name] = value
    return toleration


def _wrong_integer(value: Any) -> str:
    """Return the JSON type of a value that is not a 64-bit integer, or "" if it is one."""
    if type(value) is int:
        return "" if -(2**63) <= value < 2**63 else f"number {value}"
    return f"number {value}" if type(value) is float else _KINDS[type(value)]


def _wrong_string(value: Any) -> str:
    return "" if type(value) is str else _KINDS[type(value)]
