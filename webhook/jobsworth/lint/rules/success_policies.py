"""The rule for success policies whose rules cannot make a Job succeed early (KEP-3998)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from jobsworth.api.formats.indexes import BadIndexes, intervals
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint import needs
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob

Intervals = list[tuple[int, int]]


class RequiredIndexes:
    """The indexes that a success policy rule requires, and how many of them.

    Args:
        indexes: the indexes that count, as sorted, disjoint intervals.
        wanted: the number of them that must succeed.
    """

    __slots__ = ("indexes", "wanted")

    def __init__(self, indexes: Intervals, wanted: int) -> None:
        self.indexes = indexes
        self.wanted = wanted

    def follows_from(self, other: RequiredIndexes) -> bool:
        """Return True if it is satisfied whenever the other one is.

        >>> five, any_two = RequiredIndexes([(0, 4)], 5), RequiredIndexes([(0, 9)], 2)
        >>> any_two.follows_from(five), five.follows_from(any_two)
        (True, False)
        """
        outside = size(other.indexes) - shared(self.indexes, other.indexes)
        return other.wanted - outside >= self.wanted


def size(indexes: Intervals) -> int:
    """Count the indexes in a list of intervals."""
    return sum(last - first + 1 for first, last in indexes)


def shared(one: Intervals, other: Intervals) -> int:
    """Count the indexes that two lists of intervals have in common."""
    total = left = right = 0
    while left < len(one) and right < len(other):
        first = max(one[left][0], other[right][0])
        last = min(one[left][1], other[right][1])
        total += max(0, last - first + 1)
        if one[left][1] < other[right][1]:
            left += 1
        else:
            right += 1
    return total


def required_indexes(rule: dict[str, Any], completions: int) -> RequiredIndexes:
    """Return the requirement of a success policy rule in a Job with this number of completions.

    Source: ``pkg/controller/job/success_policy.go``, Kubernetes 1.36. The controller evaluates no rule
    before the first index has succeeded, so a count of 0 requires any one index.

    Raises:
        BadIndexes: succeededIndexes cannot be parsed.
    """
    everything = [(0, completions - 1)]
    text, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    indexes = everything if text is None else intervals(text, completions)
    whole = size(indexes)
    if whole and count == 0:
        return RequiredIndexes(everything, 1)
    return RequiredIndexes(indexes, whole if count is None else min(count, whole))


def all_required(job: LintedJob) -> list[RequiredIndexes | None]:
    """Return the requirement of each success policy rule; None for a rule that never matches."""
    completions = job.spec.get("completions", 0)
    answers: list[RequiredIndexes | None] = []
    for rule in job.spec.get("successPolicy", {}).get("rules", ()):
        try:
            wanted = required_indexes(rule, completions)
        except BadIndexes:
            wanted = RequiredIndexes([], 0)
        answers.append(wanted if wanted.wanted else None)
    return answers


@lint_rule(
    "JW213",
    "success-policy-noop",
    severity="warning",
    summary="A rule of a success policy cannot make the Job succeed any earlier.",
    fixable="safe",
    confidence="certain",
    needs=needs.a_success_policy,
)
def success_policy_noop(job: LintedJob) -> Iterator[Diagnostic]:
    completions = job.spec.get("completions")
    if not completions or not job.indexed or "successPolicy" not in job.spec:
        return
    policy = f"{job.path}.successPolicy"
    requirements = all_required(job)
    for index, wanted in enumerate(requirements):
        if wanted is None:
            continue
        path = f"{policy}.rules[{index}]"
        single = len(requirements) == 1
        title = "Delete the success policy" if single else "Delete the rule"
        fix = Fix(title, Edit("delete", policy if single else path), safe=True)
        if wanted.wanted == completions:
            yield Diagnostic(
                path,
                f"This rule has no effect: with all {completions} indexes succeeded, the Job is complete "
                "anyway. Require fewer indexes, or delete the rule.",
                fix,
            )
            continue
        easier = _easier(requirements, index)
        if easier is not None:
            yield Diagnostic(
                path,
                f"This rule has no effect: rules[{easier}] is satisfied whenever this rule is. Delete it.",
                fix,
            )


def _easier(requirements: Sequence[RequiredIndexes | None], index: int) -> int | None:
    """Return the first other rule that is satisfied whenever this one is; of equal rules the first stays."""
    this = requirements[index]
    for number, other in enumerate(requirements):
        if this is None or other is None or number == index or not other.follows_from(this):
            continue
        if number < index or not this.follows_from(other):
            return number
    return None
