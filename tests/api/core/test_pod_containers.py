"""Validation across containers: unique names, and at least one container."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import Errors, pod_errors
from support.validation.validated_containers import INIT, MAIN


@pytest.mark.parametrize("containers", [[], None])
def test_a_pod_has_containers(containers: Any) -> None:
    errors = {("containers", "Required value")}
    assert pod_errors({"containers": containers}) == errors
    assert pod_errors({"containers": containers, "initContainers": [INIT]}) == errors


@pytest.mark.parametrize(
    ("containers", "inits", "errors"),
    [
        (["a", "b"], ["c", "d"], set()),
        (["a", "a"], [], {("containers[1].name", 'Duplicate value: "a"')}),
        (["a"], ["a"], {("initContainers[0].name", 'Duplicate value: "a"')}),
        (["a"], ["b", "b"], {("initContainers[1].name", 'Duplicate value: "b"')}),
        (
            ["", ""],
            [],
            {
                ("containers[0].name", "Required value"),
                ("containers[1].name", "Required value"),
                ("containers[1].name", 'Duplicate value: ""'),
            },
        ),
        (
            ["a"],
            ["", ""],
            {
                ("initContainers[0].name", "Required value"),
                ("initContainers[1].name", "Required value"),
            },
        ),
    ],
)
def test_names_of_containers_are_unique(
    containers: list[str], inits: list[str], errors: Errors
) -> None:
    pod = {
        "containers": [{**MAIN, "name": name} for name in containers],
        "initContainers": [{**INIT, "name": name} for name in inits],
    }
    assert pod_errors(pod) == errors


@pytest.mark.parametrize("field", ["ports", "resizePolicy", "restartPolicyRules"])
def test_an_ephemeral_container_may_not_even_have_an_empty_list(field: str) -> None:
    pod = {"ephemeralContainers": [{"name": "debug", "image": "busybox:1.36", field: []}]}
    message = "Forbidden: cannot be set for an Ephemeral Container"
    assert (f"ephemeralContainers[0].{field}", message) in pod_errors(pod)


def test_an_ephemeral_container_without_a_name_is_held_against_init_containers() -> None:
    unnamed = [{"image": "busybox:1.36"}]
    errors = pod_errors({"initContainers": unnamed * 2, "ephemeralContainers": unnamed})
    assert ("ephemeralContainers[0].name", 'Duplicate value: ""') in errors
    assert ("initContainers[1].name", 'Duplicate value: ""') not in errors
