"""Resources of a Pod as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.core.pod_resources import aggregate
from kube_cel.formats.quantity import parse
from support.validation.engine_errors import Errors, defaulted_pod, pod_errors, server
from support.validation.validated_containers import INIT, MAIN, SIDECAR

NAMES = 'supported values: "cpu", "hugepages-", "memory"'


def requesting(container: dict[str, Any], **requests: str) -> dict[str, Any]:
    return {**container, "resources": {"requests": requests}}


@pytest.mark.parametrize(
    ("resources", "errors"),
    [
        ({}, set()),
        ({"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}, set()),
        ({"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}}, set()),
        (
            {"requests": {"example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}},
            {
                (
                    f"resources.{field}[example.com/gpu]",
                    f'Unsupported value: "example.com/gpu": {NAMES}',
                )
                for field in ("limits", "requests")
            },
        ),
        (
            {"limits": {"gpu": "1"}},
            {
                (
                    "resources.limits[gpu]",
                    'Invalid value: "gpu": must be a standard resource type or fully qualified',
                )
            },
        ),
        (
            {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}},
            {
                (
                    "resources.requests",
                    'Invalid value: "2": must be less than or equal to cpu limit of 1',
                )
            },
        ),
        (
            {"limits": {"hugepages-2Mi": "4Mi"}},
            {("resources", "Forbidden: HugePages require cpu or memory")},
        ),
        (
            {"claims": [{"name": "gpu"}]},
            {
                (
                    "resources.claims",
                    "Forbidden: claims may not be set for Resources at pod-level",
                ),
                (
                    "resources.claims[0]",
                    'Not found: "gpu": must be one of the names in pod.spec.resourceClaims which '
                    "is empty",
                ),
            },
        ),
    ],
)
def test_a_pod_requests_cpu_memory_and_huge_pages(
    resources: dict[str, Any], errors: Errors
) -> None:
    assert pod_errors({"resources": resources}) == errors


def test_huge_pages_of_a_pod_came_with_1_33() -> None:
    gates = {"PodLevelResources": True}
    pod = {"resources": {"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}}}
    message = 'Unsupported value: hugepages-2Mi: supported values: "cpu", "memory"'
    errors = {("resources.limits[hugepages-2Mi]", message)}
    assert pod_errors(pod, at=server("1.32", gates)) == errors
    assert pod_errors(pod, at=server("1.33", gates)) == set()


def test_a_windows_pod_has_no_resources_of_its_own() -> None:
    assert pod_errors({"os": {"name": "windows"}, "resources": {"limits": {"gpu": "1"}}}) == {
        ("resources", "Forbidden: may not be set for a windows pod")
    }


@pytest.mark.parametrize(
    ("request_of_pod", "message"),
    [
        ("3", ""),
        (
            "2500m",
            'Invalid value: "2500m": must be greater than or equal to aggregate container requests '
            "of 3",
        ),
    ],
)
def test_a_pod_requests_no_less_than_its_containers(request_of_pod: str, message: str) -> None:
    pod = {
        "containers": [requesting(MAIN, cpu="2"), requesting({**MAIN, "name": "b"}, cpu="1")],
        "resources": {"requests": {"cpu": request_of_pod}},
    }
    assert pod_errors(pod) == ({("resources.requests[cpu]", message)} if message else set())


@pytest.mark.parametrize(("release", "missed"), [("1.33", True), ("1.34", False)])
def test_until_1_33_a_pod_had_to_name_all_that_its_containers_request(
    release: str, missed: bool
) -> None:
    at = server(release, {"PodLevelResources": True})
    pod = {"containers": [requesting(MAIN, memory="1Mi")], "resources": {"requests": {"cpu": "1"}}}
    message = (
        'Invalid value: "0": must be greater than or equal to aggregate container requests of 1Mi'
    )
    errors = {("resources.requests[memory]", message)}
    assert pod_errors(pod, at=at) == (errors if missed else set())


def test_since_1_34_a_request_that_the_pod_does_not_name_hides_no_other() -> None:
    pod = {
        "containers": [requesting(MAIN, cpu="1", memory="1Mi")],
        "resources": {"requests": {"memory": "1Ki"}},
    }
    message = (
        'Invalid value: "1Ki": must be greater than or equal to aggregate container requests of 1Mi'
    )
    assert pod_errors(pod, at=server("1.34")) == {("resources.requests[memory]", message)}


def test_no_container_has_a_higher_limit_than_its_pod() -> None:
    pod = {
        "containers": [{**MAIN, "resources": {"limits": {"memory": "2Gi"}}}],
        "resources": {"limits": {"memory": "1Gi"}},
    }
    assert pod_errors(pod) == {
        (
            "resources.containers[0][memory].limits",
            'Invalid value: "2Gi": must be less than or equal to pod limits of 1Gi',
        )
    }
    pod["resources"] = {"limits": {"memory": "2048Mi"}}
    assert pod_errors(pod) == set()


def test_containers_together_have_no_more_huge_pages_than_their_pod() -> None:
    limits = {"resources": {"limits": {"hugepages-2Mi": "4Mi", "cpu": "1"}}}
    containers = [{**MAIN, **limits}, {**MAIN, **limits, "name": "b"}]
    pod = {"resources": {"limits": {"hugepages-2Mi": "6Mi", "cpu": "1"}}}
    assert pod_errors({**pod, "containers": containers}) == {
        (
            "resources.limits[hugepages-2Mi]",
            'Invalid value: "6Mi": must be greater than or equal to aggregate container limits of '
            "8Mi",
        )
    }
    assert pod_errors({**pod, "containers": containers[:1]}) == set()


@pytest.mark.parametrize(
    ("containers", "inits", "cpu"),
    [
        ([requesting(MAIN, cpu="1"), requesting(MAIN, cpu="500m")], [], "1500m"),
        ([requesting(MAIN, cpu="1")], [requesting(INIT, cpu="3"), requesting(INIT, cpu="2")], "3"),
        (
            [requesting(MAIN, cpu="1")],
            [requesting(SIDECAR, cpu="3"), requesting(INIT, cpu="2")],
            "5",
        ),
        (
            [requesting(MAIN, cpu="1")],
            [requesting(INIT, cpu="3"), requesting(SIDECAR, cpu="2")],
            "3",
        ),
        (
            [requesting(MAIN, cpu="4")],
            [requesting(SIDECAR, cpu="1"), requesting(SIDECAR, cpu="2")],
            "7",
        ),
        ([requesting(MAIN, cpu="0")], [requesting(SIDECAR, cpu="1Ki")], "1Ki"),
        ([requesting(MAIN, cpu="1e99999"), requesting(MAIN, cpu="1")], [], "100e99997"),
    ],
    ids=[
        "containers-add-up",
        "init-containers-run-in-turn",
        "behind-a-sidecar",
        "in-front-of-a-sidecar",
        "beside-sidecars",
        "zero-has-no-suffix",
        "too-far-apart-to-add",
    ],
)
def test_the_sum_of_what_containers_need_at_the_same_time(
    containers: list[dict[str, Any]], inits: list[dict[str, Any]], cpu: str
) -> None:
    pod = {"containers": containers, "initContainers": inits}
    needed = aggregate(pod, "requests")
    assert set(needed) == {"cpu"}
    assert needed["cpu"] == parse(cpu)


def test_nothing_is_filled_in_for_the_pod_of_a_template() -> None:
    resources = {"limits": {"cpu": "2"}}
    pod = {"containers": [requesting(MAIN, cpu="1")], "resources": resources}
    assert defaulted_pod(pod)["resources"] == resources


def test_without_the_gate_they_are_dropped() -> None:
    at = server(
        gates={"PodLevelResources": False, "InPlacePodLevelResourcesVerticalScaling": False}
    )
    assert "resources" not in defaulted_pod({"resources": {"limits": {"gpu": "1"}}}, at=at)
