"""Declare a document once, as a class: its JSON Schema, its JSON and its reader follow from the annotations.

>>> class Limit(Document):
...     '''The limit of a number.'''
...
...     maximum: Annotated[int | None, doc("The largest value that is allowed.")] = None
>>> schema_of(Limit)["properties"]
{'maximum': {'type': 'integer', 'description': 'The largest value that is allowed.'}}
>>> read_value(Limit, {"maximum": 3})
Limit(maximum=3)

A :class:`Document` is written by users, in the style of Kubernetes: its keys are camelCase, and no others are
allowed; those of a :class:`Table`, for configurations, are kebab-case. A :class:`Report` is written by
jobsworth: its keys are snake_case, all of them but those of :func:`absent` are always there, and a later
release may add some.

:mod:`jobsworth.documents.schema_errors` checks a value against a schema; :func:`read_value` takes only values
that have passed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import repeat
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from jobsworth.printable import printable_json

Schema = dict[str, Any]
D = TypeVar("D")

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCALARS = {bool: "boolean", int: "integer", float: "number", str: "string", NoneType: "null"}
_LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}


@dataclass(frozen=True, eq=False)
class Meta:
    """Keywords of JSON Schema for a type or a field.

    Attributes:
        description: the meaning, for users.
        ge, le: the least and the greatest number.
        pattern: a regular expression for a text.
        min_length, max_length: of a text, a list or a map.
        more: other keywords.
    """

    description: str | None = None
    ge: float | None = None
    le: float | None = None
    pattern: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    more: Mapping[str, Any] = field(default_factory=dict)


def doc(text: str) -> Meta:
    """Describe a field in the published schema."""
    return Meta(text)


def absent() -> Any:
    """Make a key of a report one that is absent, and not null, where it has no value."""
    return field(default=None, metadata={"absent": True})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field, absent))
class _Declared:
    """Makes each subclass a frozen dataclass with keyword arguments."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, kw_only=True)(cls)


class Document(_Declared):
    """An object of a document that users write. A key whose default is None may be absent, but not null."""

    keywords: ClassVar[Schema] = {}
    """Further keywords of the schema of the object."""


class Table(Document):
    """An object of a configuration, whose keys are kebab-case."""


class Report(_Declared):
    """An object of a report that programs read."""


def key(name: str, default: Any = MISSING) -> Any:
    """Name the key of a field that cannot be, or is not, the field's name in the style of its document."""
    return field(default=default, metadata={"key": name})


def schema_of(declared: Any, names: Mapping[Any, str] | None = None) -> Schema:
    """Return the JSON Schema of a type.

    Args:
        declared: a class of a document or report, or a type of one of their fields.
        names: the classes that have a definition in ``$defs``, by their names there.
    """
    names, origin, args = names or {}, get_origin(declared), get_args(declared)
    if declared is Any:
        return {}
    if is_dataclass(cls := origin or declared):
        return {"$ref": f"#/$defs/{names[cls]}"} if cls in names else _object(declared, names)
    if origin is Annotated:
        return _annotated(schema_of(args[0], names), args[1:])
    if origin in (Union, UnionType):
        return _union([*map(schema_of, args, repeat(names))])
    if origin is Literal:
        return {"const": args[0]} if len(args) == 1 else {"enum": list(args)}
    if origin is list:
        return {"type": "array", "items": schema_of(args[0], names)}
    if origin is dict:
        values = schema_of(args[1], names)
        return {"type": "object", **({"additionalProperties": values} if values else {})}
    if declared is Any:
        return {}
    if isinstance(declared, type) and issubclass(declared, Enum):
        return {"enum": [member.value for member in declared]}
    return {"type": _SCALARS[declared]}


def published_schema(schema: Schema, identifier: str, title: str) -> Schema:
    """Return the JSON Schema of a document as a file of its own."""
    return {"$schema": DIALECT, "$id": identifier, "title": title, **schema}


def report_schema(title: str, declared: Any, names: Mapping[Any, str]) -> Schema:
    """Return the JSON Schema of a report as a file of its own.

    Args:
        title: a heading.
        declared: the class of the report, or a union of classes that have definitions.
        names: the classes that have a definition in ``$defs``, by their names there.
    """
    found = schema_of(declared, names)
    if "anyOf" in found:
        found = {"type": "object", "oneOf": found["anyOf"]}
    return {"$schema": DIALECT, "title": title, **found, "$defs": definitions(names)}


def definitions(names: Mapping[Any, str]) -> Schema:
    """Return ``$defs``: the schemas of classes by name, with references to each other."""
    return {name: _object(cls, names) for cls, name in names.items()}


