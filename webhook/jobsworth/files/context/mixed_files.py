"""Tolerate files that are not manifests, for hooks and whole repositories (``--mixed``).

``FileEvaluator`` skips a file without a Job before parsing. This module skips, with a note, Helm and Jinja
templates and unreadable documents that name no Job. An unreadable document that names a Job stays an
error, because to skip it would be to accept it.
"""

from __future__ import annotations

from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, INVALID, SKIPPED, Result
from jobsworth.lint.lint_rule import Rule
from jobsworth.lint.manifest_rules import NO_MANIFEST, NOTES, TEMPLATE
from jobsworth.lint.misidentified import is_object
from jobsworth.manifests import Document

TEMPLATE_MARKS = ("{{", "{%", "{#", "<%")
TEMPLATE_NOTE = (
    "this is a template, not a manifest; render it and validate the result "
    "(helm template … | jobsworth validate -)"
)

_OF_TEXTS = frozenset(rule.code for rule in NOTES.values())
_TEMPLATE_LINE = rb"""(?m)^[- \t\[]*(?:[^\s#'"{}]+:[ \t]+[\[ \t]*)*(?:\{\{|\{%)"""
"""Matches a line that starts with a template expression, or whose value does."""
_KIND = rb"""(?i)\bkind["']?\s*:\s*["']?([a-z][a-z_-]*)"""


def tolerated(result: Result, document: Document) -> Result:
    """Return the result of a document; skipped with a note if it is not a manifest."""
    if result.status == ERROR:
        (located,) = result.findings
        if _is_template(located.excerpt, document.text):
            return _as_template(result, located)
        if not _names_job(document):
            message = f"this document is unreadable and names no Job: {located.finding.message}"
            return _skipped(result, [_note(located, NO_MANIFEST, message)])
    elif result.status == INVALID:
        return _without_templated(result)
    elif result.status == SKIPPED and not is_object(document.value):
        # What kubectl would do with its text, such as a key that occurs twice, is of no interest.
        kept = [each for each in result.findings if each.finding.code not in _OF_TEXTS]
        return result.replace(findings=kept)
    return result


def _without_templated(result: Result) -> Result:
    """Remove the errors on lines with template expressions."""
    kept = [located for located in result.findings if not _is_templated(located)]
    if len(kept) == len(result.findings):
        return result
    first = next(located for located in result.findings if _is_templated(located))
    if any(located.finding.severity == "error" for located in kept):
        return result.replace(findings=kept)
    return _as_template(result, first)


def unless_foreign(result: Result, document: Document) -> Result:
    """Return the result of an unreadable document; with a note if it is a template, or not a manifest.

    It is a template if an expression is the reason: another reason is reported, since rendering does not
    change it. It is not a manifest if it has no apiVersion on its outer level and names no Job.
    """
    (located,) = result.findings
    if any(_is_unquoted(mark, located.excerpt) for mark in TEMPLATE_MARKS):
        return _as_template(result, located)
    if not _has_api_version(document) and not _names_job(document):
        message = f"this file is unreadable and not a manifest: {located.finding.message}"
        return _skipped(result, [_note(located, NO_MANIFEST, message)])
    return result


def _as_template(result: Result, located: LocatedFinding) -> Result:
    return _skipped(result, [_note(located, TEMPLATE, TEMPLATE_NOTE)])


def _is_templated(located: LocatedFinding) -> bool:
    """Return True if an error's line or message has a template expression, as in a generated label."""
    return located.finding.severity == "error" and any(
        mark in located.excerpt or mark in located.finding.message for mark in TEMPLATE_MARKS
    )


def _is_template(excerpt: str, text: bytes) -> bool:
    """Return True if a text is unreadable because of a template expression.

    A container's arguments may have such marks too: ``kubectl get -o go-template='{{…}}'``.
    """
    if any(_is_unquoted(mark, excerpt) for mark in TEMPLATE_MARKS):
        return True
    if b"{{" not in text and b"{%" not in text:
        return False
    import re

    return re.search(_TEMPLATE_LINE, text) is not None


def _is_unquoted(mark: str, line: str) -> bool:
    before, found, _ = line.partition(mark)
    quoted = before.count('"') % 2 or before.count("'") % 2
    return bool(found) and not quoted


def _has_api_version(document: Document) -> bool:
    """Return True for a text with a key apiVersion on its outer level, or anywhere if it is JSON."""
    import re

    text = document.text.replace(b"\0", b"")  # UTF-16
    first = re.search(rb"(?m)^([ \t]*)[^\s#]", text)
    keys = re.findall(rb"""(?im)^([ \t]*)(?:- +)?(["']?)apiversion["']?[ \t]*:""", text)
    return first is not None and any(quote or indent == first[1] for indent, quote in keys)


def _names_job(document: Document) -> bool:
    import re

    from jobsworth.lint.misidentified import meant_kind

    text = document.text.replace(b"\0", b"")  # UTF-16
    kinds = {match.group(1).decode() for match in re.finditer(_KIND, text)}
    return any(kind.endswith("List") or meant_kind(kind) is not None for kind in kinds)


def _skipped(result: Result, notes: list[LocatedFinding]) -> Result:
    return result.replace(status=SKIPPED, findings=notes, withheld=(), unfixable="", hidden_by=())


def _note(located: LocatedFinding, rule: Rule, message: str) -> LocatedFinding:
    return LocatedFinding(rule.finding("", message), located.line, located.column, located.excerpt)
