"""Job: a task that runs to completion (``batch/v1``), its status, and the server's own fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.batch.job_warnings import job_name_warnings, job_spec_warnings, owner_warnings
from jobsworth.api.core.gated_pod_fields import drop_gated
from jobsworth.api.declare import Field, Int32, ListOf, Pointer, ServerWarning, String, Struct, Time
from jobsworth.api.field_errors import FieldError, invalid, required
from jobsworth.api.meta.label_selector import check_label_selector, has_invalid_values, matches
from jobsworth.api.meta.object_meta import (
    METADATA_CONDITIONS,
    ObjectMeta,
    check_lists_and_maps,
    check_object_meta,
)
from jobsworth.api.schema_conditions import SchemaCondition, is_, when, where_present, within
from jobsworth.api.validation_request import Request
from kube_cel.formats.names import DNS_LABEL_MAX_LENGTH, dns_label

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

JobCondition = Struct(
    "JobCondition",
    "A condition of a Job: suspended, complete, failed, or about to be.",
    type=Field(String, always=True),
    status=Field(String, always=True),
    lastProbeTime=Field(Time),
    lastTransitionTime=Field(Time),
    reason=Field(String),
    message=Field(String),
)

UncountedTerminatedPods = Struct(
    "UncountedTerminatedPods",
    "Pods that have ended and are not yet in the counters (KEP-2307).",
    succeeded=Field(ListOf(String)),
    failed=Field(ListOf(String)),
)

JobStatus = Struct(
    "JobStatus",
    "The progress of a Job.",
    conditions=Field(ListOf(JobCondition)),
    startTime=Field(Pointer(Time)),
    completionTime=Field(Pointer(Time)),
    active=Field(Int32),
    succeeded=Field(Int32),
    failed=Field(Int32),
    terminating=Field(Pointer(Int32), since="1.28"),
    completedIndexes=Field(String),
    failedIndexes=Field(Pointer(String), since="1.28"),
    uncountedTerminatedPods=Field(Pointer(UncountedTerminatedPods)),
    ready=Field(Pointer(Int32)),
)


GENERATED_UID = "00000000-0000-4000-8000-000000000000"
"""Placeholder for the UID that the server generates; messages print it as ``<uid>``."""

JOB_NAME_LABEL = "batch.kubernetes.io/job-name"
CONTROLLER_UID_LABEL = "batch.kubernetes.io/controller-uid"
LEGACY_JOB_NAME_LABEL = "job-name"
LEGACY_CONTROLLER_UID_LABEL = "controller-uid"
PREFIXED_SINCE = 27
"""The first minor version that generates labels with the prefix ``batch.kubernetes.io/``."""
UPDATES_APART_SINCE = 37
"""The first minor version that does not validate the new object of an update like that of a create."""

TRACKING_ANNOTATION = "batch.kubernetes.io/job-tracking"
NO_TRACKING_ANNOTATION_SINCE = 28
"""The first minor version that knows no annotation for tracking with finalizers (KEP-2307)."""
GENERATED_LABELS = (
    LEGACY_CONTROLLER_UID_LABEL,
    LEGACY_JOB_NAME_LABEL,
    CONTROLLER_UID_LABEL,
    JOB_NAME_LABEL,
)

_MANUAL = {"required": ["manualSelector"], "properties": {"manualSelector": {"const": True}}}
_NOT_GENERATED = "`selector` not auto-generated"
_NO_DNS_LABEL = "will not able to create pod with invalid DNS label"
_HOSTNAME_SUFFIX_MIN_LENGTH = 2
"""The length of ``-0`` in the hostname of an indexed Pod."""

KEPT_BY_UPDATES = frozenset({"JobManagedBy"})
"""The gates whose fields the server drops on create only."""

Job = Struct(
    "Job",
    "A task that runs Pods until enough of them have succeeded.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    spec=Field(JobSpec),
    status=Field(JobStatus),
)


@Job.defaulter
def _labels_of_the_template(job: dict[str, Any], request: Request) -> None:
    labels = job["spec"]["template"]["metadata"].get("labels")
    if labels and not job["metadata"].get("labels"):
        # Both share one map, so that labels generated for the template appear here as well.
        job["metadata"]["labels"] = labels


@Job.dropper
def _fields_of_the_pod(
    job: dict[str, Any], old: dict[str, Any] | None, server: ApiServer
) -> Iterator[tuple[str, str]]:
    stored = None if old is None else old["spec"]["template"]["spec"]
    return drop_gated(job["spec"]["template"]["spec"], "spec.template.spec", stored, server)


@Job.dropper
def _limits_per_index(
    job: dict[str, Any], old: dict[str, Any] | None, server: ApiServer
) -> Iterator[tuple[str, str]]:
    """Drop the rules of a new Job with the action FailIndex, and of an update the limits one by one."""
    gate, spec = "JobBackoffLimitPerIndex", job["spec"]
    if server.minor < 28 or server.enabled(gate):
        return
    if old is not None:
        for field in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if field in spec and field not in old["spec"]:
                del spec[field]
                if default := JobSpec.fields[field].sibling_default:
                    spec.setdefault(*default)
                yield f"spec.{field}", gate
        return
    policy = spec.get("podFailurePolicy", {})
    rules = policy.get("rules", ())
    kept = [rule for rule in rules if rule.get("action") != "FailIndex"]
    if len(kept) < len(rules):
        policy["rules"] = kept
        for index, rule in enumerate(rules):
            if rule.get("action") == "FailIndex":
                yield f"spec.podFailurePolicy.rules[{index}]", gate


Job.request_warner(owner_warnings)
Job.request_warner(job_name_warnings)


@Job.warner
def _warnings(job: dict[str, Any], request: Request) -> Iterator[ServerWarning]:
    yield from job_spec_warnings(job["spec"], "spec", request)


@Job.preparer
def _generate_selector(job: dict[str, Any], request: Request) -> None:
    """Generate the selector and the labels, and clear the status, as the server does before validation.

    Source: the Job strategy's PrepareForCreate and PrepareForUpdate, Kubernetes 1.36.
    """
    if request.old is not None:
        job["status"] = request.old.get("status", {})
        return
    job["status"] = {}
    metadata, spec = job["metadata"], job["spec"]
    if has_tracking_annotation(request.server):
        annotations = metadata.get("annotations", {})
        metadata["annotations"] = _completed(annotations, {TRACKING_ANNOTATION: ""})
    if spec.get("manualSelector"):
        return
    generated = generated_labels(job)
    selected = CONTROLLER_UID_LABEL
    if request.server.minor < PREFIXED_SINCE:
        del generated[CONTROLLER_UID_LABEL], generated[JOB_NAME_LABEL]
        selected = LEGACY_CONTROLLER_UID_LABEL
    add_to_selector_and_labels(job, {selected: metadata["uid"]}, generated)


def add_to_selector_and_labels(
    job: dict[str, Any], selected: Mapping[str, str], labels: Mapping[str, str]
) -> None:
    """Add labels to the selector of a Job and to its Pod template, where it does not have them.

    The spec is replaced, not changed: the object with defaults may share it.
    """
    spec = job["spec"]
    template, selector = spec["template"], spec.get("selector", {})
    own = template["metadata"].get("labels")
    completed = _completed(own or {}, labels)
    if own is not None and job["metadata"].get("labels") is own:
        job["metadata"]["labels"] = completed  # the object and its template share one map
    matched = _completed(selector.get("matchLabels", {}), selected)
    job["spec"] = {
        **spec,
        "selector": {**selector, "matchLabels": matched},
        "template": {**template, "metadata": {**template["metadata"], "labels": completed}},
    }


def _completed(own: Mapping[str, str], added: Mapping[str, str]) -> dict[str, str]:
    """Return a map with the keys of another that it lacks, at its end."""
    return {**own, **{key: value for key, value in added.items() if key not in own}}


def has_tracking_annotation(server: ApiServer) -> bool:
    """Return True for a server that adds TRACKING_ANNOTATION to new Jobs, and lets no update add it.

    Source: the Job strategy and ``ValidateJob`` of Kubernetes 1.26.15 and 1.27.16, which 1.28 removed.
    """
    return server.minor < NO_TRACKING_ANNOTATION_SINCE and server.enabled(
        "JobTrackingWithFinalizers"
    )


def generated_labels(job: dict[str, Any]) -> dict[str, str]:
    """Return the labels that the server generates for a Job, its selector and its Pods."""
    name, uid = job["metadata"].get("name", ""), job["metadata"].get("uid", "")
    return {
        LEGACY_CONTROLLER_UID_LABEL: uid,
        LEGACY_JOB_NAME_LABEL: name,
        CONTROLLER_UID_LABEL: uid,
        JOB_NAME_LABEL: name,
    }


@Job.in_schema(*METADATA_CONDITIONS)
@Job.rule
def _metadata(job: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if _is_validated_as_new(request):
        yield from check_object_meta(job["metadata"], "metadata", request.server)
    else:
        yield from check_lists_and_maps(job["metadata"], "metadata", request.server)


@Job.rule
def _delegation(job: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    if request.server.minor >= 38 and "annotations" in job["metadata"]:
        from jobsworth.api.batch.workload_scheduling import check_delegation

        yield from check_delegation(job, request.old, "")


def _is_validated_as_new(request: Request) -> bool:
    """Return True for a create; until 1.36 the server applies the rules of a create to updates as well."""
    return request.old is None or request.server.minor < UPDATES_APART_SINCE


@Job.in_schema(
    SchemaCondition(
        "spec",
        schema=where_present(
            "spec",
            when(
                {"not": _MANUAL},
                where_present(
                    "selector.matchLabels",
                    {
                        "properties": {label: {} for label in GENERATED_LABELS},
                        "additionalProperties": False,
                    },
                ),
            ),
        ),
        message=f"spec.selector: Invalid value: {_NOT_GENERATED}",
    )
)
@Job.rule
def _generated_selector(job: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Require that a generated selector and its labels keep their generated values."""
    spec = job["spec"]
    selector = spec.get("selector")
    if spec.get("manualSelector") or selector is None or not _is_validated_as_new(request):
        return
    labels = spec["template"]["metadata"].get("labels", {})
    expected = generated_labels(job)
    if not _labels_prefixed(request):
        del expected[CONTROLLER_UID_LABEL], expected[JOB_NAME_LABEL]
    for label, value in expected.items():
        at = f"spec.template.metadata.labels[{label}]"
        if label not in labels:
            yield required(at, f"must be '{value}'")
        elif labels[label] != value:
            yield invalid(at, labels, f"must be '{value}'")
    if matches(selector, expected) is False:
        yield invalid("spec.selector", selector, _NOT_GENERATED)


