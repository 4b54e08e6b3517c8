"""The concise report for editors and scripts: one line per finding."""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.findings.finding_place import place_of, rendered_note
from jobsworth.findings.result import Result
from jobsworth.printable import printable

FURTHER = " (hidden by the API server until the errors above are fixed)"
"""The end of a line about something that the API server does not reach yet."""


def render(result: Result, *, infos: bool = True) -> Iterator[str]:
    """Return the lines for one result: ``file:line:column: severity code field: message``.

    Args:
        result: the findings of a document.
        infos: show info findings, which require no action.
    """
    for located in result.findings:
        finding = located.finding
        if not result.shows(finding, infos=infos):
            continue
        place = place_of(result, located)
        field = f"{finding.written_field}: " if finding.field else ""
        hint = f" ({finding.hint})" if finding.hint else ""
        further = FURTHER if located.further else ""
        yield printable(
            f"{place}: {finding.severity} {finding.code} {field}{finding.short_message}{hint}{further}"
            f"{rendered_note(result, place)}"
        )
