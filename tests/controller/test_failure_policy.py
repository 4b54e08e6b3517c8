"""The rule of a failure policy that a failed Pod matches."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.batch.termination_rules import TerminationRule
from jobsworth.controller.failure_policy import NO_MATCH, FailurePolicyMatcher, read_failure_policy
from jobsworth.controller.pods import read_pod
from support.controller.job_syncs import SETTINGS, a_pod


def container(code: int | None, name: str = "main", reason: str = "Error") -> dict[str, Any]:
    if code is None:
        return {"name": name, "state": {"running": {}}}
    return {"name": name, "state": {"terminated": {"exitCode": code, "reason": reason}}}


def a_failed_pod(
    *app: dict[str, Any], init: Any = (), conditions: Any = (), phase: str = "Failed"
) -> Any:
    pod = a_pod(phase, name="p", conditions=conditions)
    pod["status"]["containerStatuses"] = list(app)
    pod["status"]["initContainerStatuses"] = list(init)
    return read_pod(pod, SETTINGS)


def on_codes(action: str, *values: int, operator: str = "In", **more: Any) -> dict[str, Any]:
    return {"action": action, "onExitCodes": {"operator": operator, "values": values, **more}}


def on_condition(action: str, kind: str = "DisruptionTarget", **status: str) -> dict[str, Any]:
    return {"action": action, "onPodConditions": [{"type": kind, **status}]}


FAILED_WITH = (
    "Container {} for pod default/p failed with exit code {} matching FailJob rule at index {}"
)
HAS_CONDITION = "Pod default/p has condition {} matching FailJob rule at index {}"
DISRUPTED = [("DisruptionTarget", "True")]

CASES: dict[str, tuple[list[dict[str, Any]], Any, str | None, str | None]] = {
    "an unknown action is passed over": (
        [on_codes("Shrug", 1), on_codes("Ignore", 1)],
        a_failed_pod(container(1)),
        "Ignore",
        None,
    ),
    "an unknown action on a condition too": (
        [on_condition("Shrug"), on_condition("Count")],
        a_failed_pod(container(1), conditions=DISRUPTED),
        "Count",
        None,
    ),
    "an unknown operator matches nothing": (
        [on_codes("FailJob", 1, operator="Near")],
        a_failed_pod(container(1)),
        None,
        None,
    ),
    "codes that are listed": (
        [on_codes("FailJob", 1, 2)],
        a_failed_pod(container(2)),
        "FailJob",
        FAILED_WITH.format("main", 2, 0),
    ),
    "codes below zero": (
        [on_codes("FailJob", -1073741510)],
        a_failed_pod(container(-1073741510)),
        "FailJob",
        FAILED_WITH.format("main", -1073741510, 0),
    ),
    "codes that are not listed": (
        [on_codes("FailJob", 5, operator="NotIn")],
        a_failed_pod(container(42)),
        "FailJob",
        FAILED_WITH.format("main", 42, 0),
    ),
    "zero is never matched by NotIn": (
        [on_codes("FailJob", 5, operator="NotIn")],
        a_failed_pod(container(0)),
        None,
        None,
    ),
    "nor is an init container's": (
        [on_codes("FailJob", 5, operator="NotIn")],
        a_failed_pod(container(5), init=[container(0, "setup")]),
        None,
        None,
    ),
    "an init container": (
        [on_codes("FailJob", 5)],
        a_failed_pod(container(143), init=[container(5, "setup")]),
        "FailJob",
        FAILED_WITH.format("setup", 5, 0),
    ),
    "app containers are asked before init containers": (
        [on_codes("FailJob", 5)],
        a_failed_pod(container(5, "app"), init=[container(5, "setup")]),
        "FailJob",
        FAILED_WITH.format("app", 5, 0),
    ),
    "the first container that matches is named": (
        [on_codes("FailJob", 5, 6)],
        a_failed_pod(container(1, "a"), container(6, "b"), container(5, "c")),
        "FailJob",
        FAILED_WITH.format("b", 6, 0),
    ),
    "only the container that is meant": (
        [on_codes("FailJob", 5, containerName="b")],
        a_failed_pod(container(5, "a"), container(1, "b")),
        None,
        None,
    ),
    "the container that is meant": (
        [on_codes("FailJob", 5, containerName="b")],
        a_failed_pod(container(5, "a"), container(5, "b")),
        "FailJob",
        FAILED_WITH.format("b", 5, 0),
    ),
    "the second rule gives its own position": (
        [on_codes("FailJob", 1), on_codes("FailJob", 2)],
        a_failed_pod(container(2)),
        "FailJob",
        FAILED_WITH.format("main", 2, 1),
    ),
    "a container that has not ended is passed over": (
        [on_codes("FailJob", 5)],
        a_failed_pod(container(None, "a"), container(5, "b")),
        "FailJob",
        FAILED_WITH.format("b", 5, 0),
    ),
    "no container has ended": ([on_codes("FailJob", 5)], a_failed_pod(container(None)), None, None),
    "NotIn can count": (
        [on_codes("Count", 8, operator="NotIn")],
        a_failed_pod(container(32)),
        "Count",
        None,
    ),
    "the status of a condition is True unless said": (
        [on_condition("FailJob")],
        a_failed_pod(container(1), conditions=DISRUPTED),
        "FailJob",
        HAS_CONDITION.format("DisruptionTarget", 0),
    ),
    "a condition of another status": (
        [on_condition("FailJob", status="True")],
        a_failed_pod(container(1), conditions=[("DisruptionTarget", "False")]),
        None,
        None,
    ),
    "a status of False": (
        [on_condition("FailJob", "Ready", status="False")],
        a_failed_pod(container(1), conditions=[("Ready", "False")]),
        "FailJob",
        HAS_CONDITION.format("Ready", 0),
    ),
    "a status of Unknown": (
        [on_condition("Ignore", "Ready", status="Unknown")],
        a_failed_pod(container(1), conditions=[("Ready", "Unknown")]),
        "Ignore",
        None,
    ),
    "one index by code": (
        [on_codes("FailIndex", 1)],
        a_failed_pod(container(1)),
        "FailIndex",
        None,
    ),
    "one index by condition": (
        [on_condition("FailIndex")],
        a_failed_pod(container(1), conditions=DISRUPTED),
        "FailIndex",
        None,
    ),
    "a rule on codes before one on conditions": (
        [on_codes("Count", 1), on_condition("Ignore")],
        a_failed_pod(container(1), conditions=DISRUPTED),
        "Count",
        None,
    ),
    "no rule": ([], a_failed_pod(container(1), conditions=DISRUPTED), None, None),
}


@pytest.mark.parametrize(("rules", "pod", "action", "message"), CASES.values(), ids=CASES)
def test_matching(
    rules: list[dict[str, Any]], pod: Any, action: str | None, message: str | None
) -> None:
    match = FailurePolicyMatcher(read_failure_policy({"rules": rules})).match(pod)
    assert match.action == action
    assert match.counts is (action != "Ignore")
    if message is not None:
        assert match.message(pod) == message


def test_without_a_policy_every_failure_counts() -> None:
    assert FailurePolicyMatcher(None).match(a_failed_pod(container(1))) is NO_MATCH
    assert NO_MATCH.counts


def test_pods_that_ended_alike_are_matched_alike_and_named_apart() -> None:
    matcher = FailurePolicyMatcher(read_failure_policy({"rules": [on_codes("FailJob", 5)]}))
    one, other = a_failed_pod(container(5)), a_failed_pod(container(5))
    assert matcher.match(one) is matcher.match(other)


REASONS = [
    TerminationRule("FailJob", "In", ("OOMKilled",), None),
    TerminationRule("Ignore", "NotIn", ("Error",), "sidecar"),
]


@pytest.mark.parametrize(
    ("app", "action"),
    [
        ([container(137, reason="OOMKilled")], "FailJob"),
        ([container(137)], "Count"),
        ([container(0, reason="OOMKilled")], None),
        ([container(1), container(1, "sidecar", "ContainerCannotRun")], "Ignore"),
        ([container(1), container(1, "sidecar")], None),
    ],
)
def test_rules_on_reasons_come_before_those_of_the_spec(app: Any, action: str | None) -> None:
    policy = read_failure_policy({"rules": [on_codes("Count", 137)]}, tuple(REASONS))
    pod = a_failed_pod(*app)
    match = FailurePolicyMatcher(policy).match(pod)
    assert match.action == action
    if action == "FailJob":
        assert match.message(pod) == (
            "Container main for pod default/p terminated with reason OOMKilled "
            "matching FailJob termination rule at index 0"
        )
