"""Names of resources."""

from __future__ import annotations

import pytest

from jobsworth.api.core.resource_names import (
    container_resource_name,
    is_counted,
    is_extended,
    may_be_overcommitted,
    resource_name,
)

AMOUNTS = ("cpu", "memory", "ephemeral-storage")
NOT_STANDARD = "must be a standard resource type or fully qualified"
NOT_OF_CONTAINERS = "must be a standard resource for containers"
NOT_EXTENDED = "doesn't follow extended resource name standard"


@pytest.mark.parametrize(
    ("name", "details"),
    [
        ("cpu", []),
        ("memory", []),
        ("ephemeral-storage", []),
        ("hugepages-2Mi", []),
        ("hugepages-x", []),
        ("example.com/gpu", []),
        ("kubernetes.io/anything", []),
        ("my.kubernetes.io/anything", []),
        ("gpu", [NOT_STANDARD, NOT_OF_CONTAINERS]),
        ("pods", [NOT_OF_CONTAINERS]),
        *(
            (f"{part}.{name}", [NOT_OF_CONTAINERS])
            for part in ("limits", "requests")
            for name in AMOUNTS
        ),
        ("requests.storage", [NOT_OF_CONTAINERS]),
        ("storage", [NOT_OF_CONTAINERS]),
        ("requests.hugepages-2Mi", [NOT_OF_CONTAINERS]),
        ("requests.example.com/gpu", [NOT_EXTENDED]),
        ("b" * 60 + ("." + "b" * 60) * 3 + ".com/gpu", [NOT_EXTENDED]),
    ],
)
def test_resources_that_a_container_can_request(name: str, details: list[str]) -> None:
    assert container_resource_name(name) == details


@pytest.mark.parametrize(
    "name", ["", "a b", "/gpu", "example.com/", "example.com/a/b", "x/" + "g" * 64]
)
def test_names_of_resources_are_label_keys(name: str) -> None:
    assert resource_name(name)


@pytest.mark.parametrize(
    ("name", "extended", "counted", "overcommitted"),
    [
        ("cpu", False, False, True),
        ("pods", False, True, True),
        ("services.nodeports", False, True, True),
        ("hugepages-2Mi", False, False, False),
        ("kubernetes.io/batteries", False, False, True),
        ("example.com/gpu", True, True, False),
        ("requests.example.com/gpu", False, False, False),
    ],
)
def test_kinds_of_resources(name: str, extended: bool, counted: bool, overcommitted: bool) -> None:
    assert is_extended(name) is extended
    assert is_counted(name) is counted
    assert may_be_overcommitted(name) is overcommitted


@pytest.mark.parametrize(
    "name",
    [
        "configmaps", "limits.cpu", "limits.ephemeral-storage", "limits.memory", "persistentvolumeclaims", "pods",
        "replicationcontrollers", "requests.cpu", "requests.ephemeral-storage", "requests.memory",
        "requests.storage", "resourcequotas", "secrets", "services", "services.loadbalancers",
        "services.nodeports", "storage",
    ],
)  # fmt: skip
def test_standard_resources_of_quotas_are_none_of_containers(name: str) -> None:
    assert container_resource_name(name) == [NOT_OF_CONTAINERS]