def json_value(value: Any) -> Any:
    """Return a report or a document as the values that :mod:`json` writes."""
    if is_dataclass(value):
        cls: Any = type(value)
        found = {member: getattr(value, member.name) for member in _members(cls)}
        return {
            member.key: json_value(part)
            for member, part in found.items()
            if part is not None or not (member.absent or issubclass(cls, Document))
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {name: json_value(part) for name, part in value.items()}
    return list(map(json_value, value)) if isinstance(value, list | tuple) else value


def report_text(report: Report | list[Any], indent: int | None = 2) -> str:
    """Return the JSON text of a report or a list of them, without characters that act on a terminal."""
    return printable_json(json.dumps(json_value(report), indent=indent, ensure_ascii=False))


def read_value(declared: type[D], value: object) -> D:
    """Return a JSON value that is valid against the schema of a class as an object of that class."""
    return cast("D", _read(declared, value))


@dataclass(frozen=True, slots=True, eq=False)
class _Member:
    name: str
    key: str
    type: Any
    default: Any
    absent: bool


@cache
def _members(declared: Any) -> tuple[_Member, ...]:
    return tuple(_each_member(declared))


def _each_member(declared: Any) -> Iterator[_Member]:
    cls = get_origin(declared) or declared
    hints, chosen = get_type_hints(cls, include_extras=True), _type_arguments(declared)
    for member in fields(cls):
        kind = hints[member.name]
        if parameters := getattr(kind, "__parameters__", ()):
            kind = kind[tuple(chosen[each] for each in parameters)]
        name = member.name
        if issubclass(cls, Table):
            name = name.replace("_", "-")
        elif issubclass(cls, Document):
            name = _camel_case(name)
        yield _Member(
            name=member.name,
            key=member.metadata.get("key", name),
            type=kind,
            default=member.default,
            absent=member.metadata.get("absent", False),
        )


def _type_arguments(declared: Any) -> dict[Any, Any]:
    """Return the arguments of the type variables of a class and of its bases."""
    cls = get_origin(declared) or declared
    parameters = getattr(cls, "__parameters__", ())
    # The class of an object is not known with its arguments: its JSON does not need them.
    found = dict(zip(parameters, get_args(declared) or (Any,) * len(parameters), strict=True))
    for base in getattr(cls, "__orig_bases__", ()):
        if is_dataclass(get_origin(base)):
            arguments = dict(zip(get_origin(base).__parameters__, get_args(base), strict=True))
            found |= {own: found.get(given, given) for own, given in arguments.items()}
    return found


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _object(declared: Any, names: Mapping[Any, str]) -> Schema:
    cls = get_origin(declared) or declared
    closed = issubclass(cls, Document)
    properties: Schema = {}
    required = []
    for member in _members(declared):
        bare, *annotations = (
            get_args(member.type) if get_origin(member.type) is Annotated else (member.type,)
        )
        found = _annotated(schema_of(bare, names), annotations)
        if member.default is MISSING or not (closed or member.absent):
            required.append(member.key)
        elif member.default is None:
            found = _without_null(found)
        else:
            found["default"] = member.default
        properties[member.key] = found
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
        **({"additionalProperties": False} if closed else {}),
        **getattr(cls, "keywords", {}),
    }


def _annotated(found: Schema, annotations: Sequence[Meta]) -> Schema:
    """Return a schema with the keywords of annotations."""
    if not annotations:
        return found
    for meta in annotations:
        found = found | _keywords(meta, str(found.get("type")))
    return {name: value for name, value in found.items() if name != "type" or "enum" not in found}


def _keywords(meta: Meta, kind: str) -> Schema:
    length = _LENGTHS.get(kind)
    found = {
        "description": meta.description,
        "minimum": meta.ge,
        "maximum": meta.le,
        "pattern": meta.pattern,
        f"min{length}": meta.min_length,
        f"max{length}": meta.max_length,
        **meta.more,
    }
    return {name: value for name, value in found.items() if value is not None}


def _union(parts: list[Schema]) -> Schema:
    """Return one schema with several types, if possible, as OpenAPI and the texts of errors need it."""
    null = {"type": "null"}
    if len(parts) == 1:
        return parts[0]
    if all("enum" in part or part == null for part in parts):
        return {"enum": [value for part in parts for value in part.get("enum", (None,))]}
    containers = [part for part in parts if part.get("type") in ("object", "array")]
    ambiguous = len(containers) > 1 or (containers and null in parts)
    if ambiguous or any("type" not in part for part in parts):
        return {"anyOf": parts}
    merged = {name: value for part in parts for name, value in part.items()}
    types = [part["type"] for part in parts]
    return merged | {
        "type": [name for each in types for name in ([each] if isinstance(each, str) else each)]
    }


def _without_null(found: Schema) -> Schema:
    if "enum" in found:
        return found | {"enum": [value for value in found["enum"] if value is not None]}
    if isinstance(found.get("type"), list):
        types = [each for each in found["type"] if each != "null"]
        return found | {"type": types if len(types) > 1 else types[0]}
    if "anyOf" in found:
        kept = _union([part for part in found["anyOf"] if part != {"type": "null"}])
        return kept | {name: value for name, value in found.items() if name != "anyOf"}
    return found


def _read(declared: Any, value: Any) -> Any:
    origin, args = get_origin(declared), get_args(declared)
    if is_dataclass(origin or declared):
        found = {
            member.name: _read(member.type, value[member.key])
            for member in _members(declared)
            if member.key in value
        }
        return declared(**found)
    if origin is Annotated:
        return _read(args[0], value)
    if origin in (Union, UnionType):
        return _read(next((each for each in args if _is_of(value, each)), Any), value)
    if isinstance(value, list) and origin is list:
        return [_read(args[0], each) for each in value]
    if isinstance(value, dict) and origin is dict:
        return {name: _read(args[1], each) for name, each in value.items()}
    return value


def _is_of(value: Any, declared: Any) -> bool:
    """Return True for an object or a list that is of a type, among those of a union."""
    origin, args = get_origin(declared), get_args(declared)
    if origin is Annotated:
        return _is_of(value, args[0])
    if origin in (Union, UnionType):
        return any(_is_of(value, each) for each in args)
    if isinstance(value, dict):
        return origin is dict or is_dataclass(origin or declared)
    return isinstance(value, list) and origin is list
