"""Findings of one document, and a summary over all documents."""

from __future__ import annotations

from jobsworth.findings.finding import SEVERITIES
from jobsworth.printable import printable
from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Final, Literal

    from jobsworth.findings.finding import Finding
    from jobsworth.findings.fix import Fix

    Status = Literal["valid", "invalid", "skipped", "error"]

VALID: Final = "valid"
"""A Job or CronJob without an error."""
INVALID: Final = "invalid"
"""A Job or CronJob with at least one error."""
SKIPPED: Final = "skipped"
"""Neither a Job nor a CronJob."""
ERROR: Final = "error"
"""Could not be read."""
KINDS_WITH_JOBS = ("AppWrapper", "Experiment", "JobSet", "ScaledJob", "Template")
"""Kinds of other groups with Jobs inside them, which are not validated (Template is OpenShift's)."""
STATUSES: tuple[Status, ...] = (VALID, INVALID, SKIPPED, ERROR)


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
    """

    finding: Finding
    line: int | None = None
    column: int | None = None
    excerpt: str = ""
    policy: str = ""
    changes: Sequence[TextChange] = ()

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
        attempts: the fixes attempted by ``--fix``.
        withheld: the fixes not offered because the document is not a manifest to apply.
        unfixable: the reason, such as "test data"; empty if no fix was withheld.
    """

    __slots__ = (
        "attempts", "document", "file", "findings", "item", "kind", "name", "namespace", "status",
        "unfixable", "withheld",
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

    def replace_findings(self, findings: Sequence[LocatedFinding]) -> None:
        """Replace the findings and derive the status from them."""
        self.findings = sorted(
            findings, key=lambda located: (located.line or 0, located.column or 0)
        )
        if self.status in (VALID, INVALID):
            errors = any(located.finding.severity == "error" for located in findings)
            self.status = INVALID if errors else VALID


class StoredResult(Result):
    """The findings of an object stored in a cluster; ``file`` is ``namespace/Kind/name``."""

    __slots__ = ()

    in_cluster = True


class Summary:
    """Counts of files, documents by status, and findings by severity.

    Args:
        results: the results to count.
        excluded: the number of files that a configuration excludes.
    """

    __slots__ = ("documents", "excluded", "files", "findings", "namespaces", "with_jobs")

    def __init__(self, results: Iterable[Result], *, excluded: int = 0) -> None:
        self.excluded = excluded
        self.with_jobs: dict[str, int] = {}
        files, namespaces = set(), set()
        self.documents: dict[str, int] = dict.fromkeys(STATUSES, 0)
        self.findings = dict.fromkeys(SEVERITIES, 0)
        for result in results:
            if result.in_cluster:
                namespaces.add(result.namespace)
            else:
                files.add(result.file)
            self.documents[result.status] += 1
            if result.status == SKIPPED and result.kind in KINDS_WITH_JOBS:
                self.with_jobs[result.kind] = self.with_jobs.get(result.kind, 0) + 1
            for located in result.findings:
                self.findings[located.finding.severity] += 1
        self.files, self.namespaces = len(files), len(namespaces)

    def as_dict(self) -> dict[str, Any]:
        """Return the counts by name, as the JSON report writes them."""
        places = {"namespaces": self.namespaces} if self.namespaces else {"files": self.files}
        return {**places, **self.documents, "findings": dict(self.findings)}

    def sentence(self) -> str:
        """Return the counts as one line for people.

        >>> Summary([]).sentence()
        'no Job or CronJob found'
        """
        validated = self.documents[VALID] + self.documents[INVALID]
        parts = []
        if validated:
            places = (
                _count(self.namespaces, "namespace")
                if self.namespaces
                else _count(self.files, "file")
            )
            parts.append(f"{_count(validated, 'object')} in {places}")
            parts.append(f"{self.documents[VALID]} valid, {self.documents[INVALID]} invalid")
        else:
            parts.append("no Job or CronJob found")
        if self.findings["warning"]:
            parts.append(_count(self.findings["warning"], "warning"))
        if self.findings["info"]:
            parts.append(f"{_count(self.findings['info'], 'info finding')} (show with --info)")
        if self.documents[SKIPPED]:
            parts.append(self._skipped())
        if self.excluded:
            parts.append(f"{_count(self.excluded, 'file')} excluded by configuration")
        if self.documents[ERROR]:
            parts.append(f"{self.documents[ERROR]} unreadable")
        return "; ".join(parts)

    def _skipped(self) -> str:
        """Return the number of skipped objects, and the kinds among them that have Jobs inside."""
        text = f"{_count(self.documents[SKIPPED], 'other object')} skipped"
        if self.with_jobs:
            kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.with_jobs.items()))
            text += f" (the Jobs inside {kinds} are not validated)"
        return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
