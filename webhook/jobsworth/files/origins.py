"""Lead the findings in a rendered manifest to the file that it was rendered from.

A line of the rendered text is not a line of the template. The same line is one whose text stands exactly once
in both, apart from quotes and comments; or else, because a template has another value, the only line with its
key. An overlay changes values by patches: a line that its resource does not have is one of a patch, if its
text stands there exactly once, or if one operation of a JSON patch sets its value. A field is missing in the
resource, if no patch adds others beside it. A template may take lines over from the values of its chart: such
a line is one of the values, by the same rule. So is the value of a key that the template takes over under its
name: ``schedule: {{ .Values.schedule }}``.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.files.chart_sources import ChartSources
from jobsworth.files.context.kustomize import patches_in
from jobsworth.files.json_patches import JsonPatches
from jobsworth.files.repository_root import KUSTOMIZATIONS, is_within, root_around
from jobsworth.files.source_folders import folders_named_in
from jobsworth.findings.edits import at, locate
from jobsworth.findings.located_finding import LocatedFinding, Origin
from jobsworth.findings.result import Result
from jobsworth.manifests import Document, ManifestError, Position, read_bytes, read_text
from jobsworth.manifests.parsing.scalars import resolve

_KEY = re.compile(r"(?:- )*([\w./-]+):(?:\s|$)")
_BEFORE_VALUE = re.compile(r"(?:- )*(?:[\w./-]+: )?")
_INDICATORS = "-?:,[]{}#&*!|>'\"%@`"
"""The characters with which a text without quotes does not begin, or not always."""
SOURCE = b"# Source: "
"""The beginning of Helm's comment before a document."""


class OriginFinder:
    """Finds the templates of rendered documents; reads each template once.

    Args:
        template_of: returns the file that a document was rendered from, None if that is unknown; by default
            the file below the current folder that Helm's comment names.
        overlay: the folder of the overlay that was built; empty for a chart.
        values: the file of values that a chart is tested with and was rendered with; empty for none.
        value_files: all files of values that it was rendered with, the first one first in precedence.
    """

    def __init__(
        self,
        template_of: Callable[[Document], str | None] | None = None,
        overlay: str = "",
        values: str = "",
        value_files: Sequence[str] = (),
    ) -> None:
        self._values = values
        self._value_files = value_files
        self._template_of = template_of or _TemplatesBelow().template_of
        self._overlay = overlay
        self._patches = patch_files(overlay) if overlay else []
        self._json_patches = JsonPatches(self._patches)
        self._lines: dict[str, _Lines] = {}

    def added_to(self, documents: Sequence[Document], results: Sequence[Result]) -> list[Result]:
        """Return results with the origin of documents whose template is known, also in their findings.

        Args:
            documents: the documents of a rendered manifest.
            results: their results, in the same order.
        """
        return [
            self._with_origin(result, document, self._template_of(document))
            for document, result in zip(documents, results, strict=True)
        ]

    def _with_origin(self, result: Result, document: Document, file: str | None) -> Result:
        if file is None:
            return result
        rendered = _Lines(document.text if result.findings else b"")

        def origin(file: str, rendered: _Lines, located: LocatedFinding) -> Origin:
            if self._overlay:
                return self._origin_in_overlay(file, rendered, located, document.value)
            return self._origin(file, rendered, located)

        return result.replace(
            origin=Origin(file, overlay=self._overlay, values=self._values),
            findings=[
                self._led_to(origin(file, rendered, located).replace(values=self._values), located)
                for located in result.findings
            ],
        )

    def _led_to(self, origin: Origin, located: LocatedFinding) -> LocatedFinding:
        """Return a finding with its origin, and with the text of the line there, if that is known."""
        excerpt = located.excerpt
        if origin.line is not None:
            excerpt = self._lines_of(origin.file).text(origin.line)
        return located.replace(origin=origin, excerpt=excerpt, changes=())

    def _origin_in_overlay(
        self, file: str, rendered: _Lines, located: LocatedFinding, value: Any
    ) -> Origin:
        """Return the line of the resource or of a patch; the overlay's kustomization if it has neither."""
        overlay, text = self._overlay, located.excerpt.strip()
        if located.column is not None and rendered.number(text) is not None:
            for places in ([file], self._patches):
                found = [each for each in places if self._lines_of(each).has(text)]
                line = self._lines_of(found[0]).number(text) if len(found) == 1 else None
                if line is not None:
                    moved = self._lines_of(found[0]).indentation(line)
                    column = located.column + moved - _indentation(located.excerpt)
                    resource = "" if found[0] == file else file
                    return Origin(found[0], line, column, overlay, resource)
            key, resource_lines = key_of(text), self._lines_of(file)
            mentioned = any(self._lines_of(each).mention(key) for each in self._patches)
            line = resource_lines.number_of_key(key)
            if line is not None and rendered.number_of_key(key) is not None and not mentioned:
                return Origin(file, line, resource_lines.indentation(line) + 1, overlay)
        if not self._lines_of(file).has(text):  # or else the value may be the resource's own
            place = self._json_patches.place(value, located.finding.place)
            if place is not None:
                return Origin(place[0], place[1].line, place[1].column, overlay, file)
        lacking = self._place_of_missing(file, located.finding.place, value)
        if lacking is not None:
            return Origin(file, lacking.line, lacking.column, overlay)
        return Origin(kustomization_of(overlay), overlay=overlay, resource=file)

    def _place_of_missing(self, file: str, field: str, value: Any) -> Position | None:
        """Return the place in a resource that lacks a field and has the others beside it."""
        steps = locate(value, field).steps
        if not steps or any(isinstance(each, int) for each in steps):
            return None  # patches change the order of lists
        data = read_bytes(file)
        documents = [] if isinstance(data, ManifestError) else read_text(data, file)
        if len(documents) != 1 or locate(documents[0].value, field).steps != steps:
            return None
        own, rendered = at(documents[0].value, steps), at(value, steps)
        if (
            not isinstance(own, dict)
            or not isinstance(rendered, dict)
            or own.keys() != rendered.keys()
        ):
            return None
        return documents[0].position(field)

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
        line = None if rendered.number_of_key(key) is None else template.number_of_key(key)
        if line is not None:
            values = None
            if _takes_over(template.text(line), key):
                values = self._origin_in_values(file, rendered, located)
            return values or Origin(file, line, template.indentation(line) + 1)
        return self._origin_in_values(file, rendered, located) or Origin(file)

    def _origin_in_values(
        self, file: str, rendered: _Lines, located: LocatedFinding
    ) -> Origin | None:
        """Return the line of a text that a template takes over from the values; None if it is not one."""
        text = located.excerpt.strip()
        if located.column is None or rendered.number(text) is None:
            return None
        for values in self._value_files:
            lines = self._lines_of(values)
            if lines.has(text):
                line = lines.number(text)
                if line is None:
                    return None
                moved = lines.indentation(line) - _indentation(located.excerpt)
                return Origin(values, line, located.column + moved, resource=file)
        return None

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


