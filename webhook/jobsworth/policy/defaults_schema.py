"""The schema of ``spec.defaults`` and ``spec.expressions``."""

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
from jobsworth.policy.schema_parts import (
    MAX_INT64,
    MAX_TEXT,
    SHARE_PATTERN,
    Schema,
    by_key,
    closed,
    text,
)

WHEN = ("ifUnset", "ifServerDefault", "always")
_MAX_INT32 = 2**31 - 1
MAX_EXPRESSIONS = 64

_WHEN: Schema = {
    "enum": list(WHEN),
    "default": WHEN[0],
    "description": "ifUnset: set the field if the client is known to have left it unset. ifServerDefault: "
    "also if it has the server's default and no client is known to have written it. always: always set it.",
}


def _default(value: Schema, description: str, **more: Schema) -> Schema:
    """Return the schema of a single-value default."""
    properties = {"value": {**value, "description": "The value to set."}, "when": _WHEN, **more}
    return closed(properties, required=["value"], description=description)


def _number(description: str, most: int = _MAX_INT32) -> Schema:
    return _default({"type": "integer", "minimum": 0, "maximum": most}, description)


def _rule() -> Schema:
    exit_codes = closed(
        {
            "containerName": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_TEXT,
                "description": "The container; all containers if unset.",
            },
            "operator": {
                "enum": list(OPERATORS),
                "description": "In: the exit code is in the list. NotIn: it is not.",
            },
            "values": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_EXIT_CODES,
                "uniqueItems": True,
                "items": {"type": "integer"},
                "description": "Exit codes in ascending order; In does not allow 0.",
            },
        },
        required=["operator", "values"],
        description="Exit codes of containers.",
    )
    condition = closed(
        {
            "type": {
                "type": "string",
                "minLength": 1,
                "maxLength": MAX_TEXT,
                "description": "The condition type, such as DisruptionTarget.",
            },
            "status": {
                "enum": list(STATUSES),
                "default": "True",
                "description": "The status of the condition.",
            },
        },
        required=["type"],
        description="A condition of the Pod.",
    )
    return closed(
        {
            "action": {"enum": list(ACTIONS), "description": "The action for a Pod that matches."},
            "onExitCodes": exit_codes,
            "onPodConditions": {
                "type": "array",
                "minItems": 1,
                "maxItems": MAX_CONDITION_PATTERNS,
                "items": condition,
                "description": "Conditions of the Pod; one of them must match.",
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
            "value": closed(rules, required=["rules"], description="A complete failure policy."),
            "when": _WHEN,
            "rulesBefore": _rules(
                "Rules to add before the user's rules; a rule that is present is moved to the front."
            ),
            "rulesAfter": _rules("Rules to add after the user's rules, unless they are present."),
        },
        minProperties=1,
        description="A complete failure policy, rules to add to every failure policy, or both. Jobs with "
        "restartPolicy OnFailure stay unchanged, with a warning.",
    )


def _metadata(what: str) -> Schema:
    return by_key(
        _default({"type": "string", "maxLength": MAX_TEXT}, "The value, and when to set it."),
        f"{what} of the Job or CronJob itself, by key; only `always` replaces a user's value.",
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
        "description": "The minimum that a percentage resolves to, up to the completions.",
    }
    return _default(
        value,
        "The failed indexes allowed: a number, or a percentage of the completions, rounded down; "
        "for Jobs with backoffLimitPerIndex.",
        atLeast=least,
    )


def defaults() -> Schema:
    """Return the schema of ``spec.defaults``."""
    return closed(
        {
            "backoffLimit": _number("The number of retries of the Job."),
            "backoffLimitPerIndex": _number(
                "The number of retries of each index; for Indexed Jobs."
            ),
            "maxFailedIndexes": _failed_indexes(),
            "podFailurePolicy": _failure_policy(),
            "podReplacementPolicy": _default(
                {"type": "string", "enum": list(REPLACEMENT_POLICIES)},
                "When the controller replaces a Pod.",
            ),
            "activeDeadlineSeconds": _number(
                "The maximum duration of the Job in seconds.", MAX_INT64
            ),
            "ttlSecondsAfterFinished": _number(
                "The seconds after which a finished Job is deleted."
            ),
            "suspend": _default(
                {"type": "boolean"},
                "True to create the Job suspended, for example for a queueing system.",
            ),
            "managedBy": _default(
                {"type": "string", "minLength": 1, "maxLength": MAX_TEXT},
                "The controller that runs the Job.",
            ),
            "labels": _metadata("Labels"),
            "annotations": _metadata("Annotations"),
        },
        minProperties=1,
        description="Values to set where the user sets none.",
    )


def expressions() -> Schema:
    """Return the schema of ``spec.expressions``."""
    one = closed(
        {
            "expression": text(
                "A CEL condition that every object must satisfy; it can read object, oldObject (null "
                "on create) and request."
            ),
            "message": text("The message if the condition is false."),
            "messageExpression": text("A CEL expression that returns the message."),
            "field": text("The field of the violation, such as spec.parallelism."),
        },
        required=["expression"],
    )
    return {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_EXPRESSIONS,
        "items": one,
        "description": "CEL expressions, as in a ValidatingAdmissionPolicy.",
    }
