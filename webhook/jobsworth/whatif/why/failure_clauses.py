"""Groups of failed Pods as clauses of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from jobsworth.whatif.why.ending import MAX_GROUPS
from jobsworth.whatif.why.numbers_in_words import indexes, number_of, times

if TYPE_CHECKING:
    from jobsworth.whatif.why.failure_groups import FailureGroup


def failure_clause(group: FailureGroup) -> str:
    """Return a group of failures as a clause, such as "index 7 failed twice with exit code 1"."""
    number = len(group.pods)
    if len(group.indexes) == 1:
        return group.cause.clause(indexes(group.indexes), plural=False, times=times(number))
    if group.indexes:
        more = f" ({number_of(number, 'Pod')})" if number != len(group.indexes) else ""
        return group.cause.clause(indexes(group.indexes), plural=True) + more
    if number == 1:
        return group.cause.clause(f"Pod {group.pods[0].name}", plural=False)
    return group.cause.clause(f"{number} Pods", plural=True)


def ruled_clause(group: FailureGroup) -> str:
    """Return a group of failures as a clause, with the rule that fails the Job or the index for it."""
    if group.fate not in ("fails the Job", "fails the index"):
        return failure_clause(group)
    action = "FailJob" if group.fate == "fails the Job" else "FailIndex"
    return f"{failure_clause(group)}, and {group.rule} ({action}) matches {group.matched}"


def ignored_clauses(groups: Sequence[FailureGroup]) -> Iterator[str]:
    for group in [each for each in groups if not each.counts][:MAX_GROUPS]:
        number = len(group.pods)
        verb = "was" if number == 1 else "were"
        yield f"{group.cause.counted(number)} {verb} ignored by {group.rule}"
