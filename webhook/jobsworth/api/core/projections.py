"""Configuration volumes: ConfigMaps, Secrets, the downward API, tokens, certificates.

Source: ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.downward_api import check_object_field, check_resource_field
from jobsworth.api.core.paths import of_written_file
from jobsworth.api.core.references import (
    DEFAULT_MODE,
    FILE_MODES,
    USERS,
    KeyToPath,
    ObjectFieldSelector,
    ResourceFieldSelector,
)
from jobsworth.api.declare import (
    Boolean,
    Bounds,
    Field,
    Int32,
    Int64,
    Later,
    ListOf,
    Pointer,
    String,
    Struct,
)
from jobsworth.api.field_errors import FieldError, forbidden, invalid, required
from jobsworth.api.validation_request import Request

FIELD_PATHS = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)
"""The Pod fields that a file of a volume can contain."""
MAX_TOKEN_EXPIRATION = 2**32

_CERTIFICATES = "jobsworth.api.core.projected_certificates"

DownwardAPIVolumeFile = Struct(
    "DownwardAPIVolumeFile",
    "A file with a field of the Pod or a resource of a container.",
    path=Field(String, always=True, required=True, format=of_written_file),
    fieldRef=Field(Pointer(ObjectFieldSelector)),
    resourceFieldRef=Field(Pointer(ResourceFieldSelector)),
    mode=Field(Pointer(Int32), bounds=FILE_MODES),
    user=Field(Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"),
)

DownwardAPIVolumeSource = Struct(
    "DownwardAPIVolumeSource",
    "Files with fields of the Pod, for its containers.",
    items=Field(ListOf(DownwardAPIVolumeFile), reported_as=""),
    defaultMode=Field(Pointer(Int32), bounds=FILE_MODES, default=DEFAULT_MODE),
    defaultUser=Field(
        Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"
    ),
)

SecretProjection = Struct(
    "SecretProjection",
    "The keys of a Secret, as files of a projected volume.",
    name=Field(String, required=True),
    items=Field(ListOf(KeyToPath)),
    optional=Field(Pointer(Boolean)),
)

DownwardAPIProjection = Struct(
    "DownwardAPIProjection",
    "Fields of the Pod, as files of a projected volume.",
    items=Field(ListOf(DownwardAPIVolumeFile), reported_as=""),
)

ConfigMapProjection = Struct(
    "ConfigMapProjection",
    "The keys of a ConfigMap, as files of a projected volume.",
    name=Field(String, required=True),
    items=Field(ListOf(KeyToPath)),
    optional=Field(Pointer(Boolean)),
)

ServiceAccountTokenProjection = Struct(
    "ServiceAccountTokenProjection",
    "A token of the service account, which the kubelet renews (KEP-1205).",
    audience=Field(String),
    expirationSeconds=Field(
        Pointer(Int64),
        bounds=Bounds(10 * 60, None, "may not specify a duration less than 10 minutes"),
        default=60 * 60,
    ),
    path=Field(String, always=True),
    user=Field(Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"),
)

VolumeProjection = Struct(
    "VolumeProjection",
    "One source of a projected volume.",
    secret=Field(Pointer(SecretProjection)),
    downwardAPI=Field(Pointer(DownwardAPIProjection)),
    configMap=Field(Pointer(ConfigMapProjection)),
    serviceAccountToken=Field(Pointer(ServiceAccountTokenProjection)),
    clusterTrustBundle=Field(
        Pointer(Later(_CERTIFICATES, "ClusterTrustBundleProjection")),
        since="1.29",
        gate="ClusterTrustBundleProjection",
    ),
    podCertificate=Field(
        Pointer(Later(_CERTIFICATES, "PodCertificateProjection")),
        since="1.34",
        gate="PodCertificateRequest",
    ),
)

ProjectedVolumeSource = Struct(
    "ProjectedVolumeSource",
    "Several sources in one directory.",
    sources=Field(ListOf(VolumeProjection), always=True),
    defaultMode=Field(Pointer(Int32), bounds=FILE_MODES, default=DEFAULT_MODE),
    defaultUser=Field(
        Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"
    ),
)


@DownwardAPIVolumeFile.rule
def _field_or_resource(file: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        yield from check_object_field(field, f"{path}.fieldRef", FIELD_PATHS)
        if resource is not None:
            yield invalid(
                path,
                "resource",
                "fieldRef and resourceFieldRef can not be specified simultaneously",
            )
    elif resource is not None:
        yield from check_resource_field(resource, f"{path}.resourceFieldRef", of_any_container=True)
    else:
        yield required(path, "one of fieldRef and resourceFieldRef is required")


@ServiceAccountTokenProjection.rule
def _token_expires(token: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    seconds = token["expirationSeconds"]
    if seconds > MAX_TOKEN_EXPIRATION:
        yield invalid(
            f"{path}.expirationSeconds",
            seconds,
            "may not specify a duration larger than 2^32 seconds",
        )


@VolumeProjection.rule
def _one_source(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    # The server accepts a projection without any source.
    if len(source) > 1:
        per_source = " per source" if request.server.minor >= 31 else ""
        yield forbidden(path, f"may not specify more than 1 volume type{per_source}")


@ProjectedVolumeSource.rule
def _files(volume: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    taken: set[str] = set()
    for source in volume.get("sources", ()):
        reported = None  # the server reports one conflict per source, not per file
        if "serviceAccountToken" in source:
            yield from _check_token_path(source["serviceAccountToken"], path, request)
        for file, blamed in _files_of(source):
            if file in taken and blamed is not reported:
                yield invalid(path, blamed, "conflicting duplicate paths")
                reported = blamed
            taken.add(file)


def _check_token_path(token: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Validate the path of a token; the API server reports errors at the volume, not at its source."""
    file = token.get("path", "")
    if not file:
        yield required(f"{path}.path")
    elif request.server.minor >= 30 and not request.once(_has_token_outside):
        for detail in of_written_file(file):
            yield invalid(f"{path}.path", file, detail)


def _has_token_outside(request: Request) -> bool:
    """Return True if the stored Pod writes a token outside its volume, as was valid before 1.30."""
    return any(
        of_written_file(source["serviceAccountToken"].get("path", ""))
        for volume in (request.old_pod or {}).get("volumes", ())
        for source in volume.get("projected", {}).get("sources", ())
        if "serviceAccountToken" in source
    )


def _files_of(source: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the paths of a source, except a token's, each with the value to report on a conflict."""
    for kind in ("secret", "configMap"):
        projection = source.get(kind, {})
        for item in projection.get("items", ()):
            if "path" in item:
                yield item["path"], projection.get("name", "")
    for item in source.get("downwardAPI", {}).get("items", ()):
        if "path" in item:
            yield item["path"], item["path"]
    if "clusterTrustBundle" in source:
        file = source["clusterTrustBundle"].get("path", "")
        yield file, file
    if "podCertificate" in source:
        from jobsworth.api.core.projected_certificates import CERTIFICATE_FILES

        certificate = source["podCertificate"]
        for field in CERTIFICATE_FILES:
            if field in certificate:
                yield certificate[field], certificate[field]
