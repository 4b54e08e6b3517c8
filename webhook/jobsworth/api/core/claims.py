"""PersistentVolumeClaim and ephemeral volumes (``core/v1``).

Source: ``ValidatePersistentVolumeClaimTemplate`` in ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.references import TypedLocalObjectReference, TypedObjectReference
from jobsworth.api.core.resources import VolumeResourceRequirements
from jobsworth.api.declare import Field, ListOf, Pointer, String, Struct
from jobsworth.api.field_errors import (
    FieldError,
    Printed,
    forbidden,
    invalid,
    not_supported,
    required,
)
from jobsworth.api.meta.label_selector import LabelSelector, check_label_selector
from jobsworth.api.meta.object_meta import ObjectMeta, check_annotations, check_labels
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import dns_label, dns_subdomain

ACCESS_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_OF_ONE_POD = "ReadWriteOncePod"


def _name_or_none(text: str) -> list[str]:
    """Validate the name of a class; empty means no class."""
    return dns_subdomain(text) if text else []


PersistentVolumeClaimSpec = Struct(
    "PersistentVolumeClaimSpec",
    "The volume that a claim requests.",
    accessModes=Field(
        ListOf(String), required="at least 1 access mode is required", values=ACCESS_MODES
    ),
    selector=Field(Pointer(LabelSelector)),
    resources=Field(VolumeResourceRequirements),
    volumeName=Field(String),
    storageClassName=Field(Pointer(String), format=_name_or_none),
    volumeMode=Field(Pointer(String), enum=VOLUME_MODES, default="Filesystem"),
    dataSource=Field(Pointer(TypedLocalObjectReference)),
    dataSourceRef=Field(Pointer(TypedObjectReference)),
    # Without the gate VolumeAttributesClass the server drops it from claims, not from templates.
    volumeAttributesClassName=Field(Pointer(String), since="1.29"),
)

PersistentVolumeClaimTemplate = Struct(
    "PersistentVolumeClaimTemplate",
    "The template of a claim to create for the Pod.",
    metadata=Field(ObjectMeta),
    spec=Field(PersistentVolumeClaimSpec, always=True),
)

EphemeralVolumeSource = Struct(
    "EphemeralVolumeSource",
    "A volume that is claimed with the Pod and deleted with it (KEP-1698).",
    volumeClaimTemplate=Field(Pointer(PersistentVolumeClaimTemplate), required=True),
)


@PersistentVolumeClaimTemplate.rule
def _only_labels_and_annotations(
    template: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    for field, value in template["metadata"].items():
        at = f"{path}.metadata.{field}"
        if field == "labels":
            yield from check_labels(value, at)
        elif field == "annotations":
            yield from check_annotations(value, at)
        else:
            # The server derives the path from its Go field name, UID.
            yield forbidden(f"{path}.metadata.uID" if field == "uid" else at, "cannot be set")


@PersistentVolumeClaimSpec.rule
def _access_modes(spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    # KEP-2485: ReadWriteOncePod is alpha since 1.22, and on by default since 1.27.
    supported = ACCESS_MODES if request.server.minor >= 27 else ACCESS_MODES[:-1]
    modes = spec.get("accessModes", ())
    for mode in modes:
        if mode not in supported:
            yield not_supported(f"{path}.accessModes", mode, supported)
    if _OF_ONE_POD in modes and any(mode in ACCESS_MODES[:-1] for mode in modes):
        yield forbidden(
            f"{path}.accessModes", "may not use ReadWriteOncePod with other access modes"
        )


@PersistentVolumeClaimSpec.rule
def _storage(spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    size = spec["resources"].get("requests", {}).get("storage")
    if size is None:
        yield required(f"{path}.resources[storage]")
    elif size == "0" or size.startswith("-"):
        yield invalid(f"{path}.resources[storage]", size, "must be greater than zero")


@PersistentVolumeClaimSpec.rule
def _selector_and_attributes(
    spec: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if "selector" in spec:
        yield from check_label_selector(spec["selector"], f"{path}.selector", request.server)
    attributes = spec.get("volumeAttributesClassName", "")
    if attributes and request.enabled("VolumeAttributesClass"):
        for detail in dns_subdomain(attributes):
            yield invalid(f"{path}.volumeAttributesClassName", attributes, detail)


@PersistentVolumeClaimSpec.rule
def _data_source(spec: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    for field, value in (("dataSource", source), ("dataSourceRef", reference)):
        if value is not None:
            yield from _check_kind_of_data(value, f"{path}.{field}", request)
    if reference is None:
        return
    namespace = reference.get("namespace", "")
    if namespace:
        for detail in dns_label(namespace):
            yield invalid(f"{path}.dataSourceRef.namespace", namespace, detail)
    if source is None:
        return
    if namespace:
        detail = "may not be specified when dataSourceRef.namespace is specified"
        yield invalid(path, _FIELD_PATH, detail)
    elif any(source.get(part) != reference.get(part) for part in ("apiGroup", "kind", "name")):
        yield invalid(path, _FIELD_PATH, "must match dataSourceRef")


_FIELD_PATH = Printed("{}")
"""The bad value in the server's message is a field path, which prints as ``{}``."""


def _check_kind_of_data(
    reference: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    group, kind = reference.get("apiGroup", ""), reference.get("kind", "")
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        yield invalid(path, kind, detail)
    if group and request.server.minor >= 29:
        for detail in dns_subdomain(group):
            yield invalid(f"{path}.apiGroup", group, detail)
