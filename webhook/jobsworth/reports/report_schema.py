"""The JSON Schema of the JSON report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.findings.finding import SEVERITIES
from jobsworth.findings.result import STATUSES
from jobsworth.lint.lint_rule import CONFIDENCES
from jobsworth.reports.json_report import VERSION
from jobsworth.reports.report_schema_parts import (
    DIALECT,
    list_schema,
    number_schema,
    object_schema,
    text_or_null_schema,
    text_schema,
    version_schema,
)

if TYPE_CHECKING:
    from typing import Any

ACTIONS = ("set", "delete", "rename", "move", "insert", "separate")
SOURCES = ("api", "child", "policy", "lint")


def schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": DIALECT,
        "title": "The JSON report of jobsworth validate and jobsworth audit",
        **object_schema(
            {
                "version": version_schema(VERSION),
                "results": list_schema(
                    {"$ref": "#/$defs/result"},
                    "One per document or item of a List, in input order.",
                ),
                "summary": {"$ref": "#/$defs/summary"},
            },
            {
                "statistics": list_schema(
                    {"$ref": "#/$defs/count"}, "With --statistics: the most frequent code first."
                )
            },
        ),
        "$defs": {
            "result": _result(),
            "finding": _finding(),
            "fix": _fix(),
            "attempt": _attempt(),
            "summary": _summary(),
            "count": _count_of_code(),
        },
    }


def _result() -> dict[str, Any]:
    return object_schema(
        {
            "kind": text_or_null_schema("The object's kind; null if it has none or is unreadable."),
            "namespace": text_or_null_schema("The namespace in the manifest."),
            "name": text_or_null_schema("The name in the manifest."),
            "status": {
                "enum": [*STATUSES],
                "description": "valid or invalid: a Job or CronJob without or with an error; skipped: "
                "another kind, or no manifest to apply; error: unreadable.",
            },
            "fails": {
                "type": "boolean",
                "description": "True if the document makes the exit code 1 or 2.",
            },
            "findings": list_schema(
                {"$ref": "#/$defs/finding"}, "In the order of their positions."
            ),
        },
        {
            "file": text_schema(
                "The file as named or found, or <stdin>; absent for an object of a cluster."
            ),
            "document": number_schema("The document's position in its file, from 0."),
            "origin": {
                **object_schema({"file": text_schema("The template.")}),
                "description": "The template of a chart that rendered the document from standard input.",
            },
            "item": number_schema("The position in a List, from 0."),
            "hidden_by": list_schema(
                {"type": "string"},
                "The fields whose errors hide others: lint findings, and errors that depend on them.",
            ),
            "fixed": list_schema({"$ref": "#/$defs/attempt"}, "The fixes that --fix applied."),
            "not_fixed": list_schema({"$ref": "#/$defs/attempt"}, "The fixes that were rejected."),
        },
    )


def _finding() -> dict[str, Any]:
    return object_schema(
        {
            "source": {
                "enum": [*SOURCES],
                "description": "api: validation of the API server; child: the Pods of the Job; "
                "policy: a JobPolicy; lint: jobsworth.",
            },
            "severity": {"enum": [*SEVERITIES]},
            "code": {"type": "string", "pattern": "^J[WP][0-9]{3}$"},
            "field": text_schema(
                "The field path as Kubernetes writes it; empty for the whole object."
            ),
            "reason": text_schema("The API server's cause, or the name of the lint rule."),
            "message": text_schema("For an API finding, the words of the server."),
        },
        {
            "hint": text_schema("Advice that the server does not give."),
            "fix": {"$ref": "#/$defs/fix"},
            "confidence": {
                "enum": [*CONFIDENCES],
                "description": "How sure a lint rule is: certain by the behavior of Kubernetes, likely, or "
                "an opinion.",
            },
            "further": {
                "const": True,
                "description": "The API server reports it after the decoding errors are fixed.",
            },
            "policy": text_schema("The JobPolicy or ValidatingAdmissionPolicy that reports it."),
            "line": {"type": ["integer", "null"], "minimum": 1},
            "column": {"type": ["integer", "null"], "minimum": 1},
            "origin": {
                **object_schema(
                    {
                        "file": text_schema("The template."),
                        "line": {"type": ["integer", "null"], "minimum": 1},
                        "column": {"type": ["integer", "null"], "minimum": 1},
                    }
                ),
                "description": "The place in the template, if the manifest was rendered from one; line and "
                "column are null if they are unknown.",
            },
        },
    )


def _fix() -> dict[str, Any]:
    edit = object_schema(
        {"action": {"enum": [*ACTIONS]}, "field": {"type": "string"}}, {"value": {}}
    )
    return object_schema(
        {
            "title": text_schema("The effect, in the imperative."),
            "safe": {
                "type": "boolean",
                "description": "True if --fix applies it without --unsafe.",
            },
            "edits": list_schema(edit, "In the order in which they are applied."),
        }
    )


def _attempt() -> dict[str, Any]:
    return object_schema(
        {
            "code": {"type": "string"},
            "field": {"type": "string"},
            "title": {"type": "string"},
            "line": {"type": ["integer", "null"]},
        },
        {"refused": text_schema("Why it was not applied.")},
    )


def _summary() -> dict[str, Any]:
    numbers: dict[str, Any] = {
        status: number_schema(f"Documents with the status {status}.") for status in STATUSES
    }
    return {
        **object_schema(
            {
                **numbers,
                "findings": object_schema({severity: number_schema("") for severity in SEVERITIES}),
                "excluded_files": number_schema(
                    "Files that a configuration or --exclude excludes."
                ),
                "hidden_folders": number_schema("Hidden folders that were not searched."),
                "exit_code": {"enum": [0, 1, 2]},
            },
            {
                "files": number_schema("Files read."),
                "namespaces": number_schema("Namespaces audited."),
            },
        ),
        "anyOf": [{"required": ["files"]}, {"required": ["namespaces"]}],
    }


def _count_of_code() -> dict[str, Any]:
    return object_schema(
        {
            "count": number_schema("Findings with the code."),
            "severity": {"enum": [*SEVERITIES]},
            "code": {"type": "string"},
            "name": {"type": "string"},
            "fixable": number_schema("Findings with a fix."),
        }
    )
