"""The JSON Patch (RFC 6902) from one object to another, with few and small operations.

A member of an object is always set by ``add``, which replaces a value that is there: the patch then also
applies to an object that lacks a default which this module's caller took for present.

>>> patch({"spec": {"a": 1, "rules": ["x"]}}, {"spec": {"a": 2, "rules": ["w", "x"]}})
... # doctest: +NORMALIZE_WHITESPACE
[{'op': 'add', 'path': '/spec/a', 'value': 2},
 {'op': 'add', 'path': '/spec/rules/0', 'value': 'w'}]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Operation = dict[str, Any]


def patch(before: Any, after: Any) -> list[Operation]:
    """The operations that make `after` of `before`; none where they are the same.

    Neither argument is changed; values of `after` appear in the result as they are.
    """
    return list(_differences(before, after, ""))


def _same(before: Any, after: Any) -> bool:
    # Python takes 1 for True and for 1.0; JSON tells them apart, wherever they are.
    if type(before) is not type(after):
        return False
    if isinstance(before, dict):
        return before.keys() == after.keys() and all(
            _same(value, after[key]) for key, value in before.items()
        )
    if isinstance(before, list):
        return len(before) == len(after) and all(map(_same, before, after))
    return bool(before == after)


def _differences(
    before: Any, after: Any, path: str, change: str = "replace"
) -> Iterator[Operation]:
    if before is after:
        return
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_objects(before, after, path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_lists(before, after, path)
    elif not _same(before, after):
        yield {"op": change, "path": path, "value": after}


def _of_objects(before: dict[str, Any], after: dict[str, Any], path: str) -> Iterator[Operation]:
    for key in before:
        if key not in after:
            yield {"op": "remove", "path": f"{path}/{_escaped(key)}"}
    for key, value in after.items():
        at = f"{path}/{_escaped(key)}"
        if key in before:
            yield from _differences(before[key], value, at, "add")
        else:
            yield {"op": "add", "path": at, "value": value}


def _of_lists(before: list[Any], after: list[Any], path: str) -> Iterator[Operation]:
    """What the lists have in common at either end stays; what is between is paired off."""
    shorter = min(len(before), len(after))
    head = 0
    while head < shorter and _same(before[head], after[head]):
        head += 1
    tail = 0
    while tail < shorter - head and _same(before[-1 - tail], after[-1 - tail]):
        tail += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    paired = min(len(old), len(new))
    for index in range(paired):
        yield from _differences(old[index], new[index], f"{path}/{head + index}")
    for index in range(len(old) - 1, paired - 1, -1):
        yield {"op": "remove", "path": f"{path}/{head + index}"}
    for index in range(paired, len(new)):
        yield {"op": "add", "path": f"{path}/{head + index}", "value": new[index]}


def _escaped(key: str) -> str:
    """A key as a JSON Pointer writes it (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
