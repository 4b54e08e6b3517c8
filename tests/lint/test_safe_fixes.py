"""A fix that calls itself safe changes nothing that happens: held against brute force over Pods and indexes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.findings.edits import edited
from support.lint.linted_jobs import cron_job, defaults_of, found, with_policy
from support.lint.random_failure_policies import CONDITIONS, CONTAINERS, first_match, rules

EXIT_CODES = st.sampled_from((0, 1, 2, 3, 42, 127, 128, 137, 143, 200, 254, 255))
"""Those that random rules list, which matter most, and one that few of them list."""
PODS = st.tuples(
    st.dictionaries(st.sampled_from(CONTAINERS), EXIT_CODES),
    st.sets(st.sampled_from(CONDITIONS)),
)
CODES = ("JW101", "JW111", "JW112", "JW113", "JW114", "JW119", "JW123")
ACTIONS = st.sampled_from(("FailJob", "FailIndex", "Ignore", "Count"))
SPEC: dict[str, Any] = {"completionMode": "Indexed", "completions": 4, "backoffLimitPerIndex": 0}
POD: dict[str, Any] = {
    "containers": [{"name": "app", "image": "busybox:1.36"}],
    "initContainers": [
        {"name": "init", "image": "busybox:1.36"},
        {"name": "sidecar", "image": "busybox:1.36", "restartPolicy": "Always"},
    ],
}


def valid(rule: dict[str, Any]) -> dict[str, Any]:
    """Return the rule without what the API server rejects: 0 in a list of codes that match."""
    requirement = rule.get("onExitCodes")
    if requirement and requirement["operator"] == "In":
        requirement["values"] = [code for code in requirement["values"] if code] or [1]
    return rule


actions_and_rules = st.tuples(ACTIONS, rules).map(
    lambda both: {"action": both[0], **valid(dict(both[1]))}
)


def outcome(job: dict[str, Any], ended: dict[str, int], conditions: set[str]) -> str:
    """Return the outcome of a failed Pod: with no retries of an index, to fail it is no more than to count."""
    policy = job["spec"].get("podFailurePolicy", {}).get("rules", [])
    index = first_match(policy, ended, conditions)
    action = "Count" if index is None else str(policy[index]["action"])
    return "Count" if action == "FailIndex" else action


@given(
    policy=st.lists(actions_and_rules, max_size=5),
    pods=st.lists(PODS, min_size=1, max_size=20),
)
def test_a_safe_fix_of_a_failure_policy_leaves_every_pod_its_fate(
    policy: list[dict[str, Any]], pods: list[tuple[dict[str, int], set[str]]]
) -> None:
    job = with_policy(*policy, pod=POD, **SPEC)
    for code in CODES:
        check_safe_fixes(code, job, pods)


def check_safe_fixes(
    code: str, job: dict[str, Any], pods: list[tuple[dict[str, int], set[str]]]
) -> None:
    findings = found(code, job)
    for finding in findings:
        if finding.fix is None or not finding.fix.safe:
            continue
        fixed = edited(job, *finding.fix.edits)
        assert len(found(code, fixed)) < len(findings)
        assert [outcome(fixed, *pod) for pod in pods] == [outcome(job, *pod) for pod in pods]
        before, after = defaults_of(job), defaults_of(fixed)
        for spec in (before, after):
            spec.pop("podFailurePolicy", None)
        assert after == before


@pytest.mark.parametrize(
    ("code", "spec"),
    [
        ("JW114", {"podFailurePolicy": {}}),
        ("JW114", {"podFailurePolicy": {}, "podReplacementPolicy": "Failed"}),
    ],
)
def test_in_a_cron_job_too(code: str, spec: dict[str, Any]) -> None:
    inner = with_policy()
    inner["spec"].update(spec)
    outer = cron_job(inner)
    (finding,) = found(code, outer)
    assert finding.fix is not None
    fixed = edited(outer, *finding.fix.edits)["spec"]["jobTemplate"]["spec"]
    assert "podFailurePolicy" not in fixed
    assert fixed["podReplacementPolicy"] == "Failed"