def _labels_prefixed(request: Request) -> bool:
    """Return False for a Job from before Kubernetes 1.27, which may lack the labels with the prefix."""
    if request.server.minor < PREFIXED_SINCE:
        return False
    if request.old is None:
        return True
    labels = request.old["spec"]["template"]["metadata"].get("labels", {})
    return JOB_NAME_LABEL in labels and CONTROLLER_UID_LABEL in labels


@Job.rule
def _selector_matches_template(
    job: dict[str, Any], path: str, request: Request
) -> Iterator[FieldError]:
    spec = job["spec"]
    selector = spec.get("selector")
    if selector is None:
        yield required("spec.selector")
    else:
        old = request.old
        yield from check_label_selector(
            selector,
            "spec.selector",
            request.server,
            invalid_values_allowed=old is not None
            and has_invalid_values(old["spec"].get("selector")),
        )
    labels = spec["template"]["metadata"].get("labels")
    if matches(selector, labels or {}) is False:
        yield invalid(
            "spec.template.metadata.labels", labels, "`selector` does not match template `labels`"
        )


@Job.in_schema(
    SchemaCondition(
        "spec",
        schema=when(
            within(
                "spec",
                {
                    **is_("completionMode", "Indexed"),
                    "not": {
                        "required": ["completions"],
                        "properties": {"completions": {"const": 0}},
                    },
                },
            ),
            where_present(
                "metadata.name",
                {
                    "pattern": "^[^.]*$",
                    "maxLength": DNS_LABEL_MAX_LENGTH - _HOSTNAME_SUFFIX_MIN_LENGTH,
                },
            ),
        ),
        message=f"metadata.name: Invalid value: {_NO_DNS_LABEL}: <name>-<index>",
    )
)
@Job.rule
def _hostnames_of_indexes(job: dict[str, Any], path: str, request: Request) -> Iterator[FieldError]:
    """Require that the hostname <Job name>-<index> of an indexed Pod is a DNS label (KEP-2214)."""
    spec, name = job["spec"], job["metadata"].get("name", "")
    completions = spec.get("completions", 0)
    if spec.get("completionMode") == "Indexed" and completions > 0:
        hostname = f"{name}-{completions - 1}"
        if dns_label(hostname):
            yield invalid(
                "metadata.name",
                name,
                f"{_NO_DNS_LABEL}: {hostname}",
            )
