"""Findings at their place in the text, and the results of documents that are not evaluated.

An API server may print a whole list in the message about each of its items. Findings share such a text, but a
report writes it for each of them, which takes the square of the list's size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from jobsworth.api.meta.object_meta import MAP_KEY
from jobsworth.evaluation.evaluation import TOO_LARGE, Evaluation, merged
from jobsworth.files.repository_root import path_in_project
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import ERROR, INVALID, SKIPPED, VALID, Result
from jobsworth.lint.manifest_rules import PATCH, UNREADABLE
from jobsworth.lint.misidentified import NEAR_MISS, TOP_FIELDS, is_object
from jobsworth.manifests import Document, ManifestError, Note, Position

if TYPE_CHECKING:
    from jobsworth.files.context.kustomize import KustomizePatch

UNKNOWN_FIELD = "JW001"
LITERAL_BLOCK = re.compile(r"\|[-+0-9]{0,2}[ \t]*(#.*)?$")
"""Matches the first line of a literal block scalar, such as ``|-``."""
CONSTANTS = ("true", "false", "null")
"""Keys that kubectl makes of others, such as ``on`` and ``y``."""

MAX_CHARACTERS = 256 * 1024
"""The characters of an object's messages that are reported as they are."""
SHORT = 512
"""The length of a message beyond that limit that is not shortened."""


def located(
    finding: Finding, place: Position, document: Document, policy: str = ""
) -> LocatedFinding:
    """Return a finding with its position and the line there."""
    excerpt = document.source_line(place.line)
    return LocatedFinding(finding, place.line, place.column, excerpt, policy=policy)


def with_located(result: Result, document: Document, evaluation: Evaluation) -> Result:
    """Return the result of a document with the findings of its evaluation, each at its place."""
    if TOO_LARGE in evaluation.unreadable:
        result = result.replace(status=ERROR)
    if not evaluation.known:
        result = result.replace(status=SKIPPED)
    if evaluation.withheld:
        result = result.replace(withheld=evaluation.withheld, unfixable=evaluation.withheld_reason)
    found = [*evaluation.api, *evaluation.lint]
    notes = document.notes
    if not evaluation.known and not is_object(document.value):
        # The workflows of GitHub have a key `on`, which is true in YAML 1.1, and other files have others.
        notes = tuple(note for note in notes if not _is_about_coercion(note))
    if not (found or evaluation.further or notes):
        return result
    places = [
        *(located_in(document, finding) for finding in shortened(found)),
        *(
            further_in(document, finding, evaluation)
            for finding in shortened([*evaluation.further])
        ),
        *(noted(document, note) for note in notes),
    ]
    if evaluation.api and any(each.finding.severity == "error" for each in places):
        result = result.replace(hidden_by=_hiding_fields(document, evaluation))
    if not evaluation.known:
        result = hidden_by_near_miss(result, found)
    if any(each.finding.code == UNKNOWN_FIELD for each in places):
        from jobsworth.files.context.text_hints import with_fallen_text

        places = with_fallen_text(document, places)
    return result.with_findings(places)


def hidden_by_near_miss(result: Result, findings: Iterable[Finding]) -> Result:
    """Return the result of an object of another kind; a wrong kind or apiVersion hides all other findings."""
    for finding in findings:
        if finding.code == NEAR_MISS.code and finding.severity == "error":
            edits = () if finding.fix is None else finding.fix.edits
            return result.replace(hidden_by=[each.field for each in edits] or [finding.field])
    return result


def _hiding_fields(document: Document, evaluation: Evaluation) -> list[str]:
    """Return the fields with decoding errors that hide other findings, in the order of their positions."""
    from jobsworth.evaluation.findings_after_repair import is_decoding_error

    if evaluation.repaired is None:
        return [each.field for each in evaluation.api if is_decoding_error(each) and each.field]

    def place(field: str) -> tuple[int, int]:
        found = document.position(field)
        return found.line, found.column

    return sorted(evaluation.repaired.hides, key=place)


def _is_about_coercion(note: Note) -> bool:
    key = note.field.rpartition(".")[2]
    return note.kind == "coerced-key" or (note.kind == "duplicate-key" and key in CONSTANTS)


def located_in(document: Document, finding: Finding) -> LocatedFinding:
    """Locate a finding: that of an unknown field or a wrong key at the key, others at their value."""
    return located(finding, _place(document, finding.place, finding), document)


def _place(document: Document, field: str, finding: Finding) -> Position:
    place = document.position(field, key=is_about_key(finding))
    return _line_of_block(document, place, finding.line) if finding.line else place


