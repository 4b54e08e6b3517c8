"""Jobs that are texts in an object of another kind, such as a step of an Argo Workflow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.files.located_findings import UNKNOWN_FIELD, with_violations
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import INVALID, SKIPPED, VALID, Result
from jobsworth.kinds.children import templates_at
from jobsworth.kinds.kind_table import ABOUT_APPLYING, SHIPPED, KindTable
from jobsworth.manifests import Document, Position, read_text

Evaluate = Callable[[Document], tuple[Result, Evaluation | None]]

PLACEHOLDER = "{{"
"""A text with it is not a manifest before the workflow runs."""
MAX_BLANK_LINES = 100
_BLOCK_SCALAR = re.compile(r"[|][-+0-9]*\s*(?:#.*)?$")


def with_embedded_jobs(
    result: Result, document: Document, table: KindTable | None, evaluate: Evaluate
) -> Result:
    """Return the result of an object with the findings about the manifests in its texts.

    An object with a Job in a text is one of the validated objects, also if the Job has no error.

    Args:
        result: the result.
        document: the document with the object.
        table: the kinds that contain templates; None for the shipped ones.
        evaluate: evaluates a document.
    """
    value = document.value
    if not isinstance(value, dict):
        return result
    kind = (table or SHIPPED).unvalidated_kind(value.get("apiVersion"), value.get("kind"))
    if kind is None:
        return result
    found, validated = list(result.findings), False
    for pattern in kind.manifests:
        for place in templates_at(value, pattern):
            if isinstance(place.value, str) and PLACEHOLDER not in place.value:
                applied = place.siblings.get("action") == "apply"
                for inner in read_text(place.value.encode(), document.file):
                    judged, evaluation = evaluate(inner)
                    validated |= judged.status in (VALID, INVALID)
                    found += (
                        each
                        for each in _at_place(
                            document, place.path, with_violations(judged, inner, evaluation)
                        )
                        if applied or each.finding.code not in ABOUT_APPLYING
                    )
    if validated and result.status == SKIPPED:
        result = result.replace(status=VALID)
    return result.with_findings(found) if len(found) > len(result.findings) else result


def _at_place(document: Document, path: str, inner: Result) -> Iterator[LocatedFinding]:
    """Yield the findings of an object in a text of a document, at their place in the document."""
    place = document.position(path)
    begin = _begin_of_lines(document, place)
    for located in inner.findings:
        line, column = place.line, place.column
        if begin is not None:
            line, column = (
                begin.line + (located.line or 1),
                begin.column + (located.column or 1),
            )
        finding = located.finding
        where = f"{finding.field}: " if finding.field else ""
        if finding.code == UNKNOWN_FIELD:  # whose message has the path
            where = ""
        yield located.replace(
            finding=finding.changed(
                source="child" if finding.source == "api" else finding.source,
                field=path,
                message=f"{where}{finding.message}",
                fix=None,
                entry="",
            ),
            line=line,
            column=column,
            excerpt=document.source_line(line),
            changes=(),
        )


def _begin_of_lines(document: Document, place: Position) -> Position | None:
    """Return the line before a block scalar's lines and the column before them; None for other texts."""
    if not _BLOCK_SCALAR.match(document.source_line(place.line)[place.column - 1 :]):
        return None
    number = place.line + 1
    first = document.source_line(number)
    while not first.strip() and number <= place.line + MAX_BLANK_LINES:
        number += 1
        first = document.source_line(number)
    return Position(place.line, len(first) - len(first.lstrip(" ")))
