"""Remove findings that ignore comments and annotations in the manifests select.

Imported only for a file that contains the word ``jobsworth``, and for charts and overlays.
"""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.evaluation.ignores import (
    ANNOTATION_FIELD,
    Ignore,
    from_annotation,
    from_comment,
    unused,
)
from jobsworth.findings.located_finding import LocatedFinding, Origin
from jobsworth.findings.result import SKIPPED, Result
from jobsworth.lint.manifest_rules import PATCH
from jobsworth.lint.selection import Selection
from jobsworth.manifests import Document, ManifestError, read_bytes, read_text
from jobsworth.manifests.parsing.comments import marked_comments
from jobsworth.record import Record

Group = Sequence[tuple[int, Document]]
"""The numbers of documents in their file, and the documents."""

MARK = "jobsworth:"

UNDECODABLE = frozenset(("JW001", "JW002"))
"""After a decoding error, no lint rule has run."""


def without_ignored(
    documents: Sequence[Document], results: Sequence[Result], selection: Selection
) -> list[Result]:
    """Return the results without the findings that comments and annotations ignore.

    Each unused ignore is a finding of its own.

    Args:
        documents: those of one file.
        results: their findings, in the same order.
        selection: the reported rules.
    """
    found = _IgnoredFindings(results, selection)
    evaluated = {
        id(document): number
        for number, (document, result) in enumerate(zip(documents, results, strict=True))
        if document.error is None and (result.findings or result.status != SKIPPED)
    }
    for document in documents:
        if id(document) not in evaluated:
            continue
        ignore = from_annotation(document.value)
        if ignore is not None:
            value = document.position(ANNOTATION_FIELD)
            place = _Place(value.line, value.column, ANNOTATION_FIELD)
            found.apply([(ignore, place)], [(evaluated[id(document)], document)])
    for members, comments in marked_comments(documents, MARK):
        group = [(evaluated[id(each)], each) for each in members if id(each) in evaluated]
        if group:
            ignores = [
                (ignore, _Place(comment.line, comment.column, ""))
                for comment in comments
                if (ignore := from_comment(comment.text, None if comment.heads else comment.line))
            ]
            found.apply(ignores, group)
    return found.results


class SourceIgnores:
    """The ignore comments in the files that objects are rendered from; reads each file once.

    Helm writes the comments of a template into the manifest; kustomize leaves those of a resource out. An
    ignore that no overlay uses is reported for its own file, which overlays share.
    """

    def __init__(self) -> None:
        self._by_file: dict[str, list[Ignore]] = {}

    def without_ignored(self, result: Result) -> Result:
        """Return a rendered result without findings that comments in their own lines ignore, or in its file.

        Nothing ignores violations of policies.
        """
        origin = result.origin
        if origin is None:
            return result
        kept = [
            located
            for located in result.findings
            if located.policy
            or not (
                self._ignores(located, located.origin or origin)
                or self._ignores(located, Origin(origin.resource or origin.file))
            )
        ]
        return result if len(kept) == len(result.findings) else result.with_findings(kept)

    def _ignores(self, located: LocatedFinding, origin: Origin) -> bool:
        """Return True if a comment in a line ignores a finding; without a line, one for the whole file."""
        return any(
            ignore.line == origin.line and located.finding.code in ignore.codes
            for ignore in self._in(origin.file)
        )

    def _in(self, file: str) -> list[Ignore]:
        found = self._by_file.get(file)
        if found is None:
            data = read_bytes(file)
            if isinstance(data, ManifestError) or MARK.encode() not in data:
                data = b""
            documents = read_text(data, file)
            one = len({document.index for document in documents}) == 1
            found = self._by_file[file] = [
                ignore
                for _, comments in marked_comments(documents, MARK)
                for comment in comments
                if one or not comment.heads
                if (ignore := from_comment(comment.text, None if comment.heads else comment.line))
            ]
        return found


def _nothing(code: str) -> bool:
    return False


class _Place(Record):
    """The position of an ignore."""

    line: int
    column: int
    field: str


class _IgnoredFindings:
    """Leaves ignored findings out of the results of a file, and adds those about unused ignores.

    Attributes:
        results: the results so far.
    """

    def __init__(self, results: Sequence[Result], selection: Selection) -> None:
        self.results = [*results]
        self._selection = selection

    def apply(self, ignores: Sequence[tuple[Ignore, _Place]], group: Group) -> None:
        """Apply some ignores to the results of some documents, which share a text."""
        for number, document in group:
            kept = []
            for located in self.results[number].findings:
                lines = _lines(document, located)
                code = located.finding.code
                hiding = [ignore for ignore, _ in ignores if ignore.hides(code, lines)]
                for ignore in hiding:
                    ignore.used.add(code)
                if not hiding:
                    kept.append(located)
            self.results[number] = self.results[number].with_findings(kept)
        for ignore, place in ignores:
            self._report_unused(ignore, place, group)

    def _report_unused(self, ignore: Ignore, place: _Place, group: Group) -> None:
        found = [located for number, _ in group for located in self.results[number].findings]
        if any(each.finding.code == PATCH.code for each in found):
            return  # only the object that the patch changes has the findings
        elsewhere = sorted(
            {each.line for each in found if each.line and each.finding.code in ignore.codes}
        )
        decoded = UNDECODABLE.isdisjoint(each.finding.code for each in found)
        message = ignore.problem(self._selection.reports if decoded else _nothing, elsewhere)
        if not message:
            return
        finding = self._selection.adjusted(unused(ignore, message, place.field))
        if finding is not None:
            number, document = group[0]
            excerpt = document.source_line(place.line)
            located = LocatedFinding(finding, place.line, place.column, excerpt)
            result = self.results[number]
            self.results[number] = result.with_findings([*result.findings, located])


def _lines(document: Document, located: LocatedFinding) -> tuple[int, ...]:
    """Return the lines of a finding: its own, and that of its key."""
    key = document.position(located.finding.field, key=True)
    return (located.line or 0, key.line)
