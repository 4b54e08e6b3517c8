"""Fixes for unknown fields: rename misspelled fields, move misplaced ones.

A fix is safe only if the author can have meant nothing else. A name that its object has in another spelling
is renamed. A name of one meaning is moved up to an object around it, or down to one below it; a word that
many types have, such as ``name``, stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Scalar, Struct
from jobsworth.evaluation.fixes.rejected_object import RejectedObject
from jobsworth.findings.edits import Steps, at, identical, locate
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import ending_in, fold, near
from jobsworth.record import Record
from jobsworth.validation.decoding import UnknownField
from jobsworth.validation.suggestions import (
    GENERIC_NAMES,
    TYPE_FIELDS,
    may_hold,
    other_places,
    repeats_its_object,
)

_NOT_SEARCHED = ("status", "volumes", "metadata")
"""Fields with too many nested names: a match inside them is mostly accidental."""

OTHER_NAMES = {
    "arguments": ("args",),
    "claim": ("claimName",),
    "cmd": ("command",),
    "configMapName": ("name",),
    "entrypoint": ("command",),
    "environment": ("env",),
    "name": ("secretName", "claimName"),
    "port": ("containerPort",),
    "secretName": ("name",),
}
"""The names that a field has in other places, and in other formats such as that of Docker Compose."""
UNSURE = ("cmd", "name", "port")
"""Names with a second meaning: Docker's CMD is args."""

EMBEDDED_TYPES = ("Job", "Pod", "batch/v1", "v1")
"""The kinds and versions of the objects that a Job's parts can be copied from."""

_CONTAINERS = ("containers", "ephemeralContainers", "initContainers")
_OF_PODS_AND_CONTAINERS = ("resources", "securityContext")
"""Fields that a Pod and its containers have, with another effect in each."""

_DEEPEST = 12


class DeclaredPlace(Record):
    """The declaration of a place: its type, and the field that holds it."""

    type: Scalar | Struct | ListOf | MapOf | None
    field: Field | None


def declared(kind: Struct, steps: Steps) -> DeclaredPlace:
    """Return the declaration of the place that some steps lead to in an object of this kind."""
    found: Scalar | Struct | ListOf | MapOf | None = kind
    field: Field | None = None
    for step in steps:
        if isinstance(found, Struct) and isinstance(step, str):
            field = found.fields.get(step)
            below = field.type if field is not None else None
        elif isinstance(found, ListOf) and isinstance(step, int):
            below = found.item
        elif isinstance(found, MapOf):
            below = found.value
        else:
            below = None
        found = below.target if isinstance(below, Pointer) else below
    return DeclaredPlace(found, field)


def declared_type(rejected: RejectedObject) -> Scalar | Struct | ListOf | MapOf | None:
    """Return the declared type of the rejected field."""
    place = locate(rejected.value, rejected.finding.field)
    return declared(rejected.kind, (*place.steps, *place.missing)).type


def fix_unknown_field(
    kind: Struct, field: str, value: dict[str, Any], server: ApiServer
) -> Fix | None:
    """Return the fix of an unknown field; None if no known field is near enough.

    Args:
        kind: the type of the object.
        field: the path of the unknown field.
        value: the object.
        server: the server that rejects the field.
    """
    place = locate(value, field)
    if place.missing or not place.steps or not isinstance(place.steps[-1], str):
        return None
    *above, name = place.steps
    holder = declared(kind, tuple(above)).type
    if not isinstance(holder, Struct) or name in holder.fields:
        return None  # a field of a later release is not a typo
    name = str(name)
    known = [each.name for each in holder.fields.values() if server.knows(each.since, each.until)]
    meant = near(name, known)
    if meant is not None and meant.sure:
        return _renamed(field, meant.name, value, sure=True)
    written = at(value, place.steps)
    if name in TYPE_FIELDS:
        sure = written in (value.get(name), *EMBEDDED_TYPES)
        return Fix("Delete it: it is a field of the top level", Edit("delete", field), safe=sure)
    unknown = UnknownField(field.removesuffix(name).removesuffix("."), name, holder, written)
    if repeats_its_object(unknown):
        return _moved_up(unknown, at(value, tuple(above)))
    moved = _moved(kind, unknown, place.steps, value, server)
    if moved is not None:
        return moved
    if meant is not None:
        return _renamed(field, meant.name, value, sure=False)
    other = next((each for each in OTHER_NAMES.get(name, ()) if each in known), None)
    if other is not None:
        return _renamed(field, other, value, sure=name not in UNSURE)
    ending = ending_in(name, known) if name in GENERIC_NAMES else ""
    return _renamed(field, ending, value, sure=False) if ending else None


def _moved_up(unknown: UnknownField, holder: dict[str, Any]) -> Fix | None:
    """Move the content of a field into the object that has it, if that replaces nothing there."""
    path, field, content = unknown.path, unknown.field, unknown.value
    names = [name for name in content if name in holder]
    if any(not identical(content[name], holder[name]) for name in names):
        return None
    moves = (
        Edit("move", f"{field}.{name}", f"{path}.{name}") for name in content if name not in holder
    )
    return Fix(f"Move its content up into {path}", *moves, Edit("delete", field), safe=True)


