"""Counts of a run, and what it did not read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.finding import SEVERITIES
from jobsworth.findings.result import ERROR, INVALID, SKIPPED, STATUSES, VALID

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from jobsworth.findings.finding import Finding
    from jobsworth.findings.result import Result


UNVALIDATED = "JW095"
"""The code of the note on a skipped object with Jobs or Pods in it."""


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
            if result.status == SKIPPED and result.kind and _contains_pods(result):
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
            text += f" (with Jobs or Pods that are not validated: {kinds})"
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


def _contains_pods(result: Result) -> bool:
    """Return True for a skipped object with Jobs or Pods in it."""
    return any(located.finding.code == UNVALIDATED for located in result.findings)
