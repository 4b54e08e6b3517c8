"""The encoder: encodes a decoded object as the server does, with the fields that it always prints.

Fields keep the order of the manifest; defaults follow. Unless it is asked for, an empty list becomes null, as
it does when the server reads it back from etcd.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import (
    Field,
    IntOrString,
    ListOf,
    MapOf,
    Pointer,
    Quantity,
    Scalar,
    Struct,
)

Encode = Callable[[Any], Any]


class Encoding:
    """Encoders of declared types, compiled on first use for one server."""

    __slots__ = ("_compiled", "_empty_list", "_server")

    def __init__(self, server: ApiServer, *, empty_lists: bool = False) -> None:
        """Prepare; a type is compiled on first use.

        Args:
            server: the API server.
            empty_lists: encode an empty list as Go does, not as null, before anything is stored.
        """
        self._server = server
        self._empty_list: list[Any] | None = [] if empty_lists else None
        self._compiled: dict[Struct, Encode] = {}

    def of(self, struct: Struct) -> Encode:
        """Return the function that encodes a decoded object of this type."""
        encode = self._compiled.get(struct)
        if encode is None:
            encode = self._compiled[struct] = self._compile(struct)
        return encode

    def _compile(self, struct: Struct) -> Encode:
        below: dict[str, Encode] = {}
        zeros: dict[str, Callable[[], Any]] = {}
        always: set[str] = set()
        maps: set[str] = set()
        for name, field in struct.fields.items():
            encode = self._below(field)
            if encode is not None:
                below[name] = encode
            if isinstance(field.type, MapOf) and not field.always:
                maps.add(name)
            # A quantity by value is a struct in Go, which omitempty does not omit.
            if field.always or field.type is Quantity:
                always.add(name)
                if self._server.knows(field.since, field.until):
                    zeros[name] = self._zero(field.type)
        return _struct_encoder(below, zeros, always, maps, self._empty_list)

    def _below(self, field: Field) -> Encode | None:
        """Return the encoder of a field's value, compiled on first use; None if the value stays as is."""
        kind = field.type.target if isinstance(field.type, Pointer) else field.type
        if isinstance(kind, Struct):
            return self._one(kind)
        if isinstance(kind, ListOf) and kind.of_structs:
            return self._each(kind)
        return None

    def _one(self, struct: Struct) -> Encode:
        def encode(value: Any) -> Any:
            return self.of(struct)(value)

        return encode

    def _each(self, kind: ListOf) -> Encode:
        def encode(items: list[Any]) -> list[Any]:
            assert isinstance(kind.item, Struct)
            return list(map(self.of(kind.item), items))

        return encode

    def _zero(self, kind: Scalar | Struct | Pointer | ListOf | MapOf) -> Callable[[], Any]:
        if isinstance(kind, Struct):
            return partial(self._one(kind), {})
        if isinstance(kind, Pointer) and not kind.to_struct and kind.target is IntOrString:
            return lambda: 0  # in Go it is not a pointer
        if isinstance(kind, Scalar):
            zero = {"string": "", "boolean": False, "quantity": "0"}.get(kind.name, 0)
            return lambda: zero
        return lambda: None


def _struct_encoder(
    below: dict[str, Encode],
    zeros: dict[str, Callable[[], Any]],
    always: set[str],
    maps: set[str],
    empty_list: list[Any] | None,
) -> Encode:
    def encode(value: dict[str, Any]) -> dict[str, Any]:
        encoded: dict[str, Any] = {}
        for name, part in value.items():
            if part == []:
                if name in always:
                    encoded[name] = empty_list
                continue
            if name in maps and not part:
                continue  # omitted, like an empty list
            encode_part = below.get(name)
            encoded[name] = part if encode_part is None else encode_part(part)
        for name, zero in zeros.items():
            if name not in encoded:
                encoded[name] = zero()
        return encoded

    return encode
