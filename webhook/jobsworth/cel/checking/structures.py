"""The messages that an expression of an admission policy can read, with their fields."""

from __future__ import annotations

REQUEST = "kubernetes.AdmissionRequest"
NAMESPACE = "kubernetes.Namespace"
VARIABLES = "kubernetes.variables"

_KIND = "kubernetes.GroupVersionKind"
_RESOURCE = "kubernetes.GroupVersionResource"
_TEXTS = "map(string, string)"

FIELDS: dict[str, dict[str, str]] = {
    REQUEST: {
        "kind": _KIND,
        "resource": _RESOURCE,
        "subResource": "string",
        "requestKind": _KIND,
        "requestResource": _RESOURCE,
        "requestSubResource": "string",
        "name": "string",
        "namespace": "string",
        "operation": "string",
        "userInfo": "kubernetes.UserInfo",
        "dryRun": "bool",
        "options": "dyn",
    },
    _KIND: {"group": "string", "version": "string", "kind": "string"},
    _RESOURCE: {"group": "string", "version": "string", "resource": "string"},
    "kubernetes.UserInfo": {
        "username": "string",
        "uid": "string",
        "groups": "list(string)",
        "extra": "map(string, list(string))",
    },
    NAMESPACE: {
        "metadata": "kubernetes.NamespaceMetadata",
        "spec": "kubernetes.NamespaceSpec",
        "status": "kubernetes.NamespaceStatus",
    },
    "kubernetes.NamespaceMetadata": {
        "name": "string",
        "generateName": "string",
        "namespace": "string",
        "labels": _TEXTS,
        "annotations": _TEXTS,
        "UID": "string",
        "creationTimestamp": "timestamp",
        "deletionGracePeriodSeconds": "int",
        "deletionTimestamp": "timestamp",
        "generation": "int",
        "resourceVersion": "string",
        "finalizers": "list(string)",
    },
    "kubernetes.NamespaceSpec": {"finalizers": "list(string)"},
    "kubernetes.NamespaceStatus": {
        "conditions": "list(kubernetes.NamespaceCondition)",
        "phase": "string",
    },
    "kubernetes.NamespaceCondition": {
        "status": "string",
        "type": "string",
        "lastTransitionTime": "timestamp",
        "message": "string",
        "reason": "string",
    },
}
"""The types of the fields, by the message (``BuildRequestType`` and so on in k8s.io/apiserver)."""
