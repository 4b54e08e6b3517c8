"""The success policy of an Indexed Job (KEP-3998): success before all indexes have succeeded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.controller.index_sets import IndexSet


@dataclass(frozen=True, slots=True)
class SuccessRule:
    """A rule; at least one of its attributes is not None.

    Attributes:
        indexes: succeededIndexes, unparsed.
        count: succeededCount: the number of these indexes, or of all, that must succeed.
    """

    indexes: str | None
    count: int | None

    def met_by(self, succeeded: IndexSet, completions: int) -> bool:
        """Return True if the succeeded indexes satisfy the rule."""
        if self.indexes is None:
            return self.count is not None and len(succeeded) >= self.count
        wanted = IndexSet.read(self.indexes, completions)
        if not wanted:
            return False
        reached = wanted.overlap(succeeded)
        return reached == len(wanted) or (self.count is not None and reached >= self.count)


def matched_rule(rules: Sequence[SuccessRule], succeeded: IndexSet, completions: int) -> int | None:
    """Return the position of the first satisfied rule; None if there is none."""
    if not succeeded:
        return None
    for position, rule in enumerate(rules):
        if rule.met_by(succeeded, completions):
            return position
    return None


def can_be_met(rules: Sequence[SuccessRule], failed: IndexSet, completions: int) -> bool:
    """Return True if a rule can still be satisfied although some indexes have failed for good."""
    if not rules:
        return False
    left = IndexSet.of(index for index in range(completions) if index not in failed)
    return matched_rule(rules, left, completions) is not None


def read_success_policy(policy: dict[str, Any] | None) -> tuple[SuccessRule, ...]:
    """Read ``spec.successPolicy``."""
    return tuple(
        SuccessRule(rule.get("succeededIndexes"), rule.get("succeededCount"))
        for rule in (policy or {}).get("rules") or ()
    )
