"""The requests of a Pod are those that the scheduler reserves."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.runs.calendar import PodRequests, pod_requests


def container(cpu: str, **more: Any) -> dict[str, Any]:
    return {"name": "c", "resources": {"requests": {"cpu": cpu}}, **more}


@pytest.mark.parametrize(
    ("pod", "cpu"),
    [
        ({"containers": [container("1"), container("500m")]}, 1500),
        ({"containers": [container("1")], "initContainers": [container("3")]}, 3000),
        ({"containers": [container("1")], "initContainers": [container("200m", restartPolicy="Always")]}, 1200),
        (
            {"containers": [container("1")],
             "initContainers": [container("500m", restartPolicy="Always"), container("2")]},
            2500,
        ),
        ({"containers": [{"name": "c", "resources": {"limits": {"cpu": "2"}}}]}, 2000),
        ({"containers": [container("1")], "overhead": {"cpu": "250m"}}, 1250),
        ({"containers": [container("1")], "resources": {"requests": {"cpu": "4"}}}, 4000),
        ({"containers": [container("many")]}, 0),
        ({}, 0),
    ],
)  # fmt: skip
def test_cpu(pod: dict[str, Any], cpu: int) -> None:
    assert pod_requests(pod) == PodRequests(cpu, 0)
