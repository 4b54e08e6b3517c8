"""Merge a partial object into an object as server-side apply does (sigs.k8s.io/structured-merge-diff).

Structs and maps are merged by key, lists with keys item by item, sets as unions. Other lists, and what the
API declares to be atomic, are replaced as a whole: :mod:`jobsworth.api.list_types`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import (
    AnyJSON,
    Boolean,
    Int32,
    Int64,
    IntOrString,
    ListOf,
    MapOf,
    Pointer,
    Quantity,
    Scalar,
    Struct,
)
from jobsworth.api.list_types import ATOMIC_MAPS, ATOMIC_STRUCTS, DEFAULT_KEYS, LIST_MAPS, SETS

Owner = tuple[str, str]
"""The type and the field that hold a value; what lists and maps are depends on it."""

_NOWHERE: Owner = ("", "")
_NUMBERS = (Int32, Int64)
_ANY_SCALAR = (Quantity, IntOrString)
_WITHOUT = object()


class MergeError(ValueError):
    """A partial object does not fit the type of the object, in the words of the API server."""

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__(errors[0] if len(errors) == 1 else "\n  ".join(("errors:", *errors)))


def check(struct: Struct, value: Mapping[str, Any], server: ApiServer) -> None:
    """Check that each value of a partial object has the type of its field.

    Raises:
        MergeError: a field is unknown, or has a value of another type.
    """
    errors = [
        f"{path}: {message}" if path else message
        for path, message in _errors(struct, value, server, _NOWHERE)
    ]
    if errors:
        raise MergeError(errors)


def _errors(type_: Any, value: Any, server: ApiServer, owner: Owner) -> Iterator[tuple[str, str]]:
    """Yield the path and the message of each value of the wrong type."""
    if isinstance(type_, Pointer):
        type_ = type_.target
    if value is None or type_ is AnyJSON:
        return
    if isinstance(type_, Scalar):
        message = _of_scalar(type_, value)
        if message:
            yield "", message
    elif isinstance(type_, ListOf):
        yield from _of_items(type_, value, server, owner)
    elif not isinstance(value, dict):
        yield "", f"expected map, got {_in_go(value)}"
    else:
        for key, part in value.items():
            inner: Any = type_.value if isinstance(type_, MapOf) else None
            holder = _NOWHERE
            if isinstance(type_, Struct):
                field = type_.fields.get(key)
                if field is None or not field.is_kept_by(server, later=True):
                    yield f".{key}", "field not declared in schema"
                    return  # as the API server, which does not look at further fields of the map
                inner, holder = field.type, (type_.name, key)
            for path, message in _errors(inner, part, server, holder):
                yield f".{key}{path}", message


def _of_scalar(type_: Scalar, value: Any) -> str:
    """Return what is wrong with a scalar; empty for nothing."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if type_ in _NUMBERS:
        return "" if is_number else f"expected numeric (int or float), got {_go_type(value)}"
    if type_ is Boolean:
        return "" if isinstance(value, bool) else f"expected boolean, got {_in_go(value)}"
    if type_ in _ANY_SCALAR:
        is_scalar = isinstance(value, (bool, int, float, str))
        return "" if is_scalar else f"expected any scalar, got {_in_go(value)}"
    return "" if isinstance(value, str) else f"expected string, got {_in_go(value, of_type=True)}"


def _of_items(
    type_: ListOf, value: Any, server: ApiServer, owner: Owner
) -> Iterator[tuple[str, str]]:
    if not isinstance(value, list):
        yield "", f"expected list, got {_in_go(value)}"
        return
    seen: set[str] = set()
    for index, item in enumerate(value):
        step = f"[{index}]"
        if owner in LIST_MAPS or owner in SETS:
            problem = _unkeyed(item, keyed=owner in LIST_MAPS)
            if problem:
                yield "", f"element {index}: {problem}"
                return
            step = _step(item, owner)
            if step in seen:
                yield "", f"duplicate entries for key {step}"
            seen.add(step)
        for path, message in _errors(type_.item, item, server, _NOWHERE):
            yield f"{step}{path}", message


def _unkeyed(item: Any, *, keyed: bool) -> str:
    """Return why an item of an associative list has no key; empty if it has."""
    if keyed:
        if item is None:
            return "associative list with keys may not have a null element"
        if not isinstance(item, dict):
            return "associative list with keys may not have non-map elements"
        return ""
    if isinstance(item, dict):
        return "associative list without keys has an element that's a map type"
    if isinstance(item, list):
        return "not supported: associative list with lists as elements"
    return (
        "associative list without keys has an element that's an explicit null"
        if item is None
        else ""
    )


