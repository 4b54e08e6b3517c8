"""The decision table as values: its rows, and the use of each rule."""

from __future__ import annotations

from dataclasses import dataclass

from jobsworth.runs.explanation.failure_outcome import Outcome
from jobsworth.runs.failure_causes import FailureCause

Ranges = tuple[tuple[int, int], ...]
Results = tuple[Outcome | None, ...]
"""One outcome for each Job of a table; None if the Job has no such container."""

ANY_REASON = ""
"""Represents all termination reasons that no rule names."""

NO_CODE = None
"""Represents a Pod of which no container ended with an exit code."""


@dataclass(frozen=True, slots=True)
class CodeRow:
    """Exit codes with the same outcome.

    Attributes:
        containers: the containers that exit with such a code.
        codes: the exit codes, as ranges in ascending order; ANY_OTHER_CODE stands for all unnamed ones.
        without_code: the row is also about Pods of which no container ended with an exit code.
        condition: the Pod's condition as ``type=status``; empty if it has none that a rule names.
        reason: the termination reason; ANY_REASON for one that no rule names.
        outcomes: for each Job.
    """

    containers: tuple[str, ...]
    codes: Ranges
    without_code: bool
    condition: str
    reason: str
    outcomes: Results

    @property
    def changed(self) -> bool:
        """True if the Jobs behave differently."""
        return _differ(self.outcomes)

    def includes(self, code: int | None) -> bool:
        """Return True if the row is about an exit code, or about NO_CODE."""
        if code is NO_CODE:
            return self.without_code
        return any(first <= code <= last for first, last in self.codes)


@dataclass(frozen=True, slots=True)
class NamedRow:
    """An exit code or a cause that users meet.

    Attributes:
        cause: None for an exit code.
        title: its name for users.
        containers: the containers that fail; empty if it is the same for all, or none fails.
        codes: the exit codes with this outcome.
    """

    cause: FailureCause | None
    title: str
    containers: tuple[str, ...]
    codes: tuple[int, ...]
    outcomes: Results

    @property
    def changed(self) -> bool:
        """True if the Jobs behave differently."""
        return _differ(self.outcomes)

    @property
    def reachable(self) -> bool:
        """True if some rule of a failure policy can match."""
        return self.cause is None or self.cause.reachable


@dataclass(frozen=True, slots=True)
class RuleUse:
    """The use of a rule of ``spec.podFailurePolicy``.

    Attributes:
        decides: the rule decides for some Pod.
        covered_by: the earlier rules that match all that it matches; empty if it decides, or if it
            matches nothing.
    """

    decides: bool
    covered_by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """The outcomes of all failures.

    Attributes:
        codes: every exit code and condition, once.
        named: the exit codes and causes that users meet.
    """

    codes: tuple[CodeRow, ...]
    named: tuple[NamedRow, ...]

    @property
    def changed(self) -> bool:
        """True if the Jobs behave differently after some failure."""
        return any(row.changed for row in self.codes) or any(row.changed for row in self.named)

    def find(
        self, container: str, code: int | None, condition: str = "", reason: str = ANY_REASON
    ) -> CodeRow | None:
        """Return the row about a failure; None if the table has no such container or condition.

        Raises:
            TypeError: the code is neither an int nor None.
        """
        if code is not None and (isinstance(code, bool) or not isinstance(code, int)):
            raise TypeError(f"code must be an int or None, not {type(code).__name__} {code!r}")
        return next(
            (
                row
                for row in self.codes
                if container in row.containers
                and row.condition == condition
                and row.reason == reason
                and row.includes(code)
            ),
            None,
        )


def _differ(outcomes: Results) -> bool:
    return len({each and each.behavior for each in outcomes}) > 1
