"""Volume mounts and devices of containers."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import server
from support.validation.validated_containers import Errors, container_errors

CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
VOLUMES = [
    {"name": "data", "emptyDir": {}},
    {"name": "disk", "persistentVolumeClaim": {"claimName": "disk"}},
    {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}},
    {"name": "tool", "image": {"reference": "tool:1"}},
]
DATA = {"name": "data", "mountPath": "/data"}
DISK = {"name": "disk", "devicePath": "/dev/disk"}
UPWARDS = "must not contain '..'"


@pytest.mark.parametrize(
    ("mounts", "errors"),
    [
        ([DATA], {}),
        ([DATA, {**DATA, "mountPath": "/more", "subPath": "a/..b"}], {}),
        ([{**DATA, "mountPath": "relative/../path"}], {}),
        ([{"name": "data"}], {"[0].mountPath": "Required value"}),
        ([{"mountPath": "/a"}], {"[0].name": 'Not found: ""; Required value'}),
        ([{"name": "nothing", "mountPath": "/a"}], {"[0].name": 'Not found: "nothing"'}),
        ([DATA, DATA], {"[1].mountPath": 'Invalid value: "/data": must be unique'}),
        (
            [{**DATA, "subPath": "/a"}],
            {".subPath": 'Invalid value: "/a": must be a relative path'},
        ),
        ([{**DATA, "subPath": "a/.."}], {".subPath": f'Invalid value: "a/..": {UPWARDS}'}),
        ([{**DATA, "subPathExpr": "$(POD)/a"}], {}),
        ([{**DATA, "subPathExpr": ".."}], {".subPathExpr": f'Invalid value: "..": {UPWARDS}'}),
        (
            [{**DATA, "subPath": "a", "subPathExpr": "b"}],
            {
                "[0].subPathExpr": 'Invalid value: "b": subPathExpr and subPath are mutually '
                "exclusive"
            },
        ),
    ],
)
def test_mounts(mounts: list[dict[str, Any]], errors: Errors) -> None:
    expected = {f"volumeMounts{field}": errors[field] for field in errors}
    assert container_errors({"volumeMounts": mounts}, volumes=VOLUMES) == expected


def test_a_volume_with_which_something_is_wrong_is_not_there() -> None:
    volumes = [{"name": "data", "hostPath": {}}]
    assert container_errors({"volumeMounts": [DATA]}, volumes=volumes) == {
        "volumes[0].hostPath.path": "Required value",
        "volumeMounts[0].name": 'Not found: "data"',
    }


@pytest.mark.parametrize(
    ("propagation", "privileged", "message"),
    [
        ("None", False, ""),
        ("HostToContainer", False, ""),
        ("Bidirectional", True, ""),
        (
            "Bidirectional",
            False,
            "Forbidden: Bidirectional mount propagation is available only to privileged containers",
        ),
        (
            "none",
            True,
            'Unsupported value: "none": supported values: "Bidirectional", "HostToContainer", '
            '"None"',
        ),
    ],
)
def test_only_privileged_containers_mount_for_others(
    propagation: str, privileged: bool, message: str
) -> None:
    container = {
        "volumeMounts": [{**DATA, "mountPropagation": propagation}],
        "securityContext": {"privileged": privileged},
    }
    errors = {"volumeMounts.mountPropagation": message} if message else {}
    at = server(allow_privileged=True)
    assert container_errors(container, volumes=VOLUMES, at=at) == errors


@pytest.mark.parametrize(
    ("mount", "message"),
    [
        ({"recursiveReadOnly": "Disabled"}, ""),
        ({"recursiveReadOnly": "IfPossible", "readOnly": True}, ""),
        ({"recursiveReadOnly": "Enabled", "readOnly": True, "mountPropagation": "None"}, ""),
        (
            {"recursiveReadOnly": "Enabled"},
            "Forbidden: may only be specified when readOnly is true",
        ),
        (
            {
                "recursiveReadOnly": "Enabled",
                "readOnly": True,
                "mountPropagation": "HostToContainer",
            },
            "Forbidden: may only be specified when mountPropagation is None or not specified",
        ),
        (
            {"recursiveReadOnly": "Yes"},
            'Unsupported value: "Yes": supported values: "Disabled", "Enabled", "IfPossible"',
        ),
    ],
)
def test_recursively_read_only(mount: dict[str, Any], message: str) -> None:
    errors = {"volumeMounts.recursiveReadOnly": message} if message else {}
    assert container_errors({"volumeMounts": [{**DATA, **mount}]}, volumes=VOLUMES) == errors


@pytest.mark.parametrize(("release", "whole"), [("1.32", True), ("1.33", False)])
def test_parts_of_images_can_be_mounted_since_1_33(release: str, whole: bool) -> None:
    mount = {"name": "tool", "mountPath": "/tool", "subPath": "bin"}
    at = server(release, {"ImageVolume": True})
    errors = container_errors({"volumeMounts": [mount]}, volumes=VOLUMES, at=at)
    message = 'Invalid value: "bin": not allowed in image volume sources'
    assert errors == ({"volumeMounts[0].subPath": message} if whole else {})


@pytest.mark.parametrize(
    ("devices", "errors"),
    [
        ([DISK], {}),
        ([DISK, {"name": "scratch", "devicePath": "/dev/scratch"}], {}),
        ([{"name": "disk"}], {"[0].devicePath": "Required value"}),
        ([{"devicePath": "/a"}], {"[0].name": 'Not found: ""; Required value'}),
        (
            [{"name": "data", "devicePath": "/a"}],
            {
                "[0].name": 'Invalid value: "data": can only use volume source type of '
                "PersistentVolumeClaim or Ephemeral for block mode"
            },
        ),
        (
            [DISK, {**DISK, "name": "scratch"}],
            {"[1].devicePath": 'Invalid value: "/dev/disk": must be unique'},
        ),
        (
            [DISK, {**DISK, "devicePath": "/dev/b"}],
            {"[1].name": 'Invalid value: "disk": must be unique'},
        ),
        (
            [{**DISK, "devicePath": "/dev/../disk"}],
            {"[0].devicePath": "Invalid value: \"/dev/../disk\": can not contain backsteps ('..')"},
        ),
    ],
)
def test_devices(devices: list[dict[str, Any]], errors: Errors) -> None:
    expected = {f"volumeDevices{field}": errors[field] for field in errors}
    assert container_errors({"volumeDevices": devices}, volumes=VOLUMES) == expected


def test_a_volume_is_mounted_or_a_device() -> None:
    mount = {"name": "disk", "mountPath": "/mnt"}
    assert container_errors(
        {"volumeMounts": [mount], "volumeDevices": [DISK]}, volumes=VOLUMES
    ) == {
        "volumeMounts[0].name": 'Invalid value: "disk": must not already exist in volumeDevices',
        "volumeDevices[0].name": 'Invalid value: "disk": must not already exist in volumeMounts',
    }


def test_a_path_is_of_a_mount_or_of_a_device() -> None:
    mount = {"name": "data", "mountPath": "/dev/disk"}
    assert container_errors(
        {"volumeMounts": [mount], "volumeDevices": [DISK]}, volumes=VOLUMES
    ) == {
        "volumeMounts[0].mountPath": 'Invalid value: "/dev/disk": must not already exist as a '
        "path in volumeDevices",
        "volumeDevices[0].devicePath": 'Invalid value: "/dev/disk": must not already exist as a '
        "path in volumeMounts",
    }
