"""A stored object is read if each declared field has a value of its type, whatever else it holds."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.stored import stored_problem


def a_pod(**parts: Any) -> dict[str, Any]:
    return {"metadata": {"name": "train-1"}, **parts}


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "it must be an object"),
        ({"kind": "Pod"}, "metadata must be an object"),
        (a_pod(spec=[]), "spec must be an object"),
        (a_pod(status={"conditions": {}}), "status.conditions must be a list"),
        (a_pod(status={"conditions": [None]}), "status.conditions[0] must not be null"),
        (
            a_pod(status={"containerStatuses": [{"state": {"terminated": {"exitCode": "1"}}}]}),
            "status.containerStatuses[0].state.terminated.exitCode must be a whole number",
        ),
        (
            a_pod(status={"containerStatuses": [{"restartCount": True}]}),
            "status.containerStatuses[0].restartCount must be a whole number",
        ),
        (
            a_pod(spec={"containers": [{"resources": {"limits": {"memory": []}}}]}),
            "spec.containers[0].resources.limits.memory must be a quantity",
        ),
        (a_pod(spec={"hostNetwork": 1}), "spec.hostNetwork must be true or false"),
        (a_pod(status=None, spec={"anything": 3}), None),
    ],
)
def test_the_first_wrong_field_is_named(value: Any, problem: str | None) -> None:
    assert stored_problem("Pod", value) == problem


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        ("Job", {}, "spec is missing"),
        ("CronJob", {}, "spec.schedule is missing"),
        ("CronJob", {"spec": {"schedule": ""}}, "spec.schedule is missing"),
        ("CronJob", {"spec": {"schedule": "@daily"}, "status": {"active": [{}]}}, None),
        ("Job", {"spec": {"backoffLimit": "6"}}, "spec.backoffLimit must be a whole number"),
        ("JobSet", {"status": {"restarts": 1.5}}, "status.restarts must be a whole number"),
        ("Event", {"involvedObject": {"name": 3}}, "involvedObject.name must be a string"),
        ("Event", {"regarding": None, "series": {"count": 2}}, None),
        (
            "Job",
            {"metadata": {"labels": {"a": 1}}, "spec": {}},
            "metadata.labels.a must be a string",
        ),
        (
            "Job",
            {"metadata": {"managedFields": [{"fieldsV1": 3}]}, "spec": {"suspend": True}},
            None,
        ),
    ],
)
def test_every_kind_is_read_by_its_declaration(
    kind: str, value: dict[str, Any], problem: str | None
) -> None:
    assert stored_problem(kind, {"metadata": {}, **value}) == problem
