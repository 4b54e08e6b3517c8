"""The defaulter: fills in the defaults of the API server for unset fields.

The defaults that depend on several fields come first, while the user's values can still be distinguished
from defaults; then the defaults of single fields; then those of the types below.
Source of the order between types: ``zz_generated.defaults.go``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jobsworth.api.declare import Field, ListOf, Pointer, Scalar, Struct, struct_of
from jobsworth.api.validation_request import Request

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer


Default = Callable[[dict[str, Any], Request], None]
Fill = Callable[[Any, Request], None]


class Defaulting:
    """Defaulters of declared types, compiled on first use for one server."""

    __slots__ = ("_compiled", "_server")

    def __init__(self, server: ApiServer) -> None:
        self._server = server
        self._compiled: dict[tuple[Struct, bool], Default | None] = {}

    def of(self, struct: Struct, *, later: bool = False) -> Default | None:
        """Return the function that fills in the defaults of a decoded object, or None without defaults.

        Args:
            struct: the object's type.
            later: skip the type's own defaults, and fill in those of the types below.
        """
        key = struct, later
        if key not in self._compiled:
            self._compiled[key] = self._compile(struct, later)
        return self._compiled[key]

    def _compile(self, struct: Struct, later: bool) -> Default | None:
        parts: list[tuple[str, Fill]] = []
        own: list[Field] = []
        for field in struct.fields.values():
            fill = None if isinstance(field.type, Scalar) else self._below(field)
            if (fill is None and field.default is None) or not field.is_kept_by(self._server):
                continue
            if fill is not None:
                parts.append((field.name, fill))
            if field.default is not None and not later:
                own.append(field)
        constants = [(field.name, field.default) for field in own if field.default != {}]
        structs = [field.name for field in own if field.default == {}]
        defaulters = [] if later else struct.defaulters
        if not (constants or structs or defaulters or parts):
            return None
        return _struct_defaulter(constants, structs, defaulters, parts)

    def _below(self, field: Field) -> Fill | None:
        kind = field.type
        if isinstance(kind, ListOf):
            return self._each(kind) if kind.of_structs else None
        if isinstance(kind, Struct):
            return self.of(kind, later=field.template_for_later_object)
        return self._one(kind) if isinstance(kind, Pointer) and kind.to_struct else None

    def _one(self, kind: Pointer) -> Fill:
        compiled: list[Default | None] = []

        def default(value: dict[str, Any], request: Request) -> None:
            if not compiled:  # on first use, as in Decoder
                compiled.append(self.of(struct_of(kind)))
            fill = compiled[0]
            if fill is not None:
                fill(value, request)

        return default

    def _each(self, kind: ListOf) -> Fill:
        compiled: list[Default | None] = []

        def default(items: list[dict[str, Any]], request: Request) -> None:
            if not compiled:
                assert isinstance(kind.item, Struct)
                compiled.append(self.of(kind.item))
            fill = compiled[0]
            if fill is not None:
                for item in items:
                    fill(item, request)

        return default


def _struct_defaulter(
    constants: list[tuple[str, Any]],
    structs: list[str],
    defaulters: list[Default],
    parts: list[tuple[str, Fill]],
) -> Default:
    def default(value: dict[str, Any], request: Request) -> None:
        for defaulter in defaulters:
            defaulter(value, request)
        for name, constant in constants:
            if name not in value:
                value[name] = constant
        for name in structs:
            if name not in value:
                value[name] = {}
        for name, fill in parts:
            if name in value:
                fill(value[name], request)

    return default
