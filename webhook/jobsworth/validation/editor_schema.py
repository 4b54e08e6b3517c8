"""One JSON Schema for editors, which chooses by kind and apiVersion, so that a file may mix kinds.

Like the schemas of single kinds it refuses nothing that the API server accepts, but it is written for an
editor that completes and explains, yaml-language-server:

- The editor completes whatever an ``enum`` or a ``type`` lists. So "" and null, which the server reads as
  unset, are admitted by a schema that lists nothing, and "Always" is missing where no Job may have it.
- The editor shows ``errorMessage`` in place of its own words, and ``patternErrorMessage`` if a pattern does
  not match: they have the server's words. It reads neither for ``not``, ``anyOf`` and ``oneOf``, which
  therefore stand in an ``if``. Source: ``baseValidator.js`` of yaml-language-server 2.0.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer, title
from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.core.pod_template import PodSpec
from jobsworth.api.declare import Field, Format, OneOf, Quantity, Scalar, Struct
from jobsworth.api.field_errors import OMIT, forbidden, invalid, not_supported, required
from jobsworth.api.jobset.job_set import FailurePolicyRule, JobSet, TemplateMeta
from jobsworth.api.jobset.versions import API_VERSION, NEWEST, go_types
from jobsworth.api.kinds import kinds
from jobsworth.api.meta.object_meta import ObjectMeta
from jobsworth.api.schema_conditions import NULL, OBJECT, SchemaCondition
from jobsworth.validation.json_schema import BASE, DIALECT, PATTERNS, SchemaCompiler, set_members
from kube_cel.formats.quantity import NOT_A_QUANTITY

Schema = dict[str, Any]

_TYPES = ["string", "number", "boolean", "object", "array"]
_ADMITTED: dict[str, Schema] = {
    "Unset": {"not": {"type": _TYPES}},
    "UnsetOrEmpty": {"not": {"anyOf": [{"type": _TYPES[1:]}, {"type": "string", "minLength": 1}]}},
}
"""The schemas of null, and of null and "", that list nothing which an editor could complete."""

INVALID_IN_JOBS = {PodSpec.fields["restartPolicy"]: "Always"}
"""A value that the server supports in other kinds only, by field."""

_OVERWRITTEN = (PodSpec.fields["subdomain"],)
"""The fields of a Job that the manager of a JobSet overwrites, unless ``enableDNSHostnames`` is false."""

_SHOWN = frozenset({"required", "enum", "const", "pattern", "type", "contains"})
"""The keywords for which an editor shows the ``errorMessage`` beside them."""

_OPAQUE = frozenset({"not", "anyOf", "oneOf"})
"""The keywords for which an editor shows its own words, which do not name the problem."""

MAX_LINE = 3000
"""The maximum length of a line in characters, unless one number, string or empty container is longer.

