"""Hints for unknown fields: a similar name, or the path at which the field belongs.

Imported only if there is an unknown field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.declare import ListOf, Pointer, Struct
from jobsworth.findings.finding import Finding
from jobsworth.findings.near_names import did_you_mean, fold, near
from jobsworth.validation.reason_codes import CODES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.api.api_server import ApiServer
    from jobsworth.api.declare import Field

OWN_METADATA = ("annotations", "labels")
"""Fields of ``metadata`` that users often write next to it."""

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


def unknown_field(root: Struct, path: str, name: str, holder: Struct, server: ApiServer) -> Finding:
    """Return the finding for an unknown field, worded as strict decoding words it.

    Args:
        root: the declared type of the whole object.
        path: the path of the object that has the field.
        name: the name of the field.
        holder: the declared type of the object that has the field.
        server: the API server, whose release decides which fields exist.
    """
    field = f"{path}.{name}" if path else name
    return Finding(
        source="api",
        severity="error",
        code=CODES["UnknownField"],
        field=field,
        reason="UnknownField",
        rule="unknown_field",
        message=f'unknown field "{field}"',
        hint=_hint(root, path, name, holder, server),
    )


def _hint(root: Struct, path: str, name: str, holder: Struct, server: ApiServer) -> str:
    declared = holder.fields.get(name)
    if declared is not None:
        if declared.since and not server.knows(declared.since, ""):
            return f"introduced in Kubernetes {declared.since}, after {server.release}"
        return f"removed after Kubernetes {declared.until}"
    known = [field.name for field in _known(holder, server)]
    meant = near(name, known)
    if meant is not None and fold(meant.name) == fold(name):
        return did_you_mean(name, known)
    if "metadata" in holder.fields and name in OWN_METADATA:
        return (
            f"this field belongs in {path}.metadata" if path else "this field belongs in metadata"
        )
    places = [place for place in _index(root, server).get(name, ()) if place != path]
    if places:
        places.sort(key=lambda place: _distance(place, path))
        nearest, *others = places
        alike = [
            each for each in others if _distance(each, path)[:2] == _distance(nearest, path)[:2]
        ]
        other = f" or {alike[0]}" if len(alike) == 1 and name == "metadata" else ""
        return f"this field belongs in {nearest}{other}"
    usual = OTHER_NAMES.get(fold(name))
    if usual in known:
        return f'did you mean "{usual}"?'
    return did_you_mean(name, known)


def _known(struct: Struct, server: ApiServer) -> Iterator[Field]:
    return (field for field in struct.fields.values() if server.knows(field.since, field.until))


_indexes: dict[tuple[Struct, ApiServer], dict[str, list[str]]] = {}


def _index(root: Struct, server: ApiServer) -> dict[str, list[str]]:
    """Return, for each field name, the paths of the objects that have such a field."""
    key = root, server
    if key not in _indexes:
        index: dict[str, list[str]] = {}
        for name, path in _places(root, server):
            index.setdefault(name, []).append(path)
        _indexes[key] = index
    return _indexes[key]


def _places(struct: Struct, server: ApiServer, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield every field below `struct`: (field name, path of the object that has it)."""
    for field in _known(struct, server):
        yield field.name, path
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
