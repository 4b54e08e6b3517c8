"""The schema of a JobPolicy, declared once, and as JSON Schema for editors and for the reader.

The JSON Schema (2020-12) is generated from the table of fields, so that editors and the reader accept the
same documents. Every object is closed, so that a misspelled field is an error. Each place has one type, and
there is no ``anyOf``: so one sentence can describe each error, and a CustomResourceDefinition, which
:mod:`jobsworth.policy.custom_resource` makes from the same declaration, can have the schema.
"""

from __future__ import annotations

from typing import Any

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
from jobsworth.policy.limits.schema import immutable_schema, limits_schema
from jobsworth.policy.request import KINDS, OPERATIONS
from jobsworth.policy.schema_parts import (
    ANY,
    MAX_ENTRIES,
    MAX_TEXT,
    RULES,
    SHARE_PATTERN,
    Schema,
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

MAX_MATCHERS = 32

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
        **_without_rules(declaration()),
    }


def _without_rules(declared: Any) -> Any:
    """Return a schema without the keyword that only a CustomResourceDefinition has."""
    if isinstance(declared, dict):
        return {key: _without_rules(part) for key, part in declared.items() if key != RULES}
    if isinstance(declared, list):
        return list(map(_without_rules, declared))
    return declared


def declaration() -> Schema:
    """Return the declaration from which the JSON Schema and the CustomResourceDefinition are made."""
    return {
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
        maxLength=63,
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
                "maxProperties": MAX_ENTRIES,
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
    return {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_MATCHERS,
        "items": closed(criteria, minProperties=1),
        "description": f"{description} A matcher matches if every criterion matches; a criterion "
        "matches if one of its entries does. One matcher of the list must match.",
    }


def _selector() -> Schema:
    strings = {
        "type": "object",
        "maxProperties": MAX_ENTRIES,
        "additionalProperties": {"type": "string", "maxLength": MAX_TEXT},
    }
    requirement = closed(
        {
            "key": text("The label's key."),
            "operator": {
                "enum": list(OPERATORS),
                "description": "The relation of the label to the values.",
            },
            "values": {
                "type": "array",
                "maxItems": MAX_ENTRIES,
                "items": {"type": "string", "maxLength": MAX_TEXT},
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
                "maxItems": MAX_ENTRIES,
                "items": requirement,
                "description": "Requirements, which must all be met.",
            },
        },
        minProperties=1,
    )
