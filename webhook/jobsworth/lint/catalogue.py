"""The catalog of finding codes: their lookup by code, name or prefix, and the addresses of their pages."""

from __future__ import annotations

from collections.abc import Iterable

from jobsworth.findings.finding import Severity
from jobsworth.lint import manifest_rules
from jobsworth.lint.lint_rule import DEFAULT_CONFIDENCE, Confidence
from jobsworth.lint.linter import RULES
from jobsworth.record import Record
from jobsworth.validation.reason_codes import CODES


class UnknownCode(ValueError):
    """A word that matches no code, or no code that is allowed here."""


class CatalogueEntry(Record):
    """A finding code with its default severity, summary and fixability.

    Attributes:
        code: such as ``JW101``.
        name: the ``reason`` of its findings: ``rule-shadowed``, or the API server's cause.
        severity: the severity of its findings, unless a configuration overrides it.
        summary: one sentence: the condition that it reports.
        fixable: ``safe`` or ``unsafe``: the kind of fix of its findings; empty for none.
        confidence: how sure a finding of a lint rule is; None for others.
        on: True if it is reported by default.
        verdict: True for an error of the API server, or one that prevents its validation; never ignorable.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    fixable: str = ""
    confidence: Confidence | None = None
    on: bool = True
    verdict: bool = False


WARNINGS = ("JW020", "JW023", "JW024", "JW025", "JW028", "JW029")
"""The codes of API findings, and of findings about the Pods to create, with which the object is accepted."""
FIXABLE_WARNINGS = {"JW024": "safe", "JW025": "unsafe"}

_API_SUMMARIES = {
    "JW001": "The API server does not know a field.",
    "JW002": "A field has a value of the wrong type.",
    "JW003": "A required field is missing.",
    "JW004": "A field has a value that the API server rejects.",
    "JW005": "A field has an unsupported value.",
    "JW006": "A value is duplicated where values must be unique.",
    "JW007": "A field is forbidden here.",
    "JW008": "A value is too long.",
    "JW009": "A list has too many items.",
    "JW010": "A field refers to something that the manifest does not contain.",
    "JW011": "The webhook of an operator rejects the object, and names no field.",
    "JW020": "The API server drops a field without an error, because its feature gate is off.",
    "JW021": "The stored object to compare with cannot be decoded.",
    "JW022": "The object has more errors than are reported.",
    "JW023": "The API server accepts the object, and returns a warning.",
    "JW024": "The API server accepts the object, but rejects the Pods of the Job.",
    "JW025": "The API server accepts the object and its Pods, but no kubelet can start them.",
    "JW026": "The cluster refuses the object, or the Jobs of a CronJob, in a dry run.",
    "JW027": "The cluster accepts the object in a dry run, but refuses the Pods of the Job.",
    "JW028": "An admission webhook of the cluster does not support dry runs.",
    "JW029": "Earlier patches of the release reject the update.",
}


def _entries() -> Iterable[CatalogueEntry]:
    for reason, code in CODES.items():
        warning = code in WARNINGS
        severity: Severity = "warning" if warning else "error"
        yield CatalogueEntry(
            code,
            reason,
            severity,
            _API_SUMMARIES[code],
            fixable=FIXABLE_WARNINGS.get(code, ""),
            verdict=not warning,
        )
    for rule in manifest_rules.SKIPPED_RULES:
        yield CatalogueEntry(
            rule.code, rule.name, rule.severity, rule.summary, verdict=rule.severity == "error"
        )
    for rule in (*RULES, *manifest_rules.MANIFEST_RULES):
        yield CatalogueEntry(
            rule.code,
            rule.name,
            rule.severity,
            rule.summary,
            fixable=rule.fixable,
            confidence=rule.confidence,
            on=rule.is_reported_at(DEFAULT_CONFIDENCE),
        )


CATALOGUE = {entry.code: entry for entry in sorted(_entries(), key=lambda entry: entry.code)}
"""The catalog entry of every code, sorted by code."""


def codes_named(word: str) -> frozenset[str]:
    """Return the codes that match a code, a name or a prefix.

    >>> sorted(codes_named("rule-shadowed")), sorted(codes_named("jw101"))
    (['JW101'], ['JW101'])
    >>> "JW101" in codes_named("JW1") and "JW004" in codes_named("JW")
    True

    Raises:
        UnknownCode: the word matches no code.
    """
    if word[:2] in ("jw", "Jw", "jW"):
        word = word.upper()
    if word in CATALOGUE:
        return frozenset([word])
    if word.startswith("JW"):
        found = frozenset(code for code in CATALOGUE if code.startswith(word))
    else:
        found = frozenset(entry.code for entry in CATALOGUE.values() if entry.name == word)
    if not found and word[:2].upper() == "JP":
        raise UnknownCode(f'"{word}" is a policy code, not a rule: edit the policy instead')
    if not found:
        from jobsworth.findings.near_names import did_you_mean

        known = [*CATALOGUE, *(entry.name for entry in CATALOGUE.values())]
        hint = did_you_mean(word, known) or (
            "use a code (JW101), a name (rule-shadowed) or a prefix (JW1)"
        )
        raise UnknownCode(f'unknown rule "{word}": {hint}')
    return found


def codes_to_change(word: str) -> frozenset[str]:
    """Return the codes that match a word and whose severity a user may change or ignore.

    Raises:
        UnknownCode: the word matches no code, or only API server errors.
    """
    found = codes_named(word)
    free = frozenset(code for code in found if not CATALOGUE[code].verdict)
    if not free:
        raise UnknownCode(
            f'"{word}" is an error of the API server: it cannot be ignored or downgraded; fix the manifest'
        )
    return free


DOCS = "https://github.com/jobsworth/jobsworth/blob/main/docs"


def page_address(code: str) -> str:
    """Return the address of a code's page; empty for an unknown code.

    >>> page_address("JW001").removeprefix(DOCS), page_address("JP002").removeprefix(DOCS)
    ('/rules/JW001-UnknownField.md', '/policy.md#codes')
    """
    if code.startswith("JP"):
        return f"{DOCS}/policy.md#codes"
    entry = CATALOGUE.get(code)
    return "" if entry is None else f"{DOCS}/rules/{entry.code}-{entry.name}.md"
