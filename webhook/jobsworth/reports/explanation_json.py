"""Explanations of failure policies as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from jobsworth.lint.matched_failures import ANY_OTHER_CODE
from jobsworth.printable import printable_json
from jobsworth.reports.explanation_text import never_applies
from jobsworth.whatif.explanation.failure_outcome import failed_index_limits
from jobsworth.whatif.explanation.outcome_wording import effect

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from jobsworth.whatif.explanation.decision_rows import CodeRow, NamedRow, Results
    from jobsworth.whatif.explanation.explanation import (
        ExplainedObject,
        ExplainedRule,
        Explanation,
        FailureExplanation,
    )
    from jobsworth.whatif.explanation.failure_outcome import Outcome
    from jobsworth.whatif.explanation.rule_trace import RuleTrace


VERSION = 1
"""The version of the structure; a new key keeps it."""


def render(explanations: Sequence[Explanation | FailureExplanation]) -> str:
    """Render all explanations as one object.

    A row has ``outcome``; in a comparison ``before``, ``after`` and ``changed`` instead. An outcome is null
    if the Job has no such container. Exit codes are ranges ``[first, last]``; ``"other"`` stands for all
    codes that no rule names (Windows).
    """
    from jobsworth.whatif.explanation.explanation import Explanation

    jobs = [
        _explanation(each) if isinstance(each, Explanation) else _failures(each)
        for each in explanations
    ]
    return printable_json(
        json.dumps({"version": VERSION, "jobs": jobs}, indent=2, ensure_ascii=False)
    )


def _explanation(explanation: Explanation) -> dict[str, Any]:
    compared = explanation.before is not None
    described = _object(explanation.object)
    if compared:
        described["changed"] = explanation.changed
        described["updates"] = [*explanation.updates]
    if explanation.before is not None:
        described["settings_before"] = _settings(explanation.before)
    described["settings"] = _settings(explanation.facts)
    described["failed_index_limits"] = [
        {"count": limit.count, "reason": limit.reason, "at_once": limit.at_once}
        for limit in failed_index_limits(explanation.job.job)
    ]
    described["rules"] = [_rule(rule) for rule in explanation.rules]
    described["exit_codes"] = [_code_row(row) for row in explanation.table.codes]
    described["causes"] = [_named_row(row) for row in explanation.table.named]
    return described


def _settings(facts: Sequence[tuple[str, str]]) -> dict[str, str]:
    return {name.replace(" ", "_").replace("-", "_"): value for name, value in facts}


def _failures(explanation: FailureExplanation) -> dict[str, Any]:
    return {
        **_object(explanation.object),
        "rules": [_rule(rule) for rule in explanation.rules],
        "failures": [_trace(trace) for trace in explanation.traces],
    }


def _object(about: ExplainedObject) -> dict[str, Any]:
    return {
        "file": about.file,
        "line": about.line,
        "kind": about.kind,
        "namespace": about.namespace or None,
        "name": about.name or None,
        **({"part": about.part} if about.part else {}),
        "kubernetes": about.release,
    }


def _rule(rule: ExplainedRule) -> dict[str, Any]:
    described: dict[str, Any] = {
        "name": rule.name,
        "action": rule.action,
        "requirement": rule.requirement,
        "lines": None if rule.lines is None else [rule.lines.first, rule.lines.last],
    }
    never = never_applies(rule)
    if never:
        described["never"] = never
    return described


def _code_row(row: CodeRow) -> dict[str, Any]:
    return {
        "containers": list(row.containers),
        "codes": [_code_range(first, last) for first, last in row.codes],
        "without_code": row.without_code,
        "condition": row.condition or None,
        "reason": row.reason or None,
        **_outcomes(row.outcomes, changed=row.changed),
    }


def _named_row(row: NamedRow) -> dict[str, Any]:
    described: dict[str, Any] = {
        "cause": None if row.cause is None else row.cause.name,
        "title": row.title,
        "containers": list(row.containers),
        "codes": ["other" if code == ANY_OTHER_CODE else code for code in sorted(row.codes)],
        "reachable": row.reachable,
    }
    if row.cause is not None and row.cause.note:
        described["note"] = row.cause.note
    return {**described, **_outcomes(row.outcomes, changed=row.changed)}


def _code_range(first: int, last: int) -> Any:
    return "other" if first == ANY_OTHER_CODE else [first, last]


def _outcomes(outcomes: Results, *, changed: bool) -> dict[str, Any]:
    if len(outcomes) == 1:
        return {"outcome": _outcome(outcomes[0])}
    before, after = map(_outcome, outcomes)
    return {"changed": changed, "before": before, "after": after}


def _outcome(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    failure = outcome.job_failure
    return {
        "kind": outcome.kind,
        "rule": outcome.rule,
        "annotation": outcome.by_annotation,
        "action": outcome.action,
        "counted": outcome.counted,
        "job_fails_after": None if failure is None else failure.after,
        "job_failure_reason": None if failure is None else failure.reason,
        "index_fails_after": outcome.index_failure,
        "failed_index_fails_job": _when(outcome),
        "replaced_after_seconds": outcome.delay,
        "text": effect(outcome),
    }


def _when(outcome: Outcome) -> str | None:
    """Return when the first failed index fails the Job: ``at once`` or ``no index left``."""
    limit = outcome.failed_index
    return None if limit is None else "at once" if limit.at_once else "no index left"


def _trace(trace: RuleTrace) -> dict[str, Any]:
    return {
        "failure": trace.failure,
        "steps": [
            {
                "rule": step.name,
                "action": step.action,
                "matches": step.matches,
                "because": step.because,
            }
            for step in trace.steps
        ],
        "outcome": _outcome(trace.outcome),
        "consequences": list(trace.consequences),
    }
