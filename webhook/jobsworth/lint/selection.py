"""The selection of reported codes and their severities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from jobsworth.findings.finding import Finding, Severity
from jobsworth.lint.lint_rule import DEFAULT_CONFIDENCE, Confidence, Rule
from jobsworth.lint.linter import Linter
from jobsworth.record import Record

DEFAULT = "default"
"""The word that selects every rule that is on by default."""


_AS_THEY_ARE: Mapping[str, Severity] = {}


class Selection(Record, kw_only=True):
    """The codes that a user selects or ignores, and their severities; by default, those of the rules.

    Findings of the API server (``JW0…``) cannot be deselected; some can be ignored.

    Args:
        select: the codes of the rules that are reported; None for those that are on by default.
        ignore: codes that are not reported even if selected.
        severity: severities by code that override the defaults.
        named: the selected codes that the user named, by code, name or prefix.
        min_confidence: the least confidence of the rules that are reported without being selected.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = _AS_THEY_ARE
    named: frozenset[str] = frozenset()
    min_confidence: Confidence = DEFAULT_CONFIDENCE

    def selects(self, rule: Rule) -> bool:
        """Return True if a lint rule is to run."""
        return self.reports(rule.code, on=rule.is_reported_at(self.min_confidence))

    def reports(self, code: str, *, on: bool = True) -> bool:
        """Return True if the findings of a code are reported; `on` is the default of the code."""
        if code in self.ignore:
            return False
        if self.select is None or code.startswith("JW0"):
            return on
        return code in self.select

    @property
    def is_default(self) -> bool:
        """True if the selection changes no finding."""
        return self.select is None and not self.ignore and not self.severity

    def adjusted(self, finding: Finding) -> Finding | None:
        """Return the finding with the selected severity; None if it is not reported."""
        # A rule that is off by default has findings only if it was selected.
        if not self.reports(finding.code):
            return None
        severity = self.severity.get(finding.code, finding.severity)
        return finding if severity == finding.severity else finding.with_severity(severity)

    def without(self, codes: Iterable[str]) -> Selection:
        """Return the selection with more codes ignored."""
        return self.replace(ignore=self.ignore.union(codes))


def linter_of(selection: Selection) -> Linter:
    """Return the linter of a selection; those of the last selections are kept."""
    return _linter(selection.select, selection.ignore, selection.min_confidence)


@lru_cache(maxsize=64)
def _linter(
    select: frozenset[str] | None, ignore: frozenset[str], min_confidence: Confidence
) -> Linter:
    return Linter(Selection(select=select, ignore=ignore, min_confidence=min_confidence).selects)


def selected(words: Iterable[str]) -> frozenset[str]:
    """Return the codes that some words select: codes, names, prefixes or ``default``.

    Raises:
        UnknownCode: a word matches no code.
    """
    from jobsworth.lint.catalogue import CATALOGUE, codes_named

    codes: set[str] = set()
    for word in words:
        if word == DEFAULT:
            codes |= {entry.code for entry in CATALOGUE.values() if entry.on}
        else:
            codes |= codes_named(word)
    return frozenset(codes)


def named(words: Iterable[str]) -> frozenset[str]:
    """Return the codes that some words select, other than through ``default``.

    Raises:
        UnknownCode: a word matches no code.
    """
    return selected(word for word in words if word != DEFAULT)


def ignored(words: Iterable[str]) -> frozenset[str]:
    """Return the codes that some words ignore.

    Raises:
        UnknownCode: a word matches no code, or only codes that cannot be ignored.
    """
    from jobsworth.lint.catalogue import codes_to_change

    return frozenset(code for word in words for code in codes_to_change(word))
