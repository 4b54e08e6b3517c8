"""The JSON report of ``jobsworth rule``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from jobsworth.documents.declared import Report, absent, doc
from jobsworth.lint import pages
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.lint.lint_rule import Rule


class RuleEntry(Report):
    """A code: of a lint rule, or of findings of the API server."""

    code: str
    name: str
    severity: str
    confidence: Annotated[str | None, doc("How sure a lint rule is.")]
    fix: Annotated[str | None, doc("safe or unsafe; null without a fix.")]
    default: Annotated[bool, doc("It is reported without configuration.")]
    summary: str
    why: Annotated[str | None, doc("Reason for a lint rule.")] = absent()
    bad: Annotated[str | None, doc("Example that a lint rule reports.")] = absent()
    good: Annotated[str | None, doc("The same example as it should be.")] = absent()
    sources: Annotated[list[str] | None, doc("Links to the sources of a lint rule.")] = absent()


class RulesReport(Report):
    """The rules."""

    rules: list[RuleEntry]


def rules_report(codes: Iterable[str], rules: Mapping[str, Rule]) -> RulesReport:
    """Return the report of codes, with the lint rules among them."""
    return RulesReport(rules=[_entry(code, rules.get(code)) for code in codes])


def _entry(code: str, rule: Rule | None) -> RuleEntry:
    info = CATALOGUE[code]
    explained = None if rule is None else pages.explanation(rule)
    return RuleEntry(
        code=info.code,
        name=info.name,
        severity=info.severity,
        confidence=info.confidence,
        fix=info.fixable or None,
        default=info.on,
        summary=info.summary,
        why=None if explained is None else explained.why,
        bad=None if explained is None else explained.bad,
        good=None if explained is None else explained.good,
        sources=None if explained is None else explained.sources,
    )
