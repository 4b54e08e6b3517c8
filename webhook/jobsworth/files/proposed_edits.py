"""Compute the text changes of fixes, for reports that include them (SARIF)."""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.files.separators import SEPARATOR, first_line, is_separation
from jobsworth.findings.edits import CannotEdit
from jobsworth.findings.fix import Fix
from jobsworth.findings.located_finding import LocatedFinding, TextChange
from jobsworth.findings.result import Result
from jobsworth.manifests import Document
from jobsworth.manifests.editing.apply_fixes import DocumentText, FileText

MAX_READINGS = 10
MIN_BYTES = 1_000_000
"""The fixes of one file may read its text 10 times again, or 1 MB of it.

A fix reads the part of a document that it changes, mostly some lines. A fix of what an alias shares reads the
whole document, and many fixes of a long document would take minutes.
"""


def with_changes(data: bytes, documents: Sequence[Document], results: list[Result]) -> list[Result]:
    """Return the results with the text change of its fix in each finding, if the text can be edited.

    Args:
        data: a file's bytes.
        documents: the file's documents.
        results: their findings, in the same order.
    """
    if not any(located.finding.fix for result in results for located in result.findings):
        return results
    try:
        data.decode()
    except UnicodeDecodeError:
        return results
    changes = _Changes(FileText(data))
    return [
        result.replace(findings=[changes.added(each, document) for each in result.findings])
        for document, result in zip(documents, results, strict=True)
    ]


class _Changes:
    """Computes the text changes of a file's fixes."""

    def __init__(self, file: FileText) -> None:
        self._file = file
        self._index = -1
        self._text: DocumentText | None = None
        self._readable = max(MIN_BYTES, MAX_READINGS * len(file.text))

    def added(self, located: LocatedFinding, document: Document) -> LocatedFinding:
        """Return a finding with the change of its fix; as it is if there is none."""
        fix = located.finding.fix
        if fix is None or self._readable <= 0:
            return located
        if is_separation(located) and located.line is not None:
            lines = self._file.text.encode("utf-8", "surrogateescape").split(b"\n")
            line = first_line(lines, located.line)
            return located.replace(changes=(TextChange(line, line, 1, f"{SEPARATOR}\n"),))
        try:
            return located.replace(changes=(self._change(document, fix),))
        except CannotEdit:
            return located

    def _change(self, document: Document, fix: Fix) -> TextChange:
        if self._text is None or document.index != self._index:  # the items of a List share a text
            self._text, self._index = self._file.text_of(document), document.index
        read = self._text.size_read
        try:
            patch = self._text.patch(document, fix)
        finally:
            self._readable -= self._text.size_read - read
        first, before, after = self._file.whole_lines(patch)
        change = line_change(before, after)
        return change.replace(start=change.start + first - 1, end=change.end + first - 1)


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
