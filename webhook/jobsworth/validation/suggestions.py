"""Hints for unknown fields: a similar name, or the path at which the field belongs.

A field that the object has under a similar name comes first. A place elsewhere is named only for a name with
one meaning: ``name`` or ``value`` are fields of so many types that the nearest of them says nothing.

Imported only if there is an unknown field.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Field, ListOf, Pointer, Scalar, Struct
from jobsworth.findings.finding import Finding
from jobsworth.findings.near_names import did_you_mean, ending_in, fold, near
from jobsworth.record import Record
from jobsworth.validation.decoding import UnknownField
from jobsworth.validation.reason_codes import CODES

OWN_METADATA = ("annotations", "labels")
"""Fields of ``metadata`` that users often write next to it."""
METADATA_OF_OBJECTS = (*OWN_METADATA, "generateName", "name", "namespace")
"""Those that they write next to it at the top level."""

TYPE_FIELDS = ("apiVersion", "kind")
"""Fields of the top level only, which copied parts of other objects have, too."""

GENERIC_NAMES = frozenset(
    (
        "defaultMode", "defaultUser", "fsType", "items", "key", "minCount", "mode", "name", "operator",
        "optional", "path", "readOnly", "secretRef", "type", "user", "value", "values", "volumeName",
    )
)  # fmt: skip
"""Fields of many types, and words that mean another thing in each place: the nearest place is a guess."""

OTHER_NAMES = {
    "arguments": "args",
    "cmd": "command",
    "concurrency": "concurrencyPolicy",
    "cron": "schedule",
    "crontab": "schedule",
    "deadline": "activeDeadlineSeconds",
    "entrypoint": "command",
    "environment": "env",
    "environmentvariables": "env",
    "maxretries": "backoffLimit",
    "mounts": "volumeMounts",
    "replicas": "parallelism",
    "retries": "backoffLimit",
    "retrylimit": "backoffLimit",
    "timeout": "activeDeadlineSeconds",
    "timeoutseconds": "activeDeadlineSeconds",
    "ttl": "ttlSecondsAfterFinished",
    "ttlseconds": "ttlSecondsAfterFinished",
    "workdir": "workingDir",
}
"""Fields by the names that other tools and kinds have for them, such as Docker Compose and Deployments."""


class DeclaredField(Record):
    """A field of a kind, and its place.

    Attributes:
        holder: the path of the object that has it, with ``[]`` for the items of a list.
        field: its declaration.
    """

    holder: str
    field: Field

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of the fields on the way to its object."""
        return tuple(self.holder.replace("[]", "").split(".")) if self.holder else ()


def unknown_field(root: Struct, unknown: UnknownField, server: ApiServer) -> Finding:
    """Return the finding for an unknown field, worded as strict decoding words it.

    Args:
        root: the declared type of the whole object.
        unknown: the field.
        server: the API server, whose release decides which fields exist.
    """
    return Finding(
        source="api",
        severity="error",
        code=CODES["UnknownField"],
        field=unknown.field,
        reason="UnknownField",
        rule="unknown_field",
        message=f'unknown field "{unknown.field}"',
        hint=_hint(root, unknown, server),
    )


def _hint(root: Struct, unknown: UnknownField, server: ApiServer) -> str:
    path, name, holder = unknown.path, unknown.name, unknown.holder
    declared = holder.fields.get(name)
    if declared is not None:
        if declared.since and not server.knows(declared.since, ""):
            return f"introduced in Kubernetes {declared.since}, after {server.release}"
        return f"removed after Kubernetes {declared.until}"
    known = [
        field.name for field in holder.fields.values() if server.knows(field.since, field.until)
    ]
    meant = near(name, known)
    if meant is not None and meant.sure:
        return did_you_mean(name, known)
    if {"limits", "requests"} <= holder.fields.keys() and _is_resource(name):
        return "write it in requests, in limits, or in both"
    if name in TYPE_FIELDS:
        return "this is a field of the top level; delete it here"
    if "metadata" in holder.fields and name in (OWN_METADATA if path else METADATA_OF_OBJECTS):
        return f"this field belongs in {f'{path}.metadata' if path else 'metadata'}"
    if repeats_its_object(unknown):
        return f"move its content up into {path}"
    others = other_places(root, unknown, server)
    if name in GENERIC_NAMES:
        others = _directly_below(unknown, others)
    if others:
        places = sorted((each.holder for each in others), key=lambda place: _distance(place, path))
        nearest, *rest = places
        alike = [each for each in rest if _distance(each, path)[:2] == _distance(nearest, path)[:2]]
        other = f" or {alike[0]}" if len(alike) == 1 and name == "metadata" else ""
        if not nearest and not other:
            return "this field belongs at the top level"
        return f"this field belongs in {nearest or 'the top level'}{other}"
    usual = OTHER_NAMES.get(fold(name), "")
    if name in GENERIC_NAMES and meant is None:
        usual = ending_in(name, known)
    if usual in known:
        return f'did you mean "{usual}"?'
    return did_you_mean(name, known)


