"""Volumes: the union of all volume sources (``core/v1``).

Source: ``validateVolumeSource`` in ``pkg/apis/core/validation`` and ``SetDefaults_Volume`` in
``pkg/apis/core/v1``, Kubernetes 1.36. Rules on several volumes are in ``pod_volumes``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.images import PULL_POLICIES, default_pull_policy
from jobsworth.api.core.paths import descending, without_backsteps
from jobsworth.api.core.references import DEFAULT_MODE, FILE_MODES, USERS, KeyToPath
from jobsworth.api.declare import (
    Boolean,
    Bounds,
    Field,
    Int32,
    Int64,
    Later,
    ListOf,
    Pointer,
    Quantity,
    String,
    Struct,
)
from jobsworth.api.field_errors import FieldError, forbidden, invalid, not_supported, required
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import byte_length, dns_label

HOST_PATH_TYPES = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
SESSION_NAME_MAX_LENGTH = 64
_IMAGES = "ImageVolume"

_DISKS = "jobsworth.api.core.disks"
_FILE_SYSTEMS = "jobsworth.api.core.file_systems"
_PROJECTIONS = "jobsworth.api.core.projections"

HostPathVolumeSource = Struct(
    "HostPathVolumeSource",
    "A file or directory of the node.",
    path=Field(String, always=True, required=True, format=without_backsteps),
    type=Field(Pointer(String), values=HOST_PATH_TYPES, default=""),
)

IMAGES_NAMED_SINCE = 37
"""The first minor version that requires the reference of an image in a Pod template."""

EmptyDirVolumeSource = Struct(
    "EmptyDirVolumeSource",
    "A directory that is empty at first and is deleted with the Pod.",
    medium=Field(String),
    sizeLimit=Field(Pointer(Quantity)),
    mode=Field(
        Pointer(Int32),
        bounds=Bounds(0, 0o1777, "must be a number between 0 and 01777 (octal), both inclusive"),
        since="1.37",
        gate="EmptyDirVolumeMode",
    ),
)

GitRepoVolumeSource = Struct(
    "GitRepoVolumeSource",
    "A Git repository, cloned when the Pod starts; off by default since 1.33.",
    repository=Field(String, always=True, required=True),
    revision=Field(String),
    directory=Field(String, format=descending),
)

SecretVolumeSource = Struct(
    "SecretVolumeSource",
    "The keys of a Secret, as files.",
    secretName=Field(String, required=True),
    items=Field(ListOf(KeyToPath)),
    defaultMode=Field(Pointer(Int32), bounds=FILE_MODES, default=DEFAULT_MODE),
    optional=Field(Pointer(Boolean)),
    defaultUser=Field(
        Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"
    ),
)

ConfigMapVolumeSource = Struct(
    "ConfigMapVolumeSource",
    "The keys of a ConfigMap, as files.",
    name=Field(String, required=True),
    items=Field(ListOf(KeyToPath)),
    defaultMode=Field(Pointer(Int32), bounds=FILE_MODES, default=DEFAULT_MODE),
    optional=Field(Pointer(Boolean)),
    defaultUser=Field(
        Pointer(Int64), bounds=USERS, since="1.37", gate="AtomicWriteVolumeUserFields"
    ),
)

PersistentVolumeClaimVolumeSource = Struct(
    "PersistentVolumeClaimVolumeSource",
    "A PersistentVolumeClaim of the namespace, by name.",
    claimName=Field(String, always=True, required=True),
    readOnly=Field(Boolean),
)

ImageVolumeSource = Struct(
    "ImageVolumeSource",
    "The content of a container image or other OCI artifact, read-only (KEP-4639).",
    reference=Field(String, since="1.31"),
    pullPolicy=Field(String, enum=PULL_POLICIES, since="1.31"),
)

Volume = Struct(
    "Volume",
    "A volume of the Pod: its name and exactly one source.",
    name=Field(String, always=True, required=True, format=dns_label),
    hostPath=Field(Pointer(HostPathVolumeSource)),
    emptyDir=Field(Pointer(EmptyDirVolumeSource)),
    gcePersistentDisk=Field(
        Pointer(Later(_DISKS, "GCEPersistentDiskVolumeSource")), reported_as="persistentDisk"
    ),
    awsElasticBlockStore=Field(Pointer(Later(_DISKS, "AWSElasticBlockStoreVolumeSource"))),
    gitRepo=Field(Pointer(GitRepoVolumeSource)),
    secret=Field(Pointer(SecretVolumeSource)),
    nfs=Field(Pointer(Later(_FILE_SYSTEMS, "NFSVolumeSource"))),
    iscsi=Field(Pointer(Later(_DISKS, "ISCSIVolumeSource"))),
    glusterfs=Field(Pointer(Later(_FILE_SYSTEMS, "GlusterfsVolumeSource"))),
    persistentVolumeClaim=Field(Pointer(PersistentVolumeClaimVolumeSource)),
    rbd=Field(Pointer(Later(_DISKS, "RBDVolumeSource"))),
    flexVolume=Field(Pointer(Later(_FILE_SYSTEMS, "FlexVolumeSource"))),
    cinder=Field(Pointer(Later(_DISKS, "CinderVolumeSource"))),
    cephfs=Field(Pointer(Later(_FILE_SYSTEMS, "CephFSVolumeSource"))),
    flocker=Field(Pointer(Later(_FILE_SYSTEMS, "FlockerVolumeSource"))),
    downwardAPI=Field(Pointer(Later(_PROJECTIONS, "DownwardAPIVolumeSource"))),
    fc=Field(Pointer(Later(_DISKS, "FCVolumeSource"))),
    azureFile=Field(Pointer(Later(_FILE_SYSTEMS, "AzureFileVolumeSource"))),
    configMap=Field(Pointer(ConfigMapVolumeSource)),
    vsphereVolume=Field(Pointer(Later(_DISKS, "VsphereVirtualDiskVolumeSource"))),
    quobyte=Field(Pointer(Later(_FILE_SYSTEMS, "QuobyteVolumeSource"))),
    azureDisk=Field(Pointer(Later(_DISKS, "AzureDiskVolumeSource"))),
    photonPersistentDisk=Field(Pointer(Later(_DISKS, "PhotonPersistentDiskVolumeSource"))),
    projected=Field(Pointer(Later(_PROJECTIONS, "ProjectedVolumeSource"))),
    portworxVolume=Field(Pointer(Later(_DISKS, "PortworxVolumeSource"))),
    scaleIO=Field(Pointer(Later(_DISKS, "ScaleIOVolumeSource"))),
    storageos=Field(Pointer(Later(_FILE_SYSTEMS, "StorageOSVolumeSource"))),
    csi=Field(Pointer(Later(_FILE_SYSTEMS, "CSIVolumeSource"))),
    ephemeral=Field(Pointer(Later("jobsworth.api.core.claims", "EphemeralVolumeSource"))),
    image=Field(Pointer(ImageVolumeSource), since="1.31"),
)


def _is_overlooked(source: str, request: Request) -> bool:
    """Return True for the image of a stored Pod while the gate of 1.31 is off: the server keeps it unseen."""
    return source == "image" and request.server.minor == 31 and not request.server.enabled(_IMAGES)


Volume.exactly_one_of(
    # In the order in which the API server checks them.
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
    none=None,  # defaults to emptyDir
    several="may not specify more than 1 volume type",
    misnamed={"cephfs": "cephFS", "downwardAPI": "downwarAPI"},
    ignored=_is_overlooked,
)


@Volume.rule
def _has_a_source(volume: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if len(volume) == ("name" in volume):
        yield required(path, "must specify a volume type")


@Volume.defaulter
def _source(volume: dict[str, Any], request: Request) -> None:
    if len(volume) == ("name" in volume):
        volume["emptyDir"] = {}
    image = volume.get("image")
    if image is not None and "pullPolicy" not in image and request.enabled(_IMAGES):
        image["pullPolicy"] = default_pull_policy(image.get("reference", ""))


@Volume.rule_about("image")
def _image_is_named(volume: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Require the reference of an image: in former releases a Pod template may lack it, as a Pod may not."""
    if volume["image"].get("reference") or request.server.minor < IMAGES_NAMED_SINCE:
        return
    if not request.once(_has_unnamed_image):
        yield required(f"{path}.image.reference")