The longest types (JobSpec, PodSpec, Container, Volume) exceed it and so have a field a line; the other types
of Kubernetes 1.25 to 1.37 have at most 2,500 characters, and so a line.
"""


def editor_schema(
    server: ApiServer, descriptions: Mapping[str, str], documents: Sequence[Schema]
) -> Schema:
    """Return the schema of a file with Jobs, CronJobs, JobSets and the documents of jobsworth.

    Args:
        server: the API server, whose release and gates select the fields.
        descriptions: the field descriptions, by ``Type.field``.
        documents: the schemas of the other kinds, each with `const` for its apiVersion and kind.
    """
    compiler = _EditorCompiler(server, descriptions)
    roots = [compiler.kind(struct, version) for version, struct in kinds()]
    definitions = compiler.definitions
    job_sets = _JobSetCompiler(go_types(NEWEST), descriptions, server)
    job_set = job_sets.kind(JobSet, API_VERSION)
    definitions |= _added(definitions, {**job_sets.definitions, "JobSet": job_set})
    definitions["JobSet"]["properties"]["metadata"] = {"$ref": "#/$defs/ObjectMeta"}
    for root in [*roots, *documents]:
        name = root["properties"]["kind"]["const"]
        definitions[name] = {
            key: part for key, part in root.items() if key not in ("$schema", "$id")
        }
    dispatched = [*roots, definitions["JobSet"], *documents]
    identities = [
        (root["properties"]["apiVersion"]["const"], root["properties"]["kind"]["const"])
        for root in dispatched
    ]
    return {
        "$schema": DIALECT,
        "$id": f"{BASE}/v{server.release}/all.json",
        "title": f"Manifests with Jobs ({title(server.release)})",
        "description": f"{', '.join(kind for _, kind in identities)}; objects of other kinds pass.",
        "properties": {
            field: {"description": text, "examples": list(dict.fromkeys(examples))}
            for (field, text), examples in zip(
                _IDENTITY.items(), zip(*identities, strict=True), strict=True
            )
        },
        "allOf": [
            *(_choice(*each, {"$ref": f"#/$defs/{each[1]}"}) for each in identities),
            _choice("v1", "List", {"properties": {"items": {"items": {"$ref": "#"}}}}),
        ],
        "$defs": dict(sorted(definitions.items())),
    }


_IDENTITY = {"apiVersion": "The API's version.", "kind": "The object's kind."}


class _EditorCompiler(SchemaCompiler):
    """Compiles schemas that complete no unset values, and explain errors in the server's words."""

    def _base(self, kind: Scalar) -> Schema:
        base = super()._base(kind)
        if kind is Quantity:
            base["patternErrorMessage"] = invalid("", OMIT, NOT_A_QUANTITY).message
        return base

    def _field(self, struct: Struct, field: Field) -> Schema:
        schema = super()._field(struct, field)
        if schema.get("default") == INVALID_IN_JOBS.get(field):
            schema.pop("default", None)
        return schema

    def _names(self, field: Field) -> list[str]:
        # A condition of JobSpec lists those of a Job, with a message of its own.
        return [] if field in INVALID_IN_JOBS else super()._names(field)

    def _one_of_names(self, names: list[str]) -> Schema:
        shown = [name for name in names if name]
        listed = {"enum": shown, "errorMessage": not_supported("", OMIT, names).message}
        return listed if len(shown) == len(names) else self._or_unset(listed, empty=True)

    def _formatted(self, check: Format, *, empty: bool) -> Schema:
        return {**super()._formatted(check, empty=empty), "patternErrorMessage": _detail(check)}

    def _or_unset(self, schema: Schema, *, empty: bool = False) -> Schema:
        if not schema:
            return schema
        name = "UnsetOrEmpty" if empty else "Unset"
        self.definitions[name] = _ADMITTED[name]
        return {"anyOf": [schema, {"$ref": f"#/$defs/{name}"}]}

    def _condition(self, condition: SchemaCondition) -> Schema:
        return _worded(condition.schema, condition.message)

    def _union(self, one_of: OneOf) -> Schema:
        members = set_members(one_of)
        several = {
            "if": {"oneOf": members},
            "else": _refused(forbidden("", one_of.several).message),
        }
        if one_of.none is None:
            return {"if": {"anyOf": members}, "then": several}
        none = _refused(required("", one_of.none).message)
        return {"if": {"anyOf": members}, "then": several, "else": none}


class _JobSetCompiler(_EditorCompiler):
    """Compiles the schema of a JobSet, whose manager completes its Jobs before the server validates them.

    Args:
        server: the Go types of the manager.
        descriptions: the field descriptions, by ``Type.field``.
        api_server: the API server, which receives the Jobs.
    """

    def __init__(
        self, server: ApiServer, descriptions: Mapping[str, str], api_server: ApiServer
    ) -> None:
        super().__init__(server, descriptions)
        self._api_server = api_server

    def _field(self, struct: Struct, field: Field) -> Schema:
        if field not in _OVERWRITTEN and field.is_kept_by(self._api_server):
            return super()._field(struct, field)
        # Only the CustomResourceDefinition reads the value, and checks no more than its type.
        text = self._descriptions.get(f"{struct.name}.{field.name}")
        return ({"description": text} if text else {}) | self._type_only(field)

    def _conditions(self, struct: Struct) -> list[Schema]:
        return [] if struct is JobSpec else super()._conditions(struct)

    def _names(self, field: Field) -> list[str]:
        return [
            name
            for name in SchemaCompiler._names(self, field)
            if name != INVALID_IN_JOBS.get(field)
        ]

    def _is_required(self, field: Field) -> bool:
        return field is not FailurePolicyRule.fields["name"] and super()._is_required(field)

    def _reference(self, struct: Struct) -> Schema:
        return super()._reference(TemplateMeta if struct is ObjectMeta else struct)


def _choice(api_version: str, kind: str, schema: Schema) -> Schema:
    """Return a schema for the objects of one kind."""
    identity = {"apiVersion": {"const": api_version}, "kind": {"const": kind}}
    chosen = {**OBJECT, "required": list(identity), "properties": identity}
    return {"if": chosen, "then": schema}


def _refused(message: str) -> Schema:
    """Return a schema that no object satisfies, with a message."""
    return {"type": ["null"], "errorMessage": message}


