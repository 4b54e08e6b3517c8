"""A Job as its controller needs it: the spec parsed once, the status as a value.

The API server has already validated and defaulted the object. Only values that it leaves to the
controller need care here: an unknown completion mode, or an unknown policy action of a later release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from jobsworth.api.batch.termination_rules import rules_of
from jobsworth.controller import well_known_names
from jobsworth.controller.failure_policy import FailurePolicy, read_failure_policy
from jobsworth.controller.index_sets import IndexSet
from jobsworth.controller.pods import MAX_INT32, Owner, Pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.status import Status, read_status


@dataclass(frozen=True, slots=True)
class SuccessRule:
    """A rule; at least one of its attributes is not None.

    Attributes:
        indexes: succeededIndexes, unparsed.
        count: succeededCount: the number of these indexes, or of all, that must succeed.
    """

    indexes: str | None
    count: int | None

    def met_by(self, succeeded: IndexSet, completions: int) -> bool:
        """Return True if the succeeded indexes satisfy the rule."""
        if self.indexes is None:
            return self.count is not None and len(succeeded) >= self.count
        wanted = IndexSet.read(self.indexes, completions)
        if not wanted:
            return False
        reached = wanted.overlap(succeeded)
        return reached == len(wanted) or (self.count is not None and reached >= self.count)


def matched_rule(rules: Sequence[SuccessRule], succeeded: IndexSet, completions: int) -> int | None:
    """Return the position of the first satisfied rule; None if there is none."""
    if not succeeded:
        return None
    for position, rule in enumerate(rules):
        if rule.met_by(succeeded, completions):
            return position
    return None


def can_be_met(rules: Sequence[SuccessRule], failed: IndexSet, completions: int) -> bool:
    """Return True if a rule can still be satisfied although some indexes have failed for good."""
    if not rules:
        return False
    left = IndexSet.of(index for index in range(completions) if index not in failed)
    return matched_rule(rules, left, completions) is not None


def read_success_policy(policy: dict[str, Any] | None) -> tuple[SuccessRule, ...]:
    """Read ``spec.successPolicy``."""
    return tuple(
        SuccessRule(rule.get("succeededIndexes"), rule.get("succeededCount"))
        for rule in (policy or {}).get("rules") or ()
    )


@dataclass(frozen=True, slots=True)
class Requirement:
    """One of the matchExpressions."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def met_by(self, labels: tuple[str, ...]) -> bool:
        """Return True if labels, each as ``key=value``, match; an unknown operator never matches."""
        prefix = self.key + "="
        value = next((label[len(prefix) :] for label in labels if label.startswith(prefix)), None)
        if self.operator == "In":
            return value in self.values
        if self.operator == "NotIn":
            return value not in self.values
        if self.operator == "Exists":
            return value is not None
        return self.operator == "DoesNotExist" and value is None


@dataclass(frozen=True, slots=True)
class Selector:
    """A parsed LabelSelector.

    Attributes:
        labels: each as ``key=value``; None stands for no selector, which matches no Pod.
    """

    labels: tuple[str, ...] | None = None
    requirements: tuple[Requirement, ...] = ()

    def matches(self, pod: Pod) -> bool:
        """Return True if the selector matches a Pod."""
        if self.labels is None:
            return False
        pod_labels = pod.labels
        for label in self.labels:
            if label not in pod_labels:
                return False
        if not self.requirements:
            return True
        return all(requirement.met_by(pod_labels) for requirement in self.requirements)


def read_selector(selector: dict[str, Any] | None) -> Selector:
    """Read a LabelSelector; None matches no Pod, an empty selector every Pod."""
    if selector is None:
        return Selector()
    return Selector(
        labels=tuple(
            intern(f"{key}={value}") for key, value in (selector.get("matchLabels") or {}).items()
        ),
        requirements=tuple(
            Requirement(
                expression.get("key") or "",
                expression.get("operator") or "",
                tuple(expression.get("values") or ()),
            )
            for expression in selector.get("matchExpressions") or ()
        ),
    )


API_VERSION, KIND = "batch/v1", "Job"
DEFAULT_BACKOFF_LIMIT = 6


