"""One evaluation: whatever the source of an object, the same policies and rules find the same."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jobsworth
from jobsworth.evaluation.evaluation import merged
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding
from jobsworth.lint.selection import Selection
from jobsworth.validation.engine import engine_for
from support.api_server.stored_objects import stored
from support.policy.policy_requests import SERVER, document, job, policies
from support.random_objects.random_jobs import random_job

LIMIT = {"backoffLimit": {"maximum": 3}}


def finding(source: Any = "lint", code: str = "JW201", field: str = "spec") -> Finding:
    return Finding(
        source=source, severity="warning", code=code, field=field, reason="", message="m"
    )


@pytest.mark.parametrize(
    ("found", "kept"),
    [
        (finding(), False),
        (finding(code="JW204"), True),
        (finding(field="spec.suspend"), True),
        (finding(source="api"), True),
    ],
)
def test_a_violation_hides_the_lint_finding_with_its_code_and_field(
    found: Finding, kept: bool
) -> None:
    violations = [("team", finding(source="policy"))]
    assert merged([found], violations, lambda each: each) == ([found] if kept else [])


def test_the_public_evaluation_has_validation_lint_and_policy_findings() -> None:
    rules = {"JW201": "deny"}
    value = job(backoffLimitPerIndex=1, backoffLimit=5)
    found = jobsworth.evaluate(value, policies=[document("team", limits=LIMIT, rules=rules)])
    assert [each.code for each in found.api] == ["JW004"]
    assert "JW201" in [each.code for each in found.lint]
    assert [(policy, each.code) for policy, each in found.violations] == [
        ("team", "JP002"),
        ("team", "JW201"),
    ]
    assert [each.code for each in found.findings].count("JW201") == 1


def test_another_kind_is_not_known() -> None:
    found = jobsworth.evaluate({"apiVersion": "v1", "kind": "Service"})
    assert not found.known
    assert found.findings == []


def test_policies_that_are_wrong_are_named() -> None:
    with pytest.raises(jobsworth.BadPolicy, match="backofLimit"):
        jobsworth.evaluate(job(), policies=[document("team", limits={"backofLimit": {}})])


@pytest.mark.parametrize("spec", [{}, {"backoffLimit": 2}, {"backoffLimit": 5}, {"suspend": True}])
def test_a_file_a_request_and_a_stored_object_get_the_same_violations(spec: dict[str, Any]) -> None:
    held = policies(limits=LIMIT, rules={"JW201": "deny"})
    evaluator = Evaluator(SERVER, policies=held)
    value = job(metadata={"annotations": {}}, **spec)
    written = {"managedFields": [{"operation": "Apply", "fieldsV1": _field_set(value)}]}
    sent = stored(value)
    sent["metadata"] |= written
    of_file = evaluator.evaluate(Subject(value)).violations
    of_request = evaluator.evaluate(Subject(sent, "request", kind="Job")).violations
    assert [each for _, each in of_file] == [each for _, each in of_request]
    of_cluster = evaluator.evaluate(Subject(stored(value), "stored")).violations
    assert [each.code for _, each in of_file] == [each.code for _, each in of_cluster]


def _field_set(value: Any) -> Any:
    """The fields of an object in the form FieldsV1, without lists."""
    if not isinstance(value, dict):
        return {}
    return {f"f:{key}": _field_set(part) for key, part in value.items()}


@given(st.integers(min_value=0, max_value=2**32))
def test_evaluating_changes_nothing_in_the_object(seed: int) -> None:
    value = random_job(seed)
    before = copy.deepcopy(value)
    evaluator = Evaluator(
        SERVER, Selection(), policies(limits=LIMIT, defaults={"suspend": {"value": True}})
    )
    evaluator.evaluate(Subject(value, old=value))
    evaluator.evaluate(Subject(value, "request", kind="Job"))
    evaluator.mutate(Subject(value, "request", kind="Job"))
    assert value == before


def test_an_evaluation_cannot_be_changed() -> None:
    found = Evaluator(SERVER).evaluate(Subject(job()))
    for attribute in ("api", "lint", "further", "policy", "withheld"):
        with pytest.raises(AttributeError, match=f"{attribute} cannot be changed"):
            setattr(found, attribute, ())


@given(st.integers(min_value=0, max_value=2**32))
def test_the_validation_errors_are_those_of_the_engine(seed: int) -> None:
    value = random_job(seed)
    found = Evaluator(SERVER).evaluate(Subject(value))
    assert found.api == engine_for(SERVER).validate(value)


@pytest.mark.parametrize("held", [None, policies(limits=LIMIT)])
def test_an_old_object_of_another_version_is_not_compared_with(held: Any) -> None:
    value = job(backoffLimit=2)
    old = {**job(backoffLimit=2), "apiVersion": "batch/v1beta1"}
    found = Evaluator(SERVER, policies=held).evaluate(Subject(value, old=old))
    assert found.known
    assert found.findings == Evaluator(SERVER, policies=held).evaluate(Subject(value)).findings


@pytest.mark.parametrize("held", [None, policies()], ids=["none given", "an empty set"])
def test_a_request_without_policies_has_no_policy_result(held: Any) -> None:
    found = Evaluator(SERVER, policies=held).evaluate(Subject(job(), "request", kind="Job"))
    assert (found.policy, found.violations) == (None, [])
