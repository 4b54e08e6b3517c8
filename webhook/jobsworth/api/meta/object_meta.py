"""ObjectMeta: names, labels, annotations, owners, finalizers (``meta/v1``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jobsworth.api.declare import (
    AnyJSON,
    Boolean,
    Field,
    Int64,
    ListOf,
    MapOf,
    NonNegative,
    Pointer,
    String,
    Struct,
    Time,
)
from jobsworth.api.equality import equal
from jobsworth.api.field_errors import (
    FieldError,
    Printed,
    forbidden,
    go_json,
    immutable,
    invalid,
    required,
    too_long,
)
from jobsworth.api.formats.keys import path_segment_prefix
from jobsworth.api.schema_conditions import SchemaCondition, where_present
from kube_cel.formats.names import (
    DNS_LABEL_MAX_LENGTH,
    DNS_LABEL_PATTERN,
    DNS_SUBDOMAIN_MAX_LENGTH,
    DNS_SUBDOMAIN_PATTERN,
    LABEL_KEY_PATTERN,
    LABEL_VALUE_MAX_LENGTH,
    LABEL_VALUE_PATTERN,
    as_prefix,
    byte_length,
    dns_label,
    dns_subdomain,
    label_key,
    label_value,
)

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer


TOTAL_ANNOTATION_SIZE_LIMIT = 256 * 1024
"""The maximum total size of all annotation keys and values, in bytes."""
KINDS_OF_CONTROLLERS_SINCE = 26
"""The first minor version that names the kinds of several controllers, not only their names."""
OWNERS_WITH_INDEX_SINCE = 37
"""The first minor version whose errors name the index of an owner."""
OWNERS_DECLARED_SINCE = 38
"""The first minor version whose errors about what identifies an owner have no detail."""
OWNER_VALUES = ("apiVersion", "kind", "name", "uid")
LABEL_VALUE, MAP_KEY = "labels.value", "map.key"
"""The rules of :func:`check_labels` and :func:`check_annotations`: of a label's value, and of any key."""
STANDARD_FINALIZERS = frozenset({"kubernetes", "orphan", "foregroundDeletion"})

OwnerReference = Struct(
    "OwnerReference",
    "An owner of this object, which is deleted with it.",
    apiVersion=Field(String, always=True),
    kind=Field(String, always=True),
    name=Field(String, always=True),
    uid=Field(String, always=True),
    controller=Field(Pointer(Boolean)),
    blockOwnerDeletion=Field(Pointer(Boolean)),
)

ManagedFieldsEntry = Struct(
    "ManagedFieldsEntry",
    "The fields that one field manager set, for server-side apply.",
    manager=Field(String),
    operation=Field(String),
    apiVersion=Field(String),
    time=Field(Pointer(Time)),
    fieldsType=Field(String),
    fieldsV1=Field(Pointer(AnyJSON)),
    subresource=Field(String),
)

IGNORED_METADATA = ("uid", "creationTimestamp", "generation", "selfLink", "managedFields")
"""Metadata that the server overwrites on create."""

ObjectMeta = Struct(
    "ObjectMeta",
    "Metadata of every object: its name, labels, annotations and owners.",
    name=Field(String),
    generateName=Field(String),
    namespace=Field(String),
    selfLink=Field(String),
    uid=Field(String),
    resourceVersion=Field(String),
    generation=Field(Int64),
    creationTimestamp=Field(Time),
    deletionTimestamp=Field(Pointer(Time)),
    deletionGracePeriodSeconds=Field(Pointer(Int64)),
    labels=Field(MapOf(String), keep_empty=True),
    annotations=Field(MapOf(String)),
    ownerReferences=Field(ListOf(OwnerReference), keep_empty=True),
    finalizers=Field(ListOf(String), keep_empty=True),
    # Without rules: the server ignores invalid entries, and writes its own.
    managedFields=Field(ListOf(ManagedFieldsEntry), keep_empty=True),
)


