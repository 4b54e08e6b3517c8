"""The JSON Schema of the JSON report of ``jobsworth explain``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.reports.explanation_json import VERSION
from jobsworth.reports.report_schema_parts import (
    DIALECT,
    POD_FAILURE_ACTIONS,
    list_schema,
    number_or_null_schema,
    number_schema,
    object_schema,
    or_null_schema,
    text_or_null_schema,
    text_schema,
    version_schema,
)

if TYPE_CHECKING:
    from typing import Any


def explanation_schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    described = {"anyOf": [{"$ref": "#/$defs/explanation"}, {"$ref": "#/$defs/failures"}]}
    return {
        "$schema": DIALECT,
        "title": "The JSON report of jobsworth explain",
        **object_schema(
            {
                "version": version_schema(VERSION),
                "jobs": list_schema(described, "In the order of the input."),
            }
        ),
        "$defs": {
            "explanation": _explanation(),
            "failures": _failures(),
            "rule": _rule(),
            "outcome": _outcome(),
        },
    }


def _object() -> dict[str, Any]:
    return {
        "file": {"type": "string"},
        "line": number_or_null_schema("The line at which it begins."),
        "kind": text_schema("Of the object, such as Job, CronJob or JobSet."),
        "namespace": text_or_null_schema("Null if the manifest has none."),
        "name": text_or_null_schema("Null for generateName."),
        "kubernetes": text_schema("The release whose behavior it is, such as 1.36."),
    }


_PART = {"part": text_schema("The part of the object that makes the Job, such as a ReplicatedJob.")}


def _explanation() -> dict[str, Any]:
    settings = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "The behavior outside of rules, in words, by its name.",
    }
    limit = object_schema(
        {
            "count": number_schema("Failed indexes."),
            "reason": text_schema("The reason of the Job's Failed condition."),
            "at_once": {"type": "boolean", "description": "While other indexes are left."},
        }
    )
    return object_schema(
        {
            **_object(),
            "settings": settings,
            "failed_index_limits": list_schema(
                limit, "The numbers of failed indexes that fail the Job."
            ),
            "rules": list_schema({"$ref": "#/$defs/rule"}, "In the order of evaluation."),
            "exit_codes": list_schema(
                _code_row(), "Every exit code is in one row of its container."
            ),
            "causes": list_schema(_named_row(), "Exit codes and causes that users meet."),
        },
        {
            **_PART,
            "settings_before": settings,
            "changed": {"type": "boolean", "description": "In a comparison: the behavior differs."},
            "updates": list_schema(
                {"type": "string"},
                "In a comparison of CronJobs: runs that the update starts or leaves out.",
            ),
        },
    )


def _failures() -> dict[str, Any]:
    step = object_schema(
        {
            "rule": text_schema("Its name, such as rules[0]."),
            "action": {"enum": [*POD_FAILURE_ACTIONS]},
            "matches": {
                "type": ["boolean", "null"],
                "description": "Null after the first that matches: it is not evaluated.",
            },
            "because": text_schema("The reason, as a clause; empty if it is not evaluated."),
        }
    )
    trace = object_schema(
        {
            "failure": text_schema("The failure in words."),
            "steps": list_schema(step, "The rules, in the order of evaluation."),
            "outcome": or_null_schema(
                {"$ref": "#/$defs/outcome"}, "Null without such a container."
            ),
            "consequences": list_schema({"type": "string"}, "What follows, in sentences."),
        }
    )
    return object_schema(
        {
            **_object(),
            "rules": list_schema({"$ref": "#/$defs/rule"}, "In the order of evaluation."),
            "failures": list_schema(trace, "With --exit-code, --reason or --condition."),
        },
        _PART,
    )


def _rule() -> dict[str, Any]:
    lines = {
        **list_schema({"type": "integer"}, "The first and last line."),
        "type": ["array", "null"],
    }
    return object_schema(
        {
            "name": text_schema("Such as rules[0]; annotation rules[0] for one of the annotation."),
            "action": {"enum": [*POD_FAILURE_ACTIONS]},
            "requirement": text_schema("What it requires of a Pod, as a clause."),
            "lines": lines,
        },
        {"never": text_schema("Why it never applies.")},
    )


def _codes() -> dict[str, Any]:
    code = {"type": "integer"}
    span = {"type": "array", "items": code, "minItems": 2, "maxItems": 2}
    other = {"const": "other"}
    return list_schema(
        {"anyOf": [span, other]},
        "Ranges of exit codes; other stands for all that no rule names (Windows).",
    )


def _results() -> dict[str, Any]:
    outcome = or_null_schema({"$ref": "#/$defs/outcome"}, "Null without such a container.")
    return {
        "outcome": outcome,
        "changed": {"type": "boolean", "description": "In a comparison, with before and after."},
        "before": outcome,
        "after": outcome,
    }


def _code_row() -> dict[str, Any]:
    return _row(
        {
            "containers": list_schema({"type": "string"}, "Empty for all."),
            "codes": _codes(),
            "without_code": {
                "type": "boolean",
                "description": "Also Pods of which no container ended with an exit code.",
            },
            "condition": text_or_null_schema("The Pod's condition, as type=status."),
            "reason": text_or_null_schema("The termination reason."),
        }
    )


def _named_row() -> dict[str, Any]:
    code = {"anyOf": [{"type": "integer"}, {"const": "other"}]}
    return _row(
        {
            "cause": text_or_null_schema("Its stable name; null for an exit code."),
            "title": text_schema("Its name for users."),
            "containers": list_schema({"type": "string"}, "Empty for all."),
            "codes": list_schema(code, "Exit codes with this outcome."),
            "reachable": {"type": "boolean", "description": "Some rule could match."},
        },
        {"note": text_schema("What to know about the cause.")},
    )


def _row(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of a row: of one Job with an outcome, in a comparison with two."""
    return {
        **object_schema(required, {**(optional or {}), **_results()}),
        "oneOf": [{"required": ["outcome"]}, {"required": ["changed", "before", "after"]}],
    }


def _outcome() -> dict[str, Any]:
    return object_schema(
        {
            "kind": {"enum": ["failed", "restarted", "terminating", "pending", "succeeded"]},
            "rule": number_or_null_schema("The index of the rule; null without a match."),
            "annotation": {
                "type": "boolean",
                "description": "The rule is one of the annotation that extends the API.",
            },
            "action": {"enum": [*POD_FAILURE_ACTIONS, None]},
            "counted": {"type": "boolean", "description": "It counts towards the backoff limits."},
            "job_fails_after": number_or_null_schema(
                "The number of such failures that fails the Job; null if none does."
            ),
            "job_failure_reason": text_or_null_schema("The reason of its Failed condition."),
            "index_fails_after": number_or_null_schema("Of one index; null without such a limit."),
            "failed_index_fails_job": {"enum": ["at once", "no index left", None]},
            "replaced_after_seconds": {
                "type": ["number", "null"],
                "description": "From the end of the first such Pod; null if it is not replaced.",
            },
            "text": text_schema("What follows, in words."),
        }
    )
