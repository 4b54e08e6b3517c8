"""Findings at their positions in a text."""

from __future__ import annotations

from collections.abc import Sequence

from jobsworth.findings.finding import Finding
from jobsworth.printable import printable
from jobsworth.record import Record


class TextChange(Record):
    """A text change that a fix makes.

    Attributes:
        start: the first replaced line, counted from 1; the change starts at its first column.
        end, end_column: the position after the last replaced character.
        text: the replacement.
    """

    start: int
    end: int
    end_column: int
    text: str


class Origin(Record):
    """The place in the template, or another source, from which a part of a manifest was rendered.

    Attributes:
        file: the source.
        line: the line there, from 1; None if unknown.
        column: the column there, from 1; None if unknown.
        overlay: the folder of the overlay that was built; empty for a chart.
        resource: the file of the resource that the overlay has changed, or the template that has the values,
            if `file` is not that file.
        values: the file of values that a chart is tested with and was rendered with; empty for none.
    """

    file: str
    line: int | None = None
    column: int | None = None
    overlay: str = ""
    resource: str = ""
    values: str = ""


class LocatedFinding(Record):
    """A finding with its position in a file.

    Attributes:
        finding: the finding.
        line: the line, counted from 1; None where the text is not known.
        column: the column, counted from 1.
        excerpt: the line's text.
        changes: the text changes of the finding's fix; empty unless the report requires them.
        policy: the name of the policy that reports the finding; empty for other findings.
        further: True if the API server would report it only after the decoding errors are fixed.
        origin: the place in the template; None if the file was not rendered, or its template is unknown.
    """

    finding: Finding
    line: int | None = None
    column: int | None = None
    excerpt: str = ""
    policy: str = ""
    changes: Sequence[TextChange] = ()
    further: bool = False
    origin: Origin | None = None

    def with_finding(self, finding: Finding) -> LocatedFinding:
        """Return another finding at the same position."""
        return self.replace(finding=finding, changes=())


class FixAttempt(Record):
    """An attempted fix.

    Attributes:
        located: the finding with the fix, and its position before the fix.
        reason: the reason why the fix was not applied or was reverted; empty if it was applied.
        unlocked: True if it was applied, and the findings before all fixes did not have it.
    """

    located: LocatedFinding
    reason: str = ""
    unlocked: bool = False

    def sentence(self, file: str) -> str:
        """Describe the attempt in one line for people."""
        finding = self.located.finding
        name = f" {finding.reason}" if finding.source == "lint" else ""
        title = finding.fix.title if finding.fix is not None else ""
        place = file if self.located.line is None else f"{file}:{self.located.line}"
        field = f" ({finding.field})" if finding.field else ""
        text = f"{place}: {finding.code}{name}: {title}{field}"
        return printable(f"not fixed: {text}: {self.reason}" if self.reason else f"fixed: {text}")


def token_width(text: str, start: int) -> int:
    """Return the width of the key or value that begins here.

    >>> token_width("value: 1,", 7), token_width("- {name: a, value: b}", 9), token_width("a: 1  # one", 3)
    (1, 1, 1)
    """
    rest = text[start:]
    if rest[:1] in ('"', "'"):
        end = rest.find(rest[0], 1)
        return end + 1 if end > 0 else len(rest)
    ends = [position for mark in (": ", " #", ", ", "}", "]") if (position := rest.find(mark)) > 0]
    width = min(ends, default=len(rest))
    width = len(rest[:width].rstrip()) or width  # a comment may stand apart
    # In braces or brackets, a comma may end the line.
    return width - 1 if width > 1 and rest[:width].endswith((":", ",")) else width
