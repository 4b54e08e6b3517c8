"""Hints for errors whose cause is the text: a line fell out of a block scalar, or is a placeholder."""

from __future__ import annotations

from jobsworth.findings.located_finding import LocatedFinding, token_width
from jobsworth.findings.placeholders import template_placeholder
from jobsworth.findings.result import Result
from jobsworth.manifests import Document
from jobsworth.manifests.parsing.block_scalars import FallenLine

UNKNOWN_FIELD = "JW001"
MAX_HEREDOC = 400
"""The end of a here-document is searched in so many lines after the last unknown field."""
_INDICATORS = (b"|", b">")

VERDICTS = ("api", "child")
"""The sources of findings about what an API server rejects: the object, or what is created from it."""


def with_fallen_text(document: Document, located: list[LocatedFinding]) -> list[LocatedFinding]:
    """Return the findings of a document, with hints at unknown fields that were meant as text."""
    if document.is_json or not any(mark in document.text for mark in _INDICATORS):
        return located
    from jobsworth.manifests.parsing.block_scalars import fallen_fields

    begin = document.position("").line
    last = max(each.line or 0 for each in located if each.finding.code == UNKNOWN_FIELD)
    count = min(last - begin + MAX_HEREDOC, document.text.count(b"\n")) + 1
    text = "\n".join(document.source_line(begin + number) for number in range(count))
    fallen = fallen_fields(text)
    if not fallen:
        return located

    def hinted(each: LocatedFinding) -> LocatedFinding:
        found = fallen.get((each.line or 0) - begin)
        if each.finding.code != UNKNOWN_FIELD or found is None:
            return each
        header = begin + text.count("\n", 0, found.header)
        return _hinted(each, found, header)

    return [hinted(each) for each in located]


def _hinted(located: LocatedFinding, fallen: FallenLine, header: int) -> LocatedFinding:
    finding = located.finding
    begun = f"the text that began with `{fallen.indicator}` in line {header}"
    if fallen.in_heredoc:
        hint = (
            f"this line is indented less than {begun}, so it ends that text; indent it by {fallen.missing}, "
            f"and so every line up to `{fallen.in_heredoc}`"
        )
        return located.with_finding(finding.with_fix(None).with_hint(hint))
    if finding.hint or finding.fix is not None:
        return located
    hint = f"if it belongs to {begun}, indent this line by {fallen.missing}"
    return located.with_finding(finding.with_hint(hint))


def with_hints_at_placeholders(result: Result) -> Result:
    """Return the result with a hint in the API server's errors about values with a placeholder."""
    return result.replace(findings=[_hinted_at_placeholder(located) for located in result.findings])


def _hinted_at_placeholder(located: LocatedFinding) -> LocatedFinding:
    finding = located.finding
    if finding.severity != "error" or finding.source not in VERDICTS or finding.hint:
        return located
    if not located.column:
        return located
    start = located.column - 1
    found = template_placeholder(located.excerpt, start)
    if found is None or found.start() >= start + token_width(located.excerpt, start):
        return located
    if ".capabilities." in finding.field and found.group().isidentifier():
        return located  # NET_ADMIN is a capability
    hint = (
        f"is {found.group()} a placeholder, and this an unrendered template? Render it first "
        "(envsubst, helm template, kubectl kustomize …) and validate the result"
    )
    return located.replace(finding=finding.with_hint(hint).with_fix(None))
