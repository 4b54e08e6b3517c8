"""Apply the edits of :mod:`jobsworth.findings.fix` to a decoded value, without its text.

>>> from jobsworth.findings.fix import Edit
>>> job = {"spec": {"backoffLimit": 3, "rules": [{"a": 1}, {"b": 2}]}}
>>> edited(job, Edit("move", "spec.rules[1]", "spec.rules[0]"))["spec"]["rules"]
[{'b': 2}, {'a': 1}]
>>> edited(job, Edit("set", "spec.template.spec.restartPolicy", "Never"))["spec"]["template"]
{'spec': {'restartPolicy': 'Never'}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jobsworth.findings.fix import Edit, FileMode
from jobsworth.record import Record

Steps = tuple[str | int, ...]


_FEW = 32
"""The number of keys up to which comparing each with a path is faster than looking up its prefixes."""
_MAX_DIGITS = 9
"""The digits of a position in a list; no list is longer, and Python rejects numbers of 4,300 digits."""


class CannotEdit(ValueError):
    """An edit that is impossible in this value; the message has the reason."""


class EditTarget(Record):
    """The place that a path leads to in a value.

    Attributes:
        steps: keys and positions, as far as the value has them.
        missing: the keys and positions that it lacks.
    """

    steps: Steps
    missing: Steps


def locate(value: Any, path: str) -> EditTarget:
    """Find the place of a field path in a value.

    A key with dots may be plain or in brackets; if a path matches two keys, the longer one wins.

    >>> labels = {"labels": {"a.b/c": "x"}, "list": [{"k": 1}]}
    >>> locate(labels, "labels[a.b/c]").steps, locate(labels, "labels.a.b/c").steps
    (('labels', 'a.b/c'), ('labels', 'a.b/c'))
    >>> place = locate(labels, "list[0].new.sub")
    >>> place.steps, place.missing
    (('list', 0), ('new', 'sub'))
    """
    steps: list[str | int] = []
    while path:
        found = _step(value, path)
        if found is None:
            break
        step, path = found
        steps.append(step)
        value = value[step]
    return EditTarget(tuple(steps), _split(path))


def is_part_of(field: str, whole: str) -> bool:
    """Return True if a field path is another one, or lies below it; the empty path is the whole object.

    >>> is_part_of("spec.rules[0]", "spec.rules"), is_part_of("spec.rulesets", "spec.rules")
    (True, False)
    """
    return not whole or field == whole or field.startswith((f"{whole}.", f"{whole}["))


def at(value: Any, steps: Steps) -> Any:
    """Return the value at a place."""
    for step in steps:
        value = value[step]
    return value


def _step(value: Any, path: str) -> tuple[str | int, str] | None:
    if isinstance(value, list):
        number, bracket, rest = path[1:].partition("]")
        if path[0] != "[" or not bracket or not is_position(number):
            return None
        return (int(number), rest) if int(number) < len(value) else None
    return first_key(value, path) if isinstance(value, dict) else None


def is_position(text: str) -> bool:
    """Return True for the decimal position of a list item."""
    return len(text) <= _MAX_DIGITS and text.isdecimal()


def is_item(path: str) -> bool:
    """Return True for the path of a list item.

    >>> is_item("spec.containers[0]"), is_item("metadata.labels[app]"), is_item("spec.containers[0].name")
    (True, False, False)
    """
    return path.endswith("]") and is_position(path[path.rfind("[") + 1 : -1])


def first_key(mapping: Mapping[str, Any], path: str) -> tuple[str, str] | None:
    """Return the key that a path begins with, and the rest of the path; None if it has none of them.

    If it begins with several, return the longest. It looks up the prefixes of the path, or compares the keys
    if they are few: a map may have thousands of keys with a finding each, and a key a million dots.

    >>> first_key({"a": 1, "a.b/c": 2}, "a.b/c.d"), first_key({"a.b/c": 2}, "[a.b/c][0]")
    (('a.b/c', '.d'), ('a.b/c', '[0]'))
    """
    bracketed = path.startswith("[")
    path = path if bracketed else path.removeprefix(".")
    ends = path.count("]") if bracketed else path.count(".") + path.count("[")
    if len(mapping) > max(ends, _FEW):
        found = (key for key in _prefixes(path, bracketed=bracketed) if key in mapping)
        first = next(found, None)
        return None if first is None else (first, path[_end_of(first, path, bracketed=bracketed) :])
    longest: tuple[str, str] | None = None
    for key in mapping:
        if not bracketed and not path.startswith(key):
            continue
        end = _end_of(key, path, bracketed=bracketed)
        if end >= 0 and (longest is None or len(key) > len(longest[0])):
            longest = key, path[end:]
    return longest


def _prefixes(path: str, *, bracketed: bool) -> Iterator[str]:
    """Yield the keys that a path may begin with, the longest first."""
    if bracketed:
        end = path.rfind("]")
        while end > 0:
            yield path[1:end]
            if path[1] == path[end - 1] == '"' and end > 2:
                yield path[2 : end - 1]
            end = path.rfind("]", 0, end)
        return
    end = len(path)
    while end >= 0:
        yield path[:end]
        end = max(path.rfind(".", 0, end), path.rfind("[", 0, end))


def _end_of(key: str, path: str, *, bracketed: bool) -> int:
    """Return the index at which a path continues after a key; -1 if it does not begin with the key."""
    if not bracketed:
        end = len(key)
        return end if path.startswith(key) and (len(path) == end or path[end] in ".[") else -1
    for written in (f"[{key}]", f'["{key}"]'):
        if path.startswith(written):
            return len(written)
    return -1


def remaining_path(value: Any, path: str, steps: Steps) -> str:
    """Return the part of a path after the steps that it begins with.

    >>> remaining_path({"a": [{"b": 1}]}, "a[0].b", ("a", 0))
    '.b'
    """
    for step in steps:
        found = _step(value, path)
        assert found is not None
        assert found[0] == step
        value, path = value[step], found[1]
    return path


def _split(path: str) -> Steps:
    steps: list[str | int] = []
    start = 0
    while start < len(path):
        if path[start] == "[":
            end = path.find("]", start)
            end = len(path) if end < 0 else end
            name = path[start + 1 : end]
            steps.append(int(name) if is_position(name) else name.strip('"'))
            start = end + 1
            continue
        start += path[start] == "."
        end = start
        while end < len(path) and path[end] not in ".[":
            end += 1
        steps.append(path[start:end])
        start = end
    return tuple(steps)


def edited(value: Any, *edits: Edit) -> Any:
    """Return the value with some edits applied in order; share with it the parts that stay.

    Raises:
        CannotEdit: a field to change is absent, or a field to create exists.
    """
    for edit in edits:
        value = _with_own(value, locate(value, edit.field).steps)
        if edit.action == "move":
            value = _with_own(value, locate(value, edit.value).steps)
        _ACTIONS[edit.action](value, edit)
    return value


def _with_own(value: Any, steps: Steps) -> Any:
    """Return the value with copies of the mappings and lists on the way to a place."""
    value = value.copy() if isinstance(value, dict | list) else value
    holder: Any = value
    for step in steps:
        part = holder[step]
        if not isinstance(part, dict | list):
            break
        holder[step] = part.copy()
        holder = holder[step]
    return value


def identical(one: Any, other: Any) -> bool:
    """Return True if two values are the same JSON: unlike with ``==``, 1 is neither True nor 1.0.

    >>> identical({"a": [1]}, {"a": [1]}), identical([1], [True])
    (True, False)
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(identical(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(identical, one, other))
    return bool(one == other)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copy(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_copy(part) for part in value]
    return int(value) if isinstance(value, FileMode) else value


def _set(value: Any, edit: Edit) -> None:
    place = locate(value, edit.field)
    if place.missing:
        _make(value, place, edit.value, edit.field)
    elif place.steps:
        at(value, place.steps[:-1])[place.steps[-1]] = _copy(edit.value)
    else:
        raise CannotEdit("the whole object cannot be set")


def _make(value: Any, place: EditTarget, new: Any, path: str) -> None:
    """Create a value at an absent place, with the missing parents."""
    new = _copy(new)
    for step in reversed(place.missing[1:]):
        if step == 0:
            new = [new]
        elif isinstance(step, str):
            new = {step: new}
        else:
            raise CannotEdit(f"{path} would leave a gap in a list")
    first, holder = place.missing[0], at(value, place.steps)
    if isinstance(holder, dict) and isinstance(first, str):
        holder[first] = new
    elif isinstance(holder, list) and first == len(holder):
        holder.append(new)
    elif holder is None and place.steps and (isinstance(first, str) or first == 0):
        parent = at(value, place.steps[:-1])
        parent[place.steps[-1]] = {first: new} if isinstance(first, str) else [new]
    else:
        raise CannotEdit(f"{path} cannot be created: its parent has another type")


def _insert(value: Any, edit: Edit) -> None:
    place = locate(value, edit.field)
    if place.missing:
        if not isinstance(place.missing[-1], int):
            raise CannotEdit(f"{edit.field} is not a position in a list")
        _make(value, place, edit.value, edit.field)
        return
    holder, position = at(value, place.steps[:-1]), place.steps[-1]
    if not isinstance(holder, list) or not isinstance(position, int):
        raise CannotEdit(f"{edit.field} is not a position in a list")
    holder.insert(position, _copy(edit.value))


def _delete(value: Any, edit: Edit) -> None:
    _remove(value, _existing(value, edit.field))


def _existing(value: Any, path: str) -> Steps:
    place = locate(value, path)
    if place.missing or not place.steps:
        raise CannotEdit(f"the object has no field {path or 'without a path'}")
    return place.steps


def _remove(value: Any, steps: Steps) -> None:
    """Delete a key or item; delete an emptied list too, unless it is the only key."""
    holder = at(value, steps[:-1])
    del holder[steps[-1]]
    if holder == [] and list_goes(value, steps[:-1]):
        del at(value, steps[:-2])[steps[-2]]


def list_goes(value: Any, steps: Steps) -> bool:
    """Return True if an emptied list at this place is deleted with its key, not kept as ``[]``."""
    return bool(steps) and isinstance(steps[-1], str) and len(at(value, steps[:-1])) > 1


def _rename(value: Any, edit: Edit) -> None:
    steps = _existing(value, edit.field)
    holder, name = at(value, steps[:-1]), steps[-1]
    if not isinstance(holder, dict) or edit.value in holder:
        raise CannotEdit(f"cannot rename {edit.field} to {edit.value}: that field exists")
    entries = list(holder.items())
    holder.clear()
    holder.update((edit.value if key == name else key, part) for key, part in entries)


def _move(value: Any, edit: Edit) -> None:
    steps = _existing(value, edit.field)
    target = locate(value, edit.value)
    if moves_within_list(steps, target):
        holder = at(value, steps[:-1])
        holder.insert(target.steps[-1], holder.pop(steps[-1]))
        return
    if not target.missing:
        raise CannotEdit(f"cannot move {edit.field} to {edit.value}: that field exists")
    if target.steps[: len(steps)] == steps:
        raise CannotEdit(f"cannot move {edit.field} into itself")
    moved = at(value, steps)
    _make(value, target, moved, edit.value)
    _remove(value, steps)


def moves_within_list(steps: Steps, target: EditTarget) -> bool:
    """Return True if a move is to another position in the same list."""
    return (
        not target.missing
        and isinstance(steps[-1], int)
        and target.steps[:-1] == steps[:-1]
        and isinstance(target.steps[-1], int)
    )


def _separate(value: Any, edit: Edit) -> None:
    raise CannotEdit("a separator is inserted into the text of a file, not into a value")


_ACTIONS: dict[str, Callable[[Any, Edit], None]] = {
    "set": _set,
    "insert": _insert,
    "delete": _delete,
    "rename": _rename,
    "move": _move,
    "separate": _separate,
}