def _step(item: Any, owner: Owner) -> str:
    """Return the step of a path to an item of an associative list, which is also its identity."""
    keys = LIST_MAPS.get(owner)
    if keys is None:
        return f"[={json.dumps(item, ensure_ascii=False)}]"
    parts = (
        f"{key}={json.dumps(item.get(key, DEFAULT_KEYS.get(key, '')), ensure_ascii=False)}"
        for key in sorted(keys)
    )
    return f"[{','.join(parts)}]"


def atomics(struct: Struct, value: Mapping[str, Any]) -> list[str]:
    """Return the paths of the atomic lists, maps and structs that a partial object sets."""
    return list(_atomics(struct, value, _NOWHERE, ""))


def _atomics(type_: Any, value: Any, owner: Owner, path: str) -> Iterator[str]:
    if isinstance(type_, Pointer):
        type_ = type_.target
    if isinstance(value, dict) and isinstance(type_, (Struct, MapOf)):
        if _is_atomic(type_, owner):
            yield path
        if isinstance(type_, Struct):
            for key, part in value.items():
                field = type_.fields[key]
                yield from _atomics(field.type, part, (type_.name, key), f"{path}.{key}")
    elif isinstance(value, list) and isinstance(type_, ListOf):
        if _is_atomic(type_, owner):
            yield path
        for index, item in enumerate(value):
            yield from _atomics(type_.item, item, _NOWHERE, f"{path}[{index}]")


def _is_atomic(type_: Any, owner: Owner) -> bool:
    if isinstance(type_, Struct):
        return type_.name in ATOMIC_STRUCTS
    if isinstance(type_, ListOf):
        return owner not in LIST_MAPS and owner not in SETS
    return owner in ATOMIC_MAPS


def merged(struct: Struct, live: Mapping[str, Any], partial: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with a partial object merged into it; both fit the type, and neither is changed."""
    made: dict[str, Any] = _merged(struct, live, partial, _NOWHERE)
    return made


def _merged(type_: Any, live: Any, partial: Any, owner: Owner) -> Any:
    if isinstance(type_, Pointer):
        type_ = type_.target
    if live is _WITHOUT or partial is _WITHOUT:
        return live if partial is _WITHOUT else partial
    if not (live or partial) or isinstance(type_, Scalar) or _is_atomic(type_, owner):
        return partial
    if isinstance(type_, ListOf):
        return _merged_list(type_, live or (), partial or (), owner)
    made = dict(live or {})
    for key, part in (partial or {}).items():
        inner = type_.fields[key].type if isinstance(type_, Struct) else type_.value
        made[key] = _merged(inner, made.get(key, _WITHOUT), part, (getattr(type_, "name", ""), key))
    return made


def _merged_list(
    type_: ListOf, live: Sequence[Any], partial: Sequence[Any], owner: Owner
) -> list[Any]:
    """Merge two associative lists: items of both keep the order of the partial list.

    The algorithm is that of ``visitListItems``. Items that only the object has stay where they are, before
    the item of both that follows them.
    """
    left, right = ([_step(item, owner) for item in items] for items in (live, partial))
    of_left: dict[str, Any] = {}
    for step, item in zip(left, live, strict=True):
        of_left[step] = None if step in of_left else item  # an item that occurs twice is not merged
    of_right = dict(zip(right, partial, strict=True))
    shared = [step for step in right if step in of_left]
    made: list[Any] = []
    taken: set[str] = set()

    def take(step: str) -> None:
        taken.add(step)
        made.append(_merged(type_.item, of_left.get(step, _WITHOUT), of_right[step], _NOWHERE))

    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left) and j < len(right):
            if left[i] == right[j]:
                take(left[i])
                i, j, shared = i + 1, j + 1, shared[1:]
                continue
            if left[i] in of_right and shared and shared[0] != left[i]:
                i += 1
                continue
        if i < len(left):
            if left[i] not in of_right:
                made.append(live[i])
                i += 1
                continue
            if left[i] in taken:
                i += 1
        if j < len(right):
            step = right[j]
            take(step)
            j += 1
            if shared and shared[0] == step:
                shared = shared[1:]
    return made


def _go_type(value: Any) -> str:
    """Return the type of a value as Go prints it."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, str):
        return "string"
    if isinstance(value, dict):
        return "map[string]interface {}"
    return "[]interface {}" if isinstance(value, list) else "structpb.NullValue"


def _in_go(value: Any, *, of_type: bool = False) -> str:
    """Return a value as Go prints the wrapper that holds it."""
    if of_type:
        return f"&value.valueUnstructured{{Value:{_go_syntax(value)}}}"
    return f"&{{{_go_value(value)}}}"


def _go_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{' '.join(map(_go_value, value))}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{_go_value(value[key])}' for key in sorted(value))}]"
    return "<nil>" if value is None else str(value)


def _go_syntax(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_go_syntax, value))}}}"
    if isinstance(value, dict):
        parts = (f"{json.dumps(key)}:{_go_syntax(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{', '.join(parts)}}}"
    return _go_value(value)