def _worded(schema: Schema, message: str) -> Schema:
    """Return a condition whose errors have a message, if there is one, and those of its patterns.

    Args:
        schema: a condition on a value that is not null, or ``not: null``.
        message: the server's words; empty for none.
    """
    if "if" in schema:
        return {**schema, "then": _worded(schema["then"], message)}
    if schema == {"not": NULL}:
        return {"type": _TYPES, **_with_message(message)}
    worded = {key: part for key, part in schema.items() if key not in _OPAQUE}
    for key in ("properties", "items", "additionalProperties"):
        part = worded.get(key)
        if key == "properties" and part:
            worded[key] = {name: _worded(below, message) for name, below in part.items()}
        elif isinstance(part, dict):
            worded[key] = _worded(part, message)
    if not worded.keys().isdisjoint(_SHOWN) or worded.get("additionalProperties") is False:
        worded |= _with_message(message)
    if "pattern" in worded and worded["pattern"] in _DETAILS:
        worded["patternErrorMessage"] = _DETAILS[worded["pattern"]]
    opaque = {key: part for key, part in schema.items() if key in _OPAQUE}
    if opaque:
        worded |= {"if": opaque, "else": _refused(message)} if message else opaque
    if None in worded.get("enum", ()):
        listed = {**worded, "enum": [each for each in worded["enum"] if each is not None]}
        return {"anyOf": [listed, {"$ref": "#/$defs/Unset"}]}
    return worded


def _with_message(message: str) -> Schema:
    return {"errorMessage": message} if message else {}


def _detail(check: Format) -> str:
    """Return the server's words for a string that is not of a format."""
    return invalid("", OMIT, check(_NEVER_VALID)[0]).message


_NEVER_VALID = "\n"
_DETAILS = {
    f"^({pattern}){end}": _detail(check)
    for check, (pattern, _) in PATTERNS.items()
    for end in ("$", "?$")
}
"""The server's words for strings that do not match, by pattern."""


def _added(present: Mapping[str, Schema], others: Mapping[str, Schema]) -> dict[str, Schema]:
    """Return the definitions to add to others, so that types that are the same in both are defined once.

    Args:
        present: the definitions there are.
        others: definitions that refer to each other; a name may mean another type than in `present`.
    """
    apart = {name for name, schema in others.items() if present.get(name, schema) != schema}
    while more := {
        name
        for name, schema in others.items()
        if name in present and name not in apart and not apart.isdisjoint(_references(schema))
    }:
        apart |= more
    return {
        f"JobSet.{name}" if name in apart else name: _renamed(schema, apart)
        for name, schema in others.items()
        if name in apart or name not in present
    }


def _references(schema: Any) -> Iterator[str]:
    """Yield the names of the definitions to which a schema refers."""
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix("#/$defs/")
        for part in schema.values():
            yield from _references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _references(part)


def _renamed(schema: Any, names: set[str]) -> Any:
    """Return a schema that refers to definitions of some names by their new ones."""
    if isinstance(schema, dict):
        renamed = {key: _renamed(part, names) for key, part in schema.items()}
        name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
        return renamed | {"$ref": f"#/$defs/JobSet.{name}"} if name in names else renamed
    if isinstance(schema, list):
        return [_renamed(part, names) for part in schema]
    return schema


def schema_text(schema: dict[str, Any]) -> str:
    """Return a schema as JSON text: the members of its objects one a line, two levels deep.

    Each keyword, each property (``properties``) and each definition (``$defs``) of the schema stands on a
    line. Below, a value that would make its line longer than :data:`MAX_LINE` has a member a line. Objects
    keep the order of their keys.
    """
    return _laid_out(schema, "", 0) + "\n"


def _laid_out(value: Any, start: str, level: int) -> str:
    """Return a line, or several, that begin with a text.

    Args:
        value: a JSON value.
        start: the indentation of the first line, and the key of the value if it has one.
        level: the number of containers around the value.
    """
    line = start + json.dumps(value, ensure_ascii=False)
    is_object = isinstance(value, dict)
    is_short = len(line) < MAX_LINE and not (is_object and level < 2)  # a comma may follow
    if is_short or not value or not isinstance(value, dict | list):
        return line
    indent = " " * level
    members = (
        [(f"{json.dumps(key, ensure_ascii=False)}: ", part) for key, part in value.items()]
        if isinstance(value, dict)
        else [("", part) for part in value]
    )
    lines = [_laid_out(part, f"{indent} {key}", level + 1) for key, part in members]
    first, last = "{}" if is_object else "[]"
    return "\n".join([start + first, ",\n".join(lines), indent + last])