def _renamed(field: str, name: str, value: dict[str, Any], *, sure: bool) -> Fix | None:
    *above, _ = steps = locate(value, field).steps
    holder = at(value, tuple(above))
    if name not in holder:
        return Fix(f"Rename it to {name}", Edit("rename", field, name), safe=sure)
    if identical(holder[name], at(value, steps)):
        return Fix(f"Delete it: {name} has the same value", Edit("delete", field), safe=sure)
    return None


def _moved(
    kind: Struct, unknown: UnknownField, steps: Steps, value: dict[str, Any], server: ApiServer
) -> Fix | None:
    holder = steps[:-1]
    targets = [
        target
        for target in dict.fromkeys(
            _targets(kind, unknown.name, value, (), server=server, way=steps)
        )
        if target[:-1] != holder
        and target[-1] not in GENERIC_NAMES
        and target[: len(steps)] != steps
        and steps[: len(target)] != target
        and may_hold(declared(kind, target).type, unknown.value)
    ]
    if not targets:
        return None
    targets.sort(key=lambda target: _distance(target[:-1], holder))
    nearest = targets[0]
    if len(targets) > 1 and _distance(targets[1][:-1], holder) == _distance(nearest[:-1], holder):
        return None
    below = nearest[:-1]
    named = unknown.replace(name=str(nearest[-1]))
    sure = below == (*holder, "metadata") or _has_one_meaning(
        nearest, holder, [each.steps for each in other_places(kind, named, server)]
    )
    path = _path(nearest)
    there = locate(value, path)
    if not there.missing:
        if identical(at(value, there.steps), unknown.value):
            edit = Edit("delete", unknown.field)
            return Fix(f"Delete it: {path} has the same value", edit, safe=sure)
        return None
    to = (_path(below) or "the top level") if nearest[-1] == unknown.name else path
    return Fix(f"Move it to {to}", Edit("move", unknown.field, path), safe=sure)


def _has_one_meaning(target: Steps, holder: Steps, places: Iterable[Steps]) -> bool:
    """Return True if a field can belong to the object of the target only.

    It belongs to an object around the one that has it, or to one below it, not to another one beside it; of a
    list below it, only the containers have one item as a rule.
    """
    if holder and holder[-1] == "metadata":
        holder = holder[:-1]
    *below, name = target
    here, place = _names(holder), _names(tuple(below))
    if not _on_one_way(here, place):
        return False
    way_down = below[len(holder) :]
    if name in _OF_PODS_AND_CONTAINERS and way_down:
        return False
    if any(isinstance(item, int) and each not in _CONTAINERS for each, item in pairwise(way_down)):
        return False
    others = filter(partial(_on_one_way, here), map(_names, places))
    return all(other[: len(place)] == place for other in others)


def _names(steps: Steps) -> tuple[str, ...]:
    """Return the names of a path, with one name for all containers."""
    names = (step for step in steps if isinstance(step, str))
    return tuple("containers" if name in _CONTAINERS else name for name in names)


def _on_one_way(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return True if one path leads through the other."""
    length = min(len(one), len(other))
    return one[:length] == other[:length]


def _targets(
    struct: Struct, name: str, value: Any, steps: Steps, *, server: ApiServer, way: Steps
) -> Iterator[Steps]:
    """Yield the places of fields with this name that the object determines uniquely.

    Of a list, its only item is searched, or that on the way to the unknown field; absent structs are searched
    only if every object has them.
    """
    if len(steps) > _DEEPEST:
        return
    for field in _kept(struct, server):
        here = (*steps, field.name)
        if fold(field.name) == fold(name):
            yield here
        if field.name in _NOT_SEARCHED:
            if field.name == "metadata" and isinstance(field.type, Struct):
                yield from (
                    (*here, each.name)
                    for each in _kept(field.type, server)
                    if each.name == name and each.name in ("labels", "annotations")
                )
            continue
        part = value.get(field.name) if isinstance(value, dict) else None
        below = field.type
        if isinstance(below, Pointer) and isinstance(part, dict):
            below = below.target
        if isinstance(below, ListOf) and isinstance(part, list):
            passed = way[len(here) : len(here) + 1] if way[: len(here)] == here else ()
            items = passed or range(len(part))
            if len(items) == 1 and isinstance(items[0], int):
                below, part, here = below.item, part[items[0]], (*here, items[0])
        if isinstance(below, Struct):
            yield from _targets(below, name, part, here, server=server, way=way)


def _kept(struct: Struct, server: ApiServer) -> Iterator[Field]:
    return (field for field in struct.fields.values() if field.is_kept_by(server))


def _distance(target: Steps, holder: Steps) -> int:
    """Return the distance of two places: the number of steps that they do not share."""
    shared = 0
    for one, other in zip(target, holder, strict=False):
        if one != other:
            break
        shared += 1
    positions = sum(isinstance(step, int) for step in (*target[shared:], *holder[shared:]))
    return len(target) + len(holder) - 2 * shared - positions


def _path(steps: Steps) -> str:
    path = ""
    for step in steps:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path
