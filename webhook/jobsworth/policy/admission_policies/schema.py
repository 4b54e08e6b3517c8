"""The JSON Schemas of ValidatingAdmissionPolicy and its binding, as far as they are read."""

from __future__ import annotations

from typing import Any

from jobsworth.policy.schema_parts import closed

Schema = dict[str, Any]

PATTERNS: dict[str, str] = {}

_TEXT: Schema = {"type": "string", "minLength": 1}
_TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_ANY_MAP: Schema = {"type": "object", "additionalProperties": {}}
_SELECTOR = closed(
    {
        "matchLabels": {"type": "object", "additionalProperties": {"type": "string"}},
        "matchExpressions": {
            "type": "array",
            "items": closed(
                {
                    "key": _TEXT,
                    "operator": {"enum": ["In", "NotIn", "Exists", "DoesNotExist"]},
                    "values": _TEXTS,
                },
                required=["key", "operator"],
            ),
        },
    }
)
_RULES: Schema = {
    "type": "array",
    "items": closed(
        {
            "apiGroups": _TEXTS,
            "apiVersions": _TEXTS,
            "resources": _TEXTS,
            "operations": {
                "type": "array",
                "items": {"enum": ["*", "CREATE", "UPDATE", "DELETE", "CONNECT"]},
            },
            "scope": {"enum": ["*", "Namespaced", "Cluster"]},
            "resourceNames": _TEXTS,
        },
        required=["apiGroups", "apiVersions", "resources", "operations"],
    ),
}
_MATCH = closed(
    {
        "namespaceSelector": _SELECTOR,
        "objectSelector": _SELECTOR,
        "resourceRules": _RULES,
        "excludeResourceRules": _RULES,
        "matchPolicy": {"enum": ["Exact", "Equivalent"]},
    }
)
_NAMED_EXPRESSION = closed({"name": _TEXT, "expression": _TEXT}, required=["name", "expression"])

POLICY = closed(
    {
        "apiVersion": _TEXT,
        "kind": _TEXT,
        "metadata": _ANY_MAP,
        "status": _ANY_MAP,
        "spec": closed(
            {
                "paramKind": closed(
                    {"apiVersion": _TEXT, "kind": _TEXT}, required=["apiVersion", "kind"]
                ),
                "matchConstraints": _MATCH,
                "matchConditions": {"type": "array", "items": _NAMED_EXPRESSION},
                "variables": {"type": "array", "items": _NAMED_EXPRESSION},
                "validations": {
                    "type": "array",
                    "items": closed(
                        {
                            "expression": _TEXT,
                            "message": {"type": "string"},
                            "messageExpression": {"type": "string"},
                            "reason": {"type": "string"},
                        },
                        required=["expression"],
                    ),
                },
                "auditAnnotations": {
                    "type": "array",
                    "items": closed(
                        {"key": _TEXT, "valueExpression": _TEXT},
                        required=["key", "valueExpression"],
                    ),
                },
                "failurePolicy": {"enum": ["Fail", "Ignore"]},
            },
            required=["matchConstraints"],
        ),
    },
    required=["metadata", "spec"],
)

BINDING = closed(
    {
        "apiVersion": _TEXT,
        "kind": _TEXT,
        "metadata": _ANY_MAP,
        "spec": closed(
            {
                "policyName": _TEXT,
                "paramRef": closed(
                    {
                        "name": _TEXT,
                        "namespace": _TEXT,
                        "selector": _SELECTOR,
                        "parameterNotFoundAction": {"enum": ["Allow", "Deny"]},
                    }
                ),
                "matchResources": _MATCH,
                "validationActions": {
                    "type": "array",
                    "minItems": 1,
                    "items": {"enum": ["Deny", "Warn", "Audit"]},
                },
            },
            required=["policyName", "validationActions"],
        ),
    },
    required=["metadata", "spec"],
)
