"""Jobs and CronJobs in which one string has grown long, made from the declarations.

Index lists, cron schedules, quantities, names, images and the inputs of expressions are parsed, so a long text
can cost as much as a long list. Every scalar, every map value and every map key of a kind is found through its
declaration; the annotations that hold a format of their own are listed here.

    >>> place = next(place for place in string_places(Job) if place.path == "spec.managedBy")
    >>> with_text(place, "1," * 3)["spec"]["managedBy"]
    '1,1,1,'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from jobsworth.api.batch.cron_job import CronJob
from jobsworth.api.batch.termination_rules import ANNOTATION as TERMINATION_RULES
from jobsworth.api.core.pod_metadata import DELETION_COST_ANNOTATION, TOLERATIONS_ANNOTATION
from jobsworth.api.core.pod_profiles import (
    APP_ARMOR_PREFIX,
    SECCOMP_CONTAINER_PREFIX,
    SECCOMP_POD_ANNOTATION,
)
from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Scalar, Struct
from jobsworth.api.declared_types import struct_below
from jobsworth.api.kinds import Job
from jobsworth.evaluation.ignores import ANNOTATION as IGNORE
from jobsworth.provenance.field_ownership import LAST_APPLIED
from support.scaling.large_objects import holder_in, small

ANNOTATIONS = (
    "example.com/note",
    LAST_APPLIED,
    IGNORE,
    TERMINATION_RULES,
    TOLERATIONS_ANNOTATION,
    DELETION_COST_ANNOTATION,
    SECCOMP_POD_ANNOTATION,
    f"{SECCOMP_CONTAINER_PREFIX}main",
    f"{APP_ARMOR_PREFIX}main",
)
"""Annotations whose values are parsed, and one whose value is not."""

KEY = ""
"""In place of a key: the key itself is the text."""


@dataclass(frozen=True)
class StringPlace:
    """A place of a kind that takes a text.

    Attributes:
        root: the kind.
        fields: from the root's field down to the one that holds the text.
        holder: the type that has the last field.
        key: for a map, the key of the text, or :data:`KEY`; None for other fields.
    """

    root: Struct
    fields: tuple[Field, ...]
    holder: Struct
    key: str | None = None

    @property
    def path(self) -> str:
        """The names of the fields, with dots, and the key."""
        path = ".".join(field.name for field in self.fields)
        return path if self.key is None else f"{path}[{self.key}]"

    @property
    def declared(self) -> tuple[str, str, str | None, bool]:
        """The field by its declaration; labels and the like also by whose metadata they are."""
        of_pod = "template" in self.path and self.holder.name == "ObjectMeta"
        return self.holder.name, self.fields[-1].name, self.key, of_pod


def string_places(root: Struct) -> Iterator[StringPlace]:
    """Every place of a kind that takes a text, in the order of the declarations."""
    return _string_places(root, root, ())


def _string_places(root: Struct, holder: Struct, above: tuple[Field, ...]) -> Iterator[StringPlace]:
    for field in holder.fields.values():
        fields = (*above, field)
        kind = field.type.target if isinstance(field.type, Pointer) else field.type
        if isinstance(kind, MapOf):
            keys = ANNOTATIONS if field.name == "annotations" else ("example.com/k",)
            for key in (*keys, KEY):
                yield StringPlace(root, fields, holder, key)
        elif isinstance(kind, Scalar) or (isinstance(kind, ListOf) and _is_scalar(kind.item)):
            yield StringPlace(root, fields, holder)
        below = struct_below(field)
        if below is not None:
            yield from _string_places(root, below, fields)


def _is_scalar(kind: object) -> bool:
    return isinstance(kind, Scalar)


def declared_string_places() -> list[StringPlace]:
    """One place of each declared text of Jobs and CronJobs, the first."""
    found: dict[tuple[str, str, str | None, bool], StringPlace] = {}
    for root in (Job, CronJob):
        for place in string_places(root):
            found.setdefault(place.declared, place)
    return list(found.values())


def with_text(place: StringPlace, text: str) -> dict[str, Any]:
    """A small Indexed Job, or a CronJob of it, with a text at one place."""
    indexed = {"completionMode": "Indexed", "completions": 10, "parallelism": 2}
    value = small(place.root, **indexed, backoffLimitPerIndex=1)
    field = place.fields[-1]
    holder = holder_in(value, place.fields)
    held: Any = text
    if isinstance(field.type, MapOf):
        held = {text: "x"} if place.key == KEY else {place.key: text}
    elif isinstance(field.type, ListOf):
        held = [text]
    holder[field.name] = held
    return value


Text = Callable[[int], str]
"""Makes a text of so many characters."""


def _repeated(unit: str) -> Text:
    return lambda count: unit * (count // len(unit))


def _numbers(count: int) -> str:
    each = len(str(count)) + 1
    return ",".join(str(2 * number) for number in range(count // each))


def _last_applied(count: int) -> str:
    items = {f"k{number}": number for number in range(count // 16)}
    return json.dumps({"apiVersion": "batch/v1", "kind": "Job", "spec": items})


TEXTS: dict[str, Text] = {
    "digits": _repeated("9"),
    "letters": _repeated("a"),
    "labels": _repeated("a."),
    "folders": _repeated("a/"),
    "parents": _repeated("../"),
    "ones": _repeated("1,"),
    "numbers": _numbers,
    "steps": _repeated("*/1 "),
    "percents": _repeated("%"),
    "objects": _repeated('{"a":'),
    "brackets": _repeated("["),
    "variables": _repeated("$(a)"),
    "quotes": _repeated('"'),
    "lines": _repeated("a\n"),
    "controls": _repeated("\x1b"),
    "emoji": _repeated("😀"),
    "last applied": _last_applied,
}
"""The texts that are tried at each place."""
