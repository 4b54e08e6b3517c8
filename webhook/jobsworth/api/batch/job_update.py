"""Update rules of a Job: counts and limits are mutable, and more fields while it is suspended.

Source: ``ValidateJobUpdate`` of Kubernetes 1.36; KEP-2926 (scheduling directives), KEP-3715 (elastic
Indexed Jobs), KEP-5440 (resources of suspended Jobs).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.batch.job import TRACKING_ANNOTATION, has_tracking_annotation
from jobsworth.api.batch.workload_scheduling import check_policy_update, check_scheduling_update
from jobsworth.api.equality import equal
from jobsworth.api.field_errors import FieldError, forbidden, immutable, invalid, named_string
from jobsworth.api.meta.object_meta import check_immutable, check_object_meta_update
from jobsworth.api.validation_request import Request

IMMUTABLE_FIELDS = (
    "selector",
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
)

SCHEDULING_DIRECTIVES = {
    "metadata": ("annotations", "labels"),
    "spec": ("nodeSelector", "tolerations", "schedulingGates"),
    "spec.affinity": ("nodeAffinity",),
}
"""The fields of the Pod template that a queueing controller may set while a Job is suspended (KEP-2926), by
the field that holds them."""


def check_job_update(
    new: dict[str, Any], old: dict[str, Any], request: Request
) -> Iterator[FieldError]:
    """Validate the update of a Job, beyond the rules for the new object.

    Args:
        new: the decoded Job.
        old: the stored one.
        request: the update.
    """
    yield from _metadata(new, old, request)
    yield from _spec(new, old, request)
    yield from _template(new, old, request)


def _metadata(new: dict[str, Any], old: dict[str, Any], request: Request) -> Iterator[FieldError]:
    yield from check_object_meta_update(
        new["metadata"], old["metadata"], "metadata", request.server
    )
    if has_tracking_annotation(request.server):
        # KEP-2307: a client cannot claim that a Job is tracked with finalizers.
        annotations = new["metadata"].get("annotations", {})
        stored = old["metadata"].get("annotations", {})
        if TRACKING_ANNOTATION in annotations and TRACKING_ANNOTATION not in stored:
            at = f"metadata.annotations[{TRACKING_ANNOTATION}]"
            yield forbidden(at, "cannot add this annotation")


def _spec(new: dict[str, Any], old: dict[str, Any], request: Request) -> Iterator[FieldError]:
    spec, old_spec = new["spec"], old["spec"]
    for field in IMMUTABLE_FIELDS:
        value = spec.get(field)
        if not equal(value, old_spec.get(field)):
            yield immutable(
                f"spec.{field}", named_string(value) if isinstance(value, str) else value
            )
    yield from _check_completions(spec, old_spec, request)
    yield from check_scheduling_update(spec, old_spec, "spec", request.server)
    yield from check_policy_update(spec, old_spec, "spec")


def _check_completions(
    spec: dict[str, Any], old: dict[str, Any], request: Request
) -> Iterator[FieldError]:
    completions = spec.get("completions")
    elastic = spec.get("completionMode") == "Indexed" and request.enabled("ElasticIndexedJob")
    if not elastic:
        yield from check_immutable(completions, old.get("completions"), "spec.completions")
    elif completions not in (None, old.get("completions"), spec.get("parallelism")):
        yield invalid(
            "spec.completions", completions, "can only be modified in tandem with spec.parallelism"
        )


def _template(new: dict[str, Any], old: dict[str, Any], request: Request) -> Iterator[FieldError]:
    path, value, stored = compared_template(new, old, request)
    yield from check_immutable(value, stored, path)


def compared_template(
    new: dict[str, Any], old: dict[str, Any], request: Request
) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return what an update may not change of the Pod template: its path, the new value and the stored one.

    The stored value has what may change from the new one.
    """
    template, stored = new["spec"]["template"], old["spec"]["template"]
    if _scheduling_is_mutable(old, request):
        stored = _with_scheduling_of(template, stored)
    if not (old["spec"].get("suspend") and _resources_are_mutable(old, request)):
        return "spec.template", template, stored
    # The server then ignores the template's metadata: only the PodSpec is immutable.
    pod, stored_pod = template["spec"], _with_resources_of(template["spec"], stored["spec"])
    return "spec.template.spec", pod, stored_pod


def _not_running(old: dict[str, Any]) -> bool:
    """Return True if the Job is suspended and has no Pods of an earlier template."""
    status = old.get("status", {})
    suspended = any(
        condition.get("type") == "Suspended" and condition.get("status") == "True"
        for condition in status.get("conditions", ())
    )
    return bool(
        old["spec"].get("suspend")
        and ("startTime" not in status or suspended)
        and not status.get("active")
    )


def is_refused_by_earlier_patches(
    new: dict[str, Any], old: dict[str, Any], request: Request
) -> bool:
    """Return True for a change of a template that 1.36.0 and 1.36.1 reject, and later patches accept.

    Those wait for the condition Suspended, which the controller writes; recorded of 1.36.1 and 1.36.2.
    """
    conditions = old.get("status", {}).get("conditions", ())
    return bool(
        request.server.minor == 36
        and old["spec"].get("suspend")
        and not any(each.get("type") == "Suspended" for each in conditions)
        and not equal(new["spec"]["template"], old["spec"]["template"])
    )


def _scheduling_is_mutable(old: dict[str, Any], request: Request) -> bool:
    if request.enabled("MutableSchedulingDirectivesForSuspendedJobs"):
        return _not_running(old)
    never_started = "startTime" not in old.get("status", {})
    return bool(
        request.enabled("JobMutableNodeSchedulingDirectives")
        and old["spec"].get("suspend")
        and never_started
    )


def _resources_are_mutable(old: dict[str, Any], request: Request) -> bool:
    return request.enabled("MutablePodResourcesForSuspendedJobs") and _not_running(old)


def _with_scheduling_of(template: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Return the stored template with the scheduling directives of the new one, which are mutable."""
    directives = SCHEDULING_DIRECTIVES
    metadata = _taking(stored["metadata"], template["metadata"], directives["metadata"])
    pod = _taking(stored["spec"], template["spec"], directives["spec"])
    affinity, new_affinity = pod.get("affinity"), template["spec"].get("affinity")
    if affinity is not None or new_affinity is not None:
        merged = _taking(affinity or {}, new_affinity or {}, directives["spec.affinity"])
        if new_affinity is None and not merged:
            del pod["affinity"]
        else:
            pod["affinity"] = merged
    return {**stored, "metadata": metadata, "spec": pod}


def _with_resources_of(pod: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Return the stored PodSpec with the new resources of containers with the same index and name."""
    merged = dict(stored)
    for field in ("containers", "initContainers"):
        new, old = pod.get(field, []), stored.get(field, [])
        if old and len(new) == len(old):
            merged[field] = [
                _taking(container, other, ("resources",))
                if container.get("name") == other.get("name")
                else container
                for container, other in zip(old, new, strict=True)
            ]
    return merged


def _taking(stored: dict[str, Any], new: dict[str, Any], fields: tuple[str, ...]) -> dict[str, Any]:
    """Return a copy of `stored` with the given fields of `new`."""
    merged = {name: value for name, value in stored.items() if name not in fields}
    merged.update({name: new[name] for name in fields if name in new})
    return merged
