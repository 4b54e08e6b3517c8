"""The result: what was found in one document of one file."""

from __future__ import annotations

from jobsworth.findings.finding import SEVERITIES
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
STATUSES: tuple[Status, ...] = (VALID, INVALID, SKIPPED, ERROR)


class Change(Record):
    """A change of a file's text that a fix makes.

    Attributes:
        start: the line, counted from 1, from whose beginning on text goes.
        end, end_column: the place up to which it goes.
        text: what comes instead.
    """

    start: int
    end: int
    end_column: int
    text: str


class Located(Record):
    """A finding and where it stands in a file.

    Attributes:
        finding: what was found.
        line: the line, counted from 1; None where the text is not known.
        column: the column, counted from 1.
        excerpt: the line's text.
        changes: what the finding's fix does to the text, where somebody has asked for it.
        policy: the name of the policy that speaks; empty where none does.
    """

    finding: Finding
    line: int | None = None
    column: int | None = None
    excerpt: str = ""
    policy: str = ""
    changes: Sequence[Change] = ()

    def with_finding(self, finding: Finding) -> Located:
        """Another finding at the same place."""
        return self.replace(finding=finding, changes=())


class Attempt(Record):
    """A fix that was tried.

    Attributes:
        located: the finding that has it, and where that stood.
        refused: why it was not made, or was taken back; empty where it was made.
    """

    located: Located
    refused: str = ""

    def sentence(self, file: str) -> str:
        """What was done, in one line for people."""
        finding = self.located.finding
        name = f" {finding.reason}" if finding.source == "lint" else ""
        title = finding.fix.title if finding.fix is not None else ""
        place = file if self.located.line is None else f"{file}:{self.located.line}"
        field = f" ({finding.field})" if finding.field else ""
        said = f"{place}: {finding.code}{name}: {title}{field}"
        return f"not fixed: {said}: {self.refused}" if self.refused else f"fixed: {said}"

    def as_dict(self) -> dict[str, Any]:
        """The attempt's parts by name, as reports write them."""
        finding = self.located.finding
        parts: dict[str, Any] = {"code": finding.code, "field": finding.field}
        parts["title"] = finding.fix.title if finding.fix is not None else ""
        parts["line"] = self.located.line
        return {**parts, "refused": self.refused} if self.refused else parts


class Result:
    """What was found in one document.

    Attributes:
        file: the file's name, as it was given or found; ``-`` is standard input.
        document: the number of the document in its file, from 0.
        item: the position within a list, where the document is one.
        kind, namespace, name: of the object, as far as they are known.
        status: one of :data:`STATUSES`.
        findings: in the order of the text.
        attempts: the fixes that were tried, with ``--fix``.
        withheld: the fixes that are not offered, because the document is no manifest to apply.
        unfixable: what it is instead; empty where no fix was withheld.
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
        findings: list[Located],
    ) -> None:
        self.file = file
        self.document = document
        self.item = item
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.status: Status = status
        self.findings = findings
        self.attempts: Sequence[Attempt] = ()
        self.withheld: Sequence[Fix] = ()
        self.unfixable = ""

    def replace_findings(self, findings: Sequence[Located]) -> None:
        """Give the result other findings, and the status that follows from them."""
        self.findings = sorted(
            findings, key=lambda located: (located.line or 0, located.column or 0)
        )
        if self.status in (VALID, INVALID):
            errors = any(located.finding.severity == "error" for located in findings)
            self.status = INVALID if errors else VALID


class StoredResult(Result):
    """What was found in an object that a cluster stores: its ``file`` is ``namespace/Kind/name``."""

    __slots__ = ()

    in_cluster = True


class Summary:
    """How many files and documents there were, by status, and how many findings by severity.

    Args:
        results: what was found.
        excluded: how many files were left out, because a configuration says so.
    """

    __slots__ = ("documents", "excluded", "files", "findings", "namespaces")

    def __init__(self, results: Iterable[Result], *, excluded: int = 0) -> None:
        self.excluded = excluded
        files, namespaces = set(), set()
        self.documents: dict[str, int] = dict.fromkeys(STATUSES, 0)
        self.findings = dict.fromkeys(SEVERITIES, 0)
        for result in results:
            if result.in_cluster:
                namespaces.add(result.namespace)
            else:
                files.add(result.file)
            self.documents[result.status] += 1
            for located in result.findings:
                self.findings[located.finding.severity] += 1
        self.files, self.namespaces = len(files), len(namespaces)

    def as_dict(self) -> dict[str, Any]:
        """The counts by name, as the JSON report writes them."""
        places = {"namespaces": self.namespaces} if self.namespaces else {"files": self.files}
        return {**places, **self.documents, "findings": dict(self.findings)}

    def sentence(self) -> str:
        """The counts as one line for people.

        >>> Summary([]).sentence()
        'nothing to judge: no Job or CronJob was found'
        """
        judged = self.documents[VALID] + self.documents[INVALID]
        parts = []
        if judged:
            places = (
                _count(self.namespaces, "namespace")
                if self.namespaces
                else _count(self.files, "file")
            )
            parts.append(f"{_count(judged, 'object')} in {places}")
            parts.append(f"{self.documents[VALID]} valid, {self.documents[INVALID]} invalid")
        else:
            parts.append("nothing to judge: no Job or CronJob was found")
        if self.findings["warning"]:
            parts.append(_count(self.findings["warning"], "warning"))
        if self.findings["info"]:
            parts.append(f"{_count(self.findings['info'], 'remark')} (--info shows them)")
        if self.documents[SKIPPED]:
            parts.append(f"{_count(self.documents[SKIPPED], 'other object')} skipped")
        if self.excluded:
            parts.append(f"{_count(self.excluded, 'file')} excluded by configuration")
        if self.documents[ERROR]:
            parts.append(f"{self.documents[ERROR]} could not be read")
        return "; ".join(parts)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
