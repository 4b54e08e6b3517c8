"""JW124 and JW125: the annotation that adds rules on the reason for which a container ended."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.api.batch.termination_rules import ANNOTATION, PATH
from support.lint.linted_jobs import cron_job, found, job

OURS = "jobsworth.dev/job-controller"


def rules(action: str = "FailJob", operator: str = "In", *reasons: str) -> str:
    requirement = {"operator": operator, "values": list(reasons) or ["OOMKilled"]}
    return json.dumps({"rules": [{"action": action, "onTerminationReasons": requirement}]})


def annotated(text: str, **spec: Any) -> dict[str, Any]:
    value = job(**{"podReplacementPolicy": "Failed", "managedBy": OURS, **spec})
    value["metadata"]["annotations"] = {ANNOTATION: text}
    return value


def in_cron_job(value: dict[str, Any]) -> dict[str, Any]:
    outer = cron_job(value)
    outer["spec"]["jobTemplate"]["metadata"] = value["metadata"]
    return outer


@pytest.mark.parametrize(
    ("value", "field", "words"),
    [
        (annotated("{"), PATH, "must be JSON"),
        (annotated("[]"), PATH, "must be an object"),
        (annotated(rules("Fail")), PATH, 'rules[0].action: Unsupported value: "Fail"'),
        (annotated(rules("FailIndex")), PATH, "requires the backoffLimitPerIndex to be set"),
        (annotated(rules("Count", "In", "Error", "Error")), PATH, "Duplicate value"),
        (
            annotated(rules(), podReplacementPolicy="TerminatingOrFailed"),
            "spec.podReplacementPolicy",
            'must be set to "Failed"',
        ),
        (in_cron_job(annotated("{")), f"spec.jobTemplate.{PATH}", "must be JSON"),
    ],
)
def test_unusable_settings_are_reported(value: dict[str, Any], field: str, words: str) -> None:
    (finding,) = found("JW124", value)
    assert finding.field == field
    assert words in finding.message


@pytest.mark.parametrize("action", ["FailJob", "Ignore", "Count"])
def test_usable_settings_are_not_reported(action: str) -> None:
    assert found("JW124", annotated(rules(action))) == []
    assert found("JW124", in_cron_job(annotated(rules(action)))) == []
    assert found("JW124", job()) == []


@pytest.mark.parametrize(
    ("managed_by", "reported"),
    [(None, True), ("kubernetes.io/job-controller", True), (OURS, False), ("other.org/ctl", False)],
)
def test_a_job_that_the_built_in_controller_runs_does_without_them(
    managed_by: str | None, reported: bool
) -> None:
    value = annotated(rules())
    if managed_by is None:
        del value["spec"]["managedBy"]
    else:
        value["spec"]["managedBy"] = managed_by
    assert bool(found("JW125", value)) is reported
