"""The JSON Schema of a JobPolicy: what an editor and the reader know of a document.

The dialect is 2020-12. It is made from the table of fields, so that it says what the reader reads. Every
object is closed, so that a misspelt field is found; nothing needs ``anyOf``, so that what is wrong can be
told in one sentence.
"""

from __future__ import annotations

from jobsworth.api.meta.label_selector import OPERATORS
from jobsworth.policy.defaults.defaults_schema import defaults, expressions
from jobsworth.policy.documents.job_policy import API_VERSION, KIND
from jobsworth.policy.language.schema_parts import Schema, closed, listed, text, texts
from jobsworth.policy.limits.limits_schema import ANY, immutable, limits
from jobsworth.policy.policy_request import KINDS, OPERATIONS
from jobsworth.policy.violation import EFFECTS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
IDENTIFIER = "https://jobsworth.dev/schemas/jobpolicy.json"
NAME_PATTERN = "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$"
"""A DNS label, so that a policy's name fits into the key of an audit annotation."""


def schema() -> Schema:
    """The JSON Schema of a JobPolicy."""
    return {
        "$schema": DIALECT,
        "$id": IDENTIFIER,
        "title": f"{KIND} ({API_VERSION})",
        "description": "What an organisation demands of Jobs and CronJobs beyond the API.",
        **closed(
            {
                "apiVersion": {"const": API_VERSION, "description": "The version of the format."},
                "kind": {"const": KIND, "description": "What the document is."},
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
        "description": "Of the document itself; they have no effect.",
    }
    name = text(
        "Unique among the policies that are loaded together; messages name it.",
        pattern=NAME_PATTERN,
    )
    return closed(
        {"name": name, "labels": strings, "annotations": strings},
        required=["name"],
        description="The name of the policy.",
    )


def _spec() -> Schema:
    return closed(
        {
            "description": text("What the policy is for, for those who read it."),
            "message": text("What a user is told beside each breach: why, and what to do."),
            "contact": text("Whom a user can ask: a channel, an address, a page."),
            "priority": {
                "type": "integer",
                "minimum": -(2**31),
                "maximum": 2**31 - 1,
                "default": 0,
                "description": "Of several policies that give a default for the same field, the one "
                "with the higher priority does; of equals, the first by name.",
            },
            "enforcement": {
                "enum": list(reversed(EFFECTS)),
                "default": "deny",
                "description": "The most that a breach leads to: the request is denied, the user is "
                "warned, or the audit log notes it.",
            },
            "onInternalError": {
                "enum": ["deny", "allow"],
                "default": "deny",
                "description": "What holds when an expression fails to evaluate, or jobsworth itself "
                "fails.",
            },
            "onUnreadable": {
                "enum": ["deny", "allow"],
                "description": "The effect of a value whose type jobsworth does not know, so that the "
                "policy cannot be evaluated completely. Unknown fields are left out and the rest is "
                "evaluated. The default is the value of onInternalError.",
            },
            "cronJobJobs": {
                "enum": ["audit", "enforce"],
                "description": "What a breach leads to when the CronJob controller makes the Job. By "
                "default `audit`, since its CronJob was judged, and `enforce` where `match` leaves "
                "CronJobs out.",
            },
            "match": _matchers("Which requests the policy speaks about; every one without it."),
            "exempt": _matchers("Which of them it leaves alone all the same."),
            "defaults": defaults(),
            "limits": limits(),
            "immutable": immutable(),
            "rules": {
                "type": "object",
                "minProperties": 1,
                "additionalProperties": {"enum": ["deny", "warn", "off"]},
                "description": "Lint rules that are asked, by code (JW101), name (rule-shadowed), "
                "beginning of codes (JW1) or `default`, and what their findings lead to. The word "
                "that names fewer rules counts more.",
            },
            "expressions": expressions(),
        },
        minProperties=1,
        description="What the policy says.",
    )


def _matchers(description: str) -> Schema:
    selector = _selector()
    criteria = {
        "kinds": listed({"enum": list(KINDS)}, "Kinds of object."),
        "operations": listed({"enum": list(OPERATIONS)}, "Creating or updating."),
        "namespaces": texts(f"Names of namespaces; {ANY}"),
        "namespaceSelector": {**selector, "description": "Labels of the namespace."},
        "names": texts(f"Names of objects, or what they are generated from; {ANY}"),
        "objectSelector": {**selector, "description": "Labels of the object."},
        "owners": texts(f"Kinds of the objects that own the object, such as JobSet; {ANY}"),
        "users": texts(
            f"Who asks; {ANY} A service account is system:serviceaccount:NAMESPACE:NAME."
        ),
        "groups": texts(f"Groups of who asks; {ANY}"),
    }
    one = closed(criteria, minProperties=1)
    return {
        **one,
        "type": ["object", "array"],
        "items": one,
        "minItems": 1,
        "description": f"{description} All criteria must hold, and of each one entry is enough; of a "
        "list of matchers one is enough.",
    }


def _selector() -> Schema:
    strings = {"type": "object", "additionalProperties": {"type": "string"}}
    requirement = closed(
        {
            "key": text("The label's key."),
            "operator": {"enum": list(OPERATORS), "description": "How the values are meant."},
            "values": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Of the label.",
            },
        },
        required=["key", "operator"],
    )
    return closed(
        {
            "matchLabels": {**strings, "description": "Labels that must be so."},
            "matchExpressions": {
                "type": "array",
                "items": requirement,
                "description": "Conditions that must hold.",
            },
        },
        minProperties=1,
    )