@dataclass(frozen=True, slots=True)
class Job:
    """One Job.

    Attributes:
        resource_version: version of the object; a status update requires that it is unchanged.
        deleting: True if it has a deletionTimestamp.
        managed_by: ``spec.managedBy``; None if unset.
        finalizer: tracking finalizer of its Pods.
        completions: None for a work queue, which completes after one success.
        backoff_limit_per_index: None if failures count per Job, not per index.
        active_deadline: seconds; None for no deadline.
        only_replace_failed: replace and count a terminating Pod only once it has terminated:
            podReplacementPolicy is Failed, or a podFailurePolicy is set (KEP-3939).
        replaces_failed: podReplacementPolicy is Failed; for the reason label of a metric.
        restarts_on_failure: the template's restartPolicy is OnFailure.
        success_rules: rules of the success policy; empty without one.
        template: ``spec.template``, shared: do not modify it.
        extension_errors: errors in the annotations that extend the API; a Job with such errors runs
            without the extension.
    """

    namespace: str
    name: str
    uid: str
    resource_version: str = ""
    generation: int = 0
    deleting: bool = False
    managed_by: str | None = None
    finalizer: str = well_known_names.OUR_FINALIZER
    parallelism: int = 1
    completions: int | None = None
    completion_mode: str = well_known_names.NON_INDEXED
    suspended: bool = False
    backoff_limit: int = DEFAULT_BACKOFF_LIMIT
    backoff_limit_per_index: int | None = None
    max_failed_indexes: int | None = None
    active_deadline: int | None = None
    failure_policy: FailurePolicy | None = None
    only_replace_failed: bool = False
    replaces_failed: bool = False
    restarts_on_failure: bool = False
    success_rules: tuple[SuccessRule, ...] = ()
    selector: Selector = field(default_factory=Selector)
    template: dict[str, Any] = field(default_factory=dict)
    status: Status = field(default_factory=Status)
    extension_errors: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.namespace}/{self.name}"

    @property
    def indexed(self) -> bool:
        """True if every Pod has a completion index."""
        return self.completion_mode == well_known_names.INDEXED

    @property
    def per_index(self) -> bool:
        """True if the Job limits failures per index (KEP-3850)."""
        return self.indexed and self.backoff_limit_per_index is not None

    @property
    def size(self) -> int:
        """The number of indexes of an Indexed Job."""
        return self.completions or 0

    @property
    def finished(self) -> bool:
        """True if the Job is Complete or Failed; its controller must not change it any more."""
        return self.status.holds(well_known_names.COMPLETE) or self.status.holds(
            well_known_names.JOB_FAILED
        )

    @property
    def has_started(self) -> bool:
        """True if the status shows that the Job has, or has had, a Pod.

        A Job that was suspended before any Pod of it ended has not: its status does not show the Pods.
        """
        status = self.status
        return status.start_time is not None or any(
            (
                status.active,
                status.succeeded,
                status.failed,
                status.terminating,
                status.uncounted,
            )
        )

    @property
    def owner(self) -> Owner:
        """The controller reference of its Pods."""
        return Owner(API_VERSION, KIND, self.name, self.uid)


def read_job(job: dict[str, Any], settings: ControllerSettings) -> Job:
    """Read a Job from its JSON object.

    Args:
        job: the object.
        settings: selects the tracking finalizer by ``spec.managedBy``, and applies or ignores the rules of
            the annotation that extends the API.
    """
    meta, spec = job["metadata"], job["spec"]
    template = spec.get("template") or {}
    policy, replacement = spec.get("podFailurePolicy"), spec.get("podReplacementPolicy")
    per_index = spec.get("backoffLimitPerIndex")
    default_limit = DEFAULT_BACKOFF_LIMIT if per_index is None else MAX_INT32
    extension, errors = rules_of(job) if settings.termination_rules else ((), ())
    return Job(
        namespace=meta.get("namespace") or "",
        name=meta.get("name") or "",
        uid=meta.get("uid") or "",
        resource_version=meta.get("resourceVersion") or "",
        generation=meta.get("generation") or 0,
        deleting=meta.get("deletionTimestamp") is not None,
        managed_by=spec.get("managedBy"),
        finalizer=settings.finalizer_for(spec.get("managedBy")),
        parallelism=_value_or_default(spec.get("parallelism"), 1),
        completions=spec.get("completions"),
        completion_mode=spec.get("completionMode") or well_known_names.NON_INDEXED,
        suspended=bool(spec.get("suspend")),
        backoff_limit=_value_or_default(spec.get("backoffLimit"), default_limit),
        backoff_limit_per_index=per_index,
        max_failed_indexes=spec.get("maxFailedIndexes"),
        active_deadline=spec.get("activeDeadlineSeconds"),
        failure_policy=read_failure_policy(policy, extension),
        only_replace_failed=replacement == "Failed" or policy is not None,
        replaces_failed=replacement == "Failed",
        restarts_on_failure=(template.get("spec") or {}).get("restartPolicy") == "OnFailure",
        success_rules=read_success_policy(spec.get("successPolicy")),
        selector=read_selector(spec.get("selector")),
        template=template,
        status=read_status(job.get("status") or {}),
        extension_errors=errors,
    )


def _value_or_default(value: int | None, default: int) -> int:
    return default if value is None else value
