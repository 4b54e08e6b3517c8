"""Conditions between fields that JSON Schema can express, and the patterns of formats.

Each condition mirrors a rule of the engine; schemas of releases without its fields omit it.
"""

from __future__ import annotations

from jobsworth.api.formats import keys, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.api.declare import Format

PATTERNS: dict[Format, tuple[str, int | None]] = {
    names.dns_label: (names.DNS_LABEL_PATTERN, names.DNS_LABEL_MAX_LENGTH),
    names.dns_subdomain: (names.DNS_SUBDOMAIN_PATTERN, names.DNS_SUBDOMAIN_MAX_LENGTH),
    names.dns_1035_label: (names.DNS_1035_LABEL_PATTERN, names.DNS_LABEL_MAX_LENGTH),
    names.label_value: (names.LABEL_VALUE_PATTERN, names.LABEL_VALUE_MAX_LENGTH),
    names.label_key: (f"({names.DNS_SUBDOMAIN_PATTERN}/)?{names.LABEL_KEY_PATTERN}", 317),
    keys.config_map_key: ("[-._a-zA-Z0-9]+", names.DNS_SUBDOMAIN_MAX_LENGTH),
    keys.port_name: ("[a-z0-9]([-a-z0-9]*[a-z0-9])?", 15),
    keys.relaxed_env_var_name: ("[ -<>-~]+", None),
}
"""The regular expression (unanchored) and the maximum length of each format."""


ALWAYS_VALIDATED = frozenset(("JobSpec.successPolicy",))
"""Fields that the server validates under a condition without which it rejects the object anyway."""

GATED_VALUES = {
    "SecurityContext.procMount": "ProcMountType",
    "Container.restartPolicy": "ContainerRestartRules",
    "InitContainer.restartPolicy": "ContainerRestartRules",
}
"""Fields whose value the server discards while a feature gate is off."""


class SchemaCondition:
    """A condition on an object of some type.

    Attributes:
        fields: the fields in the condition; all of them must exist in the release.
        schema: a schema that every object accepted by the server satisfies.
    """

    __slots__ = ("fields", "schema")

    def __init__(self, *fields: str, schema: dict[str, Any]) -> None:
        self.fields = fields
        self.schema = schema


def _set(*fields: str) -> dict[str, Any]:
    """Return a schema that requires all these fields to be set, and not to null."""
    return {"required": list(fields), "properties": {field: {"not": _NULL} for field in fields}}


def _is(field: str, value: str) -> dict[str, Any]:
    return {"required": [field], "properties": {field: {"const": value}}}


def _when(condition: dict[str, Any], then: dict[str, Any]) -> dict[str, Any]:
    return {"if": condition, "then": then}


