"""The labels of the Pods of a Job, and whether a selector of an object beside it matches them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.api.batch.job import GENERATED_LABELS, JOB_NAME_LABEL, LEGACY_JOB_NAME_LABEL
from jobsworth.lint.linted_job import LintedJob

INDEX_KEY = "batch.kubernetes.io/job-completion-index"


def labels_of_pods(job: LintedJob) -> dict[str, str | None]:
    """Return the labels of the Pods of a Job; a value is None if only the cluster knows it."""
    labels: dict[str, str | None] = dict.fromkeys((*GENERATED_LABELS, INDEX_KEY))
    name = None if job.cron is not None else job.written["metadata"].get("name")
    labels[JOB_NAME_LABEL] = labels[LEGACY_JOB_NAME_LABEL] = name
    return {**job.spec["template"].get("metadata", {}).get("labels", {}), **labels}


def selects(selector: Any, labels: Mapping[str, Any]) -> bool:
    """Return True if a label selector as read certainly matches some labels. An empty one matches all.

    A label whose value only the cluster knows matches nothing but ``Exists``.

    >>> selects({"matchLabels": {"app": "web"}}, {"app": "web", "tier": "front"})
    True
    >>> expression = {"key": "app", "operator": "NotIn", "values": ["web"]}
    >>> selects({"matchExpressions": [expression]}, {"app": "web"})
    False
    """
    if not isinstance(selector, dict):
        return False
    pairs = selector.get("matchLabels") or {}
    expressions = selector.get("matchExpressions") or []
    if not isinstance(pairs, dict) or not isinstance(expressions, list):
        return False
    if not all(value is not None and labels.get(key) == value for key, value in pairs.items()):
        return False
    return all(isinstance(each, dict) and _meets(each, labels) for each in expressions)


def _meets(expression: dict[str, Any], labels: Mapping[str, Any]) -> bool:
    key, operator = str(expression.get("key")), expression.get("operator")
    values = expression.get("values")
    listed = values if isinstance(values, list) else []
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    if key in labels and labels[key] is None:
        return False
    if operator == "In":
        return key in labels and labels[key] in listed
    return operator == "NotIn" and labels.get(key) not in listed
