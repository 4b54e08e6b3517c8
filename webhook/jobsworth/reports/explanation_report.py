"""The JSON report of ``jobsworth explain``: explanations of failure policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from jobsworth.documents.declared import Meta, Report, Schema, absent, doc, report_schema
from jobsworth.lint.matched_failures import ANY_OTHER_CODE
from jobsworth.reports.explanation_text import never_applies
from jobsworth.runs.cause import Cause
from jobsworth.runs.explanation import decision_rows, failure_outcome
from jobsworth.runs.explanation.explanation import (
    ExplainedObject,
    ExplainedRule,
    Explanation,
    FailureExplanation,
)
from jobsworth.runs.explanation.failure_outcome import failed_index_limits
from jobsworth.runs.explanation.outcome_wording import effect
from jobsworth.runs.explanation.rule_trace import RuleTrace

Number = Annotated[int, Meta(ge=0)]
Action = Annotated[str, Meta(more={"enum": ["FailJob", "FailIndex", "Ignore", "Count"]})]
Other = Literal["Other"]
"""Stands for all exit codes that no rule names (Windows)."""
Codes = Annotated[list[int], Meta(min_length=2, max_length=2)]
Settings = Annotated[dict[str, str], doc("The behavior outside of rules, in words, by its name.")]


class Outcome(Report):
    """The consequences of a failed Pod."""

    kind: Literal["Failed", "Restarted", "Terminating", "Pending", "Succeeded"]
    rule: Annotated[Number | None, doc("The index of the rule; null without a match.")]
    annotation: Annotated[bool, doc("The rule is one of the annotation that extends the API.")]
    action: Action | None
    counted: Annotated[bool, doc("It counts towards the backoff limits.")]
    job_fails_after: Annotated[
        Number | None,
        doc("The number of such failures that fails the Job; null if none does."),
    ]
    job_failure_reason: Annotated[str | None, doc("The reason of its Failed condition.")]
    index_fails_after: Annotated[
        Number | None, doc("Failures of one index that fail it; null without such a limit.")
    ]
    failed_index_fails_job: Literal["AtOnce", "NoIndexLeft"] | None
    replaced_after_seconds: Annotated[
        float | None, doc("From the end of the first such Pod; null if it is not replaced.")
    ]
    text: Annotated[str, doc("What follows, in words.")]


class OneOutcome(Report):
    """The outcome of a row of a table."""

    outcome: Annotated[Outcome | None, doc("Null without such a container.")]


class TwoOutcomes(Report):
    """The outcomes of a row in a comparison."""

    changed: Annotated[bool, doc("The outcomes differ.")]
    before: Annotated[Outcome | None, doc("Null without such a container.")]
    after: Annotated[Outcome | None, doc("Null without such a container.")]


class CodeRow(Report):
    """Exit codes with the same outcome."""

    containers: Annotated[list[str], doc("Empty for all.")]
    codes: Annotated[
        list[Codes | Other],
        doc("Ranges of exit codes; Other stands for all that no rule names (Windows)."),
    ]
    without_code: Annotated[bool, doc("Also Pods of which no container ended with an exit code.")]
    condition: Annotated[str | None, doc("The Pod's condition, as type=status.")]
    reason: Annotated[str | None, doc("The termination reason.")]


class CodeResult(OneOutcome, CodeRow):
    """Exit codes, and what follows."""


class CodeComparison(TwoOutcomes, CodeRow):
    """Exit codes, and what follows before and after a change."""


class NamedRow(Report):
    """An exit code or a cause that users meet."""

    cause: Annotated[Cause | None, doc("The cause; null for an exit code.")]
    title: Annotated[str, doc("Its name for users.")]
    containers: Annotated[list[str], doc("Empty for all.")]
    codes: Annotated[list[int | Other], doc("Exit codes with this outcome.")]
    reachable: Annotated[bool, doc("Some rule could match.")]
    note: Annotated[str | None, doc("What to know about the cause.")] = absent()


class NamedResult(OneOutcome, NamedRow):
    """A cause, and what follows."""


class NamedComparison(TwoOutcomes, NamedRow):
    """A cause, and what follows before and after a change."""


class Rule(Report):
    """A rule of the failure policy."""

    name: Annotated[str, doc("Such as rules[0]; annotation rules[0] for one of the annotation.")]
    action: Action
    requirement: Annotated[str, doc("What it requires of a Pod, as a clause.")]
    lines: Annotated[list[int] | None, doc("The first and last line.")]
    never: Annotated[str | None, doc("Why it never applies.")] = absent()


class Step(Report):
    """The evaluation of a rule for one failure."""

    rule: Annotated[str, doc("Its name, such as rules[0].")]
    action: Action
    matches: Annotated[bool | None, doc("Null after the first that matches: it is not evaluated.")]
    because: Annotated[str, doc("The reason, as a clause; empty if it is not evaluated.")]


class Trace(OneOutcome):
    """The way of one failure through the rules."""

    failure: Annotated[str, doc("The failure in words.")]
    steps: Annotated[list[Step], doc("The rules, in the order of evaluation.")]
    consequences: Annotated[list[str], doc("What follows, in sentences.")]
    causes: Annotated[
        list[NamedResult] | None,
        doc("What an exit code may be, and what follows then; null without one."),
    ] = absent()


class ExplainedObjectReport(Report):
    """An object."""

    file: str
    line: Annotated[Number | None, doc("The line at which it begins.")]
    kind: Annotated[str, doc("Kind of the object, such as Job, CronJob or JobSet.")]
    namespace: Annotated[str | None, doc("Null if the manifest has none.")]
    name: Annotated[str | None, doc("Null for generateName.")]
    part: Annotated[
        str | None, doc("The part of the object that makes the Job, such as a ReplicatedJob.")
    ] = absent()
    kubernetes: Annotated[str, doc("The release whose behavior it is, such as 1.36.")]
    rules: Annotated[list[Rule], doc("In the order of evaluation.")]


class Limit(Report):
    """A number of failed indexes that fails the Job."""

    count: Annotated[Number, doc("Failed indexes.")]
    reason: Annotated[str, doc("The reason of the Job's Failed condition.")]
    at_once: Annotated[bool, doc("While other indexes are left.")]


class ExplainedJobReport(ExplainedObjectReport):
    """The decisions of a Job about its failures."""

    changed: Annotated[bool | None, doc("In a comparison: the behavior differs.")] = absent()
    updates: Annotated[
        list[str] | None,
        doc("In a comparison of CronJobs: runs that the update starts or leaves out."),
    ] = absent()
    settings_before: Settings | None = absent()
    settings: Settings
    failed_index_limits: Annotated[
        list[Limit], doc("The numbers of failed indexes that fail the Job.")
    ]
    exit_codes: Annotated[
        list[CodeResult | CodeComparison], doc("Every exit code is in one row of its container.")
    ]
    causes: Annotated[
        list[NamedResult | NamedComparison], doc("Exit codes and causes that users meet.")
    ]


class ExplainedFailuresReport(ExplainedObjectReport):
    """The way of some failures through the rules."""

    failures: Annotated[list[Trace], doc("With --exit-code, --reason or --condition.")]


class ExplanationReport(Report):
    """Explanations."""

    version: Annotated[Literal[1], doc("The version of this structure.")] = 1
    jobs: Annotated[
        list[ExplainedJobReport | ExplainedFailuresReport], doc("In the order of the input.")
    ]


def explanation_schema() -> Schema:
    """Return the JSON Schema of the report."""
    names = {
        ExplainedJobReport: "explanation",
        ExplainedFailuresReport: "failures",
        Rule: "rule",
        Outcome: "outcome",
    }
    return report_schema("The JSON report of jobsworth explain", ExplanationReport, names)


def explanation_report(
    explanations: Sequence[Explanation | FailureExplanation],
) -> ExplanationReport:
    """Return the report of explanations."""
    jobs = [
        _explanation(each) if isinstance(each, Explanation) else _failures(each)
        for each in explanations
    ]
    return ExplanationReport(jobs=jobs)


def _explanation(explanation: Explanation) -> ExplainedJobReport:
    before = explanation.before
    limits = failed_index_limits(explanation.job.job)
    return ExplainedJobReport(
        **_object(explanation.object, explanation.rules),
        changed=None if before is None else explanation.changed,
        updates=None if before is None else [*explanation.updates],
        settings_before=None if before is None else _settings(before),
        settings=_settings(explanation.facts),
        failed_index_limits=[
            Limit(count=limit.count, reason=limit.reason, at_once=limit.at_once) for limit in limits
        ],
        exit_codes=[_code_row(row) for row in explanation.table.codes],
        causes=[_named_row(row) for row in explanation.table.named],
    )


def _settings(facts: Sequence[tuple[str, str]]) -> dict[str, str]:
    return {name.replace(" ", "_").replace("-", "_"): value for name, value in facts}


def _failures(explanation: FailureExplanation) -> ExplainedFailuresReport:
    return ExplainedFailuresReport(
        **_object(explanation.object, explanation.rules),
        failures=[_trace(trace) for trace in explanation.traces],
    )


def _object(about: ExplainedObject, rules: Sequence[ExplainedRule]) -> dict[str, Any]:
    return {
        "file": about.file,
        "line": about.line,
        "kind": about.kind,
        "namespace": about.namespace or None,
        "name": about.name or None,
        "part": about.part or None,
        "kubernetes": about.release,
        "rules": [_rule(rule) for rule in rules],
    }


def _rule(rule: ExplainedRule) -> Rule:
    return Rule(
        name=rule.name,
        action=rule.action,
        requirement=rule.requirement,
        lines=None if rule.lines is None else [rule.lines.first, rule.lines.last],
        never=never_applies(rule) or None,
    )


def _code_row(row: decision_rows.CodeRow) -> CodeResult | CodeComparison:
    described: dict[str, Any] = {
        "containers": list(row.containers),
        "codes": [
            "Other" if first == ANY_OTHER_CODE else [first, last] for first, last in row.codes
        ],
        "without_code": row.without_code,
        "condition": row.condition or None,
        "reason": row.reason or None,
    }
    if len(row.outcomes) == 1:
        return CodeResult(**described, outcome=_outcome(row.outcomes[0]))
    before, after = map(_outcome, row.outcomes)
    return CodeComparison(**described, changed=row.changed, before=before, after=after)


def _named_row(row: decision_rows.NamedRow) -> NamedResult | NamedComparison:
    if len(row.outcomes) == 1:
        return _named_result(row)
    before, after = map(_outcome, row.outcomes)
    return NamedComparison(**_described(row), changed=row.changed, before=before, after=after)


def _named_result(row: decision_rows.NamedRow) -> NamedResult:
    return NamedResult(**_described(row), outcome=_outcome(row.outcomes[0]))


def _described(row: decision_rows.NamedRow) -> dict[str, Any]:
    return {
        "cause": None if row.cause is None else row.cause.name,
        "title": row.title,
        "containers": list(row.containers),
        "codes": ["Other" if code == ANY_OTHER_CODE else code for code in sorted(row.codes)],
        "reachable": row.reachable,
        "note": (row.cause and row.cause.note) or None,
    }


def _outcome(outcome: failure_outcome.Outcome | None) -> Outcome | None:
    if outcome is None:
        return None
    failure, limit = outcome.job_failure, outcome.failed_index
    kind: Any = outcome.kind.capitalize()
    return Outcome(
        kind=kind,
        rule=outcome.rule,
        annotation=outcome.by_annotation,
        action=outcome.action,
        counted=outcome.counted,
        job_fails_after=None if failure is None else failure.after,
        job_failure_reason=None if failure is None else failure.reason,
        index_fails_after=outcome.index_failure,
        failed_index_fails_job=None
        if limit is None
        else "AtOnce"
        if limit.at_once
        else "NoIndexLeft",
        replaced_after_seconds=outcome.delay,
        text=effect(outcome),
    )


def _trace(trace: RuleTrace) -> Trace:
    return Trace(
        failure=trace.failure,
        steps=[
            Step(rule=step.name, action=step.action, matches=step.matches, because=step.because)
            for step in trace.steps
        ],
        outcome=_outcome(trace.outcome),
        consequences=list(trace.consequences),
        causes=[_named_result(row) for row in trace.causes] or None,
    )
