"""The schema of a CustomResourceDefinition, compiled from declared types: pruning, defaults, validation.

An API server knows a custom resource by its CRD only: it prunes unknown fields, drops nulls, fills in the
defaults of the schema, and validates values in the words of kube-openapi, not in those of built-in kinds.
Values here are plain JSON. Source: ``pkg/apiserver/schema`` in ``k8s.io/apiextensions-apiserver``, Kubernetes
1.36.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import AnyJSON, Field, ListOf, MapOf, Pointer, Scalar, Struct
from jobsworth.api.field_errors import (
    FieldError,
    duplicate,
    invalid,
    not_supported,
    required,
    too_many,
)
from jobsworth.api.meta.object_meta import ObjectMeta
from jobsworth.validation.decoding import UnknownField
from jobsworth.validation.openapi_values import not_an_array, not_an_object, scalar_errors

ABSENT: Any = object()
"""Marks a value that has no counterpart in the stored object."""

IMMUTABLE_VALUE = "Invalid value: Value is immutable"
"""The message of a rule ``self == oldSelf``."""


class Definition(NamedTuple):
    """The facts of a CRD that its declared types do not say.

    Attributes:
        server: the release whose Go types the CRD repeats.
        required: returns the required fields of a type.
        list_maps: the key fields of each list map, by type and field.
        sets: the lists without repetitions, by type and field.
        defaults: the defaults of types that other kinds share, by type and field.
        immutable: the fields that no update may change, by type.
        template_meta: the fields of metadata below the root; the CRD prunes the others.
        own: the types whose declared enumerations, bounds, defaults and sizes are those of the CRD.
        max_items: the maximum lengths that differ from the declaration, by type and field.
    """

    server: ApiServer
    required: Callable[[Struct], list[str]]
    list_maps: Mapping[tuple[str, str], tuple[str, ...]]
    sets: frozenset[tuple[str, str]]
    defaults: Mapping[str, Mapping[str, Any]]
    immutable: Mapping[str, tuple[str, ...]]
    template_meta: Struct
    own: frozenset[str]
    max_items: Mapping[tuple[str, str], int]


class CustomResource:
    """The compiled schema of one kind."""

    __slots__ = ("_definition", "_schemas", "root")

    def __init__(self, root: Struct, definition: Definition) -> None:
        self.root = root
        self._definition = definition
        self._schemas: dict[Struct, _Schema] = {}

    def read(self, value: dict[str, Any]) -> tuple[dict[str, Any], list[UnknownField]]:
        """Return an object as the server reads it, and its unknown fields.

        Returns:
            a copy without unknown fields and nulls, and with the defaults of the schema; then the unknown
            fields.
        """
        unknown: list[UnknownField] = []
        kept = self._kept_fields(value, self.root, "", unknown)
        self.fill_in(kept)
        return kept, unknown

    def fill_in(self, value: dict[str, Any], *, keep_nulls: bool = False) -> None:
        """Fill in defaults, in place.

        Args:
            value: the object.
            keep_nulls: drop no nulls: the server drops those of a request, not those that a webhook sets.
        """
        self._fill(value, self._of(self.root), keep_nulls)

    def check(self, value: dict[str, Any], old: dict[str, Any] | None = None) -> list[FieldError]:
        """Return the errors of an object with defaults, without those of its own metadata.

        Args:
            value: the object.
            old: the stored object, if this is an update: the server overlooks errors in parts that are as
                they were (CRDValidationRatcheting).
        """
        before = ABSENT if old is None else old
        errors = list(self._struct_errors(value, self.root, "", before))
        errors.extend(self._repetitions(value, self._of(self.root), "", before))
        return errors

    def immutable_errors(self, value: dict[str, Any], old: dict[str, Any]) -> Iterator[FieldError]:
        """Yield the errors of rules ``self == oldSelf``, for parts that were set before."""
        yield from self._changes(value, self._of(self.root), "", old)

    def _of(self, struct: Struct) -> _Schema:
        schema = self._schemas.get(struct)
        if schema is None:
            meta = self._definition.template_meta if struct is not self.root else None
            schema = self._schemas[struct] = _Schema(struct, self._definition, meta)
        return schema

    # Pruning and defaults

    def _kept_fields(
        self, value: dict[str, Any], struct: Struct, path: str, unknown: list[UnknownField]
    ) -> dict[str, Any]:
        properties = self._of(struct).properties
        kept = {}
        for name, part in value.items():
            known = properties.get(name)
            if known is None:
                unknown.append(UnknownField(path, name, struct, part))
            else:
                at = f"{path}.{name}" if path else name
                kept[name] = self._kept(part, known.kind, at, unknown)
        return kept

    def _kept(self, value: Any, kind: Any, path: str, unknown: list[UnknownField]) -> Any:
        if type(value) is list:
            item = kind.item if isinstance(kind, ListOf) else None
            return [
                self._kept(each, item, f"{path}[{index}]", unknown)
                for index, each in enumerate(value)
            ]
        if type(value) is not dict or kind is AnyJSON:
            return value
        if isinstance(kind, MapOf):
            return {
                key: self._kept(part, kind.value, f"{path}.{key}", unknown)
                for key, part in value.items()
            }
        return self._kept_fields(
            value, kind if isinstance(kind, Struct) else _NOTHING, path, unknown
        )

    def _fill(self, value: Any, schema: _Schema, keep_nulls: bool) -> None:
        if type(value) is not dict:
            return
        for name, default in schema.defaults.items():
            if value.get(name) is None:
                value[name] = default
        for name, part in [*value.items()]:
            if part is None:
                if not keep_nulls:
                    del value[name]
                continue
            kind = schema.kind(name)
            if isinstance(kind, Struct):
                self._fill(part, self._of(kind), keep_nulls)
            elif isinstance(kind, MapOf) and type(part) is dict and not keep_nulls:
                for key in [key for key, entry in part.items() if entry is None]:
                    del part[key]
            elif isinstance(kind, ListOf) and isinstance(kind.item, Struct) and type(part) is list:
                for item in part:
                    self._fill(item, self._of(kind.item), keep_nulls)

    # Validation

    def _struct_errors(
        self, value: Any, struct: Struct, path: str, old: Any
    ) -> Iterator[FieldError]:
        if _same(value, old):
            return
        if type(value) is not dict:
            yield not_an_object(value, path)
            return
        schema = self._of(struct)
        before = old if type(old) is dict else {}
        for name in schema.required:
            if name not in value:
                yield required(f"{path}.{name}" if path else name)
        for name, part in value.items():
            known = schema.properties.get(name)
            # The server validates the metadata of the object itself apart.
            if known is not None and (path or known.kind is not ObjectMeta):
                at = f"{path}.{name}" if path else name
                yield from self._field_errors(part, known, at, before.get(name, ABSENT))

    def _field_errors(
        self, value: Any, known: _Property, path: str, old: Any
    ) -> Iterator[FieldError]:
        kind = known.kind
        if _same(value, old):
            return
        if isinstance(kind, Struct):
            yield from self._struct_errors(value, kind, path, old)
        elif isinstance(kind, ListOf):
            yield from self._list_errors(value, known, path, old)
        elif isinstance(kind, Scalar):
            yield from scalar_errors(value, kind, path)
            yield from known.value_errors(value, path)
        elif type(value) is not dict:
            yield not_an_object(value, path)
        else:
            for key, entry in value.items():
                if isinstance(kind.value, Scalar):
                    yield from scalar_errors(entry, kind.value, f"{path}.{key}")

    def _list_errors(
        self, value: Any, known: _Property, path: str, old: Any
    ) -> Iterator[FieldError]:
        if type(value) is not list:
            yield not_an_array(value, path)
            return
        if known.max_items is not None and len(value) > known.max_items:
            yield too_many(path, len(value), known.max_items)
        item_kind = known.kind.item
        counterpart = _by_keys(old, known.keys)
        for index, item in enumerate(value):
            at = f"{path}[{index}]"
            if isinstance(item_kind, Struct):
                yield from self._struct_errors(item, item_kind, at, counterpart(item))
            else:
                yield from scalar_errors(item, item_kind, at)

    def _repetitions(
        self, value: Any, schema: _Schema, path: str, old: Any
    ) -> Iterator[FieldError]:
        if type(value) is not dict or _same(value, old):
            return
        before = old if type(old) is dict else {}
        for name, part in value.items():
            known = schema.properties.get(name)
            stored = before.get(name, ABSENT)
            if known is None or _same(part, stored):
                continue
            at, kind = f"{path}.{name}" if path else name, known.kind
            if isinstance(kind, Struct):
                yield from self._repetitions(part, self._of(kind), at, stored)
            elif isinstance(kind, ListOf) and type(part) is list:
                if known.keys or known.is_set:
                    yield from _repeated(part, at, known.keys)
                if isinstance(kind.item, Struct):
                    below, counterpart = self._of(kind.item), _by_keys(stored, known.keys)
                    for index, item in enumerate(part):
                        yield from self._repetitions(
                            item, below, f"{at}[{index}]", counterpart(item)
                        )

    def _changes(self, value: Any, schema: _Schema, path: str, old: Any) -> Iterator[FieldError]:
        if type(value) is not dict or type(old) is not dict:
            return
        for name, part in value.items():
            known, stored = schema.properties.get(name), old.get(name, ABSENT)
            if known is None or stored is ABSENT or _same(part, stored):
                continue
            at, kind = f"{path}.{name}" if path else name, known.kind
            if known.is_immutable:
                yield FieldError("FieldValueInvalid", at, IMMUTABLE_VALUE, rule="immutable")
            if isinstance(kind, Struct):
                yield from self._changes(part, self._of(kind), at, stored)
            elif isinstance(kind, ListOf) and isinstance(kind.item, Struct) and known.keys:
                counterpart = _by_keys(stored, known.keys)
                for index, item in enumerate(part if type(part) is list else ()):
                    yield from self._changes(
                        item, self._of(kind.item), f"{at}[{index}]", counterpart(item)
                    )


_NOTHING = Struct("", "A value that has no fields.")


class _Property(NamedTuple):
    """A field, as the schema has it.

    Attributes:
        kind: the declared type of its value, without pointer.
        keys: of a list map, the fields that identify an item.
        is_set: it is a list without repetitions.
        is_immutable: an update must not change it.
        max_items: the maximum length of a list.
        values: its enumeration; empty for none.
        minimum: of a number.
    """

    kind: Any
    keys: tuple[str, ...] = ()
    is_set: bool = False
    is_immutable: bool = False
    max_items: int | None = None
    values: tuple[str, ...] = ()
    minimum: int | None = None

    def value_errors(self, value: Any, path: str) -> Iterator[FieldError]:
        """Yield the errors for a value outside its enumeration or bounds."""
        if self.values and value not in self.values:
            yield not_supported(path, value, self.values)
        if self.minimum is not None and type(value) is int and value < self.minimum:
            detail = f"{path} in body should be greater than or equal to {self.minimum}"
            yield invalid(path, value, detail)


class _Schema:
    """The schema of one type."""

    __slots__ = ("defaults", "properties", "required")

    def __init__(self, struct: Struct, definition: Definition, meta: Struct | None) -> None:
        """Compile a type; `meta` takes the place of ObjectMeta."""
        server, own = definition.server, struct.name in definition.own
        fields = {
            name: field
            for name, field in struct.fields.items()
            if server.knows(field.since, field.until)
        }
        self.properties = {
            name: _property(struct.name, field, definition, meta) for name, field in fields.items()
        }
        self.required = [name for name in definition.required(struct) if name in fields]
        self.defaults: dict[str, Any] = dict(definition.defaults.get(struct.name, {}))
        if own:
            self.defaults |= {n: f.default for n, f in fields.items() if f.default is not None}

    def kind(self, name: str) -> Any:
        """Return the type of a field; None if there is no such field."""
        known = self.properties.get(name)
        return None if known is None else known.kind


def _property(holder: str, field: Field, definition: Definition, meta: Struct | None) -> _Property:
    kind = field.type.target if isinstance(field.type, Pointer) else field.type
    place = holder, field.name
    known = _Property(
        meta if kind is ObjectMeta and meta else kind,
        keys=definition.list_maps.get(place, ()),
        is_set=place in definition.sets,
        is_immutable=field.name in definition.immutable.get(holder, ()),
    )
    if holder not in definition.own:
        return known
    return known._replace(
        max_items=definition.max_items.get(place, field.max_items),
        values=tuple(
            value
            for value in field.enum
            if definition.server.knows(field.values_since.get(value, ""), "")
        ),
        minimum=field.bounds.minimum if field.bounds else None,
    )


def _repeated(items: list[Any], path: str, keys: tuple[str, ...]) -> Iterator[FieldError]:
    """Yield an error for each value, or each key of a list map, that occurs again."""
    times: Counter[str] = Counter()
    for index, item in enumerate(items):
        at = f"{path}[{index}]"
        if item is None:
            continue
        if keys and type(item) is not dict:
            yield invalid(at, item, "must be an object for an array of list-type map")
            return
        identity = {key: item[key] for key in keys if key in item} if keys else item
        times[repr(identity)] += 1
        if times[repr(identity)] == 2:
            yield duplicate(at, identity)


def _by_keys(old: Any, keys: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return a function from an item of a list map to the stored item with the same keys."""
    if type(old) is not list or not keys:
        return lambda item: ABSENT

    def identity(item: Any) -> str:
        return repr([item.get(key) for key in keys] if type(item) is dict else item)

    stored = {identity(item): item for item in old}
    return lambda item: stored.get(identity(item), ABSENT)


def _same(value: Any, old: Any) -> bool:
    return old is not ABSENT and bool(value == old)
