"""The exit codes, conditions, reasons and containers that the rules of some Jobs distinguish."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.controller.failure_policy import ConditionRule
from jobsworth.lint.matched_failures import ANY_OTHER_CODE, LINUX_EXIT_CODES, facts_of
from jobsworth.whatif.explanation.decision_rows import ANY_REASON
from jobsworth.whatif.explanation.explained_job import SIDECAR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.lint.matched_failures import Facts
    from jobsworth.whatif.explanation.compared_job import ComparedJob
    from jobsworth.whatif.explanation.explained_job import ExplainedJob


class DistinguishedFailures:
    """The exit codes, conditions, reasons and containers that the rules of some Jobs distinguish."""

    def __init__(self, sides: Sequence[ComparedJob]) -> None:
        self._sides = sides
        jobs = [side.job for side in sides]
        self.names = list(
            dict.fromkeys(container.name for job in jobs for container in job.containers)
        )
        self._domain = _domain(jobs)
        self._facts: list[list[Facts]] = [
            [facts_of(rule, self.names, self._domain) for rule in job.rules] for job in jobs
        ]
        named = {
            pattern
            for job in jobs
            if job.job.failure_policy is not None
            for rule in job.job.failure_policy.rules
            if isinstance(rule, ConditionRule)
            for pattern in rule.patterns
        }
        self.conditions = ["", *sorted(named)]
        reasons = {
            reason for job in jobs for rule in job.termination_rules for reason in rule.reasons
        }
        self.reasons = [ANY_REASON, *sorted(reasons)]
        self._scopes = {
            *(
                rule.get("onExitCodes", {}).get("containerName")
                for job in jobs
                for rule in job.rules
            ),
            *(rule.container for job in jobs for rule in job.termination_rules),
        }

    def alike(self, name: str) -> object:
        """Return a key that containers share if no rule distinguishes them."""
        containers = (side.containers.get(name) for side in self._sides)
        return (
            name if name in self._scopes else None,
            *(
                None
                if each is None
                else (each.role == SIDECAR, each.restart_policy, each.restart_rules)
                for each in containers
            ),
        )

    def classes(self, name: str) -> list[list[int]]:
        """Return the exit codes of a container in classes that no rule of any Job divides."""
        containers = [side.containers.get(name) for side in self._sides]
        found: dict[tuple[bool, ...], list[int]] = {}
        for code in sorted(self._domain - {0}):
            key = (
                *(each is not None and each.restarts(code) for each in containers),
                *(
                    code in facts.codes.get(name, ())
                    for of_each in self._facts
                    for facts in of_each
                ),
            )
            found.setdefault(key, []).append(code)
        return list(found.values())


def _domain(jobs: Sequence[ExplainedJob]) -> frozenset[int]:
    """Return the exit codes to distinguish."""
    linux = frozenset() if all(job.windows for job in jobs) else LINUX_EXIT_CODES
    if not any(job.windows for job in jobs):
        return linux
    named = {
        code
        for job in jobs
        for rule in job.rules
        for code in rule.get("onExitCodes", {}).get("values", ())
    }
    restarting = {
        code
        for job in jobs
        for container in job.containers
        for _, codes in container.restart_rules
        for code in codes
    }
    return frozenset((*linux, *named, *restarting, ANY_OTHER_CODE))
