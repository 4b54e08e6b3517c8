"""Policies that together have every limit, every criterion and every effect that can be exported."""

from __future__ import annotations

from typing import Any

from support.policy.policy_requests import document

_LIMITS: dict[str, Any] = {
    "activeDeadlineSeconds": {"minimum": 600, "maximum": 3600, "required": True},
    "backoffLimit": {"maximum": 4, "message": 'Say "why": \\ „warum“\nor not.'},
    "backoffLimitPerIndex": {"minimum": 1, "maximum": 2, "required": True},
    "completionMode": {"allowed": ["Indexed"]},
    "completions": {"minimum": 2, "maximum": 6, "required": True},
    "managedBy": {"forbidden": True},
    "maxFailedIndexes": {"maximum": "50%", "required": True},
    "parallelism": {"maximum": 4, "allowed": [1, 2, 4]},
    "podFailurePolicy": {
        "required": True,
        "allowedActions": ["Ignore", "FailJob"],
        "ignoreDisruptionsFirst": True,
        "failJobOnExitCodes": [42, 3],
        "minimumRules": 1,
        "maximumRules": 2,
    },
    "podReplacementPolicy": {"allowed": ["Failed"]},
    "suspend": {"allowed": [False]},
    "successPolicy": {"forbidden": True},
    "ttlSecondsAfterFinished": {"minimum": 600, "maximum": 600},
    "manualSelector": {"allowed": [False]},
    "labels": {
        "app": {"required": True, "allowed": ["etl", "train-*", "[ab]?"]},
        "te/am": {"denied": ["a*", "none"]},
    },
    "annotations": {"team": {"required": True}, "example.com/ticket": {"forbidden": True}},
    "pod": {
        "activeDeadlineSeconds": {"maximum": 50},
        "automountServiceAccountToken": {"required": True, "allowed": [False]},
        "hostNetwork": {"allowed": [False]},
        "hostPID": {"forbidden": True},
        "hostIPC": {"required": True},
        "preemptionPolicy": {"allowed": ["Never"]},
        "priorityClassName": {"denied": ["system-*"]},
        "restartPolicy": {"allowed": ["Never"]},
        "runtimeClassName": {"required": True, "allowed": ["gvisor"]},
        "schedulerName": {"denied": ["*-scheduler"]},
        "serviceAccountName": {"required": True, "denied": ["default"]},
        "terminationGracePeriodSeconds": {"minimum": 1, "maximum": 30},
    },
    "resources": {
        "requests": {
            "cpu": {"maximum": "100", "required": True},
            "memory": {"maximum": "3Gi"},
            "ephemeral-storage": {"required": True},
        },
        "limits": {
            "nvidia.com/gpu": {"maximum": 16},
            "memory": {"maximum": "1500M", "required": True},
        },
    },
}
_CRON_JOB = {
    "concurrencyPolicy": {"allowed": ["Forbid"]},
    "failedJobsHistoryLimit": {"minimum": 1, "maximum": 10},
    "startingDeadlineSeconds": {"minimum": 11, "required": True},
    "successfulJobsHistoryLimit": {"maximum": 5},
    "suspend": {"allowed": [False]},
    "timeZone": {"required": True, "allowed": ["Europe/*"]},
    "schedule": {"denied": ["[*]/5 *"]},
}
_EXPRESSIONS = [
    {
        "expression": "!has(object.spec.suspend) || !object.spec.suspend // object",
        "message": "No 'suspend'.",
    },
    {
        "expression": "request.operation != 'UPDATE' || object.metadata.name == oldObject.metadata.name",
    },
    {
        "expression": "!has(object.metadata.labels) || object.metadata.labels.all(object1, object1 != 'te/am')",
        "messageExpression": "'labels of ' + object.metadata.name + ': ' + string(size(object.metadata.labels))",
        "field": "metadata.labels",
    },
]

_PODS: dict[str, Any] = {
    "labels": {"app": {"required": True, "allowed": ["etl", "train-*"]}},
    "annotations": {"example.com/ticket": {"forbidden": True}},
    "nodeSelector": {"example.com/pool": {"denied": ["gp*"]}, "zone": {"required": True}},
    "tolerations": {"allowed": ["example.com/*", "spot"], "denied": ["example.com/gpu"]},
    "securityContext": {
        "runAsNonRoot": {"required": True, "allowed": [True]},
        "runAsUser": {"minimum": 1000, "maximum": 2000},
        "privileged": {"forbidden": True},
        "allowPrivilegeEscalation": {"required": True, "allowed": [False]},
        "readOnlyRootFilesystem": {"allowed": [True]},
        "addedCapabilities": {"allowed": ["CHOWN", "NET_*"], "message": "Ask."},
    },
}
DOCUMENTS = [
    document(
        "fields",
        limits={name: part for name, part in _LIMITS.items() if name not in ("resources", "pod")},
    ),
    document("pods", limits={"pod": _LIMITS["pod"]}, enforcement="warn"),
    document("parts-of-pods", limits={"pod": _PODS}, cronJobJobs="enforce"),
    document(
        "no-entries-in-pods",
        limits={
            "pod": {
                "tolerations": {"forbidden": True},
                "securityContext": {"addedCapabilities": {"forbidden": True}},
            }
        },
    ),
    document("resources", limits={"resources": _LIMITS["resources"]}, cronJobJobs="enforce"),
    document(
        "cron-jobs",
        match=[{"kinds": ["CronJob"]}],
        limits={"cronJob": _CRON_JOB, "podFailurePolicy": _LIMITS["podFailurePolicy"]},
    ),
    document(
        "failure-policies",
        match=[{"kinds": ["CronJob"], "operations": ["UPDATE"]}],
        limits={"podFailurePolicy": _LIMITS["podFailurePolicy"]},
    ),
    document(
        "immutable",
        immutable=[
            {"field": "podReplacementPolicy"},
            {"field": "parallelism", "unlessSuspended": True},
            {"field": "podFailurePolicy"},
            {"field": "suspend"},
            {"field": "cronJob.schedule", "unlessSuspended": True},
            {"label": "app"},
            {"annotation": "team", "unlessSuspended": True, "message": "Ask."},
        ],
        limits={"labels": _LIMITS["labels"]},
    ),
    document("expressions", expressions=_EXPRESSIONS, limits={"suspend": {"allowed": [False]}}),
    document(
        "matched",
        match=[
            {"namespaces": ["ml-*"], "objectSelector": {"matchLabels": {"a": "b"}}},
            {"namespaceSelector": {"matchLabels": {"tier": "batch"}}, "users": ["al*"]},
            {"names": ["etl-*"], "groups": ["ops"], "owners": ["JobSet"]},
        ],
        exempt=[
            {"namespaceSelector": {"matchExpressions": [{"key": "old", "operator": "Exists"}]}},
            {
                "objectSelector": {
                    "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["d"]}]
                },
                "users": ["bob"],
            },
            {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "legacy"}}},
        ],
        limits={"parallelism": {"maximum": 1}},
        enforcement="audit",
    ),
]