def _line_of_block(document: Document, place: Position, line: int) -> Position:
    """Return the position of a line of a literal block scalar, whose lines are those of its value.

    Args:
        document: has the scalar.
        place: where the scalar begins.
        line: the line of the value, from 0.
    """
    from jobsworth.manifests import Position as At

    if not LITERAL_BLOCK.match(document.source_line(place.line)[place.column - 1 :]):
        return place
    text = document.source_line(place.line + 1 + line)
    return At(place.line + 1 + line, len(text) - len(text.lstrip()) + 1) if text.strip() else place


def further_in(document: Document, finding: Finding, evaluation: Evaluation) -> LocatedFinding:
    """Locate a finding in the repaired copy at the field that the document has."""
    copy = evaluation.repaired
    field = finding.place if copy is None else copy.written_path(finding.place)
    return located(finding, _place(document, field, finding), document).replace(further=True)


def is_about_key(finding: Finding) -> bool:
    """Return True for a finding about the key of its field, such as an unknown field, not about its value."""
    if finding.code == NEAR_MISS.code:
        return finding.field not in TOP_FIELDS
    return finding.code == UNKNOWN_FIELD or finding.rule == MAP_KEY


def noted(document: Document, note: Note) -> LocatedFinding:
    """Return the finding of a note of the parser."""
    from jobsworth.lint.manifest_rules import NOTES  # few files have any

    finding = NOTES[note.kind].finding(note.field, note.message)
    if note.begins_object and document.item is None:
        from jobsworth.evaluation.fixes.fix_scope import not_applied

        if not not_applied(document.value, path_in_project(document.file)):
            fix = Fix("Insert --- before this object", Edit("separate", note.field), safe=True)
            finding = finding.with_fix(fix)
    return located(finding, note.position, document)


def with_violations(result: Result, document: Document, evaluation: Evaluation | None) -> Result:
    """Return an evaluated result with the violations of policies, merged with the other findings."""
    if evaluation is None or result.status not in (VALID, INVALID):
        return result
    violations = evaluation.violations
    if not violations:
        return result
    kept = merged(result.findings, violations, lambda each: each.finding)
    return result.with_findings(
        [
            *kept,
            *(
                located(finding, document.position(finding.field), document, policy)
                for policy, finding in violations
            ),
        ]
    )


def skipped_as_patch(result: Result, document: Document, patch: KustomizePatch) -> Result:
    """Return the result of a document that a kustomization names as a patch: skipped, with a note."""
    note = PATCH.finding("", patch.note(result.kind or "Job", result.name or ""))
    place = located(note, document.position(""), document)
    return result.replace(status=SKIPPED, findings=[place])


def unless_marked_as_patch(result: Result) -> Result:
    """Return a result; skipped with a note if it has a directive of a strategic merge patch."""
    unknown = [each for each in result.findings if each.finding.code == UNKNOWN_FIELD]
    if not any("$" in each.finding.field for each in unknown):
        return result
    from jobsworth.files.context.kustomize import DIRECTIVE_NOTE, directive_in

    directive = directive_in(each.finding.field for each in unknown)
    if not directive:
        return result
    note = PATCH.finding("", DIRECTIVE_NOTE.format(directive=directive))
    return result.replace(status=SKIPPED, findings=[unknown[0].with_finding(note)])


def unreadable(error: ManifestError, document: Document | None = None) -> Result:
    """Return the result for an unreadable file or document."""
    finding = UNREADABLE.finding("", error.message)
    excerpt = document.source_line(error.line) if document is not None else ""
    if "\0" in excerpt:  # binary data, or text that is not UTF-8
        excerpt = ""
    return Result(
        file=error.file,
        document=document.index if document is not None else 0,
        status=ERROR,
        findings=[LocatedFinding(finding, error.line or None, error.column or None, excerpt)],
    )


def shortened(findings: list[Finding]) -> list[Finding]:
    """Return the findings; beyond :data:`MAX_CHARACTERS` of text, a long message loses its middle."""
    total = 0
    for index, finding in enumerate(findings):
        total += sum(map(len, finding.parts))
        if total > MAX_CHARACTERS:
            return [*findings[:index], *map(_short, findings[index:])]
    return findings


def _short(finding: Finding) -> Finding:
    length = sum(map(len, finding.parts))
    if length <= SHORT:
        return finding
    half = SHORT // 2
    # Parts may be shared by thousands of findings: read only what is kept of them.
    head = "".join(part[:half] for part in finding.parts)[:half]
    tail = "".join(part[-half:] for part in finding.parts)[-half:]
    return finding.with_message(f"{head}… ({length - SHORT:,} characters omitted) …{tail}")
