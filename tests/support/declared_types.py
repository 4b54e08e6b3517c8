"""The declared types of the Job, as tests go through them."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.api.declare import Field, ListOf, MapOf, Pointer, Struct


def struct_below(field: Field) -> Struct | None:
    """Return the struct that a field holds, also by a pointer, in a list or in a map."""
    kind = field.type
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
