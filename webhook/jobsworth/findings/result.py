"""The findings of one document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from jobsworth.findings.finding import SEVERITIES, Finding, Threshold
from jobsworth.findings.fix import Fix
from jobsworth.findings.located_finding import FixAttempt, LocatedFinding, Origin
from jobsworth.record import Record

Status = Literal["valid", "invalid", "skipped", "error"]

VALID: Final = "valid"
"""A Job or CronJob, or an object of which operators create Jobs or Pods, without an error."""
INVALID: Final = "invalid"
"""Such an object with at least one error, or an object whose misspelled kind or apiVersion is one."""
SKIPPED: Final = "skipped"
"""An object of another kind, or not a manifest to apply."""
ERROR: Final = "error"
"""Could not be read."""
STATUSES: tuple[Status, ...] = (VALID, INVALID, SKIPPED, ERROR)

EXIT_VALID, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2

NO_CODES: frozenset[str] = frozenset()

UNVALIDATED = "JW095"
"""The code of the note that Jobs or Pods in an object are not validated."""


def exit_code(results: Iterable[Result]) -> int:
    """Return the exit code for some results: 2 if one is unreadable, 1 if one fails the run, or else 0."""
    code = EXIT_VALID
    for result in results:
        if result.status == ERROR:
            return EXIT_UNREADABLE
        if result.fails:
            code = EXIT_INVALID
    return code


class Result(Record, kw_only=True, shared=True):
    """The findings of one document; never changed once it is made.

    Attributes:
        file: the file's name as given or found; ``-`` is standard input; ``namespace/Kind/name`` of an object
            in a cluster.
        document: the number of the document in its file, from 0.
        item: the position in a List; None for a document that is not a List.
        kind, namespace, name: of the object; None if unknown.
        generated_name: a name for people, such as ``etl-*``, of an object without a name; empty if unknown.
        status: one of :data:`STATUSES`.
        findings: in the order of their positions.
        attempts: the fixes attempted by ``--fix``.
        withheld: the fixes not offered because the document is not a manifest to apply.
        known_errors: the number of errors that a baseline holds, and that are not among the findings.
        is_known_unvalidated: the baseline holds the note that Jobs or Pods in it are not validated.
        unfixable: the reason, such as "test data"; empty if no fix was withheld.
        hidden_by: the fields with errors that hide other findings: errors about them, and lint rules.
        fail_on: the lowest severity whose findings make the run fail, ``never``, or ``verdict``.
        selected: the codes of the rules that the user selected by code, name or prefix.
        origin: the template that the document was rendered from; None if there is none, or it is unknown.
        in_cluster: True for an object stored in a cluster.
        owner: the kind and name of the object that creates a Job in a cluster, unless it is a CronJob; empty
            without one.
    """

    file: str
    document: int = 0
    item: int | None = None
    kind: str | None = None
    namespace: str | None = None
    name: str | None = None
    generated_name: str = ""
    status: Status
    findings: Sequence[LocatedFinding] = ()
    attempts: Sequence[FixAttempt] = ()
    withheld: Sequence[Fix] = ()
    known_errors: int = 0
    is_known_unvalidated: bool = False
    unfixable: str = ""
    hidden_by: Sequence[str] = ()
    fail_on: Threshold = "error"
    selected: frozenset[str] = NO_CODES
    origin: Origin | None = None
    in_cluster: bool = False
    owner: str = ""

    @property
    def shown_name(self) -> str:
        """The name for people; empty if unknown."""
        return self.name or self.generated_name

    def with_findings(self, findings: Sequence[LocatedFinding]) -> Result:
        """Return the result with other findings, in order, and the status that follows from them.

        An object of an unknown kind with an error is invalid: it was meant to be a Job.
        """
        ordered = sorted(
            findings,
            key=lambda located: (located.further, located.line or 0, located.column or 0),
        )
        errors = any(located.finding.severity == "error" for located in findings)
        status = self.status
        if status in (VALID, INVALID):
            status = INVALID if errors else VALID
        elif status == SKIPPED and errors:
            status = INVALID
        return self.replace(findings=ordered, status=status)

    def without_fixes(self, reason: str) -> Result:
        """Return the result without fixes, because the document cannot be changed where it is."""
        withheld = [each.finding.fix for each in self.findings if each.finding.fix is not None]
        if not withheld:
            return self
        return self.replace(
            withheld=[*self.withheld, *withheld],
            unfixable=self.unfixable or reason,
            findings=[
                each if each.finding.fix is None else each.with_finding(each.finding.with_fix(None))
                for each in self.findings
            ],
        )

    @property
    def distinct(self) -> list[LocatedFinding]:
        """The findings without the errors of which another says more: one for each mistake."""
        return [located for located in self.findings if not located.finding.is_wider]

    @property
    def failing(self) -> list[LocatedFinding]:
        """The findings that make the run fail, the most severe first, one for each mistake."""
        threshold = self._threshold()
        found = [located for located in self.distinct if _fails(located.finding, threshold)]
        if not found:  # a baseline holds the other one
            found = [located for located in self.findings if _fails(located.finding, threshold)]
        return sorted(found, key=lambda located: SEVERITIES.index(located.finding.severity))

    def _threshold(self) -> Threshold:
        if self.status == ERROR:
            return "error"  # whatever is given
        if self.status == SKIPPED and self.fail_on == "info":
            return "warning"  # the note why it was skipped is about no Job
        return self.fail_on

    @property
    def fails(self) -> bool:
        """True if the document makes the run fail."""
        if self.status == ERROR:
            return True
        threshold = self._threshold()
        return any(_fails(located.finding, threshold) for located in self.findings)

    @property
    def has_unvalidated(self) -> bool:
        """True if Jobs or Pods in the object are not validated."""
        return self.is_known_unvalidated or any(
            located.finding.code == UNVALIDATED for located in self.findings
        )

    def shows(self, finding: Finding, *, infos: bool) -> bool:
        """Return True if people see a finding.

        They see all but info findings that they did not ask for, and errors of which another says more. The
        note that a part of the object is not validated is not one to ask for.

        Args:
            finding: one of the findings.
            infos: show info findings.
        """
        if finding.is_wider:
            return False
        return (
            finding.severity != "info"
            or infos
            or self.status == SKIPPED
            or self.fail_on == "info"
            or finding.code == UNVALIDATED
            or finding.code in self.selected
        )


def _fails(finding: Finding, threshold: Threshold) -> bool:
    """Return True for a finding of at least a severity; the note on what is not validated is about no Job."""
    if finding.code == UNVALIDATED and finding.severity == "info":
        return False
    return finding.fails(threshold)
