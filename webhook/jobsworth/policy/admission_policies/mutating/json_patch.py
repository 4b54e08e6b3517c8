"""Apply a JSON Patch as the API server does (gopkg.in/evanphx/json-patch.v4), in its words.

It differs from RFC 6902: ``replace`` adds a missing field, an index may be negative, and the part of a path
before its first slash is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from kube_cel.budget import MAX_STEPS, Budget, OutOfBudget
from kube_cel.values import UnknownValue

_INDEX = re.compile(r"[+-]?[0-9]{1,18}")
_WITHOUT = object()

Container = dict[str, Any] | list[Any]
Operation = dict[str, Any]


class PatchError(ValueError):
    """A patch does not apply; the message is the API server's."""


class TestFailed(Exception):
    """An operation ``test`` fails, so that nothing of the patch applies."""


def patched(value: dict[str, Any], operations: Sequence[Operation]) -> Any:
    """Return an object with a patch applied, also to an object of another shape; the object is not changed.

    Raises:
        PatchError: the patch does not apply.
        TestFailed: an operation ``test`` fails.
        UnknownValue: the patch makes an object that is too large to be evaluated here.
    """
    document = _Document(_copied(value))
    for operation in operations:
        apply = _OPERATIONS.get(operation["op"])
        if apply is None:
            raise PatchError(f"Unexpected kind: {operation['op']}")
        apply(document, operation)
    return document.root


class _Document:
    """The object while operations change it."""

    def __init__(self, root: Container) -> None:
        self.root: Any = root
        self._budget = Budget(MAX_STEPS)

    def copied(self, value: Any) -> Any:
        """Return a copy of a value, within the bound of what a patch may add."""
        try:
            self._budget.spend(self._budget.weigh(value))
        except OutOfBudget:
            raise UnknownValue(f"it copies more values than the maximum of {MAX_STEPS}") from None
        return _copied(value)

    def holder(self, path: str) -> tuple[Container | None, str]:
        """Return the map or list that holds the end of a path, and its key there; None if there is none."""
        steps = path.split("/")
        if len(steps) < 2:
            return None, ""
        found = self.root
        for step in steps[1:-1]:
            try:
                found = _get(found, _unescaped(step))
            except PatchError:
                return None, ""
            if not isinstance(found, (dict, list)):
                return None, ""
        return found, _unescaped(steps[-1])


def _copied(value: Any) -> Any:
    """Return a copy of which no part occurs twice, as the labels of a Job that its Pods have too."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return list(map(_copied, value)) if isinstance(value, list) else value


def _unescaped(step: str) -> str:
    return step.replace("~1", "/").replace("~0", "~")


def _get(holder: Container, key: str) -> Any:
    """Return the value of a key; None if a map does not have it."""
    if isinstance(holder, dict):
        return holder.get(key)
    return holder[_index(holder, key, len(holder))]


def _index(items: list[Any], key: str, end: int) -> int:
    if _INDEX.fullmatch(key) is None:
        raise PatchError(f'strconv.Atoi: parsing "{key}": invalid syntax')
    number = int(key)
    if not -end <= number < end:
        raise PatchError(f"Unable to access invalid index: {number}: invalid index referenced")
    return number + end if number < 0 else number


def _insert(holder: Container, key: str, value: Any) -> None:
    if isinstance(holder, dict):
        holder[key] = value
    elif key == "-":
        holder.append(value)
    else:
        if _INDEX.fullmatch(key) is None:
            raise PatchError(
                f"value was not a proper array index: '{key}': "
                f'strconv.Atoi: parsing "{key}": invalid syntax'
            )
        holder.insert(_index(holder, key, len(holder) + 1), value)


def _delete(holder: Container, key: str) -> None:
    if isinstance(holder, dict):
        if key not in holder:
            raise PatchError(f"Unable to remove nonexistent key: {key}: missing value")
        del holder[key]
    else:
        del holder[_index(holder, key, len(holder))]


def _within(place: str, change: Callable[..., Any], *arguments: Any) -> Any:
    """Change a map or list; an error names the place."""
    try:
        return change(*arguments)
    except PatchError as error:
        raise PatchError(f"{place}: {error}") from None


def _missing(what: str) -> PatchError:
    return PatchError(f"{what}: missing value")


def _add(document: _Document, operation: Operation) -> None:
    path = operation["path"]
    holder, key = document.holder(path)
    if holder is None:
        raise _missing(f'add operation does not apply: doc is missing path: "{path}"')
    value = document.copied(operation.get("value"))
    _within(f"error in add for path: '{path}'", _insert, holder, key, value)


def _remove(document: _Document, operation: Operation) -> None:
    path = operation["path"]
    holder, key = document.holder(path)
    if holder is None:
        raise _missing(f'remove operation does not apply: doc is missing path: "{path}"')
    _within(f"error in remove for path: '{path}'", _delete, holder, key)


def _replace(document: _Document, operation: Operation) -> None:
    path, value = operation["path"], operation.get("value")
    if path == "":
        if not isinstance(value, (dict, list)):
            raise PatchError("replace operation value must be object or array: %!w(<nil>)")
        document.root = document.copied(value)
        return
    holder, key = document.holder(path)
    if holder is None:
        raise _missing(f"replace operation does not apply: doc is missing path: {path}")
    if isinstance(holder, dict):
        holder[key] = document.copied(value)
        return
    try:
        index = _index(holder, key, len(holder))
    except PatchError:
        raise _missing(f"replace operation does not apply: doc is missing key: {path}") from None
    holder[index] = document.copied(value)


def _source(document: _Document, operation: Operation, name: str) -> tuple[Container, str, Any]:
    """Return the holder, the key and the value of the source of ``move`` or ``copy``."""
    origin = operation.get("from", "")
    if not origin:
        raise _missing(f"{name} operation failed to decode from: operation, missing from field")
    holder, key = document.holder(origin)
    if holder is None:
        raise _missing(f"{name} operation does not apply: doc is missing from path: {origin}")
    place = (
        f"error in move for path: '{key}'"
        if name == "move"
        else f"error in copy for from: '{origin}'"
    )
    return holder, key, _within(place, _get, holder, key)


def _destination(document: _Document, operation: Operation, name: str) -> tuple[Container, str]:
    path = operation["path"]
    holder, key = document.holder(path)
    if holder is None:
        raise _missing(f"{name} operation does not apply: doc is missing destination path: {path}")
    return holder, key


def _move(document: _Document, operation: Operation) -> None:
    holder, key, value = _source(document, operation, "move")
    _within(f"error in move for path: '{key}'", _delete, holder, key)
    holder, key = _destination(document, operation, "move")
    _within(f"error in move for path: '{operation['path']}'", _insert, holder, key, value)


def _copy(document: _Document, operation: Operation) -> None:
    _, _, value = _source(document, operation, "copy")
    holder, key = _destination(document, operation, "copy")
    value = document.copied(value)
    _within("error while adding value during copy", _insert, holder, key, value)


def _test(document: _Document, operation: Operation) -> None:
    path, wanted = operation["path"], operation.get("value", _WITHOUT)
    if path == "":
        found = document.root
    else:
        holder, key = document.holder(path)
        if holder is None:
            raise _missing(f"test operation does not apply: is missing path: {path}")
        found = _within(f"error in test for path: '{path}'", _get, holder, key)
    if found is None and wanted is _WITHOUT:
        return
    if found is None or not _same(found, wanted):
        raise TestFailed


def _same(one: Any, other: Any) -> bool:
    """Return True if two values are the same JSON."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


_OPERATIONS: dict[str, Callable[[_Document, Operation], None]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "test": _test,
    "copy": _copy,
}
