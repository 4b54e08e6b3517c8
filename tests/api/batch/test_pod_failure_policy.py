"""The rules of a Pod failure policy (KEP-3329), in the API server's words."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import server
from support.validation.validated_jobs import PER_INDEX, Errors, cron_job, job, job_errors

RULE = "podFailurePolicy.rules[0]"
CODES = f"{RULE}.onExitCodes"
PATTERN = f"{RULE}.onPodConditions[0]"
ACTIONS = '"Count", "FailIndex", "FailJob", "Ignore"'
LABEL_KEY = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with "
    "an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


def on_codes(*values: int, operator: str = "In", **others: Any) -> dict[str, Any]:
    requirement = {"operator": operator, "values": [*values], **others}
    return {"action": "FailJob", "onExitCodes": requirement}


def on_condition(**pattern: str) -> dict[str, Any]:
    return {"action": "Ignore", "onPodConditions": [pattern]}


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    return {"podFailurePolicy": {"rules": [*rules]}}


EXIT_CODES: dict[str, tuple[dict[str, Any], Errors]] = {
    "one code": (on_codes(42), {}),
    "0 among the codes that match": (
        on_codes(0, 1),
        {f"{CODES}.values[0]": "Invalid value: 0: must not be 0 for the In operator"},
    ),
    "0 among the codes that do not match": (on_codes(0, 1, operator="NotIn"), {}),
    "a code twice": (on_codes(1, 1), {f"{CODES}.values[1]": "Duplicate value: 1"}),
    "codes out of order": (
        on_codes(2, 1),
        {f"{CODES}.values": "Invalid value: [2,1]: must be ordered"},
    ),
    "no code": (
        on_codes(),
        {f"{CODES}.values": "Invalid value: []: at least one value is required"},
    ),
    "255 codes": (on_codes(*range(1, 256)), {}),
    "256 codes": (
        on_codes(*range(1, 257)),
        {f"{CODES}.values": "Too many: 256: must have at most 255 items"},
    ),
    "no operator": (
        on_codes(1, operator=""),
        {f"{CODES}.operator": 'Required value: valid values: ["In" "NotIn"]'},
    ),
    "an unknown operator": (
        on_codes(1, operator="Exists"),
        {f"{CODES}.operator": 'Unsupported value: "Exists": supported values: "In", "NotIn"'},
    ),
    "a container of the Pod": (on_codes(1, containerName="main"), {}),
    "a container that the Pod does not have": (
        on_codes(1, containerName="other"),
        {
            f"{CODES}.containerName": 'Invalid value: "other": '
            "must be one of the container or initContainer names in the pod template"
        },
    ),
}

CONDITIONS: dict[str, tuple[dict[str, Any], Errors]] = {
    "a type": (on_condition(type="DisruptionTarget"), {}),
    "a type with a domain": (on_condition(type="acme.io/PreemptedByQuota"), {}),
    "a type and a status": (on_condition(type="Ready", status="False"), {}),
    "a type that is not a label key": (
        on_condition(type="a b"),
        {f"{PATTERN}.type": f'Invalid value: "a b": {LABEL_KEY}'},
    ),
    "an unknown status": (
        on_condition(type="DisruptionTarget", status="true"),
        {
            f"{PATTERN}.status": 'Unsupported value: "true": '
            'supported values: "False", "True", "Unknown"'
        },
    ),
    "21 patterns": (
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}] * 21},
        {f"{RULE}.onPodConditions": "Too many: 21: must have at most 20 items"},
    ),
}

RULES: dict[str, tuple[dict[str, Any], Errors]] = {
    "no action": (
        {"onExitCodes": {"operator": "In", "values": [1]}},
        {
            f"{RULE}.action": "Required value: "
            'valid values: ["Count" "FailIndex" "FailJob" "Ignore"]'
        },
    ),
    "an unknown action": (
        {**on_codes(1), "action": "Retry"},
        {f"{RULE}.action": f'Unsupported value: "Retry": supported values: {ACTIONS}'},
    ),
    "FailIndex without a limit per index": (
        {**on_codes(1), "action": "FailIndex"},
        {
            f"{RULE}.action": 'Invalid value: "FailIndex": '
            "requires the backoffLimitPerIndex to be set"
        },
    ),
    "neither codes nor conditions": (
        {"action": "FailJob"},
        {RULE: "Invalid value: specifying one of OnExitCodes and OnPodConditions is required"},
    ),
    "an empty list of conditions counts as none": (
        {"action": "FailJob", "onPodConditions": []},
        {RULE: "Invalid value: specifying one of OnExitCodes and OnPodConditions is required"},
    ),
    "both codes and conditions": (
        {**on_codes(1), **on_condition(type="DisruptionTarget")},
        {
            RULE: "Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
        },
    ),
}


def rows(table: dict[str, Any]) -> Any:
    return pytest.mark.parametrize(("rule", "errors"), table.values(), ids=table.keys())


@rows(EXIT_CODES)
def test_exit_codes(rule: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**policy(rule))) == errors


@rows(CONDITIONS)
def test_conditions(rule: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**policy(rule))) == errors


@rows(RULES)
def test_rules(rule: dict[str, Any], errors: Errors) -> None:
    assert job_errors(job(**policy(rule))) == errors


def test_fail_index_goes_with_a_limit_per_index() -> None:
    rule = {**on_codes(1), "action": "FailIndex"}
    assert job_errors(job(**PER_INDEX, **policy(rule))) == {}


def test_an_init_container_may_be_named() -> None:
    pod = {"initContainers": [{"name": "setup", "image": "busybox:1.36"}]}
    assert job_errors(job(pod, **policy(on_codes(1, containerName="setup")))) == {}


def test_a_policy_has_at_most_20_rules_and_may_have_none() -> None:
    assert job_errors(job(**policy())) == {}
    assert job_errors(job(**policy(*[on_codes(1)] * 20))) == {}
    assert job_errors(job(**policy(*[on_codes(1)] * 21))) == {
        "podFailurePolicy.rules": "Too many: 21: must have at most 20 items"
    }


def test_a_status_is_true_by_default_but_in_cron_jobs_before_1_34() -> None:
    """Source: kubernetes/kubernetes#131512."""
    rule = on_condition(type="DisruptionTarget")
    assert job_errors(job(**policy(rule)), at=server("1.33")) == {}
    assert job_errors(cron_job(policy(rule)), at=server("1.34")) == {}
    assert job_errors(cron_job(policy(rule)), at=server("1.33")) == {
        f"jobTemplate.spec.{PATTERN}.status": "Required value: "
        'valid values: ["False" "True" "Unknown"]'
    }
