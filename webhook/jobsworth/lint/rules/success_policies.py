"""Rules about success policies: which of their rules can make a Job succeed early (KEP-3998)."""

from __future__ import annotations

from jobsworth.api.formats.indexes import BadIndexes, intervals
from jobsworth.findings.fix import Edit, Fix
from jobsworth.lint.rule import Complaint, lint_rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from jobsworth.lint.linted_job import Subject

    Intervals = list[tuple[int, int]]


class Demand:
    """What a rule of a success policy demands: so many of these indexes.

    Args:
        indexes: the intervals of the indexes that count, in order and apart.
        wanted: how many of them have to succeed.
    """

    __slots__ = ("indexes", "wanted")

    def __init__(self, indexes: Intervals, wanted: int) -> None:
        self.indexes = indexes
        self.wanted = wanted

    def follows_from(self, other: Demand) -> bool:
        """Whether it is met whenever the other one is.

        >>> five, any_two = Demand([(0, 4)], 5), Demand([(0, 9)], 2)
        >>> any_two.follows_from(five), five.follows_from(any_two)
        (True, False)
        """
        outside = size(other.indexes) - shared(self.indexes, other.indexes)
        return other.wanted - outside >= self.wanted


def size(indexes: Intervals) -> int:
    """How many indexes some intervals hold."""
    return sum(last - first + 1 for first, last in indexes)


def shared(one: Intervals, other: Intervals) -> int:
    """How many indexes two lists of intervals have in common."""
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


def demand(rule: dict[str, Any], completions: int) -> Demand:
    """What a rule of the success policy of a Job with so many completions demands.

    Source: ``pkg/controller/job/success_policy.go``, Kubernetes 1.36. Before the first index has succeeded
    no rule is asked, so a count of 0 demands one index, whichever.

    Raises:
        BadIndexes: the rule's indexes cannot be read.
    """
    everything = [(0, completions - 1)]
    text, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    indexes = everything if text is None else intervals(text, completions)
    whole = size(indexes)
    if whole and count == 0:
        return Demand(everything, 1)
    return Demand(indexes, whole if count is None else min(count, whole))


def demands(job: Subject) -> list[Demand | None]:
    """What each rule of the success policy demands; None of one that never matches."""
    completions = job.spec.get("completions", 0)
    answers: list[Demand | None] = []
    for rule in job.spec.get("successPolicy", {}).get("rules", ()):
        try:
            wanted = demand(rule, completions)
        except BadIndexes:
            wanted = Demand([], 0)
        answers.append(wanted if wanted.wanted else None)
    return answers


@lint_rule(
    "JW213",
    "success-policy-noop",
    severity="warning",
    summary="A rule of a success policy cannot make the Job succeed any earlier.",
    fixable="safe",
)
def success_policy_noop(job: Subject) -> Iterator[Complaint]:
    completions = job.spec.get("completions")
    if not completions or not job.indexed or "successPolicy" not in job.spec:
        return
    policy = f"{job.path}.successPolicy"
    all_demands = demands(job)
    for index, wanted in enumerate(all_demands):
        if wanted is None:
            continue
        path = f"{policy}.rules[{index}]"
        single = len(all_demands) == 1
        what = "drop the success policy" if single else "delete the rule"
        fix = Fix(what, Edit("delete", policy if single else path), safe=True)
        if wanted.wanted == completions:
            yield Complaint(
                path,
                f"the rule demands all {completions} indexes, with which the Job is complete anyway",
                fix,
            )
            continue
        easier = _easier(all_demands, index)
        if easier is not None:
            yield Complaint(
                path,
                f"rules[{easier}] is met whenever this rule is: this rule changes nothing",
                fix,
            )


def _easier(all_demands: Sequence[Demand | None], index: int) -> int | None:
    """The first other rule that is met whenever this one is; of equal rules, the first stays."""
    this = all_demands[index]
    for number, other in enumerate(all_demands):
        if this is None or other is None or number == index or not other.follows_from(this):
            continue
        if number < index or not this.follows_from(other):
            return number
    return None
