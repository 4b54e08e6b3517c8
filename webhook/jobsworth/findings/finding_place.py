"""The place at which a report shows a finding: in a template, if the manifest was rendered from one."""

from __future__ import annotations

from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.record import Record


class FindingPlace(Record):
    """The place of a finding for people and code scanning.

    Attributes:
        file: the template, or else the file that was read.
        line: the line there, from 1; None if unknown.
        column: the column there, from 1; None if unknown.
        rendered_line: the line in the rendered manifest, if that in the template is unknown.
        overlay: the folder of the overlay that was built; empty for a chart.
        resource: the file of the resource that the overlay has changed, or the template that has the values,
            if `file` is not that file.
        values: the file of values that a chart is tested with and was rendered with; empty for none.
    """

    file: str
    line: int | None
    column: int | None
    rendered_line: int | None
    overlay: str = ""
    resource: str = ""
    values: str = ""

    @property
    def rendered(self) -> str:
        """The overlay or values, and the place in the rendered manifest, unless `line` says it."""
        parts = []
        if self.overlay:
            parts.append(f"overlay {self.overlay}")
        if self.resource:
            parts.append(f"from {self.resource}")
        if self.values and self.values != self.file:
            parts.append(f"values {self.values}")
        if self.rendered_line is not None:
            parts.append(f"line {self.rendered_line} of the rendered manifest")
        return ", ".join(parts)

    def __str__(self) -> str:
        """Return ``file:line:column``."""
        return self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"


def place_of(result: Result, located: LocatedFinding) -> FindingPlace:
    """Return the place of a finding of a result."""
    origin = located.origin
    if origin is None:
        return FindingPlace(result.file, located.line, located.column, None)
    rendered_line = located.line if origin.line is None else None
    return FindingPlace(
        origin.file,
        origin.line,
        origin.column,
        rendered_line,
        origin.overlay,
        origin.resource,
        origin.values,
    )


def rendered_note(result: Result, place: FindingPlace) -> str:
    """Return the object and how it was rendered in parentheses; else nothing."""
    if not place.rendered:
        return ""
    subject = f"{result.kind} {result.name or '(unnamed)'}, " if result.kind else ""
    return f" ({subject}{place.rendered})"
