"""Counts of a run, and what it did not read."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import product

from jobsworth.findings.finding import SEVERITIES, Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, INVALID, SKIPPED, STATUSES, VALID, Result
from jobsworth.wording import count

MAX_NAMED = 5
"""The maximum number of configurations that a summary names."""


class Omissions:
    """The files and folders that a run does not read.

    Attributes:
        excluded: the files that a configuration or ``--exclude`` excludes.
        excluded_below_root: their number by configuration, for those below the root of a repository.
        hidden: the hidden folders.
    """

    __slots__ = ("excluded", "excluded_below_root", "hidden")

    def __init__(self) -> None:
        self.excluded: list[str] = []
        self.excluded_below_root: dict[str, int] = {}
        self.hidden: list[str] = []


class Summary:
    """Counts of files, documents by status, findings by severity, and fixes.

    Args:
        results: the results to count.
        omissions: what was not read; None for nothing.
        infos: info findings are shown, and their fixes are applied.

    Attributes:
        unlocked: the number of the applied fixes whose findings were reported only after other fixes.
        wider: the number of the errors of which people see another one.
        with_jobs: the number of skipped objects with Jobs or Pods that are not validated, by kind.
        partly: the same for objects of which a part is validated.
    """

    __slots__ = (
        "documents", "files", "findings", "fixable", "fixed", "hidden_fixes", "infos", "known_invalid",
        "namespaces", "omissions", "partly", "unlocked", "wider", "with_jobs",
    )  # fmt: skip

    def __init__(
        self, results: Iterable[Result], omissions: Omissions | None = None, *, infos: bool = False
    ) -> None:
        self.omissions = omissions or Omissions()
        self.infos = infos
        self.with_jobs: dict[str, int] = {}
        self.partly: dict[str, int] = {}
        files, namespaces = set(), set()
        self.documents: dict[str, int] = dict.fromkeys(STATUSES, 0)
        self.findings = dict.fromkeys(SEVERITIES, 0)
        self.fixable = {"safe": 0, "unsafe": 0}
        self.hidden_fixes = {"safe": 0, "unsafe": 0}
        self.fixed = 0
        self.unlocked = 0
        self.known_invalid = 0
        self.wider = 0
        for result in results:
            if result.in_cluster:
                namespaces.add(result.namespace)
            else:
                files.add(result.file)
            self.documents[result.status] += 1
            self.known_invalid += result.status == VALID and result.known_errors > 0
            if result.has_unvalidated:
                kind = result.kind or "without a kind"
                counted = self.with_jobs if result.status == SKIPPED else self.partly
                counted[kind] = counted.get(kind, 0) + 1
            self._count_fixes(result)
            for located in result.findings:
                self.findings[located.finding.severity] += 1
                self.wider += located.finding.is_wider
        self.files, self.namespaces = len(files), len(namespaces)

    def _count_fixes(self, result: Result) -> None:
        tried: set[Finding] = set()
        effects: set[Hashable] = set()
        for attempt in result.attempts:
            if attempt.reason:
                tried.add(attempt.located.finding)
                effects.add(_effect(attempt.located))
            else:
                self.fixed += 1
                self.unlocked += attempt.unlocked
        left = [each for each in result.findings if each.finding.fix and each.finding not in tried]
        for shown, safe in product((True, False), (True, False)):
            counted = self.fixable if shown else self.hidden_fixes
            for located in left:
                finding, effect = located.finding, _effect(located)
                if finding.fix is None or finding.fix.safe != safe or effect in effects:
                    continue
                if result.shows(finding, infos=self.infos) == shown:
                    effects.add(effect)
                    counted["safe" if safe else "unsafe"] += 1

    @property
    def validated(self) -> int:
        """The number of objects that were validated."""
        return self.documents[VALID] + self.documents[INVALID]

    def sentence(self, among: str = "") -> str:
        """Return the counts as one line for people.

        Args:
            among: the objects that were looked at, if not all: ``" in what differs from main"``.

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
            parts.append(self._verdicts())
        else:
            parts.append(f"no Job or CronJob found{among}")
        seen = {"error": self.findings["error"] - self.wider, "warning": self.findings["warning"]}
        parts += [count(number, severity) for severity, number in seen.items() if number]
        if self.findings["info"]:
            hint = "" if self.infos else " (show with --info)"
            parts.append(f"{count(self.findings['info'], 'info finding')}{hint}")
        if self.documents[SKIPPED]:
            parts.append(self._skipped())
        if self.omissions.excluded:
            parts.append(self._excluded())
        if self.omissions.hidden:
            hidden = count(len(self.omissions.hidden), "hidden folder")
            parts.append(f"{hidden} skipped (read with --hidden)")
        if self.documents[ERROR]:
            parts.append(f"{self.documents[ERROR]} unreadable")
        return "; ".join(parts)

    def _verdicts(self) -> str:
        """Return the numbers of valid and invalid objects; a baseline makes none valid."""
        valid = self.documents[VALID] - self.known_invalid
        text = f"{valid} valid, {self.documents[INVALID]} invalid"
        if self.known_invalid:
            text += f", {self.known_invalid} with errors of the baseline only"
        return text + _unvalidated_in(self.partly)

    def _excluded(self) -> str:
        """Return the number of excluded files, and the configurations that a reviewer may not know."""
        text = f"{count(len(self.omissions.excluded), 'file')} excluded"
        by = [f"{number} by {name}" for name, number in self.omissions.excluded_below_root.items()]
        if not by:
            return text
        others = f" and {count(len(by) - MAX_NAMED, 'other')}" if by[MAX_NAMED:] else ""
        return f"{text} ({', '.join(by[:MAX_NAMED])}{others})"

    def _skipped(self) -> str:
        """Return the number of skipped objects, and the kinds among them that have Jobs inside."""
        skipped = f"{count(self.documents[SKIPPED], 'other object')} skipped"
        return skipped + _unvalidated_in(self.with_jobs)

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
        later = f" ({self.unlocked} of them found only after other fixes)" if self.unlocked else ""
        parts = [f"{self.fixed} {done}{later}"] if self.fixed else []
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


def _effect(located: LocatedFinding) -> Hashable:
    """Return what findings have in common of which one is fixed: their edits, or where these move a field.

    A separator is inserted before the line of its finding.
    """
    fix = located.finding.fix
    if fix is None:
        return None
    line = located.line if any(edit.action == "separate" for edit in fix.edits) else None
    return line, tuple(new for new, _ in fix.moves) or fix.edits


def _unvalidated_in(numbers: dict[str, int]) -> str:
    """Return the number of objects by kind that have Jobs or Pods that are not validated, in parentheses."""
    if not numbers:
        return ""
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(numbers.items()))
    return f" (with Jobs or Pods that are not validated: {kinds})"
