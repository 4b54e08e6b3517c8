"""The JSON Schema of a JobPolicy, for editors and for the reader.

The dialect is 2020-12. The schema is generated from the table of fields, so that editors and the reader
accept the same documents. Every object is closed, so that a misspelled field is an error; there is no
``anyOf``, so that one sentence can describe each error.
"""

from __future__ import annotations

from jobsworth.api.batch.pod_failure_policy import ACTIONS, MAX_EXIT_CODES, MAX_RULES
from jobsworth.api.meta.label_selector import OPERATORS
from jobsworth.policy.defaults_schema import defaults, expressions
from jobsworth.policy.job_policy import (
    API_VERSION,
    EVENT,
    KIND,
    ON_ADMITTED,
    RECONCILE,
    REPORT,
)
from jobsworth.policy.policy_fields import FIELDS, JobField
from jobsworth.policy.request import KINDS, OPERATIONS
from jobsworth.policy.schema_parts import (
    NUMBER,
    SHARE,
    SHARE_PATTERN,
    Schema,
    by_key,
    closed,
    listed,
    text,
    texts,
)
from jobsworth.policy.violation import EFFECTS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
IDENTIFIER = "https://jobsworth.dev/schemas/jobpolicy.json"
NAME_PATTERN = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"
"""A DNS label, so that the policy's name is valid in the key of an audit annotation."""

PATTERNS = {
    NAME_PATTERN: "lower case letters, digits and hyphens, at most 63, that begin and end with a letter or "
    "digit",
    SHARE_PATTERN: "a whole number, or a percentage from 0% to 100%",
}
"""A phrase for each pattern of the schema, which completes "must be …"."""


def schema() -> Schema:
    """Return the JSON Schema of a JobPolicy."""
    return {
        "$schema": DIALECT,
        "$id": IDENTIFIER,
        "title": f"{KIND} ({API_VERSION})",
        "description": "The requirements of an organization for Jobs and CronJobs, beyond those of the API.",
        **closed(
            {
                "apiVersion": {"const": API_VERSION, "description": "The version of the format."},
                "kind": {"const": KIND, "description": "The kind of the document."},
                "metadata": _metadata(),
                "spec": _spec(),
            },
            required=["apiVersion", "kind", "metadata", "spec"],
        ),
    }


def _metadata() -> Schema:
    strings = {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "Metadata of the policy itself, without effect.",
    }
    name = text(
        "The name, unique among the policies that are loaded together; messages contain it.",
        pattern=NAME_PATTERN,
    )
    return closed(
        {"name": name, "labels": strings, "annotations": strings},
        required=["name"],
        description="The metadata of the policy.",
    )


def _spec() -> Schema:
    return closed(
        {
            "description": text("The purpose of the policy, for its readers."),
            "message": text("Text shown with each violation: the reason, and what to do."),
            "contact": text("A contact for users: a channel, an address, a page."),
            "priority": {
                "type": "integer",
                "minimum": -(2**31),
                "maximum": 2**31 - 1,
                "default": 0,
                "description": "If several policies have a default for the same field, the one with the "
                "highest priority decides; with equal priority, the first by name.",
            },
            "enforcement": {
                "enum": list(reversed(EFFECTS)),
                "default": "deny",
                "description": "The strongest effect of a violation: deny the request, warn the user, or "
                "record it in the audit log.",
            },
            "onInternalError": {
                "enum": ["deny", "allow"],
                "default": "deny",
                "description": "The effect if an expression cannot be evaluated or jobsworth itself "
                "fails.",
            },
            "onUnreadable": {
                "enum": ["deny", "allow"],
                "description": "The effect of a value whose type jobsworth does not know, so that the "
                "policy cannot be evaluated completely. Unknown fields are ignored and the rest is "
                "evaluated. The default is the value of onInternalError.",
            },
            "cronJobJobs": {
                "enum": ["audit", "enforce"],
                "description": "The effect of a violation in a Job that the CronJob controller creates. The "
                "default is `audit`, because its CronJob was evaluated, or `enforce` if `match` does not "
                "include CronJobs.",
            },
            "onAdmitted": {
                "enum": list(ON_ADMITTED),
                "default": EVENT,
                "description": "What `jobsworth reconcile` does with a Job that was admitted although this "
                "policy would deny it: report it in an Event, or also suspend it until it satisfies the "
                "policy. A Job that has started is never suspended.",
            },
            "reconcile": {
                "enum": list(RECONCILE),
                "default": REPORT,
                "description": "The use of `defaults` for stored CronJobs, and for Jobs that have not "
                "started: only report violations, or also set the defaults that these objects lack.",
            },
            "match": _matchers("The requests that the policy applies to; all requests if unset."),
            "exempt": _matchers("Requests that are exempt from the policy."),
            "defaults": defaults(),
            "limits": limits_schema(),
            "immutable": immutable_schema(),
            "rules": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"enum": ["deny", "warn", "off"]},
                "description": "Lint rules to enforce, by code (JW101), name (rule-shadowed), prefix of "
                "codes (JW1) or `default`, with the effect of their findings. If several keys select a "
                "rule, the key that selects the fewest rules decides.",
            },
            "expressions": expressions(),
        },
        minProperties=1,
        description="The policy.",
    )


def _matchers(description: str) -> Schema:
    selector = _selector()
    criteria = {
        "kinds": listed({"enum": list(KINDS)}, "Kinds of object."),
        "operations": listed({"enum": list(OPERATIONS)}, "Operations: creating or updating."),
        "namespaces": texts(f"Names of namespaces; {ANY}"),
        "namespaceSelector": {**selector, "description": "Labels of the namespace."},
        "names": texts(f"Names of objects, or their generateName; {ANY}"),
        "objectSelector": {**selector, "description": "Labels of the object."},
        "owners": texts(f"Kinds of the objects that own the object, such as JobSet; {ANY}"),
        "users": texts(
            f"Names of requesting users; {ANY} A service account is system:serviceaccount:NAMESPACE:NAME."
        ),
        "groups": texts(f"Groups of the requesting user; {ANY}"),
    }
    one = closed(criteria, minProperties=1)
    return {
        **one,
        "type": ["object", "array"],
        "items": one,
        "minItems": 1,
        "description": f"{description} A matcher matches if every criterion matches; a criterion "
        "matches if one of its entries does. One matcher of a list must match.",
    }


def _selector() -> Schema:
    strings = {"type": "object", "additionalProperties": {"type": "string"}}
    requirement = closed(
        {
            "key": text("The label's key."),
            "operator": {
                "enum": list(OPERATORS),
                "description": "The relation of the label to the values.",
            },
            "values": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The values of the label.",
            },
        },
        required=["key", "operator"],
    )
    return closed(
        {
            "matchLabels": {**strings, "description": "Labels with the required values."},
            "matchExpressions": {
                "type": "array",
                "items": requirement,
                "description": "Requirements, which must all be met.",
            },
        },
        minProperties=1,
    )


ANY = "`*` matches any characters."


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
        minProperties=1,
    )
    return {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": ["string", "object"],
            "if": {"type": "string"},
            "then": {"enum": list(FIELDS)},
            "else": selected_field,
        },
        "description": "Fields that may not change, although Kubernetes allows it: names, or mappings "
        "with options.",
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
        known = {"type": "string"}
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
                "type": ["string", "number"],
                "description": "The maximum sum over all Pods of a Job that run at the same time: a "
                "quantity.",
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
