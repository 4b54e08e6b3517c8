"""The fields of Jobs and CronJobs that a policy can limit or make immutable, in one table.

A document names a field of the JobSpec by its name (``backoffLimit``), a field of the Pod by
``pod.restartPolicy`` and a field of the CronJobSpec by ``cronJob.timeZone``. Types, enumerations and defaults
come from the declarations in :mod:`jobsworth.api`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from jobsworth.api.batch.cron_job import CronJobSpec
from jobsworth.api.batch.job_spec import COMPLETION_MODES, REPLACEMENT_POLICIES, JobSpec
from jobsworth.api.core.pod_template import PodSpec
from jobsworth.api.declare import Field, Pointer, Scalar, Struct
from jobsworth.policy.request import JobView, Origin

_NAMES = {
    "job": (
        "parallelism", "completions", "completionMode", "activeDeadlineSeconds", "backoffLimit",
        "backoffLimitPerIndex", "maxFailedIndexes", "podFailurePolicy", "successPolicy",
        "podReplacementPolicy", "ttlSecondsAfterFinished", "suspend", "managedBy", "manualSelector",
    ),
    "pod": (
        "restartPolicy", "activeDeadlineSeconds", "terminationGracePeriodSeconds",
        "priorityClassName", "preemptionPolicy", "schedulerName", "serviceAccountName",
        "automountServiceAccountToken", "runtimeClassName", "hostNetwork", "hostPID", "hostIPC",
    ),
    "cronJob": (
        "schedule", "timeZone", "startingDeadlineSeconds", "concurrencyPolicy", "suspend",
        "successfulJobsHistoryLimit", "failedJobsHistoryLimit",
    ),
}  # fmt: skip
"""The supported fields by scope."""

_STRUCTS = {"job": JobSpec, "pod": PodSpec, "cronJob": CronJobSpec}
_PARENTS = {"job": "", "pod": "template.spec.", "cronJob": ""}
_KINDS = {"int32": "integer", "int64": "integer", "string": "string", "boolean": "boolean"}

_VALUES = {
    "pod.restartPolicy": ("Never", "OnFailure"),
    "pod.preemptionPolicy": ("Never", "PreemptLowerPriority"),
    "podReplacementPolicy": REPLACEMENT_POLICIES,
    "completionMode": COMPLETION_MODES,
}
_ALWAYS_SET = frozenset(
    (
        "parallelism", "completionMode", "backoffLimit", "suspend", "manualSelector",
        "podReplacementPolicy", "pod.restartPolicy", "pod.terminationGracePeriodSeconds",
        "pod.schedulerName", "cronJob.schedule", "cronJob.concurrencyPolicy", "cronJob.suspend",
        "cronJob.successfulJobsHistoryLimit", "cronJob.failedJobsHistoryLimit",
    )
)  # fmt: skip
"""Fields that the API server sets or requires: ``required`` and ``forbidden`` have no effect."""

SHARES = frozenset(("maxFailedIndexes",))
"""Fields that accept a percentage of the completions: ``10%``."""


class Located(Protocol):
    """A view of an object that knows the field path of its JobSpec."""

    @property
    def path(self) -> str:
        """``spec`` or ``spec.jobTemplate.spec``."""


@dataclass(frozen=True, slots=True)
class JobField:
    """A field that a policy can limit or make immutable.

    Attributes:
        name: the name in documents: ``backoffLimit``, ``pod.restartPolicy``, ``cronJob.timeZone``.
        scope: the object that has the field: ``job`` (JobSpec), ``pod`` or ``cronJob`` (CronJobSpec).
        key: the field name in that object.
        kind: ``integer``, ``string``, ``boolean`` or ``object``.
        values: the values of an enumeration; empty for other fields.
        always_set: True if the API server sets the field or rejects an object without it.
        share: True if a percentage of the completions is accepted.
        declared: the declaration in :mod:`jobsworth.api`.
    """

    name: str
    scope: str
    key: str
    kind: str
    values: tuple[str, ...]
    always_set: bool
    share: bool
    declared: Field

    def origin(self, view: JobView) -> Origin:
        """Return the source of the field's value."""
        return view.origin(self.path(view).split("."), self.declared)

    def path(self, view: Located) -> str:
        """Return the field path in an object, as Kubernetes writes it."""
        holder = "spec" if self.scope == "cronJob" else view.path
        return f"{holder}.{_PARENTS[self.scope]}{self.key}"

    def value(self, view: JobView) -> Any:
        """Return the value in an object; None if it is unset."""
        holder: Mapping[str, Any] | None
        if self.scope == "job":
            holder = view.spec
        elif self.scope == "pod":
            holder = view.pod
        else:
            holder = view.cron
        return None if holder is None else holder.get(self.key)


def _field(scope: str, key: str) -> JobField:
    name = key if scope == "job" else f"{scope}.{key}"
    declared = _STRUCTS[scope].fields[key]
    target = declared.type.target if isinstance(declared.type, Pointer) else declared.type
    assert isinstance(target, Scalar | Struct)
    kind = _KINDS[target.name] if isinstance(target, Scalar) else "object"
    values = _VALUES.get(name) or declared.enum or declared.values or ()
    return JobField(
        name, scope, key, kind, tuple(values), name in _ALWAYS_SET, name in SHARES, declared
    )


FIELDS: dict[str, JobField] = {
    field.name: field
    for scope, keys in _NAMES.items()
    for field in (_field(scope, key) for key in keys)
}
"""Every supported field by its name in documents."""


def share_of(percentage: str, completions: int) -> int:
    """Return the number of indexes that a percentage of the completions stands for, rounded down.

    >>> share_of("10%", 55), share_of("100%", 7), share_of("1%", 50)
    (5, 7, 0)

    Args:
        percentage: a whole number from 0 to 100 and a percent sign.
        completions: the completions of the Job.
    """
    return int(percentage[:-1]) * completions // 100
