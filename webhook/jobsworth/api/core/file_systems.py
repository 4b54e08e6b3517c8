"""Volumes on network file systems and other shared storage (``core/v1``).

Source: ``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.disks import check_secret_named
from jobsworth.api.core.paths import absolute
from jobsworth.api.core.references import LocalObjectReference
from jobsworth.api.declare import Boolean, Field, ListOf, MapOf, Pointer, String, Struct
from jobsworth.api.field_errors import FieldError, invalid, required, too_long
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import byte_length, dns_label, dns_subdomain

QUOBYTE_TENANT_MAX_LENGTH = 64
CSI_DRIVER_NAME_MAX_LENGTH = 63
RESERVED_NAMESPACES = (".kubernetes.io", ".k8s.io")
_REGISTRY = "must be a host:port pair or multiple pairs separated by commas"


def csi_driver_name(text: str) -> list[str]:
    """Validate the name of a CSI driver: a DNS subdomain that may contain uppercase letters."""
    return dns_subdomain(text.lower())


NFSVolumeSource = Struct(
    "NFSVolumeSource",
    "A directory that an NFS server exports.",
    server=Field(String, always=True, required=True),
    path=Field(String, always=True, required=True, format=absolute, validate_empty=True),
    readOnly=Field(Boolean),
)

GlusterfsVolumeSource = Struct(
    "GlusterfsVolumeSource",
    "A volume of GlusterFS; no longer supported by any node.",
    endpoints=Field(String, always=True, required=True),
    path=Field(String, always=True, required=True),
    readOnly=Field(Boolean),
)

CephFSVolumeSource = Struct(
    "CephFSVolumeSource",
    "A directory of CephFS.",
    monitors=Field(ListOf(String), always=True, required=True),
    path=Field(String),
    user=Field(String),
    secretFile=Field(String),
    secretRef=Field(Pointer(LocalObjectReference)),
    readOnly=Field(Boolean),
)

AzureFileVolumeSource = Struct(
    "AzureFileVolumeSource",
    "A share of Azure Files.",
    secretName=Field(String, always=True, required=True),
    shareName=Field(String, always=True, required=True),
    readOnly=Field(Boolean),
)

FlockerVolumeSource = Struct(
    "FlockerVolumeSource",
    "A dataset of Flocker, by name or UUID; no longer supported by any node.",
    datasetName=Field(String),
    datasetUUID=Field(String),
)

QuobyteVolumeSource = Struct(
    "QuobyteVolumeSource",
    "A volume of Quobyte; no longer supported by any node.",
    registry=Field(String, always=True, required=_REGISTRY),
    volume=Field(String, always=True, required=True),
    readOnly=Field(Boolean),
    user=Field(String),
    group=Field(String),
    tenant=Field(String),
)

StorageOSVolumeSource = Struct(
    "StorageOSVolumeSource",
    "A volume of StorageOS; no longer supported by any node.",
    volumeName=Field(String, required=True, format=dns_label),
    volumeNamespace=Field(String, format=dns_label),
    fsType=Field(String),
    readOnly=Field(Boolean),
    secretRef=Field(Pointer(LocalObjectReference)),
)

FlexVolumeSource = Struct(
    "FlexVolumeSource",
    "A volume that a FlexVolume driver on the node provides.",
    driver=Field(String, always=True, required=True),
    fsType=Field(String),
    secretRef=Field(Pointer(LocalObjectReference)),
    readOnly=Field(Boolean),
    options=Field(MapOf(String)),
)

CSIVolumeSource = Struct(
    "CSIVolumeSource",
    "A volume that a CSI driver creates for the lifetime of the Pod (KEP-596).",
    driver=Field(String, always=True, required=True, format=csi_driver_name),
    readOnly=Field(Pointer(Boolean)),
    fsType=Field(Pointer(String)),
    volumeAttributes=Field(MapOf(String)),
    nodePublishSecretRef=Field(Pointer(LocalObjectReference)),
)


@FlockerVolumeSource.rule
def _name_or_uuid(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    name = source.get("datasetName", "")
    if not name and "datasetUUID" not in source:
        yield required(path, "one of datasetName and datasetUUID is required")
    if name and "datasetUUID" in source:
        yield invalid(
            path, "resource", "datasetName and datasetUUID can not be specified simultaneously"
        )
    if "/" in name:
        yield invalid(f"{path}.datasetName", name, "must not contain '/'")


@QuobyteVolumeSource.rule
def _registry_and_tenant(
    source: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    registry = source.get("registry", "")
    if not registry:
        return
    if byte_length(source.get("tenant", "")) > QUOBYTE_TENANT_MAX_LENGTH:
        yield required(
            f"{path}.tenant", "must be a UUID and may not exceed a length of 64 characters"
        )
    elif not all(map(is_host_with_port, registry.split(","))):
        yield invalid(f"{path}.registry", registry, _REGISTRY)


def is_host_with_port(text: str) -> bool:
    """Return True if Go's ``net.SplitHostPort`` accepts a text; both parts may be empty.

    >>> [is_host_with_port(text) for text in ("quobyte:7861", "::1:7861", "[::1]:7", "[[a]:7")]
    [True, False, True, False]
    """
    if text.startswith("["):
        host, bracket, port = text[1:].partition("]")
        if not bracket or port[:1] != ":":
            return False
        host, port = host.replace(":", ""), port[1:]
    else:
        host, colon, port = text.partition(":")
        if not colon:
            return False
    return not any(character in host + port for character in ":[]")


@StorageOSVolumeSource.rule
def _named_secret(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "secretRef" in source:
        yield from check_secret_named(source["secretRef"], f"{path}.secretRef")


@FlexVolumeSource.rule
def _options_of_others(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    for key in source.get("options", ()):
        if f".{key.partition('/')[0].lower()}".endswith(RESERVED_NAMESPACES):
            yield invalid(
                f"{path}.options[{key}]", key, "kubernetes.io and k8s.io namespaces are reserved"
            )


@CSIVolumeSource.rule
def _driver_and_secret(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    driver = source.get("driver", "")
    if byte_length(driver) > CSI_DRIVER_NAME_MAX_LENGTH:
        yield too_long(f"{path}.driver", CSI_DRIVER_NAME_MAX_LENGTH)
    if not driver and request.server.minor < 35:
        for detail in csi_driver_name(driver):
            yield invalid(f"{path}.driver", driver, detail)
    if "nodePublishSecretRef" not in source:
        return
    reference = source["nodePublishSecretRef"]
    yield from check_secret_named(reference, f"{path}.nodePublishSecretRef")
    name = reference.get("name", "")
    if name:
        for detail in dns_subdomain(name):
            yield invalid(f"{path}.name", name, detail)
