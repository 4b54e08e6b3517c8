"""Volume mounts and block devices of containers (``core/v1``).

Source: ``ValidateVolumeMounts`` and ``ValidateVolumeDevices`` in ``pkg/apis/core/validation``,
Kubernetes 1.36. Some errors have the path of the list, not of the mount.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.paths import descending, without_backsteps
from jobsworth.api.declare import Boolean, Field, ListOf, Pointer, String, Struct
from jobsworth.api.field_errors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
)
from jobsworth.api.validation_request import Request

PROPAGATIONS = ("Bidirectional", "HostToContainer", "None")
BIND_MOUNT_OPTIONS = ("nodev", "noexec", "nosuid")
RECURSIVE_READ_ONLY = ("Disabled", "Enabled", "IfPossible")

VOLUME_EXISTS = "volume_exists"
"""The rule of an error for a mount of a volume that the Pod does not have."""

VolumeMount = Struct(
    "VolumeMount",
    "A volume of the Pod, and its mount path in a container.",
    name=Field(String, always=True, required=True),
    readOnly=Field(Boolean),
    recursiveReadOnly=Field(
        Pointer(String), values=RECURSIVE_READ_ONLY, since="1.30", gate="RecursiveReadOnlyMounts"
    ),
    mountPath=Field(String, always=True, required=True),
    subPath=Field(String),
    mountPropagation=Field(Pointer(String), values=PROPAGATIONS),
    subPathExpr=Field(String),
    bindMountOptions=Field(
        ListOf(String), enum=BIND_MOUNT_OPTIONS, since="1.37", gate="VolumeBindMountOptions"
    ),
)

VolumeDevice = Struct(
    "VolumeDevice",
    "A volume of the Pod that a container uses as a raw block device.",
    name=Field(String, always=True, required=True),
    devicePath=Field(String, always=True, required=True),
)


@VolumeMount.rule_about("bindMountOptions")
def _bind_mount_options(mount: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    options = mount["bindMountOptions"]
    for index, option in enumerate(options):
        if option in options[:index]:
            yield duplicate(f"{path}.bindMountOptions[{index}]", option)


def check_mounts(
    container: dict[str, Any], path: str, volumes: dict[str, dict[str, Any]], request: Request
) -> Iterator[FieldError]:
    """Validate the volume mounts of a container.

    Args:
        container: one that has volumeMounts.
        path: the container's field path.
        volumes: by name, those of the Pod's volumes with which nothing is wrong.
    """
    path = f"{path}.volumeMounts"
    devices = _paths(container, "volumeDevices", "devicePath")
    device_paths = set(devices.values())
    mounted = set()
    for index, mount in enumerate(container["volumeMounts"]):
        at, name, mount_path = f"{path}[{index}]", mount.get("name", ""), mount.get("mountPath", "")
        if name not in volumes:
            yield not_found(f"{at}.name", name, VOLUME_EXISTS)
        if mount_path in mounted:
            yield invalid(f"{at}.mountPath", mount_path, "must be unique")
        mounted.add(mount_path)
        if name in devices:
            yield invalid(f"{at}.name", name, "must not already exist in volumeDevices")
        if mount_path in device_paths:
            detail = "must not already exist as a path in volumeDevices"
            yield invalid(f"{at}.mountPath", mount_path, detail)
        if request.server.minor < 33 and "image" in volumes.get(name, {}):
            yield from _check_image_is_mounted_whole(mount, at)
        if "subPath" in mount:
            for detail in descending(mount["subPath"]):
                yield invalid(f"{path}.subPath", mount["subPath"], detail)
        if "subPathExpr" in mount:
            if "subPath" in mount:
                detail = "subPathExpr and subPath are mutually exclusive"
                yield invalid(f"{at}.subPathExpr", mount["subPathExpr"], detail)
            for detail in descending(mount["subPathExpr"]):
                yield invalid(f"{path}.subPathExpr", mount["subPathExpr"], detail)
        if "mountPropagation" in mount:
            privileged = container.get("securityContext", {}).get("privileged", False)
            yield from _check_propagation(mount, f"{path}.mountPropagation", privileged)
        if "recursiveReadOnly" in mount:
            yield from _check_recursion(mount, f"{path}.recursiveReadOnly")


def _paths(container: dict[str, Any], field: str, path: str) -> dict[str, str]:
    """Return the paths of a container's mounts or devices, by volume name."""
    return {item.get("name", ""): item.get(path, "") for item in container.get(field, ())}


def _check_image_is_mounted_whole(mount: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Forbid subPath for image volumes, as servers do before 1.33 (KEP-4639)."""
    for field in ("subPath", "subPathExpr"):
        if field in mount:
            yield invalid(f"{path}.{field}", mount[field], "not allowed in image volume sources")


def _check_propagation(mount: dict[str, Any], path: str, privileged: bool) -> Iterator[FieldError]:
    propagation = mount["mountPropagation"]
    if propagation not in PROPAGATIONS:
        yield not_supported(path, propagation, PROPAGATIONS)
    if propagation == "Bidirectional" and not privileged:
        detail = "Bidirectional mount propagation is available only to privileged containers"
        yield forbidden(path, detail)


def _check_recursion(mount: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate recursiveReadOnly, which requires readOnly and no mount propagation (KEP-3857)."""
    recursion = mount["recursiveReadOnly"]
    if recursion not in RECURSIVE_READ_ONLY:
        yield not_supported(path, recursion, RECURSIVE_READ_ONLY)
    elif recursion != "Disabled":
        if not mount.get("readOnly"):
            yield forbidden(path, "may only be specified when readOnly is true")
        if mount.get("mountPropagation", "None") != "None":
            detail = "may only be specified when mountPropagation is None or not specified"
            yield forbidden(path, detail)


def check_devices(
    container: dict[str, Any], path: str, volumes: dict[str, dict[str, Any]]
) -> Iterator[FieldError]:
    """Validate the block devices of a container.

    Args:
        container: one that has volumeDevices.
        path: the container's field path.
        volumes: by name, those of the Pod's volumes with which nothing is wrong.
    """
    mounts = _paths(container, "volumeMounts", "mountPath")
    mount_paths = set(mounts.values())
    names, paths = set(), set()
    for index, device in enumerate(container["volumeDevices"]):
        at = f"{path}.volumeDevices[{index}]"
        name, device_path = device.get("name", ""), device.get("devicePath", "")
        volume = volumes.get(name)
        if name in names:
            yield invalid(f"{at}.name", name, "must be unique")
        if volume is None:
            yield not_found(f"{at}.name", name, VOLUME_EXISTS)
        elif "persistentVolumeClaim" not in volume and "ephemeral" not in volume:
            detail = (
                "can only use volume source type of PersistentVolumeClaim or Ephemeral "
                "for block mode"
            )
            yield invalid(f"{at}.name", name, detail)
        if device_path in paths:
            yield invalid(f"{at}.devicePath", device_path, "must be unique")
        if without_backsteps(device_path):
            yield invalid(f"{at}.devicePath", device_path, "can not contain backsteps ('..')")
        else:
            paths.add(device_path)
        if name in mounts:
            yield invalid(f"{at}.name", name, "must not already exist in volumeMounts")
        if device_path in mount_paths:
            detail = "must not already exist as a path in volumeMounts"
            yield invalid(f"{at}.devicePath", device_path, detail)
        if name:
            names.add(name)
