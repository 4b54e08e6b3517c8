"""Volumes on network file systems and other shared storage."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.file_systems import is_host_with_port
from support.validation.validated_volumes import Errors, volume_errors

REQUIRED = "Required value"
REGISTRY = "must be a host:port pair or multiple pairs separated by commas"
RESERVED = "kubernetes.io and k8s.io namespaces are reserved"
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({"nfs": {"server": "a", "path": "/"}}, {}),
        ({"nfs": {"path": "a"}}, {"server": REQUIRED, "path": "relative"}),
        ({"glusterfs": {"endpoints": "a", "path": "b"}}, {}),
        ({"glusterfs": {}}, {"endpoints": REQUIRED, "path": REQUIRED}),
        ({"cephfs": {"monitors": ["a"]}}, {}),
        ({"cephfs": {}}, {"monitors": REQUIRED}),
        ({"azureFile": {"secretName": "a", "shareName": "b"}}, {}),
        ({"azureFile": {}}, {"secretName": REQUIRED, "shareName": REQUIRED}),
        ({"flocker": {"datasetName": "a"}}, {}),
        ({"flocker": {"datasetUUID": "a"}}, {}),
        ({"flocker": {}}, {"": f"{REQUIRED}: one of datasetName and datasetUUID is required"}),
        (
            {"flocker": {"datasetName": "a/b", "datasetUUID": "c"}},
            {
                "": 'Invalid value: "resource": '
                "datasetName and datasetUUID can not be specified simultaneously",
                "datasetName": "Invalid value: \"a/b\": must not contain '/'",
            },
        ),
        ({"quobyte": {"registry": "a:1,b:2", "volume": "c", "tenant": "t" * 64}}, {}),
        ({"quobyte": {}}, {"registry": f"{REQUIRED}: {REGISTRY}", "volume": REQUIRED}),
        (
            {"quobyte": {"registry": "a:1,b", "volume": "c"}},
            {"registry": f'Invalid value: "a:1,b": {REGISTRY}'},
        ),
        (
            {"quobyte": {"registry": "a", "volume": "c", "tenant": "t" * 65}},
            {"tenant": f"{REQUIRED}: must be a UUID and may not exceed a length of 64 characters"},
        ),
        ({"storageos": {"volumeName": "a", "volumeNamespace": "b"}}, {}),
        ({"storageos": {"secretRef": {}}}, {"volumeName": REQUIRED, "secretRef.name": REQUIRED}),
        (
            {"storageos": {"volumeName": "a", "volumeNamespace": "B"}},
            {"volumeNamespace": f'Invalid value: "B": {LABEL}'},
        ),
        ({"flexVolume": {"driver": "a/b", "options": {"acme.io/size": "1"}}}, {}),
        (
            {"flexVolume": {"options": {"x.Kubernetes.io/a": "1", "k8s.io": "2", "a/k8s.io": "3"}}},
            {
                "driver": REQUIRED,
                "options[x.Kubernetes.io/a]": f'Invalid value: "x.Kubernetes.io/a": {RESERVED}',
                "options[k8s.io]": f'Invalid value: "k8s.io": {RESERVED}',
            },
        ),
        ({"csi": {"driver": "Disk.CSI.example.com", "nodePublishSecretRef": {"name": "a"}}}, {}),
        (
            {"csi": {"nodePublishSecretRef": {}}},
            {"driver": REQUIRED, "nodePublishSecretRef.name": REQUIRED},
        ),
        ({"csi": {"driver": "d" * 64}}, {"driver": "Too long: may not be more than 63 bytes"}),
        (
            {"csi": {"driver": "a_b", "nodePublishSecretRef": {"name": "A"}}},
            {
                "driver": f'Invalid value: "a_b": {SUBDOMAIN}',
                "name": f'Invalid value: "A": {SUBDOMAIN}',
            },
        ),
    ],
)
def test_sources(source: dict[str, Any], errors: Errors) -> None:
    (kind,) = source
    relative = 'Invalid value: "a": must be an absolute path'
    assert volume_errors(source) == {
        f"{kind}.{field}" if field else kind: relative if message == "relative" else message
        for field, message in errors.items()
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("host:1", True),
        (":", True),
        ("[::1]:1", True),
        ("host", False),
        ("::1:1", False),
        ("[::1]", False),
        ("[::1:1", False),
        ("[::1]x:1", False),
        ("[::1]:1:2", False),
        ("ho[st:1", False),
        ("[[::1]:1", False),
        ("host:1]", False),
    ],
)
def test_hosts_with_ports(text: str, expected: bool) -> None:
    assert is_host_with_port(text) is expected
