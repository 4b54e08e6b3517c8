"""What a JobSet does with a Job that has failed, in words."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.jobset.failure_policy import read_failure_policy
from jobsworth.runs.explanation.explained_job import ExplainedJobSet

RESTARTS = "without a matching rule, the JobSet restarts all its 4 Jobs, at most 3 times, then fails (ReachedMaxRestarts)"
FAIL = {"action": "FailJobSet"}


def consequence(*rules: dict[str, Any], reason: str = "BackoffLimitExceeded", most: int = 3) -> str:
    policy = read_failure_policy({"failurePolicy": {"maxRestarts": most, "rules": list(rules)}})
    return ExplainedJobSet(policy, "workers", 4).consequence(reason)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([], RESTARTS),
        (
            [FAIL],
            "by failurePolicy.rules[0] FailJobSet, the JobSet fails (FailJobSetFailurePolicyAction)",
        ),
        ([{**FAIL, "targetReplicatedJobs": ["driver"]}], RESTARTS),
        ([{**FAIL, "onJobFailureReasons": ["PodFailurePolicy"]}], RESTARTS),
        (
            [{"action": "RestartJobSetAndIgnoreMaxRestarts"}],
            "by failurePolicy.rules[0] RestartJobSetAndIgnoreMaxRestarts, the JobSet restarts all its 4 Jobs, "
            "without limit",
        ),
        (
            [{"action": "RestartJobAndIgnoreMaxRestarts"}],
            "by failurePolicy.rules[0] RestartJobAndIgnoreMaxRestarts, the JobSet restarts this Job, "
            "without limit",
        ),
        (
            [{**FAIL, "onJobFailureMessagePatterns": ["code 3"]}],
            "if its message matches code 3, by failurePolicy.rules[0] FailJobSet, the JobSet fails "
            f"(FailJobSetFailurePolicyAction); else {RESTARTS}",
        ),
    ],
)
def test_the_first_rule_that_concerns_the_job_is_named(
    rules: list[dict[str, Any]], words: str
) -> None:
    assert consequence(*rules) == words


def test_without_restarts_or_a_policy_the_job_set_fails() -> None:
    assert consequence(most=0).endswith("fails (ReachedMaxRestarts), because maxRestarts is 0")
    without = ExplainedJobSet(None, "workers", 4).consequence("DeadlineExceeded")
    assert without == "the JobSet fails (FailedJobs), because it has no failure policy"
