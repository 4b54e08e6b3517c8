"""Limits of the shape of a failure policy."""

from __future__ import annotations

from typing import Any

import pytest

from support.policy.policy_requests import cron_job, job, policy_messages

IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
IGNORE_OTHER = {"action": "Ignore", "onPodConditions": [{"type": "ConfigIssue"}]}
COUNT_DISRUPTION = {"action": "Count", "onPodConditions": [{"type": "DisruptionTarget"}]}
UNTRUE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "False"}]}


def on(action: str, *codes: int, operator: str = "In", container: str = "") -> dict[str, Any]:
    condition: dict[str, Any] = {"operator": operator, "values": list(codes)}
    if container:
        condition["containerName"] = container
    return {"action": action, "onExitCodes": condition}


FAIL_42 = on("FailJob", 42)


@pytest.mark.parametrize(
    ("limits", "rules", "expected"),
    [
        ({"allowedActions": ["Ignore", "FailJob"]}, [IGNORE, FAIL_42], None),
        (
            {"allowedActions": ["Ignore", "FailJob"]},
            [IGNORE, on("Count", 1)],
            'rules[1].action: Unsupported value: "Count": supported values: "Ignore", "FailJob" [JP010]',
        ),
        ({"ignoreDisruptionsFirst": True}, [IGNORE, FAIL_42], None),
        (
            {"ignoreDisruptionsFirst": True},
            [{**IGNORE, "onPodConditions": [{"type": "ConfigIssue"}, {"type": "DisruptionTarget"}]}],
            None,
        ),
        (
            {"ignoreDisruptionsFirst": True},
            [FAIL_42, IGNORE],
            "rules[1]: Invalid value: the rule that ignores the Pod condition DisruptionTarget must be "
            "the first: an earlier rule may match a disrupted Pod [JP011]",
        ),
        *(
            (
                {"ignoreDisruptionsFirst": True},
                rules,
                "rules: Required value: the first rule must have the action Ignore for the Pod "
                "condition DisruptionTarget [JP011]",
            )
            for rules in ([], [FAIL_42], [IGNORE_OTHER], [COUNT_DISRUPTION], [UNTRUE])
        ),
        ({"failJobOnExitCodes": [42]}, [IGNORE, FAIL_42], None),
        ({"failJobOnExitCodes": [42]}, [on("FailJob", 0, 1, operator="NotIn")], None),
        ({"failJobOnExitCodes": [42]}, [on("Count", 7), FAIL_42], None),
        ({"failJobOnExitCodes": [42]}, [on("FailJob", 42, container="main")], None),
        (
            {"failJobOnExitCodes": [42]},
            [on("Count", 42), FAIL_42],
            "rules[0].action: Required value: exit code 42 of container main must lead to FailJob, "
            "but rules[0] has Count [JP012]",
        ),
        (
            {"failJobOnExitCodes": [42]},
            [on("Ignore", 1, operator="NotIn"), FAIL_42],
            "rules[0].action: Required value: exit code 42 of container main must lead to FailJob, "
            "but rules[0] has Ignore [JP012]",
        ),
        (
            {"failJobOnExitCodes": [42]},
            [IGNORE],
            "rules: Required value: exit code 42 of container main must lead to FailJob, "
            "but no rule matches it [JP012]",
        ),
        ({"minimumRules": 1, "maximumRules": 2}, [IGNORE, FAIL_42], None),
        (
            {"minimumRules": 1},
            [],
            "rules: Invalid value: 0: must have at least 1 rule [JP013]",
        ),
        (
            {"maximumRules": 1},
            [IGNORE, FAIL_42],
            "rules: Invalid value: 2: must have at most 1 rule [JP013]",
        ),
    ],
)  # fmt: skip
def test_a_limit_of_the_shape(limits: Any, rules: Any, expected: str | None) -> None:
    found = policy_messages(
        job(podFailurePolicy={"rules": rules}), limits={"podFailurePolicy": limits}
    )
    assert found == ([] if expected is None else [f"spec.podFailurePolicy.{expected}"])


def test_every_container_must_fail_the_job() -> None:
    pod = {"containers": [{"name": name, "image": "busybox:1.36"} for name in ("main", "proxy")]}
    failing = job(pod, podFailurePolicy={"rules": [on("FailJob", 42, container="main")]})
    assert policy_messages(failing, limits={"podFailurePolicy": {"failJobOnExitCodes": [42]}}) == [
        "spec.podFailurePolicy.rules: Required value: exit code 42 of container proxy must lead to "
        "FailJob, but no rule matches it [JP012]"
    ]


def test_a_job_without_a_failure_policy_breaks_no_limit_of_its_shape() -> None:
    shape = {"ignoreDisruptionsFirst": True, "failJobOnExitCodes": [42], "minimumRules": 1}
    assert policy_messages(job(), limits={"podFailurePolicy": shape}) == []


def test_the_failure_policy_inside_a_cron_job_is_validated_where_it_stands() -> None:
    made = cron_job(job(podFailurePolicy={"rules": []}))
    limits = {"podFailurePolicy": {"minimumRules": 1, "message": "Say what failures mean."}}
    assert policy_messages(made, limits=limits) == [
        "spec.jobTemplate.spec.podFailurePolicy.rules: Invalid value: 0: must have at least 1 rule "
        "[JP013] Say what failures mean."
    ]
