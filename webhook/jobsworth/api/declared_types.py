"""Walk through the declared types, which imports those that are declared with Later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Struct
from jobsworth.api.kinds import kinds


def struct_below(field: Field) -> Struct | None:
    """Return the struct that a field holds, also by a pointer, in a list or in a map; None for none."""
    kind: Any = field.type
    while not isinstance(kind, Struct):
        if isinstance(kind, Pointer):
            kind = kind.target
        elif isinstance(kind, ListOf):
            kind = kind.item
        elif isinstance(kind, MapOf):
            kind = kind.value
        else:
            return None
    return kind


def field_at(root: Struct, steps: Sequence[str | int]) -> tuple[Struct, Field] | None:
    """Return the field at a path, and the type that has it; None if no type has it, as below a map.

    Args:
        root: the type of the object.
        steps: the keys and positions in lists on the way.
    """
    holder: Struct | None = root
    found = None
    for step in steps:
        if isinstance(step, int):
            continue
        field = holder.fields.get(step) if holder is not None else None
        if holder is None or field is None:
            return None
        found = holder, field
        holder = None if isinstance(field.type, MapOf) else struct_below(field)
    return found


def structs_below(*roots: Struct) -> Iterator[Struct]:
    """Yield some structs and all below them, each once."""
    seen: set[int] = set()
    left = [*roots]
    while left:
        struct = left.pop()
        if id(struct) not in seen:
            seen.add(id(struct))
            yield struct
            left += filter(None, map(struct_below, struct.fields.values()))


def import_types() -> None:
    """Import all types, before a process forks: its children share them, and no request waits for them."""
    for _ in structs_below(*(struct for _, struct in kinds())):
        pass
