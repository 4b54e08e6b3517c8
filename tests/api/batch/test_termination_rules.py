"""The annotation that adds failure-policy rules on termination reasons."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jobsworth.api.batch.termination_rules import (
    ANNOTATION,
    PATH,
    TerminationRule,
    check_termination_rules,
    rules_of,
)


def a_job(value: Any, *, restart_policy: str = "Never", **spec: Any) -> dict[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value)
    pod = {
        "restartPolicy": restart_policy,
        "containers": [{"name": "main"}],
        "initContainers": [{"name": "setup"}],
    }
    return {
        "metadata": {"name": "job", "annotations": {ANNOTATION: text}},
        "spec": {"podReplacementPolicy": "Failed", "template": {"spec": pod}, **spec},
    }


def a_rule(action: Any = "FailJob", **requirement: Any) -> dict[str, Any]:
    parts = {"operator": "In", "values": ["OOMKilled"], **requirement}
    kept = {key: value for key, value in parts.items() if value is not None}
    return {"action": action, "onTerminationReasons": kept}


def rules(*entries: Any) -> dict[str, Any]:
    return {"rules": list(entries)}


@pytest.mark.parametrize(
    ("job", "expected"),
    [
        ({"metadata": {}, "spec": {}}, ()),
        ({"metadata": {"annotations": None}, "spec": {}}, ()),
        (a_job(rules(a_rule())), (TerminationRule("FailJob", "In", ("OOMKilled",)),)),
        (
            a_job(rules(a_rule("Ignore", operator="NotIn", containerName="setup"))),
            (TerminationRule("Ignore", "NotIn", ("OOMKilled",), "setup"),),
        ),
        (
            a_job(rules(a_rule("FailIndex")), backoffLimitPerIndex=1),
            (TerminationRule("FailIndex", "In", ("OOMKilled",)),),
        ),
    ],
)
def test_rules_are_read(job: dict[str, Any], expected: tuple[TerminationRule, ...]) -> None:
    assert rules_of(job) == (expected, ())
    assert [*check_termination_rules(job)] == []


AT = f"{PATH}.rules[0]"
REASONS = f"{AT}.onTerminationReasons"

WRONG: list[tuple[dict[str, Any], str, str]] = [
    (a_job("{"), PATH, "must be JSON"),
    (a_job("[" * 100_000), PATH, "must be JSON"),
    (a_job("[]"), PATH, "must be an object"),
    (a_job({}), f"{PATH}.rules", "at least one rule"),
    (a_job({"rules": {}}), f"{PATH}.rules", "at least one rule"),
    (a_job({"rules": [a_rule()], "rule": 1}), f"{PATH}.rule", "unknown field"),
    (a_job(rules(*[a_rule()] * 21)), f"{PATH}.rules", "must have at most 20 items"),
    (a_job(rules("x")), AT, "must be an object"),
    (a_job(rules(a_rule(None))), f"{AT}.action", 'valid values: ["FailJob"'),
    (a_job(rules(a_rule("Retry"))), f"{AT}.action", "Unsupported value"),
    (a_job(rules(a_rule(["FailJob"]))), f"{AT}.action", "Unsupported value"),
    (a_job(rules(a_rule("FailIndex"))), f"{AT}.action", "requires the backoffLimitPerIndex"),
    (a_job(rules({"action": "FailJob"})), REASONS, "must be an object with operator"),
    (a_job(rules({**a_rule(), "onExitCodes": {}})), f"{AT}.onExitCodes", "unknown field"),
    (a_job(rules(a_rule(operator="Near"))), f"{REASONS}.operator", "Unsupported value"),
    (a_job(rules(a_rule(operator=None))), f"{REASONS}.operator", 'valid values: ["In" "NotIn"]'),
    (a_job(rules(a_rule(values=[]))), f"{REASONS}.values", "at least one reason"),
    (a_job(rules(a_rule(values=["a"] * 2))), f"{REASONS}.values[1]", "Duplicate value"),
    (
        a_job(rules(a_rule(values=[137]))),
        f"{REASONS}.values[0]",
        "must be a termination reason of the kubelet",
    ),
    (a_job(rules(a_rule(values=["x" * 257]))), f"{REASONS}.values[0]", "256 characters"),
    (
        a_job(rules(a_rule(values=[str(number) for number in range(256)]))),
        f"{REASONS}.values",
        "must have at most 255 items",
    ),
    (a_job(rules(a_rule(container="x"))), f"{REASONS}.container", "unknown field"),
    (a_job(rules(a_rule(containerName="x"))), f"{REASONS}.containerName", "must be one of"),
    (
        a_job(rules(a_rule()), restart_policy="OnFailure"),
        "spec.template.spec.restartPolicy",
        'must be set to "Never"',
    ),
    (
        a_job(rules(a_rule()), podReplacementPolicy="TerminatingOrFailed"),
        "spec.podReplacementPolicy",
        'must be set to "Failed"',
    ),
]


@pytest.mark.parametrize(("job", "field", "message"), WRONG)
def test_the_message_names_the_problem(job: dict[str, Any], field: str, message: str) -> None:
    (error,) = check_termination_rules(job)
    assert error.field == field
    assert message in error.message
    read, errors = rules_of(job)
    assert read == ()
    assert errors == (repr(error),)


def test_a_policy_of_the_spec_decides_on_its_own_replacement() -> None:
    job = a_job(rules(a_rule()), podFailurePolicy={"rules": []})
    del job["spec"]["podReplacementPolicy"]
    assert [*check_termination_rules(job)] == []


def test_a_value_that_is_no_string_is_named() -> None:
    job = a_job("")
    job["metadata"]["annotations"][ANNOTATION] = {"rules": []}
    (error,) = check_termination_rules(job)
    assert "must be a string" in error.message
