"""Findings of one document, and a summary over all documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.finding import AT_LEAST, SEVERITIES
from jobsworth.printable import printable
from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Final, Literal

    from jobsworth.findings.finding import Finding, Severity, Threshold
    from jobsworth.findings.fix import Fix

    Status = Literal["valid", "invalid", "skipped", "error"]

VALID: Final = "valid"
"""A Job or CronJob without an error."""
INVALID: Final = "invalid"
"""A Job or CronJob with at least one error, or an object whose misspelled kind or apiVersion is one."""
SKIPPED: Final = "skipped"
"""Neither a Job nor a CronJob, or not a manifest to apply."""
ERROR: Final = "error"
"""Could not be read."""
KINDS_WITH_JOBS = ("AppWrapper", "Experiment", "JobSet", "ScaledJob", "Template")
"""Kinds of other groups with Jobs inside them, which are not validated (Template is OpenShift's)."""
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


class TextChange(Record):
    """A text change that a fix makes.

    Attributes:
        start: the first replaced line, counted from 1; the change starts at its first column.
        end, end_column: the position after the last replaced character.
        text: the replacement.
    """

    start: int
    end: int
    end_column: int
    text: str


class LocatedFinding(Record):
    """A finding with its position in a file.

    Attributes:
        finding: the finding.
        line: the line, counted from 1; None where the text is not known.
        column: the column, counted from 1.
        excerpt: the line's text.
        changes: the text changes of the finding's fix; empty unless the report requires them.
        policy: the name of the policy that reports the finding; empty for other findings.
        further: True if the API server would report it only after the decoding errors are fixed.
    """

    finding: Finding
    line: int | None = None
    column: int | None = None
    excerpt: str = ""
    policy: str = ""
    changes: Sequence[TextChange] = ()
    further: bool = False

    def with_finding(self, finding: Finding) -> LocatedFinding:
        """Return another finding at the same position."""
        return self.replace(finding=finding, changes=())


class FixAttempt(Record):
    """An attempted fix.

    Attributes:
        located: the finding with the fix, and its position before the fix.
        reason: the reason why the fix was not applied or was reverted; empty if it was applied.
    """

    located: LocatedFinding
    reason: str = ""

    def sentence(self, file: str) -> str:
        """Describe the attempt in one line for people."""
        finding = self.located.finding
        name = f" {finding.reason}" if finding.source == "lint" else ""
        title = finding.fix.title if finding.fix is not None else ""
        place = file if self.located.line is None else f"{file}:{self.located.line}"
        field = f" ({finding.field})" if finding.field else ""
        text = f"{place}: {finding.code}{name}: {title}{field}"
        return printable(f"not fixed: {text}: {self.reason}" if self.reason else f"fixed: {text}")

    def as_dict(self) -> dict[str, Any]:
        """Return the attempt's fields as reports write them."""
        finding = self.located.finding
        parts: dict[str, Any] = {"code": finding.code, "field": finding.field}
        parts["title"] = finding.fix.title if finding.fix is not None else ""
        parts["line"] = self.located.line
        return {**parts, "refused": self.reason} if self.reason else parts


class Result:
    """The findings of one document.

    Attributes:
        file: the file's name as given or found; ``-`` is standard input.
        document: the number of the document in its file, from 0.
        item: the position in a List; None for a document that is not a List.
        kind, namespace, name: of the object; None if unknown.
        status: one of :data:`STATUSES`.
        findings: in the order of their positions.
        infos: the number of info findings that are counted, but not among `findings`.
        attempts: the fixes attempted by ``--fix``.
        withheld: the fixes not offered because the document is not a manifest to apply.
        unfixable: the reason, such as "test data"; empty if no fix was withheld.
        fail_on: the lowest severity whose findings make the run fail, or ``never``.
        selected: the codes of the rules that the user selected by code, name or prefix.
    """

    __slots__ = (
        "attempts", "document", "fail_on", "file", "findings", "item", "kind", "name", "namespace",
        "selected", "status", "unfixable", "withheld",
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
        self.status: Status = status
        self.findings = findings
        self.attempts: Sequence[FixAttempt] = ()
        self.withheld: Sequence[Fix] = ()
        self.unfixable = ""
        self.fail_on: Threshold = "error"
        self.selected = NO_CODES

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
    """The findings of an object stored in a cluster; ``file`` is ``namespace/Kind/name``."""

    __slots__ = ()

    in_cluster = True


class Omissions:
    """The files and folders that a run does not read.

    Attributes:
        excluded: the files that a configuration or ``--exclude`` excludes.
        hidden: the hidden folders.
    """

    __slots__ = ("excluded", "hidden")

    def __init__(self) -> None:
        self.excluded: list[str] = []
        self.hidden: list[str] = []


class Summary:
    """Counts of files, documents by status, findings by severity, and fixes.

    Args:
        results: the results to count.
        omissions: what was not read; None for nothing.
        infos: info findings are shown, and their fixes are applied.
    """

    __slots__ = (
        "documents", "files", "findings", "fixable", "fixed", "hidden_fixes", "infos", "namespaces",
        "omissions", "with_jobs",
    )  # fmt: skip

    def __init__(
        self, results: Iterable[Result], omissions: Omissions | None = None, *, infos: bool = False
    ) -> None:
        self.omissions = omissions or Omissions()
        self.infos = infos
        self.with_jobs: dict[str, int] = {}
        files, namespaces = set(), set()
        self.documents: dict[str, int] = dict.fromkeys(STATUSES, 0)
        self.findings = dict.fromkeys(SEVERITIES, 0)
        self.fixable = {"safe": 0, "unsafe": 0}
        self.hidden_fixes = {"safe": 0, "unsafe": 0}
        self.fixed = 0
        for result in results:
            if result.in_cluster:
                namespaces.add(result.namespace)
            else:
                files.add(result.file)
            self.documents[result.status] += 1
            if result.status == SKIPPED and result.kind in KINDS_WITH_JOBS:
                self.with_jobs[result.kind] = self.with_jobs.get(result.kind, 0) + 1
            self._count_fixes(result)
            for located in result.findings:
                self.findings[located.finding.severity] += 1
        self.files, self.namespaces = len(files), len(namespaces)

    def _count_fixes(self, result: Result) -> None:
        tried: set[Finding] = set()
        for attempt in result.attempts:
            if attempt.reason:
                tried.add(attempt.located.finding)
            else:
                self.fixed += 1
        for located in result.findings:
            finding = located.finding
            if finding.fix is None or finding in tried:
                continue
            shown = result.shows(finding, infos=self.infos)
            counted = self.fixable if shown else self.hidden_fixes
            counted["safe" if finding.fix.safe else "unsafe"] += 1

    def as_dict(self) -> dict[str, Any]:
        """Return the counts by name, as the JSON report writes them."""
        places = {"namespaces": self.namespaces} if self.namespaces else {"files": self.files}
        return {
            **places,
            **self.documents,
            "findings": dict(self.findings),
            "excluded_files": len(self.omissions.excluded),
            "hidden_folders": len(self.omissions.hidden),
        }

    @property
    def validated(self) -> int:
        """The number of objects that were validated."""
        return self.documents[VALID] + self.documents[INVALID]

    def sentence(self) -> str:
        """Return the counts as one line for people.

        >>> Summary([]).sentence()
        'no Job or CronJob found'
        """
        parts = []
        if self.validated:
            places = (
                count(self.namespaces, "namespace")
                if self.namespaces
                else count(self.files, "file")
            )
            parts.append(f"{count(self.validated, 'object')} in {places}")
            parts.append(f"{self.documents[VALID]} valid, {self.documents[INVALID]} invalid")
        else:
            parts.append("no Job or CronJob found")
        for severity in ("error", "warning"):
            if self.findings[severity]:
                parts.append(count(self.findings[severity], severity))
        if self.findings["info"]:
            hint = "" if self.infos else " (show with --info)"
            parts.append(f"{count(self.findings['info'], 'info finding')}{hint}")
        if self.documents[SKIPPED]:
            parts.append(self._skipped())
        if self.omissions.excluded:
            parts.append(f"{count(len(self.omissions.excluded), 'file')} excluded")
        if self.omissions.hidden:
            hidden = count(len(self.omissions.hidden), "hidden folder")
            parts.append(f"{hidden} skipped (read with --hidden)")
        if self.documents[ERROR]:
            parts.append(f"{self.documents[ERROR]} unreadable")
        return "; ".join(parts)

    def _skipped(self) -> str:
        """Return the number of skipped objects, and the kinds among them that have Jobs inside."""
        text = f"{count(self.documents[SKIPPED], 'other object')} skipped"
        if self.with_jobs:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.with_jobs.items()))
            text += f" (the Jobs inside {kinds} are not validated)"
        return text

    def fixes_sentence(
        self, *, fixing: bool = False, unsafe: bool = False, diff: bool = False
    ) -> str:
        """Return the number of fixes that were applied, and of those left, as one line for people.

        Args:
            fixing: safe fixes were applied.
            unsafe: unsafe ones, too.
            diff: they were only shown.
        """
        done = "would be fixed" if diff else "fixed"
        parts = [f"{self.fixed} {done}"] if self.fixed else []
        option = "--unsafe" if fixing else "--fix --unsafe"
        left = [] if fixing else [(self.fixable["safe"], "--fix")]
        left.append((0 if unsafe else self.fixable["unsafe"], option))
        if fixing:
            safe, risky = self.hidden_fixes["safe"], self.hidden_fixes["unsafe"]
            left += (
                [(safe + risky, "--info")]
                if unsafe
                else [(safe, "--info"), (risky, "--unsafe --info")]
            )
        for number, needed in left:
            if number:
                more = " more" if parts else ""
                parts.append(f"{number}{more} fixable with {needed}")
        return "; ".join(parts)


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1.

    >>> count(1, "file"), count(2, "file")
    ('1 file', '2 files')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
