"""The report for GitHub Actions: workflow commands, which become pull request annotations.

GitHub shows at most ten annotations of each kind per step (documentation of workflow commands). Use the
SARIF report for many findings.
"""

from __future__ import annotations

from collections.abc import Iterator

from jobsworth.findings.finding_place import place_of, rendered_note
from jobsworth.findings.result import Result
from jobsworth.printable import printable

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
_IN_MESSAGES = {"%": "%25"}
_IN_PROPERTIES = {**_IN_MESSAGES, ":": "%3A", ",": "%2C"}


def render(result: Result, *, infos: bool = True) -> Iterator[str]:
    """Return the workflow commands for one result: ``::error file=…,line=…,col=…,title=…::message``.

    Args:
        result: the findings of a document.
        infos: show info findings, which require no action.
    """
    for located in result.findings:
        finding = located.finding
        if not result.shows(finding, infos=infos):
            continue
        properties = {}
        # Neither standard input nor a cluster's object is a file of the repository.
        place = place_of(result, located)
        if not (result.in_cluster or place.file.startswith("<")):
            properties["file"] = place.file.replace("\\", "/").removeprefix("./")
            if place.line is not None:
                properties["line"] = str(place.line)
                properties["col"] = str(place.column)
        properties["title"] = f"{finding.code} {finding.reason}"
        written = ",".join(
            f"{name}={_escaped(value, _IN_PROPERTIES)}" for name, value in properties.items()
        )
        field = f"{finding.written_field}: " if finding.field else ""
        hint = f" ({finding.hint})" if finding.hint else ""
        subject = f"{result.file}: " if result.in_cluster else ""
        text = f"{subject}{field}{finding.short_message}{hint}{rendered_note(result, place)}"
        message = _escaped(text, _IN_MESSAGES)
        yield f"::{_COMMANDS[finding.severity]} {written}::{message}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    return "".join(escapes.get(character, character) for character in printable(text))
