"""The JSON Schema of the JSON report."""

from __future__ import annotations

from jobsworth.findings.finding import SEVERITIES
from jobsworth.reports.json_report import VERSION
from jobsworth.reports.result import STATUSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ACTIONS = ("set", "delete", "rename", "move", "insert")
SOURCES = ("api", "policy", "lint")


def schema() -> dict[str, Any]:
    """Return the schema. It allows unknown keys: a later release may add some to the same version."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The JSON report of jobsworth validate and jobsworth audit",
        **_object(
            {
                "version": {"const": VERSION, "description": "The version of this structure."},
                "results": _list(
                    {"$ref": "#/$defs/result"},
                    "One per document or item of a List, in input order.",
                ),
                "summary": {"$ref": "#/$defs/summary"},
            },
            {
                "statistics": _list(
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
    return _object(
        {
            "kind": _text_or_null("The object's kind; null if it has none or is unreadable."),
            "namespace": _text_or_null("The namespace in the manifest."),
            "name": _text_or_null("The name in the manifest."),
            "status": {
                "enum": [*STATUSES],
                "description": "valid or invalid: a Job or CronJob without or with an error; skipped: "
                "another kind, or no manifest to apply; error: unreadable.",
            },
            "fails": {
                "type": "boolean",
                "description": "True if the document makes the exit code 1 or 2.",
            },
            "findings": _list({"$ref": "#/$defs/finding"}, "In the order of their positions."),
        },
        {
            "file": _text(
                "The file as named or found, or <stdin>; absent for an object of a cluster."
            ),
            "document": _number("The document's position in its file, from 0."),
            "item": _number("The position in a List, from 0."),
            "fixed": _list({"$ref": "#/$defs/attempt"}, "The fixes that --fix applied."),
            "not_fixed": _list({"$ref": "#/$defs/attempt"}, "The fixes that were rejected."),
        },
    )


def _finding() -> dict[str, Any]:
    return _object(
        {
            "source": {
                "enum": [*SOURCES],
                "description": "api: validation of the API server; policy: a JobPolicy; lint: jobsworth.",
            },
            "severity": {"enum": [*SEVERITIES]},
            "code": {"type": "string", "pattern": "^J[WP][0-9]{3}$"},
            "field": _text("The field path as Kubernetes writes it; empty for the whole object."),
            "reason": _text("The API server's cause, or the name of the lint rule."),
            "message": _text("For an API finding, the words of the server."),
        },
        {
            "hint": _text("Advice that the server does not give."),
            "fix": {"$ref": "#/$defs/fix"},
            "further": {
                "const": True,
                "description": "The API server reports it after the decoding errors are fixed.",
            },
            "policy": _text("The JobPolicy that reports it."),
            "line": {"type": ["integer", "null"], "minimum": 1},
            "column": {"type": ["integer", "null"], "minimum": 1},
        },
    )


def _fix() -> dict[str, Any]:
    edit = _object({"action": {"enum": [*ACTIONS]}, "field": {"type": "string"}}, {"value": {}})
    return _object(
        {
            "title": _text("The effect, in the imperative."),
            "safe": {
                "type": "boolean",
                "description": "True if --fix applies it without --unsafe.",
            },
            "edits": _list(edit, "In the order in which they are applied."),
        }
    )


def _attempt() -> dict[str, Any]:
    return _object(
        {
            "code": {"type": "string"},
            "field": {"type": "string"},
            "title": {"type": "string"},
            "line": {"type": ["integer", "null"]},
        },
        {"refused": _text("Why it was not applied.")},
    )


def _summary() -> dict[str, Any]:
    numbers: dict[str, Any] = {
        status: _number(f"Documents with the status {status}.") for status in STATUSES
    }
    return {
        **_object(
            {
                **numbers,
                "findings": _object({severity: _number("") for severity in SEVERITIES}),
                "excluded_files": _number("Files that a configuration or --exclude excludes."),
                "hidden_folders": _number("Hidden folders that were not searched."),
                "exit_code": {"enum": [0, 1, 2]},
            },
            {"files": _number("Files read."), "namespaces": _number("Namespaces audited.")},
        ),
        "anyOf": [{"required": ["files"]}, {"required": ["namespaces"]}],
    }


def _count_of_code() -> dict[str, Any]:
    return _object(
        {
            "count": _number("Findings with the code."),
            "severity": {"enum": [*SEVERITIES]},
            "code": {"type": "string"},
            "name": {"type": "string"},
            "fixable": _number("Findings with a fix."),
        }
    )


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [*required],
        "properties": {**required, **(optional or {})},
    }


def _list(items: dict[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": items, "description": description}


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _text_or_null(description: str) -> dict[str, Any]:
    return {"type": ["string", "null"], "description": description}


def _number(description: str) -> dict[str, Any]:
    number: dict[str, Any] = {"type": "integer", "minimum": 0}
    return {**number, "description": description} if description else number
