"""Compute the text changes of fixes, for reports that include them (SARIF)."""

from __future__ import annotations

from jobsworth.findings.edits import CannotEdit
from jobsworth.manifests.editing.apply_fixes import fixed
from jobsworth.reports.result import TextChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.manifests import Document
    from jobsworth.reports.result import LocatedFinding, Result


def add_changes(data: bytes, documents: Sequence[Document], results: Sequence[Result]) -> None:
    """Add the text change of its fix to each finding, if the text can be edited.

    Args:
        data: a file's bytes.
        documents: the file's documents.
        results: their findings, in the same order.
    """
    for document, result in zip(documents, results, strict=True):
        result.findings = [_with_change(located, data, document) for located in result.findings]


def _with_change(located: LocatedFinding, data: bytes, document: Document) -> LocatedFinding:
    if located.finding.fix is None:
        return located
    try:
        after = fixed(data, document, located.finding.fix)
        return located.replace(changes=(line_change(data.decode(), after.decode()),))
    except (CannotEdit, UnicodeDecodeError):
        return located


def line_change(before: str, after: str) -> TextChange:
    """Return one change from the first to the last line that differs between two texts.

    >>> change = line_change("a\\nb\\nc\\n", "a\\nB\\nc\\n")
    >>> change.start, change.end, change.end_column, change.text
    (2, 3, 1, 'B\\n')
    """
    old, new = before.split("\n"), after.split("\n")
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if end:
        text = "".join(f"{line}\n" for line in new[start : len(new) - end])
        return TextChange(start + 1, len(old) - end + 1, 1, text)
    start = min(start, len(old) - 1, len(new) - 1)
    return TextChange(start + 1, len(old), len(old[-1]) + 1, "\n".join(new[start:]))