def _within(path: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema for a nested field that must be set."""
    for field in reversed(path.split(".")):
        schema = {"required": [field], "properties": {field: schema}}
    return schema


def _where_present(path: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema for a nested field, if it is set."""
    for field in reversed(path.split(".")):
        schema = {"properties": {field: schema}}
    return schema


_NULL: dict[str, Any] = {"type": "null"}
_INDEXED = _is("completionMode", "Indexed")
_FAIL_INDEX = {
    "contains": {
        "type": "object",
        "required": ["action"],
        "properties": {"action": {"const": "FailIndex"}},
    }
}
_LABELS = {
    "propertyNames": {"pattern": f"^({names.DNS_SUBDOMAIN_PATTERN}/)?{names.LABEL_KEY_PATTERN}$"},
    "additionalProperties": {
        "pattern": f"^{names.LABEL_VALUE_PATTERN}$",
        "maxLength": names.LABEL_VALUE_MAX_LENGTH,
    },
}
_ANNOTATION_KEYS = {
    "propertyNames": {
        "pattern": r"^([A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*/)?"
        f"{names.LABEL_KEY_PATTERN}$"
    }
}
_META = {"properties": {"labels": _LABELS, "annotations": _ANNOTATION_KEYS}}
_NAMED = {
    "anyOf": [
        {"required": ["name"], "properties": {"name": {"type": "string", "minLength": 1}}},
        {
            "required": ["generateName"],
            "properties": {"generateName": {"type": "string", "minLength": 1}},
        },
    ]
}
_NAME = {
    "properties": {
        "name": {
            "pattern": f"^({names.DNS_SUBDOMAIN_PATTERN})?$",
            "maxLength": names.DNS_SUBDOMAIN_MAX_LENGTH,
        },
        "namespace": {
            "pattern": f"^({names.DNS_LABEL_PATTERN})?$",
            "maxLength": names.DNS_LABEL_MAX_LENGTH,
        },
    }
}

CONDITIONS: dict[str, tuple[SchemaCondition, ...]] = {
    "Job": (
        SchemaCondition("metadata", schema={"required": ["metadata"]}),
        SchemaCondition("metadata", schema={"properties": {"metadata": _NAMED}}),
        SchemaCondition("metadata", schema={"properties": {"metadata": _NAME}}),
        SchemaCondition("metadata", schema={"properties": {"metadata": _META}}),
    ),
    "CronJob": (
        SchemaCondition("metadata", schema={"required": ["metadata"]}),
        SchemaCondition("metadata", schema={"properties": {"metadata": _NAMED}}),
        SchemaCondition("metadata", schema={"properties": {"metadata": _NAME}}),
        SchemaCondition("metadata", schema={"properties": {"metadata": _META}}),
        SchemaCondition(
            "metadata",
            schema={"properties": {"metadata": {"properties": {"name": {"maxLength": 52}}}}},
        ),
    ),
    "PodTemplateSpec": (SchemaCondition("metadata", schema={"properties": {"metadata": _META}}),),
    "JobTemplateSpec": (
        SchemaCondition(
            "spec",
            schema=_where_present(
                "spec",
                {"properties": {"selector": _NULL, "manualSelector": {"not": {"const": True}}}},
            ),
        ),
    ),
    "JobSpec": (
        SchemaCondition(
            "template",
            schema=_within("template.spec.restartPolicy", {"enum": ["OnFailure", "Never"]}),
        ),
        SchemaCondition(
            "podFailurePolicy",
            schema=_when(
                _set("podFailurePolicy"),
                _within("template.spec.restartPolicy", {"const": "Never"}),
            ),
        ),
        SchemaCondition(
            "podFailurePolicy",
            "podReplacementPolicy",
            schema=_when(
                _set("podFailurePolicy"),
                {"properties": {"podReplacementPolicy": {"enum": ["Failed", None]}}},
            ),
        ),
        SchemaCondition(
            "podFailurePolicy",
            "backoffLimitPerIndex",
            schema=_when(
                {
                    "required": ["podFailurePolicy"],
                    "properties": {
                        "podFailurePolicy": {
                            "type": "object",
                            "required": ["rules"],
                            "properties": {"rules": {"type": "array", **_FAIL_INDEX}},
                        }
                    },
                },
                _set("backoffLimitPerIndex"),
            ),
        ),
        # If parallelism is unset too, the server defaults completions to 1.
        SchemaCondition(
            "completionMode",
            schema=_when({"allOf": [_INDEXED, _set("parallelism")]}, _set("completions")),
        ),
        SchemaCondition(
            "completionMode",
            schema=_when(_INDEXED, {"properties": {"parallelism": {"maximum": 10**5}}}),
        ),
        SchemaCondition(
            "backoffLimitPerIndex",
            "completionMode",
            schema=_when(_set("backoffLimitPerIndex"), _INDEXED),
        ),
        SchemaCondition(
            "maxFailedIndexes",
            "completionMode",
            schema=_when(_set("maxFailedIndexes"), _INDEXED),
        ),
        SchemaCondition(
            "maxFailedIndexes",
            "backoffLimitPerIndex",
            schema=_when(_set("maxFailedIndexes"), _set("backoffLimitPerIndex")),
        ),
        SchemaCondition(
            "maxFailedIndexes", schema={"properties": {"maxFailedIndexes": {"maximum": 10**5}}}
        ),
        SchemaCondition(
            "maxFailedIndexes",
            "backoffLimitPerIndex",
            schema=_when(
                {
                    "required": ["completions", "backoffLimitPerIndex"],
                    "properties": {
                        "completions": {"type": "integer", "exclusiveMinimum": 10**5},
                        "backoffLimitPerIndex": {"type": "integer"},
                    },
                },
                {
                    **_set("maxFailedIndexes"),
                    "properties": {
                        "maxFailedIndexes": {"type": "integer", "maximum": 10**4},
                        "parallelism": {"maximum": 10**4},
                    },
                },
            ),
        ),
        SchemaCondition(
            "successPolicy", "completionMode", schema=_when(_set("successPolicy"), _INDEXED)
        ),
        SchemaCondition(
            "managedBy",
            schema={
                "properties": {
                    "managedBy": {
                        "pattern": f"^{names.DNS_SUBDOMAIN_PATTERN}/{names.HTTP_PATH_PATTERN}$",
                        "maxLength": 63,
                    }
                }
            },
        ),
    ),
    "PodFailurePolicyRule": (
        SchemaCondition("action", schema={"required": ["action"]}),
        SchemaCondition(
            "action",
            schema={"properties": {"action": {"type": "string", "minLength": 1}}},
        ),
        SchemaCondition(
            "onExitCodes",
            "onPodConditions",
            schema={
                "oneOf": [
                    _set("onExitCodes"),
                    {
                        "required": ["onPodConditions"],
                        "properties": {"onPodConditions": {"type": "array", "minItems": 1}},
                    },
                ]
            },
        ),
    ),
    "PodFailurePolicyOnExitCodesRequirement": (
        SchemaCondition("operator", schema={"required": ["operator", "values"]}),
        SchemaCondition("operator", schema={"properties": {"operator": {"enum": ["In", "NotIn"]}}}),
        SchemaCondition(
            "values",
            schema={
                "properties": {
                    "values": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 255,
                        "uniqueItems": True,
                    }
                }
            },
        ),
        SchemaCondition(
            "operator",
            "values",
            schema=_when(
                _is("operator", "In"),
                {"properties": {"values": {"items": {"type": "integer", "not": {"const": 0}}}}},
            ),
        ),
    ),
    "SuccessPolicyRule": (
        SchemaCondition(
            "succeededCount",
            "succeededIndexes",
            schema={"anyOf": [_set("succeededCount"), _set("succeededIndexes")]},
        ),
        SchemaCondition(
            "succeededIndexes",
            schema={
                "properties": {
                    "succeededIndexes": {
                        "pattern": r"^(\+?[0-9]+(-\+?[0-9]+)?(,\+?[0-9]+(-\+?[0-9]+)?)*)?$"
                    }
                }
            },
        ),
    ),
    "LabelSelectorRequirement": (
        SchemaCondition("operator", schema={"required": ["key", "operator"]}),
    ),
}
