"""Insert missing separators between the objects of a file, before any other fix.

Such a fix makes two documents of one, so it cannot be an edit of a document's value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jobsworth.findings.located_finding import FixAttempt, LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.manifests import read_text
from jobsworth.record import Record

Number = tuple[int, int | None]

SEPARATOR = "---"


class SeparatedFile(Record):
    """A file's bytes with separators, and the attempts by the number of the document that each begins."""

    data: bytes
    attempts: dict[Number, list[FixAttempt]]


def is_separation(located: LocatedFinding) -> bool:
    """Return True for a finding whose fix inserts a separator before its line."""
    fix = located.finding.fix
    return fix is not None and any(edit.action == "separate" for edit in fix.edits)


def with_separators(
    file: str,
    data: bytes,
    results: Sequence[Result],
    reported: Callable[[Result, LocatedFinding], bool],
) -> SeparatedFile:
    """Return a file with its missing separators; unchanged if the documents could not be read then.

    Args:
        file: the file, as results name it.
        data: its bytes.
        results: its findings.
        reported: returns True for a finding that the user sees; no other is fixed.
    """
    found = [
        (result.document, located)
        for result in results
        for located in result.findings
        if is_separation(located) and located.line is not None and reported(result, located)
    ]
    if not found:
        return SeparatedFile(data, {})
    lines = data.split(b"\n")
    ending = b"\r" if lines[0].endswith(b"\r") else b""
    for _, located in sorted(found, key=lambda each: each[1].line or 0, reverse=True):
        lines.insert(first_line(lines, located.line or 1) - 1, SEPARATOR.encode() + ending)
    changed = b"\n".join(lines)
    before, after = (read_text(each, file) for each in (data, changed))
    if len({each.index for each in after}) != len({each.index for each in before}) + len(found):
        return SeparatedFile(data, {})
    if any(each.error is not None for each in after):
        return SeparatedFile(data, {})
    attempts: dict[Number, list[FixAttempt]] = {}
    for inserted, (document, located) in enumerate(found, 1):
        attempts[document + inserted, None] = [FixAttempt(located)]
    return SeparatedFile(changed, attempts)


def first_line(lines: Sequence[bytes], line: int) -> int:
    """Return the number of the first comment line directly above a line, which belongs to the same object."""
    while line > 1 and lines[line - 2].startswith(b"#"):
        line -= 1
    return line
