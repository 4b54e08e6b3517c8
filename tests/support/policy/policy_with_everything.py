"""Policies with every part of the format, valid: one of limits, one of defaults."""

from __future__ import annotations

from typing import Any

from support.policy.policy_requests import document

DISRUPTIONS = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
WRONG_USAGE = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [2, 64]}}
MATCH = {
    "kinds": ["Job", "CronJob"],
    "operations": ["CREATE", "UPDATE"],
    "namespaces": ["default", "ml-*"],
    "objectSelector": {"matchExpressions": [{"key": "legacy", "operator": "DoesNotExist"}]},
}
LIMITS: dict[str, Any] = {
    "activeDeadlineSeconds": {"minimum": 600, "maximum": 3600, "required": True},
    "backoffLimit": {"maximum": 6, "message": "Use limits per index."},
    "backoffLimitPerIndex": {"minimum": 1, "maximum": 1},
    "completionMode": {"allowed": ["Indexed"]},
    "completions": {"minimum": 1, "maximum": 4},
    "managedBy": {"forbidden": True},
    "maxFailedIndexes": {"maximum": "50%"},
    "parallelism": {"maximum": 2},
    "podFailurePolicy": {
        "required": True,
        "allowedActions": ["Ignore", "FailJob"],
        "ignoreDisruptionsFirst": True,
        "failJobOnExitCodes": [42],
        "minimumRules": 1,
        "maximumRules": 2,
    },
    "podReplacementPolicy": {"allowed": ["Failed"]},
    "suspend": {"allowed": [False]},
    "successPolicy": {"forbidden": True},
    "ttlSecondsAfterFinished": {"minimum": 600, "maximum": 600},
    "labels": {"app": {"required": True, "allowed": ["etl", "train-*"]}, "team": {"denied": ["a*"]}},
    "annotations": {"team": {"required": True}, "ticket": {"forbidden": True}},
    "pod": {
        "hostNetwork": {"allowed": [False]},
        "priorityClassName": {"denied": ["system-*"]},
        "restartPolicy": {"allowed": ["Never"]},
        "serviceAccountName": {"required": True, "denied": ["default"]},
        "terminationGracePeriodSeconds": {"minimum": 1, "maximum": 30},
    },
    "cronJob": {
        "concurrencyPolicy": {"allowed": ["Forbid"]},
        "failedJobsHistoryLimit": {"minimum": 1, "maximum": 10},
        "startingDeadlineSeconds": {"minimum": 11, "required": True},
        "timeZone": {"required": True, "allowed": ["Europe/*"]},
    },
    "resources": {
        "requests": {
            "cpu": {"maximum": "2", "required": True},
            "memory": {"maximum": "2Gi", "required": True},
        },
        "limits": {"memory": {"required": True}},
    },
}  # fmt: skip
DEFAULTS: dict[str, Any] = {
    "activeDeadlineSeconds": {"value": 7200},
    "annotations": {"example.com/contact": {"value": "batch"}},
    "backoffLimit": {"value": 2, "when": "ifServerDefault"},
    "backoffLimitPerIndex": {"value": 1},
    "labels": {"example.com/tier": {"value": "batch", "when": "always"}},
    "maxFailedIndexes": {"value": "10%", "atLeast": 1},
    "podFailurePolicy": {"rulesBefore": [DISRUPTIONS], "rulesAfter": [WRONG_USAGE]},
    "podReplacementPolicy": {"value": "Failed", "when": "ifServerDefault"},
    "suspend": {"value": True, "when": "ifServerDefault"},
    "ttlSecondsAfterFinished": {"value": 86400, "when": "always"},
}
LIMITING = document(
    "limits",
    description="Limits of everything.",
    message="See the handbook.",
    contact="#batch",
    priority=1,
    enforcement="deny",
    onInternalError="allow",
    onUnreadable="deny",
    cronJobJobs="enforce",
    match=[MATCH],
    exempt=[{"names": ["exempt-*"], "owners": ["JobSet"]}, {"users": ["root"], "groups": ["ops"]}],
    limits=LIMITS,
    immutable=[{"field": "parallelism"}, {"label": "app"}, {"annotation": "team"}],
    rules={"JW101": "deny", "moving-image": "warn", "default": "warn"},
    expressions=[
        {
            "expression": "object.kind != 'Job' || object.spec.parallelism < 2",
            "message": "Too parallel.",
            "messageExpression": "'not ' + string(object.spec.parallelism)",
            "field": "spec.parallelism",
        },
        {"expression": "!has(object.spec.managedBy)"},
    ],
)
DEFAULTING = document("defaults", match=[MATCH], defaults=DEFAULTS)
