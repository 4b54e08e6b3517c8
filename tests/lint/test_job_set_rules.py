"""The lint rules about JobSets as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.lint.job_set_rules import job_set_findings

FAIL_JOB = {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}]}
FAIL_JOB_SET = {
    "name": "a",
    "action": "FailJobSet",
    "onJobFailureReasons": ["PodFailurePolicy"],
}


def codes(policy: dict[str, Any], **spec: Any) -> list[str]:
    job_set = {
        "spec": {
            "failurePolicy": policy,
            "replicatedJobs": [{"name": "workers", "template": {"spec": spec}}],
        }
    }
    return [finding.code for finding in job_set_findings(job_set, {}, lambda rule: True)]


def test_a_default_that_kubectl_apply_removes_is_reported() -> None:
    written = {"spec": {"replicatedJobs": [{"name": "a", "template": {"spec": {}}}]}}
    (finding,) = job_set_findings(written, written, lambda rule: True)
    assert finding.code == "JW804"
    assert finding.fix is not None
    assert [edit.value for edit in finding.fix.edits] == ["Indexed", "OnFailure"]
    template = {
        "spec": {"completionMode": "Indexed", "template": {"spec": {"restartPolicy": "Never"}}}
    }
    written = {"spec": {"replicatedJobs": [{"name": "a", "template": template}]}}
    assert job_set_findings(written, written, lambda rule: True) == []


def test_a_restart_after_fail_job_repeats_a_failure_that_cannot_be_retried() -> None:
    assert codes({"maxRestarts": 3}, podFailurePolicy=FAIL_JOB) == ["JW802"]


@pytest.mark.parametrize(
    "policy",
    [
        {"maxRestarts": 0},
        {},
        {"maxRestarts": 3, "rules": [FAIL_JOB_SET]},
        {"maxRestarts": 3, "rules": [{"name": "a", "action": "FailJobSet"}]},
        {"maxRestarts": 3, "rules": [{**FAIL_JOB_SET, "targetReplicatedJobs": ["workers"]}]},
    ],
)
def test_a_job_set_that_fails_as_well_is_no_finding(policy: dict[str, Any]) -> None:
    assert codes(policy, podFailurePolicy=FAIL_JOB) == []


@pytest.mark.parametrize(
    "rule",
    [
        {**FAIL_JOB_SET, "targetReplicatedJobs": ["leader"]},
        {**FAIL_JOB_SET, "onJobFailureReasons": ["DeadlineExceeded"]},
        {"name": "b", "action": "RestartJobSet", "onJobFailureReasons": []},
    ],
)
def test_a_rule_for_other_failures_changes_nothing(rule: dict[str, Any]) -> None:
    assert codes({"maxRestarts": 3, "rules": [rule]}, podFailurePolicy=FAIL_JOB) == ["JW802"]


def test_a_failure_policy_without_fail_job_is_no_finding() -> None:
    count = {"rules": [{"action": "Count"}]}
    assert codes({"maxRestarts": 3}, podFailurePolicy=count) == []


@pytest.mark.parametrize("pattern", ["a(", "a[", "*a", "(?=a)", r"(a)\1", "a*+"])
def test_a_pattern_that_go_cannot_compile_never_matches(pattern: str) -> None:
    rule = {"name": "a", "action": "FailJobSet", "onJobFailureMessagePatterns": [pattern]}
    assert codes({"rules": [rule]}) == ["JW803"]


@pytest.mark.parametrize(
    "pattern", ["", ".*out of quota.*", r"exit code (\d+)", "(?i)Error", "x" * 5000]
)
def test_a_regular_expression_is_no_finding(pattern: str) -> None:
    rule = {"name": "a", "action": "FailJobSet", "onJobFailureMessagePatterns": [pattern]}
    assert codes({"rules": [rule]}) == []
