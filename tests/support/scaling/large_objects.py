"""Jobs and CronJobs in which one list or map has grown long, made from the declarations.

Every list and map of a kind is found through its declaration, so that a field declared tomorrow is grown
too. What can only be made by hand, because two lists have to name each other, stands in
:mod:`crossed_objects`.

    >>> place = next(place for place in places(Job) if place.path.endswith("spec.volumes"))
    >>> [volume["name"] for volume in value_at(grown(place, "distinct", 3), place)]
    ['n0', 'n1', 'n2']
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Scalar, Struct
from jobsworth.api.declared_types import struct_below
from jobsworth.api.kinds import Job

IDENTITIES = (
    "name",
    "key",
    "type",
    "uid",
    "resourceName",
    "mountPath",
    "devicePath",
    "topologyKey",
)
"""Fields by which a rule may distinguish items of a list."""


@dataclass(frozen=True)
class Place:
    """A list or map of a kind, by the fields that lead to it.

    Attributes:
        root: the kind.
        fields: from the root's field down to the one that holds the list or map.
        holder: the type that has the last field.
    """

    root: Struct
    fields: tuple[Field, ...]
    holder: Struct

    @property
    def path(self) -> str:
        """The names of the fields, with dots."""
        return ".".join(field.name for field in self.fields)

    @property
    def declared(self) -> tuple[str, str, bool]:
        """The field by its declaration; labels and the like also by whose metadata they are."""
        of_pod = "template" in self.path and self.holder.name == "ObjectMeta"
        return self.holder.name, self.fields[-1].name, of_pod

    @property
    def type(self) -> ListOf | MapOf:
        """The type of the list or map."""
        kind = self.fields[-1].type
        assert isinstance(kind, ListOf | MapOf)
        return kind


def places(root: Struct) -> Iterator[Place]:
    """Every list and map of a kind, in the order of the declarations."""
    return _places(root, root, ())


def _places(root: Struct, holder: Struct, above: tuple[Field, ...]) -> Iterator[Place]:
    for field in holder.fields.values():
        fields = (*above, field)
        if isinstance(field.type, ListOf | MapOf):
            yield Place(root, fields, holder)
        below = struct_below(field)
        if below is not None:
            yield from _places(root, below, fields)


def declared_places() -> list[Place]:
    """One place of each declared list and map of Jobs and CronJobs, the first."""
    found: dict[tuple[str, str, bool], Place] = {}
    for root in (Job, CronJob):
        for place in places(root):
            found.setdefault(place.declared, place)
    return list(found.values())


# Objects


def small(root: Struct = Job, **spec: Any) -> dict[str, Any]:
    """A suspended Job, or a CronJob, with a container and nothing else; and more of its JobSpec."""
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1.36"}]}
    of_job: dict[str, Any] = {"suspend": True, **spec}
    of_job.setdefault("template", {"spec": pod})
    value: dict[str, Any] = {"apiVersion": "batch/v1", "kind": root.name}
    value["metadata"] = {"name": "grown"}
    if root is Job:
        return {**value, "spec": of_job}
    return {**value, "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": of_job}}}


def grown(place: Place, shape: str, count: int) -> dict[str, Any]:
    """A small object with so many items or entries at one place.

    Args:
        place: the list or map.
        shape: one of :data:`SHAPES`.
        count: of the items or entries.
    """
    value = small(place.root)
    holder_in(value, place.fields)[place.fields[-1].name] = _many(
        place.fields[-1], SHAPES[shape], count
    )
    return value


def holder_in(value: dict[str, Any], fields: Sequence[Field]) -> dict[str, Any]:
    """The part of an object that has the last of some fields, added to the object if it lacks it."""
    holder = value
    for field, following in itertools.pairwise(fields):
        below = struct_below(field)
        assert below is not None
        new = _struct(below, 0, rich=False)
        union = below.one_of.members if below.one_of is not None else ()
        if following.name in union:  # of a union only the member that is wanted
            new = {name: part for name, part in new.items() if name not in union}
        if isinstance(field.type, ListOf):
            holder = holder.setdefault(field.name, [new])[0]
        else:
            holder = holder.setdefault(field.name, new)
    return holder


def value_at(value: dict[str, Any], place: Place) -> Any:
    """The list or map at a place of an object."""
    found: Any = value
    for field in place.fields:
        found = (found[0] if isinstance(found, list) else found)[field.name]
    return found


def changed(value: dict[str, Any], place: Place) -> dict[str, Any]:
    """A copy of an object that lacks the last item or entry at a place."""
    other = copy.deepcopy(value)
    items = value_at(other, place)
    if isinstance(items, list):
        items.pop()
    else:
        items.popitem()
    return other


Item = Callable[[Field, int], Any]


def _many(field: Field, item: Item, count: int) -> Any:
    if isinstance(field.type, ListOf):
        return [item(field, number) for number in range(count)]
    return {f"example.com/k{number}": item(field, number) for number in range(count)}


def _blank(field: Field, number: int) -> Any:
    part = _part(field)
    if isinstance(part, Struct):
        return {}
    return "" if isinstance(part, Scalar) and part.name == "string" else None


def _equal(field: Field, number: int) -> Any:
    return _item(field, 0, rich=False)


def _distinct(field: Field, number: int) -> Any:
    return _item(field, number, rich=False)


def _rich(field: Field, number: int) -> Any:
    return _item(field, number, rich=True)


def _namesakes(field: Field, number: int) -> Any:
    item = _item(field, number, rich=True)
    if isinstance(item, dict):
        item.update({name: "same" for name in IDENTITIES if isinstance(item.get(name), str)})
    return item


def _malformed(field: Field, number: int) -> Any:
    return _broken(_item(field, number, rich=True))


def _broken(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _broken(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_broken(part) for part in value]
    if isinstance(value, str):
        return f"-{value}=/-"
    return -value if isinstance(value, int) and not isinstance(value, bool) else value


def _mistyped(field: Field, number: int) -> Any:
    return [number]


def _unknown(field: Field, number: int) -> Any:
    return {f"unknown{number}": number}


SHAPES: dict[str, Item] = {
    "blank": _blank,
    "equal": _equal,
    "distinct": _distinct,
    "rich": _rich,
    "namesakes": _namesakes,
    "malformed": _malformed,
    "mistyped": _mistyped,
    "unknown": _unknown,
}
"""Makers of the items of a grown list: from its field and their number."""


def _part(field: Field) -> Scalar | Struct | ListOf:
    kind = field.type
    assert isinstance(kind, ListOf | MapOf)
    return kind.item if isinstance(kind, ListOf) else kind.value


def _item(field: Field, number: int, *, rich: bool) -> Any:
    part = _part(field)
    if isinstance(part, Struct):
        return _struct(part, number, rich=rich)
    assert isinstance(part, Scalar)
    return _scalar(part, field, number, varied=rich or not (field.enum or field.values))


def _struct(struct: Struct, number: int, *, rich: bool) -> dict[str, Any]:
    """A plausible value: of a union the members take turns; a rich one has all other fields."""
    union = struct.one_of.members if struct.one_of is not None else ()
    chosen = union[number % len(union)] if union else ""
    return {
        field.name: _value(field, number, rich=rich)
        for field in struct.fields.values()
        if field.name == chosen
        or (field.name not in union and (rich or field.always or field.required))
    }


def _value(field: Field, number: int, *, rich: bool) -> Any:
    kind = field.type.target if isinstance(field.type, Pointer) else field.type
    if isinstance(kind, ListOf | MapOf):
        return _many(field, SHAPES["rich" if rich else "distinct"], 1)
    if isinstance(kind, Struct):
        return _struct(kind, number, rich=rich)
    return _scalar(kind, field, number, varied=rich)


def _scalar(kind: Scalar, field: Field, number: int, *, varied: bool) -> Any:
    names = field.enum or field.values
    if names:
        return names[number % len(names) if varied else 0]
    match kind.name:
        case "boolean":
            return number % 2 == 0
        case "int32" | "int64" | "double":
            least, most = 1, 2**31 - 1
            if field.bounds is not None:
                least = field.bounds.minimum or 0
                most = most if field.bounds.maximum is None else field.bounds.maximum
            return least + number % (most - least + 1)
        case "quantity":
            return str(number + 1)
        case "int-or-string":
            return 80
        case "date-time":
            return "2026-01-31T09:00:00Z"
        case "any":
            return {}
        case _:
            return f"n{number}"
