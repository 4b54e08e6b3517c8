"""Expressions that have no value for a plain Job."""

from __future__ import annotations

NO_VALUE = (
    "object.spec.activeDeadlineSeconds <= 5",
    "object.metadata.labels['team'] == 'ml'",
    "object.metadata.annotations.exists(key, key == 'x')",
    "object.spec.template.spec.containers.all(c, c.resources.requests['cpu'] != '')",
    "(object.spec.template.spec.containers + object.spec.template.spec.?initContainers.orValue([]))"
    ".all(c, c.env.exists(e, e.value == c.name))",
    "object.spec.template.spec.containers[0].env[0].value == 'x'",
    "has(object.spec.suspend) && object.spec.template.spec.priorityClassName == 'low'",
    "cronJob == null ? object.spec.maxFailedIndexes > 1 : cronJob.spec.timeZone == 'UTC'",
    "request.operation == 'CREATE' || object.spec.maxFailedIndexes == oldObject.spec.maxFailedIndexes",
)