def content_of(line: str) -> str:
    """Return a line of YAML without its comment, and without quotes that do not change what it means.

    >>> content_of("schedule: '0 3 * * *'  # at night"), content_of('value: "5" # as text')
    ('schedule: 0 3 * * *', 'value: "5"')
    """
    begin = _BEFORE_VALUE.match(line)
    head = begin[0] if begin is not None else ""
    written = line[len(head) :]
    quote = written[:1]
    if quote in ("'", '"'):
        text, _, rest = written[1:].partition(quote)
        if "\\" in text or rest.lstrip()[:1] not in ("", "#") or not written[1:].count(quote):
            return line
        return head + (text if _may_be_plain(text) else f'"{text}"')
    if quote == "#":
        return head.rstrip() or line
    return head + written.partition(" #")[0].rstrip()


def _may_be_plain(text: str) -> bool:
    if not text or text != text.strip() or text[0] in _INDICATORS or text[-1] == ":":
        return False
    return ": " not in text and " #" not in text and isinstance(resolve(text), str)


def _takes_over(line: str, key: str) -> bool:
    """Return True for a line of a template whose value is the one of the same key in the values.

    >>> _takes_over("backoffLimit: {{ .Values.job.backoffLimit | int }}", "backoffLimit")
    True
    >>> _takes_over("backoffLimit: {{ .Values.backoffLimitOfJobs }}", "backoffLimit")
    False
    """
    return re.search(rf"\.Values\.(?:\w+\.)*{re.escape(key)}\b", line) is not None


class _TemplatesBelow:
    """Finds templates in the charts below the current folder."""

    def __init__(self) -> None:
        self._charts = ChartSources()

    def template_of(self, document: Document) -> str | None:
        source = source_of(document.text)
        return self._charts.file(source) if source else None


class _Lines:
    """The lines of a text by their content, without indentation, comments and needless quotes."""

    def __init__(self, data: bytes) -> None:
        self._lines = data.decode("utf-8", "replace").split("\n")
        stripped = [line.strip() for line in self._lines]
        contents = list(map(content_of, stripped))
        self._counts = Counter(contents)
        self._numbers = {line: number for number, line in enumerate(contents, 1)}
        keys = [key_of(line) for line in stripped]
        self._key_counts = Counter(keys)
        self._keys = {key: number for number, key in enumerate(keys, 1)}

    def number(self, text: str) -> int | None:
        """Return the number of the only line with a text, from 1; None if there is none, or more than one."""
        content = content_of(text)
        return self._numbers[content] if text and self._counts[content] == 1 else None

    def text(self, number: int) -> str:
        """Return a line by its number, from 1."""
        return self._lines[number - 1].rstrip("\r")

    def has(self, text: str) -> bool:
        """Return True if there is a line with a text."""
        return self._counts[content_of(text)] > 0

    def mention(self, key: str) -> bool:
        """Return True if a line has a key anywhere, also in the path of a JSON patch."""
        return any(key in line for line in self._lines)

    def number_of_key(self, key: str) -> int | None:
        """Return the number of the only line with a key, from 1; None if there is none, or more than one."""
        return self._keys[key] if key and self._key_counts[key] == 1 else None

    def indentation(self, number: int) -> int:
        """Return the number of spaces before the text of a line."""
        return _indentation(self._lines[number - 1])


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def patch_files(folder: str) -> list[str]:
    """Return the patches of an overlay and its bases, and the kustomizations, which have patches inside.

    Args:
        folder: the folder of the overlay, which does not lead out of its repository.
    """
    root = root_around(folder)
    found: dict[str, None] = {}
    folders, seen = [folder], set()
    while folders:
        current = folders.pop(0)
        real = os.path.realpath(current)
        if real in seen:
            continue
        seen.add(real)
        named = [kustomization_of(current), *map(os.path.relpath, patches_in(current))]
        found |= dict.fromkeys(
            file
            for file in named
            if os.path.isfile(file) and (root is None or is_within(file, root))
        )
        folders += [
            each.path for each in folders_named_in(current) if not isinstance(each, ManifestError)
        ]
    return list(found)


def kustomization_of(folder: str) -> str:
    """Return the kustomization of a folder."""
    files = [os.path.join(folder, name) for name in KUSTOMIZATIONS]
    return os.path.normpath(next(filter(os.path.isfile, files), files[0]))
