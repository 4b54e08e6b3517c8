"""The JSON Schema of ``limits`` and ``immutable``, made from the table of fields."""

from __future__ import annotations

from jobsworth.api.batch.pod_failure_policy import ACTIONS, MAX_EXIT_CODES, MAX_RULES
from jobsworth.policy.language.policy_fields import FIELDS, JobField
from jobsworth.policy.language.schema_parts import (
    NUMBER,
    SHARE,
    Schema,
    by_key,
    closed,
    listed,
    text,
)

ANY = "`*` stands for any characters."


def limits() -> Schema:
    """The schema of ``spec.limits``."""
    scopes: dict[str, Schema] = {"job": {}, "pod": {}, "cronJob": {}}
    for field in FIELDS.values():
        scopes[field.scope][field.key] = _of_field(field)
    of_text = closed(_properties("string", ()), description="A limit of one value.")
    return closed(
        {
            **scopes["job"],
            "pod": closed(
                scopes["pod"], minProperties=1, description="Limits of fields of the Pod template."
            ),
            "cronJob": closed(
                scopes["cronJob"], minProperties=1, description="Limits of fields of a CronJob."
            ),
            "labels": by_key(of_text, "Limits of the object's labels, by key."),
            "annotations": by_key(of_text, "Limits of the object's annotations, by key."),
            "resources": _resources(),
        },
        minProperties=1,
        description="What fields may be. A bound speaks about a value that is set; `required` makes "
        "sure that it is. Defaults of the API server count as set.",
    )


def immutable() -> Schema:
    """The schema of ``spec.immutable``."""
    entry = closed(
        {
            "field": {"enum": list(FIELDS), "description": "The field's name."},
            "label": text("Or the key of a label."),
            "annotation": text("Or the key of an annotation."),
            "unlessSuspended": {
                "type": "boolean",
                "default": False,
                "description": "It may change while the stored object is suspended.",
            },
            "message": text("What a user is told who changes it."),
        },
        minProperties=1,
    )
    return {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": ["string", "object"],
            "if": {"type": "string"},
            "then": {"enum": list(FIELDS)},
            "else": entry,
        },
        "description": "Fields that may not change, although Kubernetes would let them: names, or "
        "mappings with more about each.",
    }


def _of_field(field: JobField) -> Schema:
    properties = _properties(field.kind, field.values, share=field.share)
    if field.name == "podFailurePolicy":
        properties |= _failure_policy()
    return closed(properties, minProperties=1, description=f"Limits of {field.name}.")


def _properties(kind: str, values: tuple[str, ...], *, share: bool = False) -> Schema:
    properties: Schema = {
        "required": {"type": "boolean", "description": "It must be set."},
        "forbidden": {"type": "boolean", "description": "It may not be set."},
        "message": text("What a user is told who breaks this limit."),
    }
    if kind == "integer":
        bound, of_share = (SHARE, ", or a percentage of the completions") if share else (NUMBER, "")
        properties["minimum"] = {**bound, "description": f"The least that it may be{of_share}."}
        properties["maximum"] = {**bound, "description": f"The most that it may be{of_share}."}
        properties["allowed"] = listed(NUMBER, "The only values that it may have.")
    elif kind == "boolean":
        properties["allowed"] = listed({"type": "boolean"}, "The only value that it may have.")
    elif kind == "string" and values:
        known: Schema = {"enum": list(values)}
        properties["allowed"] = listed(known, "The only values that it may have.")
    elif kind == "string":
        known = {"type": "string"}
        properties["allowed"] = listed(known, f"The only values that it may have; {ANY}")
        properties["denied"] = listed(known, f"Values that it may not have; {ANY}")
    return properties


def _failure_policy() -> Schema:
    count = {"type": "integer", "minimum": 0, "maximum": MAX_RULES}
    return {
        "allowedActions": listed({"enum": list(ACTIONS)}, "The only actions of its rules."),
        "ignoreDisruptionsFirst": {
            "type": "boolean",
            "description": "Its first rule must ignore the Pod condition DisruptionTarget.",
        },
        "failJobOnExitCodes": listed(
            {"type": "integer", "minimum": 1, "maximum": MAX_EXIT_CODES},
            "Exit codes that must fail the Job, in every container.",
        ),
        "minimumRules": {**count, "description": "The fewest rules."},
        "maximumRules": {**count, "description": "The most rules."},
    }


def _resources() -> Schema:
    cap = closed(
        {
            "maximum": {
                "type": ["string", "number"],
                "description": "The most that all Pods of a Job that run at the same time may ask for "
                "together: a quantity.",
            },
            "required": {
                "type": "boolean",
                "description": "Every container must say how much it asks for.",
            },
            "message": text("What a user is told who breaks this limit."),
        },
        minProperties=1,
    )
    side = by_key(cap, "By resource: cpu, memory, nvidia.com/gpu and the like.")
    return closed(
        {"requests": side, "limits": side},
        minProperties=1,
        description="What one Job may ask for: the resources of a Pod times the Pods that run at the "
        "same time.",
    )