def _has_unnamed_image(request: Request) -> bool:
    volumes = (request.old_pod or {}).get("volumes", ())
    return any("image" in volume and not volume["image"].get("reference") for volume in volumes)


@ImageVolumeSource.rule
def _pull_policy(image: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if "pullPolicy" not in image:  # the server does not default what it keeps while the gate is off
        yield required(f"{path}.pullPolicy")


@HostPathVolumeSource.rule
def _host_path_type(host_path: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    kind = host_path["type"]
    if kind not in HOST_PATH_TYPES and "path" in host_path:
        yield not_supported(f"{path}.type", kind, HOST_PATH_TYPES)


@EmptyDirVolumeSource.rule
def _size_limit(empty_dir: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if empty_dir.get("sizeLimit", "").startswith("-"):
        yield forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


@Volume.rule_about("iscsi")
def _names_of_sessions(volume: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    yield from check_session_name(volume, path)


def check_session_name(volume: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the name that the node gives to the iSCSI session of a volume.

    Args:
        volume: a decoded Volume that has iscsi, also as a surplus source.
        path: its field path.
    """
    iscsi, name = volume["iscsi"], volume.get("name", "")
    session = f"{name}:{iscsi.get('targetPortal', '')}"
    if "initiatorName" in iscsi and byte_length(session) > SESSION_NAME_MAX_LENGTH:
        yield invalid(
            f"{path}.name",
            name,
            "Total length of <volume name>:<iscsi.targetPortal> must be under "
            f"{SESSION_NAME_MAX_LENGTH} characters if iscsi.initiatorName is specified.",
        )
