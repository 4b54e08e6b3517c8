"""The failure policy of a JobSet: the rule that matches a failed Job, and what JobSet does then.

Source: KEP-262 of JobSet, Configurable Failure Policy, and ``executeFailurePolicy`` in
``pkg/controllers/failure_policy.go``, JobSet 0.8 to 0.12. The actions RestartJob and
RestartJobAndIgnoreMaxRestarts need the feature gate RestartJob, off by default, and are not decided here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.api.jobset.message_patterns import matches

FAIL, RESTART, RESTART_UNCOUNTED = (
    "FailJobSet",
    "RestartJobSet",
    "RestartJobSetAndIgnoreMaxRestarts",
)
RESTART_JOB, RESTART_JOB_UNCOUNTED = "RestartJob", "RestartJobAndIgnoreMaxRestarts"
DEFAULT_ACTION = RESTART
"""The action for a failed Job that no rule matches."""
FAILED_JOBS, REACHED_MAX_RESTARTS, FAILED_BY_RULE = (
    "FailedJobs",
    "ReachedMaxRestarts",
    "FailJobSetFailurePolicyAction",
)
"""The reasons of a JobSet's Failed condition: without a failure policy, beyond maxRestarts, by FailJobSet."""
BLOCKING_RECREATE = "BlockingRecreate"


@dataclass(frozen=True, slots=True)
class FailedChildJob:
    """A failed Job of a JobSet.

    Attributes:
        replicated_job: the name of its ReplicatedJob.
        at: when it failed; in any unit, to compare.
        reason, message: of its Failed condition.
    """

    name: str
    replicated_job: str
    at: int
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class FailureRule:
    """A rule of the failure policy; an empty list stands for any."""

    name: str
    action: str
    reasons: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()

    def matches(self, job: FailedChildJob) -> bool:
        """Return True if the rule matches a failed Job.

        Raises:
            ValueError: a pattern for messages is not matched here.
        """
        return (
            (not self.reasons or job.reason in self.reasons)
            and (not self.targets or job.replicated_job in self.targets)
            and (not self.patterns or any(matches(each, job.message) for each in self.patterns))
        )


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """The failure policy of a JobSet.

    Attributes:
        max_restarts: restarts that count, at most.
        blocking: no Job is created again before all Jobs of the last attempt are gone.
    """

    max_restarts: int
    rules: tuple[FailureRule, ...]
    blocking: bool = False


@dataclass(frozen=True, slots=True)
class FailureDecision:
    """The decision of JobSet about failed Jobs.

    Attributes:
        job: the failed Job that decides.
        rule: the index of the rule that matches it; None without one.
        action: the action of the rule, or the default; empty without a failure policy.
        fails: the reason for which the JobSet fails; empty if it restarts.
        counts: the restart counts towards maxRestarts.
    """

    job: FailedChildJob
    rule: int | None
    action: str
    fails: str
    counts: bool = False


def read_failure_policy(spec: Mapping[str, Any]) -> FailurePolicy | None:
    """Return the failure policy of the spec of a JobSet; None if it has none."""
    policy = spec.get("failurePolicy")
    if policy is None:
        return None
    return FailurePolicy(
        policy.get("maxRestarts", 0),
        tuple(
            FailureRule(
                rule.get("name", ""),
                rule.get("action", ""),
                tuple(rule.get("onJobFailureReasons") or ()),
                tuple(rule.get("onJobFailureMessagePatterns") or ()),
                tuple(rule.get("targetReplicatedJobs") or ()),
            )
            for rule in policy.get("rules") or ()
        ),
        policy.get("restartStrategy") == BLOCKING_RECREATE,
    )


def decide(
    policy: FailurePolicy | None, failed: Sequence[FailedChildJob], counted: int
) -> FailureDecision:
    """Decide about the failed Jobs of the current attempt.

    The first rule that matches any of the Jobs decides; of the Jobs that it matches, the first that failed.

    Args:
        failed: at least one.
        counted: the restarts so far that count towards maxRestarts.

    Raises:
        ValueError: a pattern for messages is not matched here.
    """
    first = min(failed, key=lambda job: job.at)
    if policy is None:
        return FailureDecision(first, None, "", FAILED_JOBS)
    action, position = DEFAULT_ACTION, None
    for index, rule in enumerate(policy.rules):
        matched = [job for job in failed if rule.matches(job)]
        if matched:
            first, action, position = min(matched, key=lambda job: job.at), rule.action, index
            break
    if action == FAIL:
        return FailureDecision(first, position, action, FAILED_BY_RULE)
    if action == RESTART_UNCOUNTED:
        return FailureDecision(first, position, action, "")
    if counted >= policy.max_restarts:
        return FailureDecision(first, position, action, REACHED_MAX_RESTARTS, counts=True)
    return FailureDecision(first, position, action, "", counts=True)
