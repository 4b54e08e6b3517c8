"""What containers have to do with each other: their names, and that there are any."""

from __future__ import annotations

from typing import Any

import pytest

from judged_containers import INIT, MAIN
from judging import Errors, pod_errors


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
