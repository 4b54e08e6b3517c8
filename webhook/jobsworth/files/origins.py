"""Lead the findings in a rendered manifest to the file that it was rendered from.

A line of the rendered text is not a line of the template. The same line is one whose text stands exactly once
in both; or else, because a template has another value, the only line with its key.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from jobsworth.files.chart_sources import ChartSources
from jobsworth.findings.located_finding import Origin
from jobsworth.manifests import ManifestError, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jobsworth.findings.located_finding import LocatedFinding
    from jobsworth.findings.result import Result
    from jobsworth.manifests import Document

_KEY = re.compile(r"(?:- )*([\w./-]+):(?:\s|$)")
SOURCE = b"# Source: "
"""The beginning of Helm's comment before a document."""


class OriginFinder:
    """Finds the templates of rendered documents; reads each template once.

    Args:
        template_of: returns the file that a document was rendered from, None if that is unknown; by default
            the file below the current folder that Helm's comment names.
    """

    def __init__(self, template_of: Callable[[Document], str | None] | None = None) -> None:
        self._template_of = template_of or _TemplatesBelow().template_of
        self._lines: dict[str, _Lines] = {}

    def add_to(self, documents: Sequence[Document], results: Sequence[Result]) -> None:
        """Add the origin to the results of documents whose template is known, and to their findings.

        Args:
            documents: the documents of a rendered manifest.
            results: their results, in the same order.
        """
        for document, result in zip(documents, results, strict=True):
            file = self._template_of(document)
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
        if located.column is None:
            return Origin(file)
        template = self._lines_of(file)
        line = template.number(text) if rendered.number(text) is not None else None
        if line is not None:
            moved = template.indentation(line) - _indentation(located.excerpt)
            return Origin(file, line, located.column + moved)
        key = key_of(text)
        if rendered.number_of_key(key) is None:
            return Origin(file)
        line = template.number_of_key(key)
        return Origin(file) if line is None else Origin(file, line, template.indentation(line) + 1)

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


def key_of(line: str) -> str:
    """Return the key of a line of YAML, also of one that begins a list item; empty if it has none.

    >>> key_of("- image: x"), key_of("backoffLimit: {{ .Values.retries }}"), key_of("- x")
    ('image', 'backoffLimit', '')
    """
    found = _KEY.match(line)
    return found[1] if found is not None else ""


class _TemplatesBelow:
    """Finds templates in the charts below the current folder."""

    def __init__(self) -> None:
        self._charts = ChartSources()

    def template_of(self, document: Document) -> str | None:
        source = source_of(document.text)
        return self._charts.file(source) if source else None


class _Lines:
    """The lines of a text by their content without indentation."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.decode("utf-8", "replace").split("\n")
        stripped = [line.strip() for line in self._lines]
        self._counts = Counter(stripped)
        self._numbers = {line: number for number, line in enumerate(stripped, 1)}
        keys = [key_of(line) for line in stripped]
        self._key_counts = Counter(keys)
        self._keys = {key: number for number, key in enumerate(keys, 1)}

    def number(self, text: str) -> int | None:
        """Return the number of the only line with a text, from 1; None if there is none, or more than one."""
        return self._numbers[text] if text and self._counts[text] == 1 else None

    def number_of_key(self, key: str) -> int | None:
        """Return the number of the only line with a key, from 1; None if there is none, or more than one."""
        return self._keys[key] if key and self._key_counts[key] == 1 else None

    def indentation(self, number: int) -> int:
        """Return the number of spaces before the text of a line."""
        return _indentation(self._lines[number - 1])


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
