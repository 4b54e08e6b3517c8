"""Updates of ObjectMeta: what identifies an object stays, and a terminating object gets no finalizers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.equality import equal
from jobsworth.api.field_errors import FieldError, forbidden, immutable, invalid
from jobsworth.api.formats.keys import path_segment_prefix


def check_object_meta_update(
    new: dict[str, Any], old: dict[str, Any], path: str
) -> Iterator[FieldError]:
    """Validate an update of metadata: the identity, and the finalizers of a terminating object."""
    # On create the rules of the type come first; after an error there the server skips these.
    prefix = new.get("generateName", "")
    for detail in path_segment_prefix(prefix):
        yield invalid(f"{path}.generateName", prefix, detail)
    if "deletionTimestamp" in old:
        added = sorted(set(new.get("finalizers", ())) - set(old.get("finalizers", ())))
        if added:
            names = ", ".join(f'"{name}"' for name in added)
            yield forbidden(
                f"{path}.finalizers",
                "no new finalizers can be added if the object is being deleted, "
                f"found new finalizers []string{{{names}}}",
            )
    for field in (
        "name",
        "namespace",
        "uid",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
    ):
        yield from check_immutable(new.get(field), old.get(field), f"{path}.{field}")


def check_immutable(new: Any, old: Any, path: str) -> Iterator[FieldError]:
    """Return an error if an immutable field changed."""
    if not equal(new, old):
        yield immutable(path, new)