_NAMED = {
    "anyOf": [
        {"required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}},
        {
            "required": ["generateName"],
            "properties": {"generateName": {"type": "string", "minLength": 1}},
        },
    ]
}
_NAME = {
    "properties": {
        "name": {
            "pattern": f"^({DNS_SUBDOMAIN_PATTERN})?$",
            "maxLength": DNS_SUBDOMAIN_MAX_LENGTH,
        },
        "namespace": {
            "pattern": f"^({DNS_LABEL_PATTERN})?$",
            "maxLength": DNS_LABEL_MAX_LENGTH,
        },
    }
}
_LABEL = "[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?"
LABELS_AND_ANNOTATIONS = {
    "properties": {
        "labels": {
            "propertyNames": {"pattern": f"^({DNS_SUBDOMAIN_PATTERN}/)?{LABEL_KEY_PATTERN}$"},
            "additionalProperties": {
                "pattern": f"^{LABEL_VALUE_PATTERN}$",
                "maxLength": LABEL_VALUE_MAX_LENGTH,
            },
        },
        "annotations": {
            "propertyNames": {
                # In any case: the server validates annotation keys in lower case.
                "pattern": rf"^({_LABEL}(\.{_LABEL})*/)?{LABEL_KEY_PATTERN}$"
            }
        },
    }
}
"""The JSON Schema of what :func:`check_labels` and :func:`check_annotations` accept in metadata."""

METADATA_CONDITIONS = (
    SchemaCondition("metadata", schema={"required": ["metadata"]}),
    SchemaCondition("metadata", schema=where_present("metadata", _NAMED)),
    SchemaCondition("metadata", schema=where_present("metadata", _NAME)),
    SchemaCondition("metadata", schema=where_present("metadata", LABELS_AND_ANNOTATIONS)),
)
"""The conditions of :func:`check_object_meta` in the JSON Schema of a type with metadata."""


def check_object_meta(meta: dict[str, Any], path: str, server: ApiServer) -> Iterator[FieldError]:
    """Validate the metadata of a namespaced object, whose name is a DNS subdomain.

    Not a rule of the type: the server validates the metadata of a Pod template less strictly.
    """
    prefix = meta.get("generateName", "")
    if prefix:
        for detail in dns_subdomain(as_prefix(prefix)):
            yield invalid(f"{path}.generateName", prefix, detail)
    name = meta.get("name", "")
    if not name:
        yield required(f"{path}.name", "name or generateName is required")
    else:
        for detail in dns_subdomain(name):
            yield invalid(f"{path}.name", name, detail)
    for detail in dns_label(meta["namespace"]):
        yield invalid(f"{path}.namespace", meta["namespace"], detail)
    generation = meta.get("generation", 0)
    if not NonNegative.admits(generation):
        yield invalid(f"{path}.generation", generation, NonNegative.detail)
    yield from check_lists_and_maps(meta, path, server)


def check_lists_and_maps(
    meta: dict[str, Any], path: str, server: ApiServer
) -> Iterator[FieldError]:
    """Validate labels, annotations, owners and finalizers, by the same rules on create and update."""
    if "labels" in meta:
        yield from check_labels(meta["labels"], f"{path}.labels")
    if "annotations" in meta:
        yield from check_annotations(meta["annotations"], f"{path}.annotations")
    if "ownerReferences" in meta:
        yield from _check_owners(meta["ownerReferences"], f"{path}.ownerReferences", server)
    if "finalizers" in meta:
        yield from check_finalizers(meta, path)


def check_labels(labels: dict[str, str] | None, path: str) -> Iterator[FieldError]:
    """Validate the keys and values of labels; errors have the path of the map."""
    for key, value in (labels or {}).items():
        for detail in label_key(key):
            yield invalid(path, key, detail, MAP_KEY, entry=f"[{key}]")
        for detail in label_value(value):
            yield invalid(path, value, detail, LABEL_VALUE, entry=f"[{key}]")


def check_annotations(annotations: dict[str, str] | None, path: str) -> Iterator[FieldError]:
    """Validate annotation keys, ignoring case, and the total size of the annotations."""
    size = 0
    for key, value in (annotations or {}).items():
        size += byte_length(key) + byte_length(value)
        for detail in label_key(key.lower()):
            yield invalid(path, key, detail, MAP_KEY, entry=f"[{key}]")
    if size > TOTAL_ANNOTATION_SIZE_LIMIT:
        yield too_long(path, TOTAL_ANNOTATION_SIZE_LIMIT)


def _check_owners(
    references: list[dict[str, Any]], path: str, server: ApiServer
) -> Iterator[FieldError]:
    # The server drops repeated references before it validates them.
    owners = _without_repetitions(references)
    controller = several = ""
    for index, owner in enumerate(owners):
        group, _, version = owner.get("apiVersion", "").rpartition("/")
        has_version = bool(version) and "/" not in group
        if server.minor >= OWNERS_WITH_INDEX_SINCE:
            at = f"{path}[{index}]"
            detail = "" if server.minor >= OWNERS_DECLARED_SINCE else "must not be empty"
            yield from _check_owner_values(owner, at, detail, has_version)
        else:
            at = path
            yield from _check_former_owner_values(owner, at, has_version)
        if (group, version, owner.get("kind")) == ("", "v1", "Event"):
            yield invalid(at, owner, "/v1, Kind=Event is disallowed from being an owner")
        if owner.get("controller"):
            name = owner.get("name", "")
            if server.minor >= KINDS_OF_CONTROLLERS_SINCE:
                name = f"{owner.get('kind', '')}/{name}"
            if not controller:
                controller = name
                continue
            # The server prints all owners in each message.
            several = several or _several_controllers(owners, controller)
            yield FieldError("FieldValueInvalid", path, several, name)


def _check_owner_values(
    owner: dict[str, Any], path: str, missing: str, has_version: bool
) -> Iterator[FieldError]:
    for field in OWNER_VALUES:
        if not owner.get(field):
            yield required(f"{path}.{field}", missing)
    if owner.get("apiVersion") and not has_version:
        detail = "must be <group>/<version> or <version>"
        yield invalid(f"{path}.apiVersion", owner["apiVersion"], detail)


def _check_former_owner_values(
    owner: dict[str, Any], path: str, has_version: bool
) -> Iterator[FieldError]:
    """Validate an owner as the releases before OWNERS_WITH_INDEX_SINCE do."""
    for field in OWNER_VALUES:
        if field == "apiVersion" and not has_version:
            value = owner.get(field, "")
            yield invalid(f"{path}.{field}", value, "version must not be empty")
        elif not owner.get(field):
            yield invalid(f"{path}.{field}", "", "must not be empty")


def _several_controllers(owners: list[dict[str, Any]], first: str) -> str:
    """Return the message about a second controller, up to its name."""
    detail = (
        "Only one reference can have Controller set to true. "
        f'Found "true" in references for {first} and '
    )
    return invalid("", _as_go_prints_them(owners), detail).message


def _without_repetitions(references: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first: dict[frozenset[tuple[str, str | bool]], dict[str, Any]] = {}
    for owner in references:
        first.setdefault(frozenset(owner.items()), owner)
    return list(first.values())


def _as_go_prints_them(owners: list[dict[str, Any]]) -> Printed:
    fields = OwnerReference.fields.values()
    ordered = [
        {
            field.name: owner.get(field.name, "")
            for field in fields
            if field.always or field.name in owner
        }
        for owner in owners
    ]
    return Printed(go_json(ordered, sort_keys=False))


def check_finalizers(meta: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the names of finalizers.

    Args:
        meta: the metadata of an object, which has finalizers.
        path: its field path.
    """
    yield from _check_finalizers(meta["finalizers"], f"{path}.finalizers")
    yield from _check_finalizers_are_owned(meta, path)


def _check_finalizers(finalizers: list[str] | None, path: str) -> Iterator[FieldError]:
    for index, finalizer in enumerate(finalizers or ()):
        for detail in label_key(finalizer):
            yield invalid(path, finalizer, detail, entry=f"[{index}]")
    if finalizers and "orphan" in finalizers and "foregroundDeletion" in finalizers:
        yield invalid(
            path, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"
        )


def _check_finalizers_are_owned(meta: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Require a domain prefix in finalizers, except in those of Kubernetes itself."""
    for index, finalizer in enumerate(meta.get("finalizers", ())):
        if "/" not in finalizer and finalizer not in STANDARD_FINALIZERS:
            yield invalid(
                f"{path}.finalizers[{index}]",
                finalizer,
                "name is neither a standard finalizer name nor is it fully qualified",
            )


def check_object_meta_update(
    new: dict[str, Any], old: dict[str, Any], path: str, server: ApiServer
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
        if not equal(new.get(field), old.get(field)):
            shows = field == "name" or server.shows_immutable_metadata
            yield immutable(f"{path}.{field}", new.get(field) if shows else None)


def check_immutable(new: Any, old: Any, path: str) -> Iterator[FieldError]:
    """Return an error if an immutable field changed."""
    if not equal(new, old):
        yield immutable(path, new)
