"""Fields that the API server generates, and the object without them."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from jobsworth.provenance.generated_fields import (
    came_from_a_server,
    strip_admitted,
    strip_generated,
)

UID = "0b6c5d0e-0000-4000-8000-000000000001"
LABELS = {
    "controller-uid": UID,
    "job-name": "train",
    "batch.kubernetes.io/controller-uid": UID,
    "batch.kubernetes.io/job-name": "train",
}
SELECTOR = {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}}


def job(labels: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    """Return a Job as the server admits it; other labels of its template and fields of its spec can be given."""
    template = {
        "metadata": {"labels": LABELS if labels is None else labels},
        "spec": {"restartPolicy": "Never"},
    }
    return {
        "kind": "Job",
        "metadata": {"name": "train", "uid": UID},
        "spec": {"selector": SELECTOR, "template": template, **spec},
    }


def stored(**spec: Any) -> dict[str, Any]:
    """Return it as the server stores it."""
    value = job({**LABELS, "team": "a"}, **spec)
    value["metadata"] |= {
        "resourceVersion": "7",
        "generation": 1,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "managedFields": [],
        "labels": {**LABELS, "team": "a"},
    }
    return {**value, "status": {"active": 1}}


def test_a_stored_job_is_stripped_to_what_a_client_could_create() -> None:
    value = stored()
    before = copy.deepcopy(value)
    assert strip_generated(value) == {
        "kind": "Job",
        "metadata": {"name": "train", "labels": {"team": "a"}},
        "spec": {
            "template": {
                "metadata": {"labels": {"team": "a"}},
                "spec": {"restartPolicy": "Never"},
            }
        },
    }
    assert value == before


def test_a_selector_of_the_client_stays() -> None:
    stripped = strip_generated(stored(manualSelector=True))
    assert stripped["spec"] == stored(manualSelector=True)["spec"]
    assert stripped["metadata"]["labels"] == {**LABELS, "team": "a"}
    assert "status" not in stripped


def test_a_cron_job_has_no_generated_selector() -> None:
    value = {**stored(), "kind": "CronJob"}
    assert strip_generated(value)["spec"] == value["spec"]


def test_an_admitted_job_is_stripped_of_its_selector_and_labels() -> None:
    assert strip_admitted(job()) == {
        "kind": "Job",
        "metadata": {"name": "train", "uid": UID},
        "spec": {"template": {"metadata": {"labels": {}}, "spec": {"restartPolicy": "Never"}}},
    }


@pytest.mark.parametrize("label", sorted(LABELS))
def test_a_job_with_another_value_of_a_generated_label_stays(label: str) -> None:
    other = job({**LABELS, label: "other"})
    assert strip_admitted(other) is other
    missing = job({name: value for name, value in LABELS.items() if name != label})
    assert strip_admitted(missing) is missing


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "CronJob"},
        {"metadata": {"name": "train"}},
        {"metadata": {"name": "train", "uid": UID, "resourceVersion": "7"}},
        {"metadata": None},
        {"spec": None},
        {"spec": {**job()["spec"], "manualSelector": True}},
        {"spec": {**job()["spec"], "selector": {"matchLabels": {"job-name": "train"}}}},
        {"spec": {"selector": SELECTOR, "template": {"metadata": {"labels": None}}}},
        {"spec": {"selector": SELECTOR}},
    ],
)
def test_other_objects_stay_as_they_are(change: dict[str, Any]) -> None:
    value = {**job(), **change}
    assert strip_admitted(value) is value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (stored(), True),
        ({**stored(), "metadata": {"managedFields": []}}, True),
        ({**stored(), "metadata": {"uid": UID, "creationTimestamp": "2026-01-01T00:00:00Z"}}, True),
        ({**stored(), "metadata": {"uid": UID}}, False),
        ({**stored(), "metadata": {"creationTimestamp": None}}, False),
        ({**stored(), "metadata": None}, False),
        ({**stored(), "spec": {}}, False),
        ({**stored(), "spec": {"jobTemplate": {"spec": stored()["spec"]}}}, True),
    ],
)
def test_objects_of_a_server_have_its_metadata(value: dict[str, Any], expected: bool) -> None:
    assert came_from_a_server(value) is expected
