"""The JSON Schema of a document's ``defaults`` and ``expressions``.

A default is its value, or a mapping with ``value`` and ``when``; so a keyword of its schema speaks about
the one form or the other, and ``anyOf`` is not needed.
"""

from __future__ import annotations

from jobsworth.api.batch.job_spec import REPLACEMENT_POLICIES
from jobsworth.api.batch.pod_failure_policy import (
    ACTIONS,
    MAX_CONDITION_PATTERNS,
    MAX_EXIT_CODES,
    MAX_RULES,
    OPERATORS,
    STATUSES,
)
from jobsworth.policy.language.schema_parts import (
    MAX_INT64,
    SHARE_PATTERN,
    Schema,
    by_key,
    closed,
    text,
)

WHEN = ("ifUnset", "ifServerDefault", "always")
_MAX_INT32 = 2**31 - 1

_WHEN: Schema = {
    "enum": list(WHEN),
    "default": WHEN[0],
    "description": "ifUnset: nobody wrote it, and that is certain. ifServerDefault: also where it has the "
    "server's default and nobody is known to have written that. always: whatever stands there.",
}


def _default(value: Schema, description: str, **properties: Schema) -> Schema:
    """A default of one value: the value itself, or a mapping with more about it."""
    types = [value["type"]] if isinstance(value["type"], str) else value["type"]
    told = {"value": {**value, "description": "What it becomes."}, "when": _WHEN, **properties}
    if "enum" in value:
        # An enumeration speaks about mappings, too: so it is put to texts only.
        return {
            "type": [*types, "object"],
            "if": {"type": types[0]},
            "then": {"enum": value["enum"]},
            "else": closed(told, required=["value"], description=description),
            "description": description,
        }
    return {
        **value,
        **closed(told, required=["value"], description=description),
        "type": [*types, "object"],
    }


def _number(description: str, most: int = _MAX_INT32) -> Schema:
    return _default({"type": "integer", "minimum": 0, "maximum": most}, description)


def _rule() -> Schema:
    exit_codes = closed(
        {
            "containerName": {"type": "string", "minLength": 1, "description": "All if left out."},
            "operator": {"enum": list(OPERATORS), "description": "How the codes are meant."},
            "values": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_EXIT_CODES,
                "uniqueItems": True,
                "items": {"type": "integer"},
                "description": "Exit codes, in order; not 0 with In.",
            },
        },
        required=["operator", "values"],
        description="Exit codes of containers.",
    )
    condition = closed(
        {
            "type": {"type": "string", "minLength": 1, "description": "DisruptionTarget, say."},
            "status": {
                "enum": list(STATUSES),
                "default": "True",
                "description": "Of the condition.",
            },
        },
        required=["type"],
        description="A condition of the Pod.",
    )
    return closed(
        {
            "action": {"enum": list(ACTIONS), "description": "What happens to the Job."},
            "onExitCodes": exit_codes,
            "onPodConditions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_CONDITION_PATTERNS,
                "items": condition,
                "description": "Conditions of the Pod, of which one is enough.",
            },
        },
        required=["action"],
        description="A rule of a failure policy, as in a Job.",
    )


def _rules(description: str) -> Schema:
    return {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_RULES,
        "items": _rule(),
        "description": description,
    }


def _failure_policy() -> Schema:
    rules = {"rules": _rules("The rules; the first that matches a failed Pod decides.")}
    return closed(
        {
            "value": closed(rules, required=["rules"], description="A whole failure policy."),
            "when": _WHEN,
            "rulesBefore": _rules(
                "Rules that come before the user's; where they stand already, once."
            ),
            "rulesAfter": _rules(
                "Rules that come after the user's, where they do not stand already."
            ),
        },
        minProperties=1,
        description="A whole failure policy, rules for every failure policy, or both. Not for Jobs "
        "whose restartPolicy is OnFailure: they are left as they are, with a warning.",
    )


def _metadata(what: str) -> Schema:
    return by_key(
        _default({"type": "string"}, "What it becomes, and when."),
        f"{what} of the Job or CronJob itself, by key; a user's own value stays, but for `always`.",
    )


def _failed_indexes() -> Schema:
    value: Schema = {
        "type": ["integer", "string"],
        "minimum": 0,
        "maximum": _MAX_INT32,
        "pattern": SHARE_PATTERN,
    }
    least = {
        "type": "integer",
        "minimum": 0,
        "maximum": _MAX_INT32,
        "default": 0,
        "description": "The least that a percentage becomes, up to the completions.",
    }
    return _default(
        value,
        "A number, or a percentage of the completions, rounded down; for Jobs with "
        "backoffLimitPerIndex.",
        atLeast=least,
    )


def defaults() -> Schema:
    """The schema of ``spec.defaults``."""
    return closed(
        {
            "backoffLimit": _number("How many failed Pods are retried."),
            "backoffLimitPerIndex": _number("How many of each index; for Indexed Jobs."),
            "maxFailedIndexes": _failed_indexes(),
            "podFailurePolicy": _failure_policy(),
            "podReplacementPolicy": _default(
                {"type": "string", "enum": list(REPLACEMENT_POLICIES)}, "When a Pod is replaced."
            ),
            "activeDeadlineSeconds": _number("How long the Job may run.", MAX_INT64),
            "ttlSecondsAfterFinished": _number("How long a finished Job is kept."),
            "suspend": _default(
                {"type": "boolean"}, "Whether it waits to be resumed, by a queueing system say."
            ),
            "managedBy": _default(
                {"type": "string", "minLength": 1}, "The controller that runs it."
            ),
            "labels": _metadata("Labels"),
            "annotations": _metadata("Annotations"),
        },
        minProperties=1,
        description="What is filled in where nothing else is wanted.",
    )


def expressions() -> Schema:
    """The schema of ``spec.expressions``."""
    one = closed(
        {
            "expression": text(
                "CEL that is true of every object that is as it should be; it sees object, oldObject "
                "(null on create) and request."
            ),
            "message": text("What a user is told where it is false."),
            "messageExpression": text("CEL that makes the message."),
            "field": text("The field that it is about, such as spec.parallelism."),
        },
        required=["expression"],
    )
    return {
        "type": "array",
        "minItems": 1,
        "items": one,
        "description": "CEL expressions, as in a ValidatingAdmissionPolicy.",
    }
