"""The findings of one document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.finding import AT_LEAST, SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Final, Literal

    from jobsworth.findings.finding import Finding, Severity, Threshold
    from jobsworth.findings.fix import Fix
    from jobsworth.findings.located_finding import FixAttempt, LocatedFinding, Origin

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


def exit_code(results: Iterable[Result]) -> int:
    """Return the exit code for some results: 2 if one is unreadable, 1 if one fails the run, or else 0."""
    code = EXIT_VALID
    for result in results:
        if result.status == ERROR:
            return EXIT_UNREADABLE
        if result.fails:
            code = EXIT_INVALID
    return code


class Result:
    """The findings of one document.

    Attributes:
        file: the file's name as given or found; ``-`` is standard input.
        document: the number of the document in its file, from 0.
        item: the position in a List; None for a document that is not a List.
        kind, namespace, name: of the object; None if unknown.
        shown_name: the name for people, such as ``etl-*`` for a generated one; empty if unknown.
        status: one of :data:`STATUSES`.
        findings: in the order of their positions.
        infos: the number of info findings that are counted, but not among `findings`.
        attempts: the fixes attempted by ``--fix``.
        withheld: the fixes not offered because the document is not a manifest to apply.
        hidden_by: the fields with errors that hide other findings: errors about them, and lint rules.
        unfixable: the reason, such as "test data"; empty if no fix was withheld.
        fail_on: the lowest severity whose findings make the run fail, or ``never``.
        origin: the template that the document was rendered from; None if there is none, or it is unknown.
        selected: the codes of the rules that the user selected by code, name or prefix.
    """

    __slots__ = (
        "attempts", "document", "fail_on", "file", "findings", "hidden_by", "item", "kind", "name",
        "namespace", "origin", "selected", "shown_name", "status", "unfixable", "withheld",
    )  # fmt: skip

    in_cluster = False

    def __init__(
        self,
        *,
        file: str,
        document: int,
        item: int | None = None,
        kind: str | None = None,
        namespace: str | None = None,
        name: str | None = None,
        status: Status,
        findings: list[LocatedFinding],
    ) -> None:
        self.file = file
        self.document = document
        self.item = item
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.shown_name = name or ""
        self.status: Status = status
        self.findings = findings
        self.attempts: Sequence[FixAttempt] = ()
        self.withheld: Sequence[Fix] = ()
        self.unfixable = ""
        self.hidden_by: Sequence[str] = ()
        self.fail_on: Threshold = "error"
        self.selected = NO_CODES
        self.origin: Origin | None = None

    def replace_findings(self, findings: Sequence[LocatedFinding]) -> None:
        """Replace the findings and derive the status from them.

        An object of an unknown kind with an error is invalid: it was meant to be a Job.
        """
        self.findings = sorted(
            findings,
            key=lambda located: (located.further, located.line or 0, located.column or 0),
        )
        errors = any(located.finding.severity == "error" for located in findings)
        if self.status in (VALID, INVALID):
            self.status = INVALID if errors else VALID
        elif self.status == SKIPPED and errors:
            self.status = INVALID

    def withhold_fixes(self, reason: str) -> None:
        """Remove the fixes of the findings, because the document cannot be changed where it is."""
        withheld = [each.finding.fix for each in self.findings if each.finding.fix is not None]
        if not withheld:
            return
        self.withheld, self.unfixable = [*self.withheld, *withheld], self.unfixable or reason
        self.findings = [
            each if each.finding.fix is None else each.with_finding(each.finding.with_fix(None))
            for each in self.findings
        ]

    @property
    def failing(self) -> list[LocatedFinding]:
        """The findings that make the run fail, the most severe first."""
        severities = self._failing_severities()
        found = [located for located in self.findings if located.finding.severity in severities]
        return sorted(found, key=lambda located: SEVERITIES.index(located.finding.severity))

    def _failing_severities(self) -> tuple[Severity, ...]:
        if self.status == ERROR:
            return AT_LEAST["error"]  # at any threshold
        if self.status == SKIPPED and self.fail_on == "info":
            return AT_LEAST["warning"]  # the note why it was skipped is about no Job
        return AT_LEAST[self.fail_on]

    @property
    def fails(self) -> bool:
        """True if the document makes the run fail."""
        if self.status == ERROR:
            return True
        severities = self._failing_severities()
        return any(located.finding.severity in severities for located in self.findings)

    def shows(self, finding: Finding, *, infos: bool) -> bool:
        """Return True if people see a finding: all but info findings that they did not ask for.

        Args:
            finding: one of the findings.
            infos: show info findings.
        """
        return (
            finding.severity != "info"
            or infos
            or self.status == SKIPPED
            or self.fail_on == "info"
            or finding.code in self.selected
        )


class StoredResult(Result):
    """The findings of an object stored in a cluster; ``file`` is ``namespace/Kind/name``.

    Attributes:
        owner: the kind and name of the object that creates a Job, unless it is a CronJob; empty without one.
    """

    __slots__ = ("owner",)

    in_cluster = True

    def __init__(self, *, owner: str = "", **parts: Any) -> None:
        super().__init__(**parts)
        self.owner = owner
