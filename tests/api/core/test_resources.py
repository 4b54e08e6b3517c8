"""Resources of containers: requests, limits, claims, and resizing in place."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.resources import is_multiple_of_page
from support.validation.engine_errors import pod_errors, server
from support.validation.validated_containers import (
    INIT,
    MAIN,
    SIDECAR,
    Errors,
    container_errors,
    init_container_errors,
    stored_container,
)

NEGATIVE = "must be greater than or equal to 0"
NO_LIMIT = "Required value: Limit must be set for non overcommitable resources"


@pytest.mark.parametrize(
    ("limits", "requests", "errors"),
    [
        ({"cpu": "1"}, {"cpu": "1"}, {}),
        ({"cpu": 1, "memory": "1Gi"}, {"cpu": 0.5, "memory": "1e9"}, {}),
        ({}, {"cpu": "500m", "memory": "0"}, {}),
        ({"example.com/gpu": 1}, {"example.com/gpu": "1"}, {}),
        ({"example.com/gpu": "2000m"}, {}, {}),
        ({"hugepages-2Mi": "4Mi", "cpu": 1}, {"hugepages-2Mi": "4096Ki"}, {}),
        ({"cpu": "-1"}, {}, {"limits[cpu]": f'Invalid value: "-1": {NEGATIVE}'}),
        ({}, {"memory": "-1Mi"}, {"requests[memory]": f'Invalid value: "-1Mi": {NEGATIVE}'}),
        (
            {"cpu": "500m"},
            {"cpu": 1},
            {"requests": 'Invalid value: "1": must be less than or equal to cpu limit of 500m'},
        ),
        (
            {"example.com/gpu": 2},
            {"example.com/gpu": 1},
            {"requests": 'Invalid value: "1": must be equal to example.com/gpu limit of 2'},
        ),
        ({}, {"example.com/gpu": 1}, {"limits": NO_LIMIT}),
        ({}, {"hugepages-2Mi": "2Mi", "cpu": 1}, {"limits": NO_LIMIT}),
        (
            {"example.com/gpu": "0.5"},
            {},
            {"limits[example.com/gpu]": 'Invalid value: "500m": must be an integer'},
        ),
        (
            {"gpu": 1},
            {},
            {
                "limits[gpu]": 'Invalid value: "gpu": must be a standard resource for containers; '
                'Invalid value: "gpu": must be a standard resource type or fully qualified'
            },
        ),
        ({"hugepages-2Mi": "2Mi"}, {}, {"": "Forbidden: HugePages require cpu or memory"}),
        ({"hugepages-2Mi": "2Mi"}, {"memory": "1Gi"}, {}),
        (
            {"hugepages-2Mi": "3Mi", "cpu": 1},
            {},
            {
                "limits[hugepages-2Mi]": 'Invalid value: "3Mi": 3Mi is not positive integer '
                "multiple of hugepages-2Mi"
            },
        ),
    ],
)
def test_requests_and_limits(
    limits: dict[str, Any], requests: dict[str, Any], errors: Errors
) -> None:
    dot = {field: f".{field}" if field else "" for field in errors}
    expected = {f"resources{dot[field]}": errors[field] for field in errors}
    assert container_errors({"resources": {"limits": limits, "requests": requests}}) == expected


@pytest.mark.parametrize(
    ("name", "amount", "whole"),
    [
        ("hugepages-2Mi", "0", True),
        ("hugepages-1Gi", "2Gi", True),
        ("hugepages-1Gi", "1G", False),
        ("hugepages-x", "1", False),
        ("hugepages-0", "1", False),
        ("hugepages-100m", "1", False),
        ("hugepages-2Mi ", "2Mi", False),
        ("hugepages-1e30", "1", False),
    ],
)
def test_huge_pages_are_whole(name: str, amount: str, whole: bool) -> None:
    assert is_multiple_of_page(name, amount, server()) is whole


def test_broken_huge_pages_that_are_stored_are_kept() -> None:
    resources = {"limits": {"hugepages-2Mi": "3Mi", "cpu": 1}}
    pod = {"containers": [{**MAIN, "resources": resources}]}
    assert pod_errors(pod)
    assert pod_errors(pod, old=pod) == set()


def test_amounts_are_rounded_up_to_thousandths() -> None:
    resources = {"limits": {"cpu": "1u", "memory": "1.0001"}, "requests": {"cpu": "100m"}}
    assert stored_container({"resources": resources})["resources"] == {
        "limits": {"cpu": "1m", "memory": "1001m"},
        "requests": {"cpu": "100m"},
    }


def test_requests_of_a_template_are_not_filled_in() -> None:
    resources = {"limits": {"cpu": "1"}}
    assert stored_container({"resources": resources})["resources"] == resources


EMPTY = "must be one of the names in pod.spec.resourceClaims which is empty"
TWO = "must be one of the names in pod.spec.resourceClaims: fpga, gpu"


@pytest.mark.parametrize(
    ("claims", "errors"),
    [
        ([{"name": "gpu"}, {"name": "fpga"}], {}),
        ([{"name": "gpu", "request": "a"}, {"name": "gpu", "request": "b"}], {}),
        ([{"name": "gpu", "request": ""}], {}),
        ([{}], {"[0]": "Required value"}),
        ([{"name": "tpu"}], {"[0]": f'Not found: "tpu": {TWO}'}),
        ([{"name": "gpu"}, {"name": "gpu"}], {"[1]": 'Duplicate value: "gpu"'}),
        ([{"name": "gpu"}, {"name": "gpu", "request": "a"}], {"[1]": 'Duplicate value: "gpu"'}),
        ([{"name": "gpu", "request": "a"}, {"name": "gpu"}], {"[1]": 'Duplicate value: "gpu"'}),
        (
            [{"name": "gpu", "request": "a"}, {"name": "gpu", "request": "a"}],
            {"[1]": 'Duplicate value: "gpu/a"'},
        ),
        (
            [{"name": "x/y", "request": "a"}, {"name": "x/y"}],
            {f"[{index}]": f'Not found: "x/y": {TWO}' for index in (0, 1)},
        ),
        (
            [{"name": "gpu", "request": "a.b"}],
            {"[0].request": 'Invalid value: "a.b": must not contain dots'},
        ),
    ],
)
def test_containers_use_claims_of_their_pod(claims: list[dict[str, Any]], errors: Errors) -> None:
    of_pod = [{"name": name, "resourceClaimName": name} for name in ("gpu", "fpga")]
    expected = {f"resources.claims{field}": errors[field] for field in errors}
    container = {"resources": {"claims": claims}}
    assert container_errors(container, resourceClaims=of_pod) == expected
    assert init_container_errors({**INIT, **container}, resourceClaims=of_pod) == expected


def test_a_pod_without_claims_has_none_to_use() -> None:
    assert container_errors({"resources": {"claims": [{"name": "gpu"}]}}) == {
        "resources.claims[0]": f'Not found: "gpu": {EMPTY}'
    }


@pytest.mark.parametrize(
    ("policies", "errors"),
    [
        ([], {}),
        ([{"resourceName": "cpu", "restartPolicy": "NotRequired"}], {}),
        (
            [
                {"resourceName": "cpu", "restartPolicy": "NotRequired"},
                {"resourceName": "memory", "restartPolicy": "RestartContainer"},
            ],
            {},
        ),
        ([{}], {"": "Required value"}),
        (
            [{"resourceName": "storage", "restartPolicy": "Never"}],
            {
                "": 'Unsupported value: "Never": supported values: "NotRequired", '
                '"RestartContainer"; Unsupported value: "storage": supported values: "cpu", "memory"'
            },
        ),
        (
            [{"resourceName": "cpu", "restartPolicy": "NotRequired"}] * 2,
            {"[1]": 'Duplicate value: "cpu"'},
        ),
    ],
)
def test_cpu_and_memory_can_be_changed_in_place(
    policies: list[dict[str, Any]], errors: Errors
) -> None:
    expected = {f"resizePolicy{field}": errors[field] for field in errors}
    assert container_errors({"resizePolicy": policies}) == expected


RESTARTS = {"resizePolicy": [{"resourceName": "cpu", "restartPolicy": "RestartContainer"}]}


@pytest.mark.parametrize(
    ("release", "detail"),
    [
        ("1.36", "must be 'NotRequired' when pod `restartPolicy` is 'Never'"),
        ("1.35", "must be 'NotRequired' when `restartPolicy` is 'Never'"),
    ],
)
def test_a_container_that_never_restarts_cannot_restart_for_a_resize(
    release: str, detail: str
) -> None:
    assert container_errors(RESTARTS, restartPolicy="Never", at=server(release)) == {
        "resizePolicy": f'Invalid value: "RestartContainer": {detail}'
    }
    assert container_errors(RESTARTS, restartPolicy="OnFailure", at=server(release)) == {}


@pytest.mark.parametrize(
    ("container", "release", "field"),
    [
        (SIDECAR, "1.36", ""),
        (SIDECAR, "1.33", ""),
        (SIDECAR, "1.32", "resizePolicy"),
        (INIT, "1.36", "resizePolicy[0].restartPolicy"),
        (INIT, "1.35", ""),
    ],
)
def test_init_containers_do_not_restart_for_a_change(
    container: dict[str, Any], release: str, field: str
) -> None:
    at = server(release, {"InPlacePodVerticalScaling": True})
    errors = init_container_errors({**container, **RESTARTS}, at=at)
    assert set(errors) == ({field} if field else set())


def test_a_stored_init_container_may_restart_for_a_change() -> None:
    pod = {"restartPolicy": "OnFailure", "initContainers": [{**INIT, **RESTARTS}]}
    assert pod_errors(pod)
    assert pod_errors(pod, old=pod) == set()


def test_the_name_of_a_resource_is_printed_as_json() -> None:
    policy = {"resourceName": "a<b", "restartPolicy": "NotRequired"}
    pod = {"containers": [{"name": "main", "image": "busybox:1.36", "resizePolicy": [policy]}]}
    wrong = 'Unsupported value: "a\\u003cb": supported values: "cpu", "memory"'
    assert pod_errors(pod, at=server("1.36")) == {("containers[0].resizePolicy", wrong)}
