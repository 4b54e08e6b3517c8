"""Takes out of a file's results what the manifests themselves ask to ignore.

Imported only for a file that has the word ``jobsworth``.
"""

from __future__ import annotations

from jobsworth.manifests.comments import marked_comments
from jobsworth.policy.lint.codes import UNUSED_IGNORE
from jobsworth.policy.ignores import (
    ANNOTATION_FIELD,
    Ignore,
    from_annotation,
    from_comment,
    unused,
)
from jobsworth.reports.result import SKIPPED, Located

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jobsworth.manifests import Document
    from jobsworth.policy.lint.selection import Selection
    from jobsworth.reports.result import Result

    Lines = Callable[[Located], tuple[int, ...]]

MARK = "jobsworth:"


def apply_ignores(
    documents: Sequence[Document], results: Sequence[Result], selection: Selection
) -> None:
    """Take out the findings that comments and annotations ignore, and add one for each idle ignore.

    Args:
        documents: those of one file.
        results: what was found in them, in the same order; changed in place.
        selection: what is reported at all.
    """
    judged = [
        (document, result)
        for document, result in zip(documents, results, strict=True)
        if document.error is None and (result.findings or result.status != SKIPPED)
    ]
    for document, result in judged:
        ignore = from_annotation(document.value)
        if ignore is not None:
            place = document.position(ANNOTATION_FIELD)
            _apply([ignore], [(document, result)])
            _complain(
                ignore, place.line, place.column, ANNOTATION_FIELD, [(document, result)], selection
            )
    result_of = {id(document): result for document, result in judged}
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
            _complain(ignore, comment.line, comment.column, "", group, selection)


def _apply(ignores: Sequence[Ignore], group: Sequence[tuple[Document, Result]]) -> None:
    for document, result in group:
        kept = []
        for located in result.findings:
            lines = _lines(document, located)
            hiding = [ignore for ignore in ignores if ignore.hides(located.finding.code, lines)]
            for ignore in hiding:
                ignore.used = True
            if not hiding:
                kept.append(located)
        result.replace_findings(kept)


def _lines(document: Document, located: Located) -> tuple[int, ...]:
    """The lines of a finding: where it stands, and where the key stands that it is about."""
    key = document.position(located.finding.field, key=True)
    return (located.line or 0, key.line)


def _complain(
    ignore: Ignore,
    line: int,
    column: int,
    field: str,
    group: Sequence[tuple[Document, Result]],
    selection: Selection,
) -> None:
    elsewhere = sorted(
        {
            located.line
            for _, result in group
            for located in result.findings
            if located.line and located.finding.code in ignore.codes
        }
    )
    message = ignore.complaint(selection.reports, elsewhere)
    if not message or not selection.reports(UNUSED_IGNORE):
        return
    document, result = group[0]
    for finding in selection.adjusted([unused(message, field)]):
        located = Located(finding, line, column, document.source_line(line))
        result.replace_findings([*result.findings, located])
