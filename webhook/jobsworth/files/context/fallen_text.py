"""Hints for unknown fields that are lines of a script or a file, and fell out of its block scalar."""

from __future__ import annotations

from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.manifests import Document
from jobsworth.manifests.parsing.block_scalars import FallenLine

UNKNOWN_FIELD = "JW001"
MAX_HEREDOC = 400
"""The end of a here-document is searched in so many lines after the last unknown field."""
_INDICATORS = (b"|", b">")


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
