"""Volumes on disks of cloud providers and storage systems (``core/v1``).

Source: ``pkg/apis/core/validation``, and the ``+default`` marks in ``k8s.io/api``, Kubernetes 1.36.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.references import LocalObjectReference
from jobsworth.api.declare import (
    Between,
    Boolean,
    Bounds,
    Field,
    Int32,
    ListOf,
    Pointer,
    String,
    Struct,
)
from jobsworth.api.field_errors import FieldError, Printed, invalid, not_supported, quoted, required
from jobsworth.api.validation_request import Request

AZURE_CACHING_MODES = ("None", "ReadOnly", "ReadWrite")
AZURE_DISK_KINDS = ("Dedicated", "Managed", "Shared")
_MANAGED_DISK = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}"
    "/providers/microsoft.compute/disks/{disk-id}"
)
_BLOB_DISK = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"

# The server accepts zero (the whole disk), although its message names 1 as the minimum.
_PARTITIONS = Bounds(0, 255, Between(1, 255).detail)
_UNITS = Between(0, 255)

_LETTER_OR_DIGIT = "[0-9A-Za-z]"
_INITIATORS = {
    "iqn": r"iqn\.[0-9]{4}-[0-9]{2}\.[0-9A-Za-z.-]+:[^,;*&$|\t\n\f\r ]+\Z",
    "eui": rf"\Aeui.{_LETTER_OR_DIGIT}{{16}}\Z",
    "naa": rf"\Anaa.{_LETTER_OR_DIGIT}{{32}}\Z",
}


def initiator_name(text: str) -> list[str]:
    """Validate the name of an iSCSI target or initiator (RFC 3720): ``iqn.2001-04.com.example:disk``."""
    expression = _INITIATORS.get(text[:3])
    if expression is None:
        return ["must be valid format starting with iqn, eui, or naa"]
    import re  # imported only for iSCSI volumes

    return [] if re.search(expression, text) else ["must be valid format"]


GCEPersistentDiskVolumeSource = Struct(
    "GCEPersistentDiskVolumeSource",
    "A persistent disk of Google Compute Engine.",
    pdName=Field(String, always=True, required=True),
    fsType=Field(String),
    partition=Field(Int32, bounds=_PARTITIONS),
    readOnly=Field(Boolean),
)

AWSElasticBlockStoreVolumeSource = Struct(
    "AWSElasticBlockStoreVolumeSource",
    "A disk of Amazon Elastic Block Store.",
    volumeID=Field(String, always=True, required=True),
    fsType=Field(String),
    partition=Field(Int32, bounds=_PARTITIONS),
    readOnly=Field(Boolean),
)

AzureDiskVolumeSource = Struct(
    "AzureDiskVolumeSource",
    "A data disk of Azure: a managed one, or a blob.",
    diskName=Field(String, always=True, required=True),
    diskURI=Field(String, always=True, required=True),
    cachingMode=Field(Pointer(String), enum=AZURE_CACHING_MODES, default="ReadWrite"),
    fsType=Field(Pointer(String), default="ext4"),
    readOnly=Field(Pointer(Boolean), default=False),
    kind=Field(Pointer(String), enum=AZURE_DISK_KINDS, default="Shared"),
)

VsphereVirtualDiskVolumeSource = Struct(
    "VsphereVirtualDiskVolumeSource",
    "A virtual disk of vSphere.",
    volumePath=Field(String, always=True, required=True),
    fsType=Field(String),
    storagePolicyName=Field(String),
    storagePolicyID=Field(String),
)

CinderVolumeSource = Struct(
    "CinderVolumeSource",
    "A disk of OpenStack Cinder.",
    volumeID=Field(String, always=True, required=True),
    fsType=Field(String),
    readOnly=Field(Boolean),
    secretRef=Field(Pointer(LocalObjectReference)),
)

PhotonPersistentDiskVolumeSource = Struct(
    "PhotonPersistentDiskVolumeSource",
    "A disk of the Photon Controller; no longer supported by any node.",
    pdID=Field(String, always=True, required=True),
    fsType=Field(String),
)

FCVolumeSource = Struct(
    "FCVolumeSource",
    "A Fibre Channel disk, by its ports and unit, or by its world wide identifiers.",
    targetWWNs=Field(ListOf(String)),
    lun=Field(Pointer(Int32)),
    fsType=Field(String),
    readOnly=Field(Boolean),
    wwids=Field(ListOf(String)),
)

ISCSIVolumeSource = Struct(
    "ISCSIVolumeSource",
    "An iSCSI disk: a unit of a target, behind one or more portals.",
    targetPortal=Field(String, always=True, required=True),
    iqn=Field(String, always=True, required=True, format=initiator_name),
    lun=Field(Int32, always=True, bounds=_UNITS),
    iscsiInterface=Field(String, default="default"),
    fsType=Field(String),
    readOnly=Field(Boolean),
    portals=Field(ListOf(String)),
    chapAuthDiscovery=Field(Boolean),
    chapAuthSession=Field(Boolean),
    secretRef=Field(Pointer(LocalObjectReference)),
    initiatorName=Field(Pointer(String), format=initiator_name, reported_as="initiatorname"),
)

RBDVolumeSource = Struct(
    "RBDVolumeSource",
    "A RADOS block device of Ceph.",
    monitors=Field(ListOf(String), always=True, required=True),
    image=Field(String, always=True, required=True),
    fsType=Field(String),
    pool=Field(String, default="rbd"),
    user=Field(String, default="admin"),
    keyring=Field(String, default="/etc/ceph/keyring"),
    secretRef=Field(Pointer(LocalObjectReference)),
    readOnly=Field(Boolean),
)

ScaleIOVolumeSource = Struct(
    "ScaleIOVolumeSource",
    "A volume of ScaleIO; no longer supported by any node.",
    gateway=Field(String, always=True, required=True),
    system=Field(String, always=True, required=True),
    secretRef=Field(Pointer(LocalObjectReference), always=True),
    sslEnabled=Field(Boolean),
    protectionDomain=Field(String),
    storagePool=Field(String),
    storageMode=Field(String, default="ThinProvisioned"),
    volumeName=Field(String, required=True),
    fsType=Field(String, default="xfs"),
    readOnly=Field(Boolean),
)

PortworxVolumeSource = Struct(
    "PortworxVolumeSource",
    "A volume of Portworx.",
    volumeID=Field(String, always=True, required=True),
    fsType=Field(String),
    readOnly=Field(Boolean),
)


@AzureDiskVolumeSource.rule
def _address_of_the_kind(disk: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    address = disk.get("diskURI", "")
    managed = disk["kind"] == "Managed"
    if not address.startswith("/subscriptions/" if managed else "https://"):
        example = _MANAGED_DISK if managed else _BLOB_DISK
        yield not_supported(f"{path}.diskURI", Printed(quoted(address)), (example,))


@CinderVolumeSource.rule
def _named_secret(source: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "secretRef" in source:
        yield from check_secret_named(source["secretRef"], f"{path}.secretRef")


def check_secret_named(reference: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate a reference to a Secret that must have a name."""
    if "name" not in reference:
        yield required(f"{path}.name")


@FCVolumeSource.rule
def _ports_or_identifiers(
    disk: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    ports = disk.get("targetWWNs")
    if ports is None and "wwids" not in disk:
        yield required(
            f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both"
        )
    if ports is None:
        return
    if "wwids" in disk:
        yield invalid(
            f"{path}.targetWWNs", ports, "targetWWNs and wwids can not be specified simultaneously"
        )
    unit = disk.get("lun")
    if unit is None:
        yield required(f"{path}.lun", "lun is required if targetWWNs is specified")
    elif not _UNITS.admits(unit):
        yield invalid(f"{path}.lun", unit, _UNITS.detail)


@ISCSIVolumeSource.rule
def _secret_for_authentication(
    disk: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    if ("chapAuthDiscovery" in disk or "chapAuthSession" in disk) and "secretRef" not in disk:
        yield required(f"{path}.secretRef")
