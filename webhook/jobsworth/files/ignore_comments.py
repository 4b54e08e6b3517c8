"""Remove findings that ignore comments and annotations in the manifests select.

Imported only for a file that contains the word ``jobsworth``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.evaluation.ignores import (
    ANNOTATION_FIELD,
    Ignore,
    from_annotation,
    from_comment,
    unused,
)
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import SKIPPED
from jobsworth.manifests.parsing.comments import marked_comments
from jobsworth.record import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.findings.result import Result
    from jobsworth.lint.selection import Selection
    from jobsworth.manifests import Document

    Group = Sequence[tuple[Document, Result]]

MARK = "jobsworth:"

UNDECODABLE = ("JW001", "JW002")
"""After a decoding error, no lint rule has run."""


def apply_ignores(
    documents: Sequence[Document], results: Sequence[Result], selection: Selection
) -> None:
    """Remove the findings that comments and annotations ignore, and add one for each unused ignore.

    Args:
        documents: those of one file.
        results: their findings, in the same order; changed in place.
        selection: the reported rules.
    """
    evaluated = [
        (document, result)
        for document, result in zip(documents, results, strict=True)
        if document.error is None and (result.findings or result.status != SKIPPED)
    ]
    for document, result in evaluated:
        ignore = from_annotation(document.value)
        if ignore is not None:
            value = document.position(ANNOTATION_FIELD)
            place = _Place(value.line, value.column, ANNOTATION_FIELD)
            _apply([ignore], [(document, result)])
            _report_unused(ignore, place, [(document, result)], selection)
    result_of = {id(document): result for document, result in evaluated}
    for members, comments in marked_comments(documents, MARK):
        group = [(each, result_of[id(each)]) for each in members if id(each) in result_of]
        if not group:
            continue
        found = [
            (comment, ignore)
            for comment in comments
            if (ignore := from_comment(comment.text, None if comment.heads else comment.line))
        ]
        _apply([ignore for _, ignore in found], group)
        for comment, ignore in found:
            _report_unused(ignore, _Place(comment.line, comment.column, ""), group, selection)


def _nothing(code: str) -> bool:
    return False


class _Place(Record):
    """The position of an ignore."""

    line: int
    column: int
    field: str


def _apply(ignores: Sequence[Ignore], group: Group) -> None:
    for document, result in group:
        kept = []
        for located in result.findings:
            lines = _lines(document, located)
            hiding = [ignore for ignore in ignores if ignore.hides(located.finding.code, lines)]
            for ignore in hiding:
                ignore.used.add(located.finding.code)
            if not hiding:
                kept.append(located)
        result.replace_findings(kept)


def _lines(document: Document, located: LocatedFinding) -> tuple[int, ...]:
    """Return the lines of a finding: its own, and that of its key."""
    key = document.position(located.finding.field, key=True)
    return (located.line or 0, key.line)


def _report_unused(ignore: Ignore, place: _Place, group: Group, selection: Selection) -> None:
    elsewhere = sorted(
        {
            located.line
            for _, result in group
            for located in result.findings
            if located.line and located.finding.code in ignore.codes
        }
    )
    found = {located.finding.code for _, result in group for located in result.findings}
    is_reported = selection.reports if found.isdisjoint(UNDECODABLE) else _nothing
    message = ignore.problem(is_reported, elsewhere)
    finding = selection.adjusted(unused(ignore, message, place.field)) if message else None
    if finding is not None:
        document, result = group[0]
        located = LocatedFinding(
            finding, place.line, place.column, document.source_line(place.line)
        )
        result.replace_findings([*result.findings, located])
