"""What a JobSet does about failed Jobs: KEP-262, and executeFailurePolicy of its controller."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.jobset.failure_policy import (
    FailedChildJob,
    FailurePolicy,
    decide,
    read_failure_policy,
)
from jobsworth.api.jobset.message_patterns import is_matched, malformation, matches


def policy(*rules: dict[str, Any], most: int = 3) -> FailurePolicy:
    read = read_failure_policy({"failurePolicy": {"maxRestarts": most, "rules": list(rules)}})
    assert read is not None
    return read


def failed(
    name: str = "workers", at: int = 0, reason: str = "BackoffLimitExceeded", message: str = "limit"
) -> FailedChildJob:
    return FailedChildJob(f"train-{name}-0", name, at, reason, message)


FAIL = {"action": "FailJobSet"}
UNCOUNTED = {"action": "RestartJobSetAndIgnoreMaxRestarts"}
ON_RULE = {**FAIL, "onJobFailureReasons": ["PodFailurePolicy"]}
ON_DRIVER = {**FAIL, "targetReplicatedJobs": ["driver"]}
ON_MESSAGE = {**FAIL, "onJobFailureMessagePatterns": ["exit code (1|2) ", "reached .* limit$"]}


@pytest.mark.parametrize(
    ("rules", "job", "counted", "expected"),
    [
        # rules, the failed Job, counted restarts: the rule, the action, why the JobSet fails, counted
        ([], failed(), 0, (None, "RestartJobSet", "", True)),
        ([], failed(), 2, (None, "RestartJobSet", "", True)),
        ([], failed(), 3, (None, "RestartJobSet", "ReachedMaxRestarts", True)),
        ([FAIL], failed(), 0, (0, "FailJobSet", "FailJobSetFailurePolicyAction", False)),
        ([UNCOUNTED], failed(), 99, (0, "RestartJobSetAndIgnoreMaxRestarts", "", False)),
        (
            [{"action": "RestartJobSet"}],
            failed(),
            3,
            (0, "RestartJobSet", "ReachedMaxRestarts", True),
        ),
        ([ON_RULE], failed(), 0, (None, "RestartJobSet", "", True)),
        (
            [ON_RULE],
            failed(reason="PodFailurePolicy"),
            0,
            (0, "FailJobSet", "FailJobSetFailurePolicyAction", False),
        ),
        ([ON_DRIVER], failed(), 0, (None, "RestartJobSet", "", True)),
        (
            [ON_DRIVER],
            failed("driver"),
            0,
            (0, "FailJobSet", "FailJobSetFailurePolicyAction", False),
        ),
        ([ON_MESSAGE], failed(message="limited"), 0, (None, "RestartJobSet", "", True)),
        (
            [ON_MESSAGE],
            failed(message="Job has reached the limit"),
            0,
            (0, "FailJobSet", "FailJobSetFailurePolicyAction", False),
        ),
        ([UNCOUNTED, FAIL], failed(), 3, (0, "RestartJobSetAndIgnoreMaxRestarts", "", False)),
    ],
)
def test_the_first_matching_rule_decides_and_the_default_is_a_counted_restart(
    rules: list[dict[str, Any]],
    job: FailedChildJob,
    counted: int,
    expected: tuple[int | None, str, str, bool],
) -> None:
    found = decide(policy(*rules), [job], counted)
    assert (found.rule, found.action, found.fails, found.counts) == expected


def test_without_a_failure_policy_the_first_failed_job_fails_the_job_set() -> None:
    found = decide(None, [failed("workers", 7), failed("driver", 5)], 0)
    assert (found.fails, found.job.name, found.action) == ("FailedJobs", "train-driver-0", "")


def test_a_policy_without_max_restarts_allows_none() -> None:
    read = read_failure_policy({"failurePolicy": {}})
    assert decide(read, [failed()], 0).fails == "ReachedMaxRestarts"


def test_an_earlier_rule_beats_a_job_that_failed_earlier() -> None:
    both = [failed("workers", at=1), failed("driver", at=9)]
    found = decide(policy(ON_DRIVER, UNCOUNTED), both, 0)
    assert (found.rule, found.job.name) == (0, "train-driver-0")


def test_of_several_jobs_that_a_rule_matches_the_first_that_failed_is_named() -> None:
    found = decide(policy(FAIL), [failed("workers", at=9), failed("driver", at=1)], 0)
    assert found.job.name == "train-driver-0"


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "*"])
def test_a_malformed_pattern_never_matches(pattern: str) -> None:
    assert malformation(pattern)
    assert not matches(pattern, "a(b)")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|a)*b", "(?:(?:a*)b)+", "x*" * 4, "(x?){30}", "a" * 1001]
)
def test_a_pattern_that_may_take_long_is_not_matched(pattern: str) -> None:
    assert not is_matched(pattern)
    with pytest.raises(ValueError, match="too many repeats"):
        matches(pattern, "a")


@pytest.mark.parametrize("pattern", ["exit code (1|2)", r"[(+*]+\(", "Pod .* failed", "a{2,3}"])
def test_usual_patterns_are_matched(pattern: str) -> None:
    assert is_matched(pattern)
