"""Hints for fields that other tools, or other kinds, have under another name."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for


def hints(spec: dict[str, Any], container: dict[str, Any]) -> list[str]:
    main = {"name": "main", "image": "registry.example.com/main:1", **container}
    pod = {"restartPolicy": "Never", "containers": [main]}
    value = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "load"},
        "spec": {**spec, "template": {"spec": pod}},
    }
    return [each.hint for each in engine_for(ApiServer("1.36")).validate(value)]


@pytest.mark.parametrize(
    ("name", "meant"),
    [("retries", "backoffLimit"), ("TTL", "ttlSecondsAfterFinished"), ("replicas", "parallelism")],
)
def test_a_field_of_a_job_by_another_name_is_recognized(name: str, meant: str) -> None:
    assert hints({name: 1}, {}) == [f'did you mean "{meant}"?']


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("cmd", "command"),
        ("entrypoint", "command"),
        ("arguments", "args"),
        ("work_dir", "workingDir"),
    ],
)
def test_a_field_of_a_container_by_another_name_is_recognized(name: str, meant: str) -> None:
    assert hints({}, {name: "run"}) == [f'did you mean "{meant}"?']


def test_a_name_is_not_recognized_where_no_such_field_is() -> None:
    assert hints({}, {"retries": 3}) == [""]
