"""What an unknown field may have been meant to be: a near name, or a field of another type.

Imported only once there is an unknown field.
"""

from __future__ import annotations

from jobsworth.api.declare import ListOf, Pointer, Struct
from jobsworth.findings.finding import Finding
from jobsworth.findings.near_names import did_you_mean, fold, near
from jobsworth.validation.codes import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.api.declare import Field
    from jobsworth.api.server import ApiServer

OWN_METADATA = ("annotations", "labels")
"""What stands beside ``metadata`` where it should stand in it."""


def unknown_field(root: Struct, path: str, name: str, holder: Struct, server: ApiServer) -> Finding:
    """The finding for a field that the API does not know, worded as strict decoding words it.

    Args:
        root: the kind of the whole object.
        path: where the field stands: the path of the object that has it.
        name: the field's name.
        holder: the type of the object that has it.
        server: whose fields are known.
    """
    field = f"{path}.{name}" if path else name
    return Finding(
        source="api",
        severity="error",
        code=CODES["UnknownField"],
        field=field,
        reason="UnknownField",
        message=f'unknown field "{field}"',
        hint=_hint(root, path, name, holder, server),
    )


def _hint(root: Struct, path: str, name: str, holder: Struct, server: ApiServer) -> str:
    declared = holder.fields.get(name)
    if declared is not None:
        if declared.since and not server.knows(declared.since, ""):
            return f"it came with Kubernetes {declared.since}, after {server.release}"
        return f"it was removed after Kubernetes {declared.until}"
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
        return f"this field belongs in {min(places, key=lambda place: _distance(place, path))}"
    return did_you_mean(name, known)


def _known(struct: Struct, server: ApiServer) -> Iterator[Field]:
    return (field for field in struct.fields.values() if server.knows(field.since, field.until))


_indexes: dict[tuple[Struct, ApiServer], dict[str, list[str]]] = {}


def _index(root: Struct, server: ApiServer) -> dict[str, list[str]]:
    """Of each field's name, the paths of the objects that have such a field."""
    key = root, server
    if key not in _indexes:
        index: dict[str, list[str]] = {}
        for name, path in _places(root, server):
            index.setdefault(name, []).append(path)
        _indexes[key] = index
    return _indexes[key]


def _places(struct: Struct, server: ApiServer, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field below `struct`: its name, and the path of the object that has it."""
    for field in _known(struct, server):
        yield field.name, path
        kind = field.type
        below = kind.target if isinstance(kind, Pointer) else kind
        step = f"{path}.{field.name}" if path else field.name
        if isinstance(below, ListOf):
            below, step = below.item, f"{step}[]"
        # Deep in the Pod every name occurs somewhere; volumes and status would only confuse.
        if isinstance(below, Struct) and field.name not in ("status", "volumes", "metadata"):
            yield from _places(below, server, step)


def _distance(place: str, path: str) -> tuple[int, bool, int]:
    """How far a place is from a path: steps that they do not share, then the length.

    Of containers of all sorts, the ordinary ones go first.
    """
    left, right = place.replace("[]", "").split("."), path.split(".")
    shared = 0
    for one, other in zip(left, right, strict=False):
        if one != other.partition("[")[0]:
            break
        shared += 1
    special = "initContainers" in left or "ephemeralContainers" in left
    return len(left) + len(right) - 2 * shared, special, len(left)
