"""What the API server and a lint rule both report is reported once."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.selection import Selection
from support.validation.engine_errors import job_with

MAIN = {"name": "main", "image": "registry.example.com/tool:1.2"}


def codes(job: dict[str, Any], release: str = "1.36", **options: Any) -> list[str]:
    """Return the codes of the findings that are about the warnings of the server."""
    evaluation = Evaluator(ApiServer(release), **options).evaluate(Subject(job))
    about = {"JW023", "JW504", "JW505", "JW217", "JW221"}
    return [finding.code for finding in evaluation.findings if finding.code in about]


def container(**fields: Any) -> dict[str, Any]:
    return job_with({"containers": [{**MAIN, **fields}]})


def dotted() -> dict[str, Any]:
    job = job_with()
    job["metadata"]["name"] = "report.v2"
    return job


def many_indexes() -> dict[str, Any]:
    job = job_with()
    job["spec"] |= {"completionMode": "Indexed", "completions": 200_000, "parallelism": 20_000}
    return job


REPEATED = [
    ("JW504", container(resources={"requests": {"memory": "512m"}})),
    ("JW505", container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "2"}])),
    ("JW217", dotted()),
    ("JW221", many_indexes()),
]
BY_CODE = pytest.mark.parametrize(("code", "job"), REPEATED, ids=[code for code, _ in REPEATED])


@BY_CODE
def test_the_lint_rule_reports_it(code: str, job: dict[str, Any]) -> None:
    assert codes(job) == [code]


@BY_CODE
def test_without_lint_the_servers_warning_is_reported(code: str, job: dict[str, Any]) -> None:
    assert codes(job, lint=False) == ["JW023"]


@BY_CODE
def test_so_it_is_where_the_rule_is_ignored(code: str, job: dict[str, Any]) -> None:
    assert codes(job, selection=Selection(ignore=frozenset([code]))) == ["JW023"]


def test_what_only_the_server_warns_of_stays() -> None:
    memory = {"requests": {"memory": "512m"}, "limits": {"memory": "1073741824500m"}}
    assert codes(container(resources=memory)) == ["JW023", "JW504"]


def test_until_1_27_the_server_names_the_name_of_the_variable() -> None:
    assert codes(REPEATED[1][1], "1.27") == ["JW505"]
    builds_on_it = container(env=[{"name": "A", "value": "1"}, {"name": "A", "value": "$(A)2"}])
    assert codes(builds_on_it, "1.27") == ["JW023"]
    assert codes(builds_on_it) == []


def test_a_lint_rule_is_silent_where_the_fix_of_an_error_does_what_it_asks_for() -> None:
    """restartPolicy: OnFailure with a failure policy is one mistake, and JW220 also wants Never."""
    job = job_with({"containers": [MAIN], "restartPolicy": "OnFailure"})
    job["spec"] |= {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 1}

    def found() -> list[str]:
        subject = Subject(job, written=lambda path: None)
        about = "spec.template.spec.restartPolicy"
        return [
            each.code
            for each in Evaluator(ApiServer()).evaluate(subject).findings
            if each.field == about
        ]

    assert found() == ["JW220"]
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    job["spec"]["podFailurePolicy"] = {"rules": [rule]}
    assert found() == ["JW004"]
