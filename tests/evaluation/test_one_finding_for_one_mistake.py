"""People see one finding for one mistake; the result has all errors of the API server."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.selection import Selection
from support.cli.command_runs import Command
from support.lint.linted_jobs import RULE_OF, cron_job, job
from support.policy.policy_requests import policies


def evaluated(value: dict[str, Any]) -> list[tuple[str, str]]:
    evaluation = Evaluator(ApiServer("1.36")).evaluate(Subject(value, written=lambda _: None))
    return [
        (each.code, each.message)
        for each in (*evaluation.findings, *evaluation.further)
        if each.severity != "info" and not each.is_wider
    ]


POLICY = 'Unsupported value: "never": supported values: "OnFailure", "Never"'


def test_a_misspelled_restart_policy_is_one_error_with_the_values_of_a_job() -> None:
    assert evaluated(job({"restartPolicy": "never"})) == [("JW005", POLICY)]
    assert evaluated(cron_job(job({"restartPolicy": "never"}))) == [("JW005", POLICY)]


def test_the_report_has_both_errors_of_the_api_server(command: Command) -> None:
    text = yaml.safe_dump(job({"restartPolicy": "never"}))
    done = command("validate", "-o", "json", "job.yaml", files={"job.yaml": text})
    (result,) = json.loads(done.out)["results"]
    found = [(each["message"], bool(each.get("fix"))) for each in result["findings"]]
    assert [each for each in found if each[0].startswith("Unsupported")] == [
        ('Unsupported value: "never": supported values: "Always", "OnFailure", "Never"', False),
        (POLICY, True),
    ]
    done = command(
        "validate", "--fix", "job.yaml", files={"job.yaml": text.replace("never", "Alwys")}
    )
    assert done.out.count("Unsupported value") == 1
    assert "1 error" in done.err


def test_it_is_one_error_of_what_an_operator_creates() -> None:
    target = job({"restartPolicy": "never"})["spec"]
    spec = {"jobTargetRef": target, "triggers": [{"type": "cron", "metadata": {"a": "b"}}]}
    scaled = {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledJob",
        "metadata": {"name": "a"},
        "spec": spec,
    }
    assert evaluated(scaled) == [
        ("JW005", f"The API server rejects the Job that KEDA creates: {POLICY}")
    ]


@pytest.mark.parametrize("unknown", [{}, {"unknown": 1}], ids=["reported", "hidden by another"])
def test_a_rule_about_a_value_that_is_rejected_is_not_reported(unknown: dict[str, int]) -> None:
    found = evaluated(job({}, ttlSecondsAfterFinished=-5, **unknown))
    codes = [code for code, _ in found if code != "JW001"]
    assert codes == ["JW004"]


def test_a_part_with_an_error_is_not_reported_as_one_without_effect() -> None:
    indexed = {"completionMode": "Indexed", "completions": 3}
    policy = {"rules": [{"succeededCount": 4}]}
    assert [code for code, _ in evaluated(job({}, **indexed, successPolicy=policy))] == ["JW004"]
    policy = {"rules": [{"succeededCount": 3}]}
    assert [code for code, _ in evaluated(job({}, **indexed, successPolicy=policy))] == ["JW213"]


def test_a_rule_about_another_value_is_reported_beside_an_error() -> None:
    found = evaluated(job({}, ttlSecondsAfterFinished=5, backoffLimit=-1))
    assert sorted(code for code, _ in found) == ["JW004", "JW205"]


NUMBERS = (
    "activeDeadlineSeconds",
    "backoffLimit",
    "backoffLimitPerIndex",
    "completions",
    "maxFailedIndexes",
    "parallelism",
    "ttlSecondsAfterFinished",
)
INDEXED = {
    "completionMode": "Indexed",
    "completions": 5,
    "parallelism": 2,
    "backoffLimit": 3,
    "backoffLimitPerIndex": 1,
    "maxFailedIndexes": 2,
    "activeDeadlineSeconds": 300,
    "ttlSecondsAfterFinished": 60,
    "successPolicy": {"rules": [{"succeededCount": 3}]},
}


@pytest.mark.parametrize("beside", [{}, {"parallelism": 4}, {"completions": 3}, INDEXED])
@pytest.mark.parametrize("field", NUMBERS)
def test_no_lint_rule_computes_with_a_number_that_the_api_server_rejects(
    field: str, beside: dict[str, Any]
) -> None:
    every_rule = Selection(select=frozenset(RULE_OF))
    value = job(**{**beside, field: -40})
    misspelled = job(**{**beside, field: -40, "suspnd": False})
    subjects = (value, cron_job(value), misspelled)
    for subject in subjects:
        evaluation = Evaluator(ApiServer("1.36"), every_rule).evaluate(
            Subject(subject, written=lambda _: None)
        )
        found = [*evaluation.api, *evaluation.lint, *evaluation.further]
        assert any(each.source == "api" and each.field.endswith(field) for each in found)
        for each in found:
            if each.source == "lint":
                assert "-4" not in f"{each.message} {each.fix.title if each.fix else ''}"


def test_a_finding_that_needs_no_rejected_number_is_reported_beside_it() -> None:
    found = evaluated(job(completions=-4, parallelism=0))
    assert [code for code, _ in found] == ["JW004", "JW208"]


LIMITS = {
    "backoffLimit": {"maximum": 3},
    "ttlSecondsAfterFinished": {"required": True},
    "pod": {"terminationGracePeriodSeconds": {"maximum": 10}},
}


def violations(value: dict[str, Any]) -> set[str]:
    evaluator = Evaluator(ApiServer("1.36"), policies=policies(limits=LIMITS))
    evaluation = evaluator.evaluate(Subject(value, written=lambda _: None))
    return {each.field for _, each in evaluation.violations}


GRACE = "spec.template.spec.terminationGracePeriodSeconds"
RETRIES, TTL = "spec.backoffLimit", "spec.ttlSecondsAfterFinished"


@pytest.mark.parametrize(
    ("fields", "left"),
    [
        ({}, {RETRIES, TTL, GRACE}),
        ({"backofLimit": 3}, {TTL, GRACE}),
        ({"backofLimit": 9}, {TTL, GRACE}),
        ({"ttlSecondsAfterFinish": 3, "terminationGracePeriodSeconds": 5}, {RETRIES}),
        ({"retries": 3}, {RETRIES, TTL, GRACE}),
        ({"backofLimit": 3, "backoffLimit": 9}, {RETRIES, TTL, GRACE}),
    ],
)
def test_no_policy_says_that_a_field_is_not_set_that_stands_under_another_name_or_place(
    fields: dict[str, int], left: set[str]
) -> None:
    assert violations(job(**fields)) == left
    wrapped = {each.replace("spec.", "spec.jobTemplate.spec.", 1) for each in left}
    assert violations(cron_job(job(**fields))) == wrapped
