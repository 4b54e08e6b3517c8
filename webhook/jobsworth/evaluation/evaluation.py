"""The evaluation: the findings of the API server, the lint rules and the policies in one object."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

from jobsworth.findings.finding import Finding, Reported
from jobsworth.findings.fix import Fix
from jobsworth.lint.selection import Selection
from jobsworth.record import Record

if TYPE_CHECKING:
    from jobsworth.evaluation.findings_after_repair import RepairedObject
    from jobsworth.evaluation.policy_result import PolicyResult

Unreadable = Literal["unknown_field", "wrong_type", "kind", "too_large"]
T = TypeVar("T")

UNKNOWN_FIELD: Final = "unknown_field"
WRONG_TYPE: Final = "wrong_type"
UNKNOWN_KIND: Final = "kind"
TOO_LARGE: Final = "too_large"
"""The reasons why policies cannot evaluate an object completely: a field of a later release, a value of the
wrong type, an object of another kind than its resource, an object of too many values."""


class Evaluation(Record, shared=True):
    """The findings in one object; never changed once it is made.

    Attributes:
        value: the object that the findings are about.
        known: True if the object is a Job or CronJob of ``batch/v1``; if not, only ``lint`` may have a
            finding, such as that of a likely typo of the kind or apiVersion.
        api: the API server's findings, in its words.
        lint: the findings of lint rules, and those about the Pods that the Job would create.
        policy: the result of the policies; None without policies.
        unreadable: the reasons, of ``Unreadable``, why policies did not evaluate the whole object.
        further: what the API server would report once the decoding errors of a manifest are fixed.
        repaired: the copy without decoding errors, whose paths the further findings have; None without one.
        withheld: the fixes that are not allowed in this document, removed from the findings.
        withheld_reason: the reason for that; empty if no fix was withheld.
        child_violations: the violations by objects that an operator creates from this one.
        admission: the findings of admission policies.
    """

    value: Any
    api: Sequence[Finding] = ()
    lint: Sequence[Finding] = ()
    policy: PolicyResult | None = None
    unreadable: tuple[Unreadable, ...] = ()
    known: bool = True
    further: Sequence[Finding] = ()
    repaired: RepairedObject | None = None
    withheld: Sequence[Fix] = ()
    withheld_reason: str = ""
    child_violations: Sequence[Reported] = ()
    admission: Sequence[Reported] = ()

    @property
    def has_fixes(self) -> bool:
        """True if a finding has a fix."""
        found = (*self.api, *self.lint, *self.further)
        return any(finding.fix is not None for finding in found)

    @property
    def findings(self) -> list[Finding]:
        """All findings without duplicates: of the API server, of lint rules, then of policies."""
        own = merged([*self.api, *self.lint], self.violations, lambda finding: finding)
        return [*own, *(finding for _, finding in self.violations)]

    @property
    def violations(self) -> list[Reported]:
        """The findings of policies, without those that repeat or contradict an error of the API server."""
        if self.policy is None:
            return [*self.child_violations, *self.admission]
        from jobsworth.evaluation.repeated_findings import without_misplaced
        from jobsworth.policy.violation import UNREADABLE as UNREADABLE_VALUE

        errors = {finding.field for finding in self.api if finding.severity == "error"}
        own = [
            (policy, finding)
            for policy, finding in self.policy.findings
            if not (finding.code == UNREADABLE_VALUE and finding.field in errors)
        ]
        return [*without_misplaced(own, self.api), *self.admission]

    def reported(self, selection: Selection) -> list[Reported]:
        """Return the selected findings that no annotation of the object ignores, without duplicates.

        Findings of policies come first; they can be neither deselected nor ignored.
        """
        from jobsworth.evaluation.ignores import from_annotation

        ignore = from_annotation(self.value)
        violations = self.violations
        return [
            *violations,
            *(
                ("", adjusted)
                for finding in merged([*self.api, *self.lint], violations, lambda each: each)
                if not (ignore is not None and ignore.hides(finding.code, ()))
                and (adjusted := selection.adjusted(finding)) is not None
            ),
        ]


def merged(
    items: Iterable[T], violations: Iterable[Reported], finding_of: Callable[[T], Finding]
) -> list[T]:
    """Remove the lint findings that a policy reports too, with the same code for the same field."""
    reported = {(finding.code, finding.field) for _, finding in violations}
    if not reported:
        return list(items)
    return [
        item
        for item in items
        if (found := finding_of(item)).source != "lint" or (found.code, found.field) not in reported
    ]
