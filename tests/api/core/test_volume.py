"""Volumes: one source each, and the sources that are neither disks nor configuration."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import server
from support.validation.validated_volumes import (
    Errors,
    pod_spec_errors,
    stored_volume,
    volume_errors,
)

ONE = "Forbidden: may not specify more than 1 volume type"
RELATIVE = "must be a relative path"
TYPES = (
    'supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", '
    '"FileOrCreate", "Socket"'
)


@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({}, {}),
        ({"hostPath": {"path": "/data"}, "configMap": None}, {}),
        ({"hostPath": {"path": "/data"}, "emptyDir": {}}, {"hostPath": ONE}),
        ({"hostPath": {"path": "/data"}, "cephfs": {}, "csi": {}}, {"cephFS": ONE, "csi": ONE}),
        ({"secret": {"secretName": "a"}, "downwardAPI": {}}, {"downwarAPI": ONE}),
    ],
    ids=["none", "one", "two", "three-of-which-one-is-misnamed", "another-misnamed"],
)
def test_a_volume_has_one_source(source: dict[str, Any], errors: Errors) -> None:
    assert volume_errors(source) == errors


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("data-1", ""),
        ("", "Required value"),
        ("a.b", 'Invalid value: "a.b": must not contain dots'),
    ],
)
def test_a_volume_has_a_name(name: str, message: str) -> None:
    errors = {"volumes[0].name": message} if message else {}
    assert pod_spec_errors({"volumes": [{"name": name}]}) == errors


def test_a_volume_without_source_is_an_empty_directory() -> None:
    assert stored_volume({"name": "data"}) == {"name": "data", "emptyDir": {}}


@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({"hostPath": {"path": "/data", "type": "Socket"}}, {}),
        ({"hostPath": {"path": "/data", "type": ""}}, {}),
        ({"hostPath": {"type": "x"}}, {"hostPath.path": "Required value"}),
        (
            {"hostPath": {"path": "/a/../b", "type": "file"}},
            {
                "hostPath.path": "Invalid value: \"/a/../b\": must not contain '..'",
                "hostPath.type": f'Unsupported value: "file": {TYPES}',
            },
        ),
        ({"emptyDir": {"medium": "anything", "sizeLimit": "0"}}, {}),
        (
            {"emptyDir": {"sizeLimit": "-1Mi"}},
            {"emptyDir.sizeLimit": "Forbidden: SizeLimit field must be a valid resource quantity"},
        ),
        ({"gitRepo": {"repository": "r", "directory": "."}}, {}),
        (
            {"gitRepo": {"directory": "/a"}},
            {
                "gitRepo.repository": "Required value",
                "gitRepo.directory": f'Invalid value: "/a": {RELATIVE}',
            },
        ),
        ({"image": {"reference": "registry.example/models:7"}}, {}),
        ({"image": {}}, {}),
        (
            {"image": {"pullPolicy": "Often"}},
            {
                "image.pullPolicy": 'Unsupported value: "Often": supported values: '
                '"Always", "IfNotPresent", "Never"'
            },
        ),
    ],
)
def test_sources(source: dict[str, Any], errors: Errors) -> None:
    assert volume_errors(source) == errors


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"hostPath": {"path": "/a"}}, {"hostPath": {"path": "/a", "type": ""}}),
        ({"image": {"reference": "a"}}, {"image": {"reference": "a", "pullPolicy": "Always"}}),
        (
            {"image": {"reference": "a:1"}},
            {"image": {"reference": "a:1", "pullPolicy": "IfNotPresent"}},
        ),
    ],
)
def test_defaults(given: dict[str, Any], stored: dict[str, Any]) -> None:
    assert stored_volume({"name": "v", **given}) == {"name": "v", **stored}


def test_an_empty_directory_has_permission_bits_with_their_gate() -> None:
    source = {"emptyDir": {"mode": 0o2000}}
    assert volume_errors(source, at=server("1.37")) == {}
    assert volume_errors(source, at=server("1.37", {"EmptyDirVolumeMode": True})) == {
        "emptyDir.mode": "Invalid value: 1024: "
        "must be a number between 0 and 01777 (octal), both inclusive"
    }


SOURCES = {
    "hostPath": {"path": "/data"},
    "gitRepo": {"repository": "r"},
    "gcePersistentDisk": {"pdName": "a"},
    "awsElasticBlockStore": {"volumeID": "a"},
    "secret": {"secretName": "a"},
    "nfs": {"server": "a", "path": "/a"},
    "persistentVolumeClaim": {"claimName": "a"},
    "downwardAPI": {},
    "configMap": {"name": "a"},
    "azureFile": {"secretName": "a", "shareName": "a"},
    "azureDisk": {"diskName": "a", "diskURI": "a"},
    "vsphereVolume": {"volumePath": "a"},
    "projected": {},
    "csi": {"driver": "a"},
    "image": {"reference": "a"},
}


@pytest.mark.parametrize("name", SOURCES)
def test_no_source_goes_with_another(name: str) -> None:
    assert ONE in volume_errors({"emptyDir": {}, name: SOURCES[name]}).values()
