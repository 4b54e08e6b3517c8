"""JSON Schemas generated from the declarations, for editors and schema validators.

A schema never rejects an object that the engine accepts; where they differ, the schema is more lenient.

A schema refers to no other file, although CronJob repeats the definitions of Job: kubeconform and
check-jsonschema resolve a relative ``$ref`` against ``$id``, not against the place that the file came from,
and users also copy a single file.
It covers fields and types, required fields, enumerations, bounds, patterns, unions, and the conditions of
:mod:`jobsworth.api.schema_conditions`, which stand at the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import Any

from jobsworth.api.api_server import ApiServer, title
from jobsworth.api.declare import Field, Format, ListOf, MapOf, OneOf, Pointer, Scalar, Struct
from jobsworth.api.formats import keys
from jobsworth.api.schema_conditions import OBJECT, SchemaCondition
from kube_cel.formats import names

Schema = dict[str, Any]


PATTERNS: dict[Format, tuple[str, int | None]] = {
    names.dns_label: (names.DNS_LABEL_PATTERN, names.DNS_LABEL_MAX_LENGTH),
    names.dns_subdomain: (names.DNS_SUBDOMAIN_PATTERN, names.DNS_SUBDOMAIN_MAX_LENGTH),
    names.dns_1035_label: (names.DNS_1035_LABEL_PATTERN, names.DNS_LABEL_MAX_LENGTH),
    names.label_value: (names.LABEL_VALUE_PATTERN, names.LABEL_VALUE_MAX_LENGTH),
    names.label_key: (f"({names.DNS_SUBDOMAIN_PATTERN}/)?{names.LABEL_KEY_PATTERN}", 317),
    keys.config_map_key: ("[-._a-zA-Z0-9]+", names.DNS_SUBDOMAIN_MAX_LENGTH),
    keys.port_name: ("[a-z0-9]([-a-z0-9]*[a-z0-9])?", 15),
    keys.relaxed_env_var_name: ("[ -<>-~]+", None),
}
"""The regular expression (unanchored) and the maximum length of each format."""


DIALECT = "https://json-schema.org/draft/2020-12/schema"
BASE = "https://jobsworth.dev/schemas"

_QUANTITY = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$"
_SCALARS: dict[str, Schema] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "int32": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "int64": {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    "quantity": {"type": ["string", "number"], "pattern": _QUANTITY},
    "int-or-string": {"type": ["integer", "string"]},
    "date-time": {"type": "string", "format": "date-time"},
    "any": {},
}


def json_schema(
    kind: Struct, api_version: str, server: ApiServer, descriptions: Mapping[str, str]
) -> Schema:
    """Return the JSON Schema (2020-12) of a kind for one release.

    Args:
        kind: Job or CronJob.
        api_version: ``batch/v1``.
        server: the API server, whose release and gates select the fields.
        descriptions: the field descriptions, by ``Type.field``.
    """
    compiler = SchemaCompiler(server, descriptions)
    return {
        "$schema": DIALECT,
        "$id": f"{BASE}/v{server.release}/{kind.name.lower()}.json",
        **compiler.kind(kind, api_version),
        "$defs": dict(sorted(compiler.definitions.items())),
    }


class SchemaCompiler:
    """Compiles declared types into schemas that refer to each other.

    :mod:`jobsworth.validation.editor_schema` overrides how a schema admits an unset value, lists the values
    of a field, and states conditions.

    Args:
        server: the API server, whose release and gates select the fields.
        descriptions: the field descriptions, by ``Type.field``.

    Attributes:
        definitions: the schemas of the types, by name.
    """

    def __init__(self, server: ApiServer, descriptions: Mapping[str, str]) -> None:
        self.definitions: dict[str, Schema] = {}
        self._server = server
        self._descriptions = descriptions

    def kind(self, kind: Struct, api_version: str) -> Schema:
        """Return the schema of a kind, and define the types below it."""
        root = self._struct(kind)
        properties = root["properties"]
        properties["apiVersion"] = {"const": api_version, "description": "The API's version."}
        properties["kind"] = {"const": kind.name, "description": "The object's kind."}
        return {
            **root,
            "title": f"{kind.name} ({api_version}, {title(self._server.release)})",
            "required": ["apiVersion", "kind", *root.get("required", [])],
        }

    def _struct(self, struct: Struct) -> Schema:
        fields = [
            field
            for field in struct.fields.values()
            if self._server.knows(field.since, field.until)
        ]
        schema: Schema = {
            "title": struct.name,
            "description": struct.doc,
            **OBJECT,
            "additionalProperties": False,
            "properties": {field.name: self._field(struct, field) for field in fields},
        }
        required = [field.name for field in fields if self._is_required(field)]
        if required:
            schema["required"] = required
        conditions = self._conditions(struct)
        if conditions:
            schema["allOf"] = conditions
        return schema

    def _conditions(self, struct: Struct) -> list[Schema]:
        """Return the conditions of the rules of a type, and that of its union."""
        conditions = [
            self._condition(condition)
            for condition in sorted(struct.conditions, key=attrgetter("place"))
            if all(struct.fields[name].is_kept_by(self._server) for name in condition.fields)
            and self._server.knows(condition.since, "")
        ]
        if struct.one_of is not None:
            conditions.append(self._union(struct.one_of))
        return conditions

    def _condition(self, condition: SchemaCondition) -> Schema:
        return condition.schema

    def _union(self, one_of: OneOf) -> Schema:
        members = set_members(one_of)
        if one_of.none is None:
            members.append({"not": {"anyOf": list(members)}})
        return {"oneOf": members}

    def _is_required(self, field: Field) -> bool:
        if not field.is_kept_by(self._server) or field.default is not None:
            return False
        if field.required is not False:
            return True
        if field.validate_empty and not isinstance(field.type, Pointer):
            return bool(field.enum or (field.format is not None and field.format("")))
        return isinstance(field.type, Struct) and any(
            self._is_required(below) for below in field.type.fields.values()
        )

    def _field(self, struct: Struct, field: Field) -> Schema:
        described: Schema = {}
        text = self._descriptions.get(f"{struct.name}.{field.name}")
        if text:
            described["description"] = text
        if not field.is_kept_by(self._server):
            gate_name = self._server.name_of(field.gate)
            described["description"] = (
                f"{text or 'This field'} (Ignored unless the feature gate {gate_name} is on.)"
            )
            return described
        if field.default not in (None, {}):
            described["default"] = field.default
        gate = field.value_gate
        conditional = field.validate_when is not None and not field.else_rejected
        if conditional or (gate and not self._server.enabled(gate)):
            return described | self._type_only(field)
        return described | self._type(field)

    def _type_only(self, field: Field) -> Schema:
        """Return only the type of a field that the server validates conditionally."""
        kind = field.type.target if isinstance(field.type, Pointer) else field.type
        if isinstance(kind, Scalar):
            return self._or_unset(self._base(kind))
        return self._or_unset({"type": "array" if isinstance(kind, ListOf) else "object"})

    def _type(self, field: Field) -> Schema:
        kind = field.type
        nullable = not self._is_required(field)
        if isinstance(kind, ListOf):
            items = (
                self._or_unset(self._scalar(field, kind.item, pointer=True))
                if isinstance(kind.item, Scalar)
                else self._part(kind.item)
            )
            schema: Schema = {"type": "array", "items": items}
            if field.max_items is not None:
                schema["maxItems"] = field.max_items
            if field.required is not False:
                schema["minItems"] = 1
            return self._or_unset(schema) if nullable else schema
        if isinstance(kind, MapOf):
            below = kind.value
            part = (
                self._or_unset({"type": "array", "items": self._part(below.item)})
                if isinstance(below, ListOf)
                else self._part(below)
            )
            return self._or_unset({**OBJECT, "additionalProperties": part})
        target = kind.target if isinstance(kind, Pointer) else kind
        if isinstance(target, Struct):
            reference = self._reference(target)
            return self._or_unset(reference) if nullable else reference
        schema = self._scalar(field, target, pointer=isinstance(kind, Pointer))
        if not nullable:
            return schema
        empty = isinstance(kind, Scalar) and _empty_is_absent(field) and "enum" in schema
        return self._or_unset(schema, empty=empty)

    def _scalar(self, field: Field, kind: Scalar, *, pointer: bool) -> Schema:
        schema = self._base(kind)
        if field.bounds is not None:
            low, high = field.bounds.minimum, field.bounds.maximum
            # Zero means unset unless the type is a pointer, and an unset number satisfies every bound.
            if low is not None:
                schema["minimum"] = low if pointer else min(low, 0)
            if high is not None:
                schema["maximum"] = high if pointer else max(high, 0)
        names = self._names(field)
        if names:
            schema |= self._one_of_names(names)
        elif field.format is not None and field.format in PATTERNS:
            schema |= self._formatted(field.format, empty=not pointer and _empty_is_absent(field))
        elif field.required is not False and not pointer and kind.name == "string":
            schema["minLength"] = 1
        return schema

    def _base(self, kind: Scalar) -> Schema:
        """Return the schema of every value of a scalar type."""
        return dict(_SCALARS[kind.name])

    def _names(self, field: Field) -> list[str]:
        """Return the values that the server supports for a field; empty if there is no list."""
        return [
            name
            for name in field.enum or field.values
            if self._server.knows(field.values_since.get(name, ""), "")
        ]

    def _one_of_names(self, names: list[str]) -> Schema:
        return {"enum": names}

    def _formatted(self, check: Format, *, empty: bool) -> Schema:
        """Return the schema of strings of a format; `empty` if the server reads "" as unset."""
        pattern, length = PATTERNS[check]
        schema: Schema = {"pattern": f"^({pattern})?$" if empty else f"^({pattern})$"}
        if length is not None:
            schema["maxLength"] = length
        return schema

    def _part(self, kind: Scalar | Struct) -> Schema:
        if isinstance(kind, Scalar):
            return self._or_unset(self._base(kind))
        reference = self._reference(kind)
        if any(self._is_required(field) for field in kind.fields.values()):
            return reference
        # The server reads a null item as an empty struct, which this type accepts.
        return self._or_unset(reference)

    def _or_unset(self, schema: Schema, *, empty: bool = False) -> Schema:
        """Extend a schema to accept null, and "" if `empty`: the server reads both as unset."""
        if "$ref" in schema:
            return {"anyOf": [schema, {"type": "null"}]}
        if "type" not in schema:
            return schema
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        nullable = {**schema, "type": [*kinds, "null"]}
        if "enum" in nullable:
            nullable["enum"] = [*nullable["enum"], *([""] if empty else []), None]
        return nullable

    def _reference(self, struct: Struct) -> Schema:
        if struct.name not in self.definitions:
            self.definitions[struct.name] = {}
            self.definitions[struct.name] = self._struct(struct)
        return {"$ref": f"#/$defs/{struct.name}"}


def _empty_is_absent(field: Field) -> bool:
    """Return True if the server reads the value "" of a field without pointer as unset."""
    return field.required is False and not field.validate_empty


def set_members(one_of: OneOf) -> list[Schema]:
    """Return a schema for each member of a union: it is set."""
    return [{"required": [member], "properties": {member: OBJECT}} for member in one_of.members]
