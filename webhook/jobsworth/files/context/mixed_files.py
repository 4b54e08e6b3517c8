"""Tolerate files that are not manifests, for hooks and whole repositories (``--mixed``).

``FileEvaluator`` skips a file without a Job before parsing. This module skips, with a note, Helm and Jinja
templates and unreadable documents that name no Job. An unreadable document that names a Job stays an
error, because to skip it would be to accept it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, INVALID, SKIPPED, Result
from jobsworth.lint.manifest_rules import NO_MANIFEST, TEMPLATE

if TYPE_CHECKING:
    from jobsworth.lint.lint_rule import Rule
    from jobsworth.manifests import Document

TEMPLATE_MARKS = ("{{", "{%", "{#", "<%")
TEMPLATE_NOTE = (
    "this is a template, not a manifest; render it and validate the result "
    "(helm template … | jobsworth validate -)"
)

_TEMPLATE_LINE = rb"""(?m)^[- \t\[]*(?:[^\s#'"{}]+:[ \t]+[\[ \t]*)*(?:\{\{|\{%)"""
"""Matches a line that starts with a template expression, or whose value does."""
_KIND = rb"""(?i)\bkind["']?\s*:\s*["']?([a-z][a-z_-]*)"""


def tolerate(result: Result, document: Document) -> Result:
    """Return the result of a document; skipped with a note if it is not a manifest."""
    if result.status == ERROR:
        (located,) = result.findings
        if _is_template(located.excerpt, document.text):
            return _skipped(result, [_note(located, TEMPLATE, TEMPLATE_NOTE)])
        if not _names_job(document):
            message = f"this document is unreadable and names no Job: {located.finding.message}"
            return _skipped(result, [_note(located, NO_MANIFEST, message)])
    elif result.status == INVALID:
        return _without_templated(result)
    return result


def _without_templated(result: Result) -> Result:
    """Remove the errors on lines with template expressions."""
    kept = [located for located in result.findings if not _is_templated(located)]
    if len(kept) == len(result.findings):
        return result
    first = next(located for located in result.findings if _is_templated(located))
    if any(located.finding.severity == "error" for located in kept):
        result.findings = kept
        return result
    return _skipped(result, [_note(first, TEMPLATE, TEMPLATE_NOTE)])


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


def _names_job(document: Document) -> bool:
    import re

    from jobsworth.lint.misidentified import meant_kind

    text = document.text.replace(b"\0", b"")  # UTF-16
    kinds = {match.group(1).decode() for match in re.finditer(_KIND, text)}
    return any(kind.endswith("List") or meant_kind(kind) is not None for kind in kinds)


def _skipped(result: Result, notes: list[LocatedFinding]) -> Result:
    skipped = Result(
        file=result.file,
        document=result.document,
        item=result.item,
        kind=result.kind,
        namespace=result.namespace,
        name=result.name,
        status=SKIPPED,
        findings=notes,
    )
    skipped.shown_name = result.shown_name
    return skipped


def _note(located: LocatedFinding, rule: Rule, message: str) -> LocatedFinding:
    return LocatedFinding(rule.finding("", message), located.line, located.column, located.excerpt)
