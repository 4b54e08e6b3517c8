"""The schema of ``spec.limits`` and ``spec.immutable``."""

from __future__ import annotations

from jobsworth.api.batch.pod_failure_policy import ACTIONS, MAX_EXIT_CODES, MAX_RULES
from jobsworth.policy.policy_fields import FIELDS, JobField
from jobsworth.policy.schema_parts import (
    ANY,
    MAX_TEXT,
    NUMBER,
    SHARE,
    Schema,
    by_key,
    closed,
    listed,
    rule,
    text,
)

MAX_IMMUTABLE = 64


def limits_schema() -> Schema:
    """Return the schema of ``spec.limits``."""
    scopes: dict[str, Schema] = {"job": {}, "pod": {}, "cronJob": {}}
    for field in FIELDS.values():
        scopes[field.scope][field.key] = _of_field(field)
    of_text = closed(_properties("string", ()), description="The limit of one value.")
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
        description="Limits of fields. A bound applies to a value that is set; `required` makes the value "
        "mandatory. Defaults of the API server count as set.",
    )


def immutable_schema() -> Schema:
    """Return the schema of ``spec.immutable``."""
    selected_field = closed(
        {
            "field": {"enum": list(FIELDS), "description": "The field's name."},
            "label": text("The key of a label, instead of a field."),
            "annotation": text("The key of an annotation, instead of a field."),
            "unlessSuspended": {
                "type": "boolean",
                "default": False,
                "description": "Allow changes while the stored object is suspended.",
            },
            "message": text("The message if it changes."),
        },
        rules=[
            rule(
                "has(self.field) ? !has(self.label) && !has(self.annotation) "
                ": has(self.label) != has(self.annotation)",
                "exactly one of field, label and annotation must be set",
            )
        ],
    )
    return {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_IMMUTABLE,
        "items": selected_field,
        "description": "Fields that may not change, although Kubernetes allows it.",
    }


def _of_field(field: JobField) -> Schema:
    properties = _properties(field.kind, field.values, share=field.share)
    rules: list[Schema] = []
    if field.name == "podFailurePolicy":
        properties |= _failure_policy()
        rules = [_ordered("minimumRules", "maximumRules")]
    elif field.share:
        rules = [_ordered("minimum", "maximum", share=True)]
    elif field.kind == "integer":
        rules = [_ordered("minimum", "maximum")]
    description = f"Limits of {field.name}."
    return closed(properties, rules=rules, minProperties=1, description=description)


def _ordered(least: str, most: str, *, share: bool = False) -> Schema:
    """Return the rule that a minimum is at most its maximum. A percentage has no order with a number."""
    one, other = f"self.{least}", f"self.{most}"
    ordered = f"{one} <= {other}"
    if share:
        ordered = f"type({one}) != int || type({other}) != int || {ordered}"
    condition = f"!has({one}) || !has({other}) || {ordered}"
    return rule(condition, f"{least} must not be greater than {most}")


def _properties(kind: str, values: tuple[str, ...], *, share: bool = False) -> Schema:
    properties: Schema = {
        "required": {"type": "boolean", "description": "It must be set."},
        "forbidden": {"type": "boolean", "description": "It may not be set."},
        "message": text("The message of a violation of this limit."),
    }
    if kind == "integer":
        bound, of_share = (SHARE, ", or a percentage of the completions") if share else (NUMBER, "")
        properties["minimum"] = {**bound, "description": f"The minimum{of_share}."}
        properties["maximum"] = {**bound, "description": f"The maximum{of_share}."}
        properties["allowed"] = listed(NUMBER, "The allowed values.")
    elif kind == "boolean":
        properties["allowed"] = listed({"type": "boolean"}, "The allowed value.")
    elif kind == "string" and values:
        known: Schema = {"enum": list(values)}
        properties["allowed"] = listed(known, "The allowed values.")
    elif kind == "string":
        known = {"type": "string", "maxLength": MAX_TEXT}
        properties["allowed"] = listed(known, f"The allowed values; {ANY}")
        properties["denied"] = listed(known, f"Values that are denied; {ANY}")
    return properties


def _failure_policy() -> Schema:
    count = {"type": "integer", "minimum": 0, "maximum": MAX_RULES}
    return {
        "allowedActions": listed({"enum": list(ACTIONS)}, "The allowed actions of its rules."),
        "ignoreDisruptionsFirst": {
            "type": "boolean",
            "description": "Its first rule must ignore the Pod condition DisruptionTarget.",
        },
        "failJobOnExitCodes": listed(
            {"type": "integer", "minimum": 1, "maximum": MAX_EXIT_CODES},
            "Exit codes that must fail the Job, in every container.",
        ),
        "minimumRules": {**count, "description": "The minimum number of rules."},
        "maximumRules": {**count, "description": "The maximum number of rules."},
    }


def _resources() -> Schema:
    cap = closed(
        {
            "maximum": {
                "type": ["integer", "string"],
                "minimum": 0,
                "maxLength": MAX_TEXT,
                "description": "The maximum sum over all Pods of a Job that run at the same time: a "
                "quantity, such as 500m, 64 or 1Gi.",
            },
            "required": {
                "type": "boolean",
                "description": "Every container must set the resource.",
            },
            "message": text("The message of a violation of this limit."),
        },
        minProperties=1,
    )
    side = by_key(cap, "By resource, such as cpu, memory or nvidia.com/gpu.")
    return closed(
        {"requests": side, "limits": side},
        minProperties=1,
        description="Limits of the resources of one Job: the resources of a Pod times the Pods that run "
        "at the same time.",
    )
