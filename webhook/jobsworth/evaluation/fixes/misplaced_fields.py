"""Fixes for unknown fields: rename misspelled fields, move misplaced ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.declare import ListOf, MapOf, Pointer, Struct
from jobsworth.findings.edits import at, identical, locate
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import fold, near
from jobsworth.record import Record
from jobsworth.validation.engine import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.api.declare import Field, Scalar
    from jobsworth.evaluation.fixes.rejected_object import RejectedObject
    from jobsworth.findings.edits import Steps

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
    return declared(kind_of(rejected.value), (*place.steps, *place.missing)).type


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
    known = [each.name for each in _known(holder, server)]
    folded = [each for each in known if fold(each) == fold(str(name))]
    if len(folded) == 1:
        return _renamed(field, folded[0], value, sure=True)
    moved = _moved(kind, field, place.steps, value, server)
    if moved is not None:
        return moved
    meant = near(str(name), known)
    if meant is not None:
        return _renamed(field, meant.name, value, sure=meant.sure)
    other = next((each for each in OTHER_NAMES.get(str(name), ()) if each in known), None)
    return None if other is None else _renamed(field, other, value, sure=name not in UNSURE)


def _renamed(field: str, name: str, value: dict[str, Any], *, sure: bool) -> Fix | None:
    *above, _ = steps = locate(value, field).steps
    holder = at(value, tuple(above))
    if name not in holder:
        return Fix(f"Rename it to {name}", Edit("rename", field, name), safe=sure)
    if identical(holder[name], at(value, steps)):
        return Fix(f"Delete it: {name} has the same value", Edit("delete", field), safe=sure)
    return None


def _moved(
    kind: Struct, field: str, steps: Steps, value: dict[str, Any], server: ApiServer
) -> Fix | None:
    holder = steps[:-1]
    targets = [
        target
        for target in dict.fromkeys(_targets(kind, str(steps[-1]), value, (), server))
        if target[:-1] != holder and target[: len(steps)] != steps
    ]
    if not targets:
        return None
    targets.sort(key=lambda target: _distance(target[:-1], holder))
    nearest = targets[0]
    if len(targets) > 1 and _distance(targets[1][:-1], holder) == _distance(nearest[:-1], holder):
        return None
    below = nearest[:-1]
    own = below == (*holder, "metadata")
    sure = own or all(target[: len(below)] == below for target in targets)
    path = _path(nearest)
    there = locate(value, path)
    if not there.missing:
        if identical(at(value, there.steps), at(value, steps)):
            return Fix(f"Delete it: {path} has the same value", Edit("delete", field), safe=sure)
        return None
    title = f"Move it to {_path(below) if nearest[-1] == steps[-1] else path}"
    return Fix(title, Edit("move", field, path), safe=sure)


def _targets(
    struct: Struct, name: str, value: Any, steps: Steps, server: ApiServer
) -> Iterator[Steps]:
    """Yield the places of fields with this name that the object determines uniquely.

    Lists are searched only if they have one item, and absent structs only if every object has them.
    """
    if len(steps) > _DEEPEST:
        return
    for field in _known(struct, server):
        here = (*steps, field.name)
        if fold(field.name) == fold(name):
            yield here
        if field.name in _NOT_SEARCHED:
            if field.name == "metadata" and isinstance(field.type, Struct):
                yield from (
                    (*here, each.name)
                    for each in _known(field.type, server)
                    if each.name == name and each.name in ("labels", "annotations")
                )
            continue
        part = value.get(field.name) if isinstance(value, dict) else None
        below = field.type
        if isinstance(below, Pointer) and isinstance(part, dict):
            below = below.target
        if isinstance(below, ListOf) and isinstance(part, list) and len(part) == 1:
            below, part, here = below.item, part[0], (*here, 0)
        if isinstance(below, Struct):
            yield from _targets(below, name, part, here, server)


def _known(struct: Struct, server: ApiServer) -> Iterator[Field]:
    return (field for field in struct.fields.values() if server.knows(field.since, field.until))


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
