"""Lead the findings in a rendered manifest to the file that it was rendered from.

A line of the rendered text is not a line of the template: only a text that stands exactly once in both is
taken for the same line.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from jobsworth.files.chart_sources import ChartSources
from jobsworth.findings.located_finding import Origin
from jobsworth.manifests import ManifestError, read_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result
    from jobsworth.manifests import Document

SOURCE = b"# Source: "
"""The beginning of Helm's comment before a document."""


class OriginFinder:
    """Finds the templates of rendered documents; reads each template once.

    Args:
        charts: find the file that a comment names.
    """

    def __init__(self, charts: ChartSources | None = None) -> None:
        self._charts = charts or ChartSources()
        self._lines: dict[str, _Lines] = {}

    def add_to(self, documents: Sequence[Document], results: Sequence[Result]) -> None:
        """Add the origin to the results of documents whose template is known, and to their findings.

        Args:
            documents: the documents of a rendered manifest.
            results: their results, in the same order.
        """
        for document, result in zip(documents, results, strict=True):
            source = source_of(document.text)
            file = self._charts.file(source) if source else None
            if file is None:
                continue
            result.origin = Origin(file)
            if result.findings:
                rendered = _Lines(document.text)
                result.findings = [
                    located.replace(origin=self._origin(file, rendered, located), changes=())
                    for located in result.findings
                ]

    def _origin(self, file: str, rendered: _Lines, located: LocatedFinding) -> Origin:
        text = located.excerpt.strip()
        if located.column is None or rendered.number(text) is None:
            return Origin(file)
        template = self._lines_of(file)
        line = template.number(text)
        if line is None:
            return Origin(file)
        moved = template.indentation(line) - _indentation(located.excerpt)
        return Origin(file, line, located.column + moved)

    def _lines_of(self, file: str) -> _Lines:
        lines = self._lines.get(file)
        if lines is None:
            data = read_bytes(file)
            lines = self._lines[file] = _Lines(b"" if isinstance(data, ManifestError) else data)
        return lines


def source_of(text: bytes) -> str:
    """Return the source that a comment before a document names; empty if there is none.

    >>> source_of(b"---\\n# Source: etl/templates/job.yaml\\nkind: Job\\n")
    'etl/templates/job.yaml'
    """
    for line in text.split(b"\n"):
        if line.startswith(SOURCE):
            return line.removeprefix(SOURCE).strip().decode("utf-8", "replace")
        if line.strip() and not line.startswith((b"#", b"---")):
            break
    return ""


class _Lines:
    """The lines of a text by their content without indentation."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.decode("utf-8", "replace").split("\n")
        stripped = [line.strip() for line in self._lines]
        self._counts = Counter(stripped)
        self._numbers = {line: number for number, line in enumerate(stripped, 1)}

    def number(self, text: str) -> int | None:
        """Return the number of the only line with a text, from 1; None if there is none, or more than one."""
        return self._numbers[text] if text and self._counts[text] == 1 else None

    def indentation(self, number: int) -> int:
        """Return the number of spaces before the text of a line."""
        return _indentation(self._lines[number - 1])


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
