"""Every code that a finding can have, and how people name codes: in full, by name, or by prefix."""

from __future__ import annotations

from jobsworth.lint import manifest_rules
from jobsworth.lint.codes import (
    NO_MANIFEST,
    NO_MANIFEST_NAME,
    TEMPLATE,
    TEMPLATE_NAME,
    UNREADABLE,
    UNREADABLE_NAME,
)
from jobsworth.lint.linter import RULES
from jobsworth.record import Record
from jobsworth.validation.codes import CODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobsworth.findings.finding import Severity


class UnknownCode(ValueError):
    """A word that names no code, or none of those that may be named here."""


class Entry(Record):
    """A code, as far as its findings need it to be known.

    Attributes:
        code: such as ``JW101``.
        name: what findings have as their ``reason``: ``rule-shadowed``, or the API server's cause.
        severity: of its findings, unless a configuration sets another.
        summary: one sentence: when it is reported.
        fixable: ``safe``, ``unsafe`` or empty: whether its findings come with a fix.
        on: whether it is reported unless it is asked for.
        verdict: it is the API server's refusal, or keeps that from being known: nobody can ignore it.
    """

    code: str
    name: str
    severity: Severity
    summary: str
    fixable: str = ""
    on: bool = True
    verdict: bool = False


WARNINGS_OF_THE_SERVER = ("JW020",)

_API_SUMMARIES = {
    "JW001": "The API server does not know a field.",
    "JW002": "A field has a value of the wrong type.",
    "JW003": "A field that must be set is not.",
    "JW004": "A field has a value that the API server refuses.",
    "JW005": "A field has a value that is none of those that are supported.",
    "JW006": "A value stands twice where each must be unique.",
    "JW007": "A field may not be set here.",
    "JW008": "A value is too long.",
    "JW009": "A list has too many items.",
    "JW010": "A field names something that the manifest does not have.",
    "JW020": "The API server drops a field in silence, because its feature gate is off.",
    "JW021": "The object to compare with cannot be decoded.",
}


def _entries() -> Iterable[Entry]:
    for reason, code in CODES.items():
        warning = code in WARNINGS_OF_THE_SERVER
        severity: Severity = "warning" if warning else "error"
        yield Entry(code, reason, severity, _API_SUMMARIES[code], verdict=not warning)
    unreadable = "A file, or a document of it, cannot be read."
    yield Entry(UNREADABLE, UNREADABLE_NAME, "error", unreadable, verdict=True)
    template = "With --mixed: a Helm or Jinja template is skipped, not judged."
    yield Entry(TEMPLATE, TEMPLATE_NAME, "info", template)
    no_manifest = "With --mixed: a document that cannot be read and names no Job is skipped."
    yield Entry(NO_MANIFEST, NO_MANIFEST_NAME, "info", no_manifest)
    for rule in (*RULES, *manifest_rules.RULES):
        yield Entry(
            rule.code, rule.name, rule.severity, rule.summary, fixable=rule.fixable, on=rule.on
        )


CATALOGUE = {entry.code: entry for entry in sorted(_entries(), key=lambda entry: entry.code)}
"""Every code with what is known of it, in the order of the codes."""


def codes_named(word: str) -> frozenset[str]:
    """The codes that a word names: one by itself or its name, several by a prefix.

    >>> sorted(codes_named("rule-shadowed"))
    ['JW101']
    >>> "JW101" in codes_named("JW1") and "JW004" in codes_named("JW")
    True

    Raises:
        UnknownCode: it names none.
    """
    if word in CATALOGUE:
        return frozenset([word])
    if word.startswith("JW"):
        found = frozenset(code for code in CATALOGUE if code.startswith(word))
    else:
        found = frozenset(entry.code for entry in CATALOGUE.values() if entry.name == word)
    if not found:
        from jobsworth.findings.near_names import did_you_mean

        known = [*CATALOGUE, *(entry.name for entry in CATALOGUE.values())]
        hint = did_you_mean(word, known) or (
            "it must be a code (JW101), a name (rule-shadowed), or the beginning of codes (JW1)"
        )
        raise UnknownCode(f'unknown rule "{word}": {hint}')
    return found


def codes_to_change(word: str) -> frozenset[str]:
    """The codes that a word names, less those that nobody can ignore or soften.

    Raises:
        UnknownCode: it names none, or only such.
    """
    found = codes_named(word)
    free = frozenset(code for code in found if not CATALOGUE[code].verdict)
    if not free:
        raise UnknownCode(
            f'"{word}" is the verdict of the API server: it cannot be ignored, nor be less than an error'
        )
    return free
