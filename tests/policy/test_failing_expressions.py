"""``policy check`` finds the expressions that have no value for a Job without an optional field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from jobsworth.policy.failing_expressions import failing_expressions
from jobsworth.policy.reader import read
from policy.test_documented_policies import documents
from support.policy.policy_requests import SERVER, policies

ROOT = Path(__file__).parents[2]
POD = "object.spec.template.spec"
LABELS = "object.metadata.labels"
OF_TEAM = f"{LABELS}.team == 'x'"


def found(expression: str, **spec: Any) -> list[str]:
    loaded = policies(expressions=[{"expression": expression}], **spec)
    (policy,) = loaded.policies
    return [
        message
        for _, message, effect in failing_expressions(policy, loaded, SERVER)
        if effect == "warn"
    ]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            f"{POD}.volumes.all(v, v.name != 'a')",
            "a Job without spec.template.spec.volumes is denied: no such key: volumes "
            f"(to admit it, test first: !has({POD}.volumes) || …)",
        ),
        (
            "cronJob.spec.suspend == false",
            "a Job is denied: cronJob is null for it (to admit it, test first: cronJob == null || …)",
        ),
        (
            f"{POD}.containers.all(c, c.env.all(e, e.name != 'a'))",
            "a Job without spec.template.spec.containers[*].env is denied: no such key: env "
            "(test has(c.env) first)",
        ),
    ],
)
def test_the_warning_names_the_field_the_error_and_the_test_that_is_missing(
    expression: str, message: str
) -> None:
    assert found(expression) == [message]


def invalid(expression: str, **spec: Any) -> list[str]:
    loaded = policies(expressions=[{"expression": expression}], **spec)
    (policy,) = loaded.policies
    found = failing_expressions(policy, loaded, SERVER)
    return [message for _, message, effect in found if effect == "deny"]


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("object.spec.parallelism < '5'", "no such overload"),
        (f"{POD}.containers.all(c, c.image.matches('*'))", "missing argument to repetition operator"),
        ("object.metadata.name", "must be true or false"),
    ],
)  # fmt: skip
def test_an_expression_that_fails_for_every_job_says_so(expression: str, error: str) -> None:
    (message,) = invalid(expression)
    assert message.startswith("even a Job with the required fields alone is denied: ")
    assert error in message
    assert found(expression) == []
    (message,) = found(expression, enforcement="warn")
    assert message.startswith("even a Job with the required fields alone gets a warning: ")


@pytest.mark.parametrize(
    "expression",
    [
        "object.metadata.name.split('-')[1] == 'b.c'",
        "request.userInfo.username.split(':')[2] == 'a'",
        "request.userInfo.groups[0] == 'a'",
        OF_TEAM,
        "object.spec.parallelism < 5",
        "object.spec.backoffLimit == 6 || object.spec.parallelism < '5'",
    ],
)
def test_an_expression_that_fails_only_for_some_names_or_missing_fields_is_not_invalid(
    expression: str,
) -> None:
    assert invalid(expression) == []


@pytest.mark.parametrize(
    ("expression", "test"),
    [
        (f"size({POD}.volumes) < 3", f"!has({POD}.volumes)"),
        (f"object.spec.suspend == false && !{POD}.hostNetwork", f"!has({POD}.hostNetwork)"),
        (OF_TEAM, f"!has({LABELS}) || !has({LABELS}.team)"),
        (f"{LABELS}['a/b'] == 'x'", f"!has({LABELS}) || !('a/b' in {LABELS})"),
        (f"{LABELS}[\"it's\"] == 'x'", f'!has({LABELS}) || !("it\'s" in {LABELS})'),
        ("!has(object.metadata.annotations.skip)", "!has(object.metadata.annotations)"),
        (f"!('a' in {LABELS})", f"!has({LABELS})"),
        (f"has({LABELS}.`a-b`.c) == false", f"!has({LABELS}) || !has({LABELS}.`a-b`)"),
        (
            "[object.spec.podFailurePolicy].all(p, p.rules[0].action == 'Ignore')",
            "!has(object.spec.podFailurePolicy)",
        ),
        ("cronJob == null || cronJob.spec.timeZone == 'UTC'", "!has(cronJob.spec.timeZone)"),
        ("oldObject.spec.suspend || true == false", "oldObject == null"),
    ],
)
def test_an_expression_after_the_test_has_a_value(expression: str, test: str) -> None:
    (message,) = found(expression)
    assert message.endswith(f" (to admit it, test first: {test} || …)")
    assert found(f"{test} || ({expression})") == []


@pytest.mark.parametrize(
    ("expression", "path", "test"),
    [
        (
            f"{POD}.containers.map(c, c.resources.limits.memory).all(m, m != '1Gi')",
            "spec.template.spec.containers[*].resources.limits",
            "has(c.resources.limits) && has(c.resources.limits.memory)",
        ),
        (
            f"{POD}.containers.all(i, c, c.env.all(c, c.name != 'a'))",
            "spec.template.spec.containers[*].env",
            "has(c.env)",
        ),
        ("[object.spec].all(s, s.managedBy != 'a')", "spec.managedBy", "has(s.managedBy)"),
        (f"!{POD}.containers.exists(c, c.stdin)", "spec.template.spec.containers[*].stdin", "has(c.stdin)"),
        (f"({POD}.containers + []).all(c, c.tty)", "c.tty", "has(c.tty)"),
    ],
)  # fmt: skip
def test_the_test_of_a_variable_of_a_loop_belongs_into_the_loop(
    expression: str, path: str, test: str
) -> None:
    (message,) = found(expression)
    assert message.startswith(f"a Job without {path} is denied: ")
    assert message.endswith(f" (test {test} first)")


@pytest.mark.parametrize(
    "expression",
    [
        f"has({LABELS}.team)",
        f"has({LABELS}.team) && {OF_TEAM}",
        f"{OF_TEAM} && has({LABELS}.team)",
        f"'team' in {LABELS}",
        f"{LABELS}[?'team'].orValue('') == 'x'",
        f"{POD}.tolerations.exists(t, t.key == 'batch')",
        f"{POD}.containers.all(c, has(c.resources.limits.memory))",
        f"{POD}.containers.map(c, has(c.lifecycle.preStop)).exists(c, c)",
        "has(object.spec.activeDeadlineSeconds) && object.spec.activeDeadlineSeconds < 60",
        f"!has({POD}.volumes) || {POD}.volumes.all(v, v.name != 'a')",
        f"{POD}.?volumes.orValue([]).all(v, v.name != 'a')",
        "cronJob == null || cronJob.spec.schedule != ''",
        "request.operation != 'UPDATE' || oldObject.spec.suspend",
        "object.metadata.name != '' && object.metadata.namespace != ''",
        "object.spec.backoffLimit < 3",
        "request.options.fieldManager != 'kubectl'",
        "false",
    ],
)
def test_an_expression_that_has_a_value_or_denies_a_job_without_a_field_on_purpose(
    expression: str,
) -> None:
    assert found(expression) == []


@pytest.mark.parametrize(
    ("expression", "spec", "begins"),
    [
        (OF_TEAM, {"enforcement": "warn"}, "a Job without metadata.labels gets a warning: "),
        (
            OF_TEAM,
            {"onInternalError": "allow"},
            "a Job without metadata.labels passes, with an entry in the audit log: ",
        ),
        (
            OF_TEAM,
            {"match": [{"kinds": ["CronJob"]}]},
            "a CronJob whose Job has no metadata.labels is denied: ",
        ),
        (
            "cronJob.spec.timeZone == 'UTC'",
            {"match": [{"kinds": ["CronJob"]}]},
            "a CronJob without spec.timeZone is denied: ",
        ),
        ("oldObject.spec.suspend", {}, "a Job is denied: oldObject is null on CREATE "),
    ],
)
def test_the_warning_says_what_the_policy_does(
    expression: str, spec: dict[str, Any], begins: str
) -> None:
    (message,) = found(expression, **spec)
    assert message.startswith(begins)


@pytest.mark.parametrize(
    ("expression", "spec"),
    [
        (
            OF_TEAM,
            {"match": [{"kinds": ["Job"]}], "defaults": {"labels": {"team": {"value": "x"}}}},
        ),
        (OF_TEAM, {"match": [{"objectSelector": {"matchLabels": {"team": "x"}}}]}),
        ("cronJob.spec.suspend == false", {"match": [{"kinds": ["CronJob"]}]}),
        ("cronJob.spec.suspend == false", {"exempt": [{"kinds": ["Job"]}]}),
        ("oldObject.spec.suspend == true", {"match": [{"operations": ["UPDATE"]}]}),
        (
            "cronJob.spec.suspend == false",
            {"match": [{"kinds": ["CronJob"]}, {"kinds": ["Job"], "operations": ["UPDATE"]}]},
        ),
    ],
)
def test_what_the_policy_sets_or_selects_is_there(expression: str, spec: dict[str, Any]) -> None:
    assert found(expression, **spec) == []


SHIPPED = [
    each
    for folder in ("policies", "docs/examples/migration", "webhook/jobsworth/policy/profiles")
    for file in sorted((ROOT / folder).glob("*.yaml"))
    for each in yaml.safe_load_all(file.read_text())
    if each["kind"] == "JobPolicy"
]


@pytest.mark.parametrize("document", [*documents(), *SHIPPED])
def test_no_policy_on_a_page_or_that_ships_has_such_an_expression(document: dict[str, Any]) -> None:
    loaded = read([document])
    (policy,) = loaded.policies
    assert [*failing_expressions(policy, loaded, SERVER)] == []
