"""The JSON report of ``jobsworth validate`` and ``jobsworth audit``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from jobsworth.documents.declared import (
    Meta,
    Report,
    Schema,
    absent,
    doc,
    report_schema,
    report_text,
)
from jobsworth.findings import finding, fix, located_finding, result, summary
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.lint.lint_rule import CONFIDENCES
from jobsworth.reports.statistics import counts

Number = Annotated[int, Meta(ge=0)]
Position = Annotated[int, Meta(ge=1)]
Severity = Annotated[str, Meta(more={"enum": list(finding.SEVERITIES)})]
Confidence = Annotated[str, Meta(more={"enum": list(CONFIDENCES)})]


class Template(Report):
    """The template that rendered a document."""

    file: Annotated[str, doc("The template.")]


class TemplatePlace(Template):
    """A place in a template."""

    line: Position | None
    column: Position | None
    overlay: Annotated[str | None, doc("The overlay that was built.")] = absent()
    resource: Annotated[
        str | None,
        doc(
            "The file of the resource, where `file` is a patch or a kustomization; the template, where it is "
            "a file of values."
        ),
    ] = absent()
    values: Annotated[
        str | None, doc("The file of values (ci/*-values.yaml) that the chart was rendered with.")
    ] = absent()


class Edit(Report):
    """A change of one field."""

    action: Literal["Set", "Delete", "Rename", "Move", "Insert", "Separate"]
    field: str
    value: Any


class Fix(Report):
    """Edits that together resolve a finding."""

    title: Annotated[str, doc("The effect, in the imperative.")]
    safe: Annotated[bool, doc("True if --fix applies it without --unsafe.")]
    edits: Annotated[list[Edit], doc("In the order in which they are applied.")]


class Finding(Report):
    """A finding."""

    source: Annotated[
        Literal["api", "child", "policy", "lint"],
        doc(
            "api: validation of the API server; child: the Pods of the Job; policy: a JobPolicy; "
            "lint: jobsworth."
        ),
    ]
    severity: Severity
    code: Annotated[str, Meta(pattern="^J[WP][0-9]{3}$")]
    field: Annotated[
        str, doc("The field path as Kubernetes writes it; empty for the whole object.")
    ]
    reason: Annotated[str, doc("The API server's cause, or the name of the lint rule.")]
    message: Annotated[str, doc("For an API finding, the words of the server.")]
    hint: Annotated[str | None, doc("Advice that the server does not give.")] = absent()
    fix: Fix | None = absent()
    confidence: Annotated[
        Confidence | None,
        doc(
            "How sure a lint rule is: certain by the behavior of Kubernetes, likely, or an opinion."
        ),
    ] = absent()
    further: Annotated[
        Literal[True] | None,
        doc("The API server reports it after the decoding errors are fixed."),
    ] = absent()
    policy: Annotated[
        str | None, doc("The JobPolicy or ValidatingAdmissionPolicy that reports it.")
    ] = absent()
    origin: Annotated[
        TemplatePlace | None,
        doc(
            "The place in the template, if the manifest was rendered from one; line and column are null "
            "if they are unknown."
        ),
    ] = absent()


class FindingInText(Finding):
    """A finding in a document."""

    line: Position | None
    column: Position | None


class Attempt(Report):
    """An attempted fix."""

    code: str
    field: str
    title: str
    line: int | None
    refused: Annotated[str | None, doc("Why it was not applied.")] = absent()


class Result(Report):
    """The result of a document or object."""

    file: Annotated[
        str | None,
        doc("The file as named or found, or <stdin>; absent for an object of a cluster."),
    ] = absent()
    document: Annotated[Number | None, doc("The document's position in its file, from 0.")] = (
        absent()
    )
    origin: Annotated[
        Template | None,
        doc("The template of a chart that rendered the document from standard input."),
    ] = absent()
    item: Annotated[Number | None, doc("The position in a List, from 0.")] = absent()
    kind: Annotated[str | None, doc("The object's kind; null if it has none or is unreadable.")]
    namespace: Annotated[str | None, doc("The namespace in the manifest.")]
    name: Annotated[str | None, doc("The name in the manifest.")]
    status: Annotated[
        str,
        Meta(
            "valid or invalid: a Job or CronJob without or with an error; skipped: another kind, or no "
            "manifest to apply; error: unreadable.",
            more={"enum": list(result.STATUSES)},
        ),
    ]
    fails: Annotated[bool, doc("True if the document makes the exit code 1 or 2.")]
    findings: Annotated[
        list[FindingInText | Finding],
        doc("In the order of their positions; without line and column in a cluster."),
    ]
    hidden_by: Annotated[
        list[str] | None,
        doc("The fields whose errors hide others: lint findings, and errors that depend on them."),
    ] = absent()
    known_errors: Annotated[
        Number | None, doc("The errors of a valid or invalid object that the baseline holds.")
    ] = absent()
    fixed: Annotated[list[Attempt] | None, doc("The fixes that --fix applied.")] = absent()
    not_fixed: Annotated[list[Attempt] | None, doc("The fixes that were rejected.")] = absent()


class Severities(Report):
    """The findings by severity."""

    error: Number
    warning: Number
    info: Number


class Summary(Report):
    """The counts of a run."""

    files: Annotated[Number | None, doc("Files read; absent for a cluster.")] = absent()
    namespaces: Annotated[Number | None, doc("Namespaces audited; absent for files.")] = absent()
    valid: Annotated[Number, doc("Documents with the status valid.")]
    invalid: Annotated[Number, doc("Documents with the status invalid.")]
    known_invalid: Annotated[
        Number | None, doc("Documents among the valid ones of which the baseline holds errors.")
    ] = absent()
    skipped: Annotated[Number, doc("Documents with the status skipped.")]
    error: Annotated[Number, doc("Documents with the status error.")]
    findings: Severities
    excluded_files: Annotated[Number, doc("Files that a configuration or --exclude excludes.")]
    hidden_folders: Annotated[Number, doc("Hidden folders that were not searched.")]
    exit_code: Annotated[int, Meta(more={"enum": [0, 1, 2]})]


class CodeCount(Report):
    """The findings of a code."""

    count: Annotated[Number, doc("Findings with the code.")]
    severity: Severity
    code: str
    name: str
    fixable: Annotated[Number, doc("Findings with a fix.")]


class FindingsReport(Report):
    """The results of a run."""

    version: Annotated[Literal[1], doc("The version of this structure.")] = 1
    results: Annotated[list[Result], doc("One per document or item of a List, in input order.")]
    summary: Summary
    statistics: Annotated[
        list[CodeCount] | None, doc("With --statistics: the most frequent code first.")
    ] = absent()


def findings_schema() -> Schema:
    """Return the JSON Schema of the report."""
    names = {
        Result: "result",
        FindingInText: "finding",
        Finding: "finding_in_cluster",
        Fix: "fix",
        Attempt: "attempt",
        Summary: "summary",
        CodeCount: "count",
    }
    return report_schema(
        "The JSON report of jobsworth validate and jobsworth audit", FindingsReport, names
    )


def render(
    results: Sequence[result.Result],
    *,
    statistics: bool = False,
    omissions: summary.Omissions | None = None,
) -> str:
    """Render all results in input order with a summary, and optionally counts by code."""
    found = (located for each in results for located in each.findings)
    counted = [CodeCount(**row) for row in counts(found)] if statistics else None
    report = FindingsReport(
        results=[_result(each) for each in results],
        summary=_summary(results, omissions),
        statistics=counted,
    )
    return report_text(report)


def _summary(results: Sequence[result.Result], omissions: summary.Omissions | None) -> Summary:
    found = summary.Summary(results, omissions)
    return Summary(
        files=None if found.namespaces else found.files,
        namespaces=found.namespaces or None,
        **found.documents,
        known_invalid=found.known_invalid or None,
        findings=Severities(**found.findings),
        excluded_files=len(found.omissions.excluded),
        hidden_folders=len(found.omissions.hidden),
        exit_code=result.exit_code(results),
    )


def _result(found: result.Result) -> Result:
    origin = found.origin
    fixed = [_attempt(each) for each in found.attempts if not each.reason]
    not_fixed = [_attempt(each) for each in found.attempts if each.reason]
    return Result(
        file=None if found.in_cluster else found.file,
        document=None if found.in_cluster else found.document,
        origin=None if origin is None else Template(file=origin.file),
        item=found.item,
        kind=found.kind,
        namespace=found.namespace,
        name=found.name,
        status=found.status,
        fails=found.fails,
        findings=[
            _finding(located) if found.in_cluster else finding_report(located)
            for located in found.findings
        ],
        hidden_by=list(found.hidden_by) or None,
        known_errors=found.known_errors or None,
        fixed=fixed or None,
        not_fixed=not_fixed or None,
    )


def _attempt(attempt: located_finding.FixAttempt) -> Attempt:
    found = attempt.located.finding
    return Attempt(
        code=found.code,
        field=found.field,
        title=found.fix.title if found.fix is not None else "",
        line=attempt.located.line,
        refused=attempt.reason or None,
    )


def finding_report(located: located_finding.LocatedFinding) -> FindingInText:
    """Return the report of a finding in a document."""
    line, column = located.line, located.column
    return FindingInText(**vars(_finding(located)), line=line, column=column)


def _finding(located: located_finding.LocatedFinding) -> Finding:
    found, origin = located.finding, located.origin
    entry = CATALOGUE.get(found.code)
    sure = entry.confidence if entry is not None else None
    return Finding(
        source=found.source,
        severity=found.severity,
        code=found.code,
        field=found.field,
        reason=found.reason,
        message=found.message,
        hint=found.hint or None,
        fix=None if found.fix is None else _fix(found.fix),
        confidence=sure,
        further=True if located.further else None,
        policy=located.policy or None,
        origin=None
        if origin is None
        else TemplatePlace(
            file=origin.file,
            line=origin.line,
            column=origin.column,
            overlay=origin.overlay or None,
            resource=origin.resource or None,
            values=origin.values or None,
        ),
    )


def _fix(found: fix.Fix) -> Fix:
    return Fix(title=found.title, safe=found.safe, edits=[_edit(each) for each in found.edits])


def _edit(edit: fix.Edit) -> Edit:
    action: Any = edit.action.capitalize()
    return Edit(action=action, field=edit.field, value=edit.value)
