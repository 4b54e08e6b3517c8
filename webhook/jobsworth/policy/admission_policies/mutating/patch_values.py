"""Values of CEL as the partial objects and the JSON Patches that they stand for.

Source: ``plugin/policy/mutating/patch`` and ``cel/mutation/dynamic`` of k8s.io/apiserver 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube_cel.values import CelError, Struct, Uint, Unknown, UnknownValue, type_name

MAX_SAFE_INTEGER = 2**53 - 1
"""The largest integer that a JSON Patch has as a number; larger ones become texts, as in cel-go."""

_SCALARS = (bool, int, float, str)


def partial_object(value: Struct, names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the partial object that an ``Object`` stands for.

    A map or list that an expression makes inside of another one is not one to the API server, unless it is an
    ``Object``: ``[{"name": "a"}]`` is denied where ``[Object.spec.volumes{name: "a"}]`` is not.

    Args:
        value: the ``Object``.
        names: the variables of the expression, whose maps and lists are ones to the API server.

    Raises:
        CelError: the type of an object does not fit its place, in the words of the API server.
        UnknownValue: it has a value that objects do not have.
    """
    _check_types(value)
    return _plain_fields(value, {id(part) for part in _containers([*names.values()])})


def operations(value: list[Struct]) -> list[dict[str, Any]]:
    """Return the operations of a JSON Patch.

    Raises:
        CelError: the type of an object does not fit its place, in the words of the API server.
        UnknownValue: a value has no JSON.
    """
    made = []
    for each in value:
        operation = {"op": "", "path": "", **each.fields}
        if "value" in operation:
            inner = operation["value"]
            if isinstance(inner, Struct):
                _check_types(inner)
            operation["value"] = _json(inner)
        made.append(operation)
    return made


def _check_types(value: Struct) -> None:
    errors = list(_type_errors(value, value.type_name))
    if errors:
        raise CelError("type mismatch: " + "\n".join(errors))


def _type_errors(value: Any, path: str) -> Iterator[str]:
    """Yield the errors of objects whose type is not that of the fields that lead to them."""
    if isinstance(value, Struct):
        if value.type_name != path:
            yield (
                f'unexpected type name "{value.type_name}", expected "{path}", '
                "which matches field name path from root Object type"
            )
        for name, part in value.fields.items():
            yield from _type_errors(part, f"{path}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from _type_errors(item, path)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _type_errors(item, path)


def _containers(values: list[Any]) -> Iterator[Any]:
    """Yield the maps and lists in values, at any depth."""
    while values:
        part = values.pop()
        if isinstance(part, (dict, list)):
            yield part
            values.extend(part.values() if isinstance(part, dict) else part)


class _Made:
    """A map or list that an expression makes inside of another one."""

    def __init__(self, value: dict[Any, Any] | list[Any]) -> None:
        self._value = value

    def __str__(self) -> str:
        """Return it as Go prints it."""
        if isinstance(self._value, list):
            return f"[{' '.join(map(str, self._value))}]"
        return f"map[{' '.join(f'{key}:{part}' for key, part in sorted(self._value.items()))}]"


def _plain_fields(value: Struct, known: set[int]) -> dict[str, Any]:
    return {name: _plain(part, known) for name, part in value.fields.items()}


def _plain(value: Any, known: set[int]) -> Any:
    """Return the value of a field of a partial object."""
    if isinstance(value, Struct):
        return _plain_fields(value, known)
    if isinstance(value, list):
        return [_item(part, known) for part in value]
    if isinstance(value, dict):
        return {_text_key(key): _item(part, known) for key, part in value.items()}
    return _NULL if value is None else _scalar(value)


def _item(value: Any, known: set[int]) -> Any:
    """Return an item of a list, or the value of a key of a map."""
    if isinstance(value, (dict, list)) and id(value) not in known:
        return _Made(value)
    return _plain(value, known)


def _text_key(key: Any) -> str:
    if not isinstance(key, str):
        raise UnknownValue(f"a map of it has a key of type {type_name(key)}")
    return key


class _Null:
    """The null of a partial object: to the API server it is a value, which no field can have."""

    def __str__(self) -> str:
        return "NULL_VALUE"


_NULL = _Null()


def _scalar(value: Any) -> Any:
    if isinstance(value, Unknown):
        raise UnknownValue(value.reason)
    if isinstance(value, float) and value.is_integer():
        return int(value)  # to JSON, 2.0 and 2 are one number
    if type(value) in _SCALARS:
        return value
    if isinstance(value, Uint):
        return int(value)
    raise UnknownValue(f"it sets a value of type {type_name(value)}")


def _json(value: Any) -> Any:
    """Return the value of an operation."""
    if isinstance(value, Struct):
        return {name: _json(part) for name, part in value.fields.items()}
    if isinstance(value, list):
        return list(map(_json, value))
    if isinstance(value, dict):
        return {_text_key(key): _json(part) for key, part in value.items()}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > MAX_SAFE_INTEGER:
        return str(int(value))
    return None if value is None else _scalar(value)
