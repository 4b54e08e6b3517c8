"""The second level of a JobSet: what it does with a Job that has failed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jobsworth.api.jobset.failure_policy import (
    DEFAULT_ACTION,
    FAIL,
    FAILED_BY_RULE,
    FAILED_JOBS,
    REACHED_MAX_RESTARTS,
    RESTART_JOB,
    RESTART_JOB_UNCOUNTED,
    RESTART_UNCOUNTED,
    FailurePolicy,
    FailureRule,
)


@dataclass(frozen=True, slots=True)
class ExplainedJobSet:
    """The JobSet of a Job.

    Attributes:
        policy: its failure policy; None without one.
        replicated_job: the name of the ReplicatedJob of the Job.
        jobs: the number of its Jobs.
    """

    policy: FailurePolicy | None
    replicated_job: str
    jobs: int

    def consequence(self, reason: str) -> str:
        """Return what the JobSet does with a Job of the ReplicatedJob that fails for a reason, as a clause.

        A rule with message patterns decides only about some Jobs, so the next rules are named, too.
        """
        if self.policy is None:
            return f"the JobSet fails ({FAILED_JOBS}), because it has no failure policy"
        return "; else ".join(self._consequences(reason, self.policy))

    def _consequences(self, reason: str, policy: FailurePolicy) -> Iterator[str]:
        for index, rule in enumerate(policy.rules):
            if self._concerns(rule, reason):
                words = (
                    f"by failurePolicy.rules[{index}] {rule.action}, {self._effect(rule.action)}"
                )
                if not rule.patterns:
                    yield words
                    return
                yield f"if its message matches {' or '.join(rule.patterns)}, {words}"
        yield f"without a matching rule, {self._effect(DEFAULT_ACTION)}"

    def _concerns(self, rule: FailureRule, reason: str) -> bool:
        return (not rule.reasons or reason in rule.reasons) and (
            not rule.targets or self.replicated_job in rule.targets
        )

    def _effect(self, action: str) -> str:
        jobs = "its only Job" if self.jobs == 1 else f"all its {self.jobs} Jobs"
        if action in (RESTART_JOB, RESTART_JOB_UNCOUNTED):
            jobs = "this Job"
        if action == FAIL:
            return f"the JobSet fails ({FAILED_BY_RULE})"
        if action in (RESTART_UNCOUNTED, RESTART_JOB_UNCOUNTED):
            return f"the JobSet restarts {jobs}, without limit"
        most = 0 if self.policy is None else self.policy.max_restarts
        if most <= 0:
            return f"the JobSet fails ({REACHED_MAX_RESTARTS}), because maxRestarts is {most}"
        times = "once" if most == 1 else f"{most} times"
        return f"the JobSet restarts {jobs}, at most {times}, then fails ({REACHED_MAX_RESTARTS})"
