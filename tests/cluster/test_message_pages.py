"""A real API server rejects the example of each page of docs/messages, with the message of the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from support.documentation import site_module

if TYPE_CHECKING:
    from cluster.bed import TestBed

rejections = site_module("rejections")
REJECTIONS = {each.page: each for family in rejections.families() for each in family.rejections}
PLURALS = {"Job": "jobs", "CronJob": "cronjobs"}
STRICT = "?fieldValidation=Strict&dryRun=All"

each_rejection = pytest.mark.parametrize(
    "name", [name for name, each in REJECTIONS.items() if not each.server]
)


def rejected(bed: TestBed, namespace: str, rejection: Any) -> dict[str, Any]:
    """Return the status with which the server rejects an example."""
    folder = f"/apis/batch/v1/namespaces/{namespace}/{PLURALS[rejection.kind]}"
    example = rejection.example
    if rejection.old is None:
        answer = bed.request("POST", folder + STRICT, example)
    else:
        stored = bed.create(rejection.old, namespace)
        path = f"{folder}/{stored['metadata']['name']}{STRICT}"
        answer = bed.request("PATCH", path, example, content_type="application/merge-patch+json")
    assert answer.code in (400, 422), answer
    body: dict[str, Any] = answer.body
    return body


@each_rejection
def test_the_server_rejects_the_example_with_the_message(
    bed: TestBed, namespace: str, name: str
) -> None:
    rejection = REJECTIONS[name]
    finding = rejection.finding(bed.release)
    if finding is None:
        pytest.skip(f"Kubernetes {bed.release} does not report it")
    status = rejected(bed, namespace, rejection)
    if rejection.kubectl:
        assert status["message"].endswith(rejection.kubectl)
        return
    causes = {
        (cause.get("field"), comparable(cause["message"])) for cause in status["details"]["causes"]
    }
    assert (finding.field, comparable(finding.message)) in causes


def comparable(message: str) -> str:
    """Return a message without the UID of the Job, and without objects, which some servers print as Go does."""
    without_uid = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uid>", message)
    return re.sub(r"\{.*\}", "{}", without_uid)
