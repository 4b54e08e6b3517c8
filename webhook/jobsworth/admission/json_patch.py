"""Compute the JSON Patch (RFC 6902) from one object to another, with few and small operations.

The patch sets every member of an object with ``add``, which also replaces an existing value. It then
applies even if the object lacks a default that the caller assumed to be present.

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
    """Return the operations that turn `before` into `after`; none if they are equal.

    Neither argument is modified. The result shares values with `after`.
    """
    return list(_differences(before, after, ""))


def _same(before: Any, after: Any) -> bool:
    # Python considers 1, True and 1.0 equal; JSON does not, at any depth.
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
    """Keep the common prefix and suffix of two lists, and compare the items between them pairwise."""
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
    """Escape a key for a JSON Pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
