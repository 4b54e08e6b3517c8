"""Which codes are reported, and how severely."""

from __future__ import annotations

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from jobsworth.findings.finding import Finding, Severity
    from jobsworth.lint.rule import Rule

DEFAULT = "default"
"""The word for every rule that is reported unless somebody says otherwise."""

_AS_THEY_ARE: Mapping[str, Severity] = {}


class Selection(Record, kw_only=True):
    """What somebody wants to hear; by default, what each rule says of itself.

    What the API server says (``JW0…``) is not a matter of selection: at most it can be ignored.

    Args:
        select: the codes of the rules that are reported; None for those that are on by default.
        ignore: codes that are not reported all the same.
        severity: the severity of a code's findings, instead of their own.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    severity: Mapping[str, Severity] = _AS_THEY_ARE

    def asks(self, rule: Rule) -> bool:
        """Whether a lint rule is to speak."""
        return self.reports(rule.code, on=rule.on)

    def reports(self, code: str, *, on: bool = True) -> bool:
        """Whether the findings of a code are reported; `on` is whether they are by default."""
        if code in self.ignore:
            return False
        if self.select is None or code.startswith("JW0"):
            return on
        return code in self.select

    @property
    def is_default(self) -> bool:
        """Whether it leaves every finding as it is."""
        return self.select is None and not self.ignore and not self.severity

    def adjusted(self, finding: Finding) -> Finding | None:
        """The finding with the severity that is wanted; None when it is not reported."""
        # Of a rule that is off by default there is no finding unless it was asked.
        if not self.reports(finding.code):
            return None
        severity = self.severity.get(finding.code, finding.severity)
        return finding if severity == finding.severity else finding.with_severity(severity)

    def without(self, codes: Iterable[str]) -> Selection:
        """The same with more codes ignored."""
        return self.replace(ignore=self.ignore.union(codes))


def selected(words: Iterable[str]) -> frozenset[str]:
    """The codes that are named for selection: codes, names, beginnings of codes, ``default``.

    Raises:
        UnknownCode: a word names no code.
    """
    from jobsworth.lint.catalogue import CATALOGUE, codes_named

    codes: set[str] = set()
    for word in words:
        if word == DEFAULT:
            codes |= {entry.code for entry in CATALOGUE.values() if entry.on}
        else:
            codes |= codes_named(word)
    return frozenset(codes)


def ignored(words: Iterable[str]) -> frozenset[str]:
    """The codes that are named to be ignored.

    Raises:
        UnknownCode: a word names no code, or only such as cannot be ignored.
    """
    from jobsworth.lint.catalogue import codes_to_change

    return frozenset(code for word in words for code in codes_to_change(word))