def _is_resource(name: str) -> bool:
    return (
        "/" in name
        or name in ("cpu", "ephemeral-storage", "memory")
        or name.startswith("hugepages-")
    )


def repeats_its_object(unknown: UnknownField) -> bool:
    """Return True for a field that repeats the object that has it, such as a Job's spec within its spec."""
    last = unknown.path.rpartition(".")[2].partition("[")[0]
    content = unknown.value
    if unknown.name != last or not isinstance(content, dict) or not content:
        return False
    return content.keys() <= unknown.holder.fields.keys()


def other_places(root: Struct, unknown: UnknownField, server: ApiServer) -> list[DeclaredField]:
    """Return the fields of the name of an unknown one that may have its value, except those around it."""
    inside = tuple(step.partition("[")[0] for step in unknown.field.split("."))
    return [
        place
        for place in _declared_fields(root, unknown.name, server)
        if place.holder != unknown.path
        and inside[: len(place.steps) + 1] != (*place.steps, unknown.name)
        and may_hold(place.field.type, unknown.value)
    ]


def _directly_below(unknown: UnknownField, others: list[DeclaredField]) -> list[DeclaredField]:
    """Return the only such field below the object of the unknown one, if it is but one step away."""
    here = tuple(step.partition("[")[0] for step in unknown.path.split("."))
    below = [place for place in others if place.steps[: len(here)] == here]
    if len(below) != 1 or len(below[0].steps) > len(here) + 1 or below[0].holder.endswith("[]"):
        return []
    return below


def may_hold(declared: Any, value: Any) -> bool:
    """Return False if a value is certainly not meant for a field of a type.

    >>> from jobsworth.api.declare import String
    >>> may_hold(String, "a"), may_hold(String, ["a"])
    (True, False)
    """
    kind = declared.target if isinstance(declared, Pointer) else declared
    if isinstance(kind, Scalar):
        return not isinstance(value, dict | list)
    if isinstance(kind, Struct) and isinstance(value, dict) and value:
        return not kind.fields.keys().isdisjoint(value)
    return not isinstance(kind, Struct) or isinstance(value, dict | list | None)


_indexes: dict[tuple[Struct, ApiServer], dict[str, list[DeclaredField]]] = {}


def _declared_fields(root: Struct, name: str, server: ApiServer) -> list[DeclaredField]:
    """Return the fields of this name that objects of a kind have, except in volumes, status and metadata."""
    key = root, server
    if key not in _indexes:
        index: dict[str, list[DeclaredField]] = {}
        for place in _places(root, server):
            index.setdefault(place.field.name, []).append(place)
        _indexes[key] = index
    return _indexes[key].get(name, [])


def _places(struct: Struct, server: ApiServer, path: str = "") -> Iterator[DeclaredField]:
    """Yield every field below `struct` that the server keeps."""
    for field in struct.fields.values():
        if not field.is_kept_by(server):
            continue
        yield DeclaredField(path, field)
        kind = field.type
        below = kind.target if isinstance(kind, Pointer) else kind
        step = f"{path}.{field.name}" if path else field.name
        if isinstance(below, ListOf):
            below, step = below.item, f"{step}[]"
        # Volumes, status and metadata have so many field names that their paths would mislead.
        if isinstance(below, Struct) and field.name not in ("status", "volumes", "metadata"):
            yield from _places(below, server, step)


def _distance(place: str, path: str) -> tuple[int, bool, int]:
    """Return the sort key of a candidate: path segments not shared with `path`, then its length.

    App containers come before init containers and ephemeral containers.
    """
    left, right = place.replace("[]", "").split("."), path.split(".")
    shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other.partition("[")[0]:
            break
        shared += 1
    special = "initContainers" in left or "ephemeralContainers" in left
    return len(left) + len(right) - 2 * shared, special, len(left)
