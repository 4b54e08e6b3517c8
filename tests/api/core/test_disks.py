"""Volumes on disks of clouds and storage systems."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.disks import initiator_name
from support.validation.validated_volumes import (
    Errors,
    pod_spec_errors,
    stored_volume,
    volume_errors,
)

REQUIRED = "Required value"
PARTITION = "must be between 1 and 255, inclusive"
UNIT = "must be between 0 and 255, inclusive"
TARGET = {"targetPortal": "10.0.0.1", "iqn": "iqn.2001-04.com.example:disk", "lun": 0}
MANAGED = (
    'supported values: "/subscriptions/{sub-id}/resourcegroups/{group-name}'
    '/providers/microsoft.compute/disks/{disk-id}"'
)
BLOB = (
    'supported values: "https://{account-name}.blob.core.windows.net/{container-name}'
    '/{disk-name}.vhd"'
)


@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({"gcePersistentDisk": {"pdName": "a", "partition": 255}}, {}),
        (
            {"gcePersistentDisk": {"partition": 256}},
            {
                "persistentDisk.pdName": REQUIRED,
                "persistentDisk.partition": f"Invalid value: 256: {PARTITION}",
            },
        ),
        ({"awsElasticBlockStore": {"volumeID": "a", "partition": 0}}, {}),
        (
            {"awsElasticBlockStore": {"partition": -1}},
            {
                "awsElasticBlockStore.volumeID": REQUIRED,
                "awsElasticBlockStore.partition": f"Invalid value: -1: {PARTITION}",
            },
        ),
        ({"vsphereVolume": {"volumePath": "a"}}, {}),
        ({"vsphereVolume": {}}, {"vsphereVolume.volumePath": REQUIRED}),
        ({"photonPersistentDisk": {"pdID": "a"}}, {}),
        ({"photonPersistentDisk": {}}, {"photonPersistentDisk.pdID": REQUIRED}),
        ({"portworxVolume": {"volumeID": "a"}}, {}),
        ({"portworxVolume": {}}, {"portworxVolume.volumeID": REQUIRED}),
        ({"cinder": {"volumeID": "a", "secretRef": {"name": "any name"}}}, {}),
        (
            {"cinder": {"secretRef": {}}},
            {"cinder.volumeID": REQUIRED, "cinder.secretRef.name": REQUIRED},
        ),
        ({"rbd": {"monitors": ["a"], "image": "b"}}, {}),
        ({"rbd": {"monitors": []}}, {"rbd.monitors": REQUIRED, "rbd.image": REQUIRED}),
        ({"scaleIO": {"gateway": "a", "system": "b", "volumeName": "c"}}, {}),
        (
            {"scaleIO": {"secretRef": {}}},
            {
                "scaleIO.gateway": REQUIRED,
                "scaleIO.system": REQUIRED,
                "scaleIO.volumeName": REQUIRED,
            },
        ),
    ],
)
def test_required_fields(source: dict[str, Any], errors: Errors) -> None:
    assert volume_errors(source) == errors


@pytest.mark.parametrize(
    ("disk", "errors"),
    [
        ({"diskURI": "https://a"}, {}),
        ({"diskURI": "/subscriptions/a", "kind": "Managed"}, {}),
        ({}, {"diskURI": f'{REQUIRED}; Unsupported value: "": {BLOB}'}),
        ({"diskURI": "http://a"}, {"diskURI": f'Unsupported value: "http://a": {BLOB}'}),
        (
            {"diskURI": "https://a", "kind": "Managed"},
            {"diskURI": f'Unsupported value: "https://a": {MANAGED}'},
        ),
        (
            {"diskURI": "https://a", "kind": "shared", "cachingMode": ""},
            {
                "kind": 'Unsupported value: "shared": '
                'supported values: "Dedicated", "Managed", "Shared"',
                "cachingMode": 'Unsupported value: "": '
                'supported values: "None", "ReadOnly", "ReadWrite"',
            },
        ),
    ],
)
def test_disks_of_azure(disk: dict[str, Any], errors: Errors) -> None:
    assert volume_errors({"azureDisk": {"diskName": "a", **disk}}) == {
        f"azureDisk.{field}": errors[field] for field in errors
    }


@pytest.mark.parametrize(
    ("disk", "errors"),
    [
        ({"targetWWNs": ["a"], "lun": 255}, {}),
        ({"wwids": ["a"]}, {}),
        ({"wwids": ["a"], "lun": 256}, {}),
        (
            {},
            {"targetWWNs": f"{REQUIRED}: must specify either targetWWNs or wwids, but not both"},
        ),
        ({"targetWWNs": ["a"]}, {"lun": f"{REQUIRED}: lun is required if targetWWNs is specified"}),
        (
            {"targetWWNs": ["a"], "wwids": ["b"], "lun": -1},
            {
                "targetWWNs": 'Invalid value: ["a"]: '
                "targetWWNs and wwids can not be specified simultaneously",
                "lun": f"Invalid value: -1: {UNIT}",
            },
        ),
    ],
)
def test_fibre_channel(disk: dict[str, Any], errors: Errors) -> None:
    assert volume_errors({"fc": disk}) == {f"fc.{field}": errors[field] for field in errors}


@pytest.mark.parametrize(
    ("disk", "errors"),
    [
        ({}, {}),
        ({"targetPortal": ""}, {"targetPortal": REQUIRED}),
        ({"iqn": ""}, {"iqn": REQUIRED}),
        ({"iqn": "iqn.2001"}, {"iqn": 'Invalid value: "iqn.2001": must be valid format'}),
        ({"lun": 256}, {"lun": f"Invalid value: 256: {UNIT}"}),
        ({"chapAuthSession": True}, {"secretRef": REQUIRED}),
        ({"chapAuthDiscovery": True}, {"secretRef": REQUIRED}),
        ({"chapAuthDiscovery": True, "secretRef": {}}, {}),
        ({"initiatorName": "naa." + "0" * 32}, {}),
        (
            {"initiatorName": ""},
            {
                "initiatorname": 'Invalid value: "": '
                "must be valid format starting with iqn, eui, or naa"
            },
        ),
    ],
)
def test_iscsi(disk: dict[str, Any], errors: Errors) -> None:
    assert volume_errors({"iscsi": {**TARGET, **disk}}) == {
        f"iscsi.{field}": errors[field] for field in errors
    }


@pytest.mark.parametrize(
    ("name", "well_formed"),
    [
        ("iqn.2001-04.com.example:storage.disk2", True),
        ("iqn.2001-04.com.example:a,b", False),
        ("iqn.2001-04.com.example", False),
        ("eui.02004567A425678D", True),
        ("eui.02004567A425678", False),
        ("naa.62004567BA64678D0123456789ABCDEF", True),
        ("naa.62004567BA64678D0123456789ABCDEF0", False),
        ("IQN.2001-04.com.example:disk", False),
    ],
)
def test_names_of_initiators(name: str, well_formed: bool) -> None:
    assert (initiator_name(name) == []) is well_formed


@pytest.mark.parametrize("surplus", [{}, {"emptyDir": {}}])
def test_volume_and_portal_together_name_a_session(surplus: dict[str, Any]) -> None:
    iscsi = {**TARGET, "targetPortal": "p" * 59, "initiatorName": TARGET["iqn"]}
    fitting = pod_spec_errors({"volumes": [{"name": "data", "iscsi": iscsi, **surplus}]})
    iscsi["targetPortal"] = "p" * 60
    too_long = pod_spec_errors({"volumes": [{"name": "data", "iscsi": iscsi, **surplus}]})
    assert "volumes[0].name" not in fitting
    assert too_long["volumes[0].name"] == (
        'Invalid value: "data": Total length of <volume name>:<iscsi.targetPortal> '
        "must be under 64 characters if iscsi.initiatorName is specified."
    )


@pytest.mark.parametrize(
    ("source", "defaults"),
    [
        (
            {"azureDisk": {"diskName": "a", "diskURI": "https://b"}},
            {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
        ),
        ({"iscsi": TARGET}, {"iscsiInterface": "default"}),
        (
            {"rbd": {"monitors": ["a"], "image": "b"}},
            {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
        ),
        (
            {"scaleIO": {"gateway": "a", "system": "b", "volumeName": "c", "secretRef": {}}},
            {"storageMode": "ThinProvisioned", "fsType": "xfs"},
        ),
    ],
)
def test_defaults(source: dict[str, Any], defaults: dict[str, Any]) -> None:
    ((kind, given),) = source.items()
    assert stored_volume({"name": "v", **source})[kind] == {**given, **defaults}
