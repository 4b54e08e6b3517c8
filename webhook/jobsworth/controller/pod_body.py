"""The body of a Pod that a Job creates.

Source: Kubernetes 1.36; KEP-2214 (Indexed Jobs), KEP-3850 (failure counts), KEP-2307 (finalizer). The
template is shared, not copied: do not change the parts of a body.
"""

from __future__ import annotations

from typing import Any

from jobsworth.controller import well_known_names
from jobsworth.controller.actions import Creation
from jobsworth.controller.jobs import Job
from jobsworth.controller.ownership import owner_reference
from kube_cel.formats.names import as_prefix, dns_subdomain

# The API server appends five random characters, and a Pod name should fit a label of 63 characters.
MAX_GENERATED_BASE = 58


class BadTemplate(ValueError):
    """A template from which no Pod can be created; the message has the reason."""


def pod_body(job: Job, creation: Creation) -> dict[str, Any]:
    """Return the Pod to create; the API server completes its name.

    Raises:
        BadTemplate: the template has no label.
    """
    template = job.template
    meta = template.get("metadata") or {}
    labels, annotations = dict(meta.get("labels") or {}), dict(meta.get("annotations") or {})
    if not labels:
        raise BadTemplate("unable to create pods, no labels")
    spec = template.get("spec") or {}
    index = creation.index
    if index is not None:
        labels[well_known_names.COMPLETION_INDEX] = annotations[
            well_known_names.COMPLETION_INDEX
        ] = str(index)
        spec = _indexed_spec(spec, f"{job.name}-{index}")
    if creation.failure_count is not None:
        annotations[well_known_names.INDEX_FAILURE_COUNT] = str(creation.failure_count)
        if creation.ignored_count:
            annotations[well_known_names.INDEX_IGNORED_FAILURE_COUNT] = str(creation.ignored_count)
    finalizers = list(meta.get("finalizers") or ())
    if job.finalizer not in finalizers:
        finalizers.append(job.finalizer)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "generateName": generate_name(job.name, index),
            "namespace": job.namespace,
            "labels": labels,
            "annotations": annotations,
            "finalizers": finalizers,
            "ownerReferences": [owner_reference(job)],
        },
        "spec": spec,
    }


def generate_name(job: str, index: int | None) -> str:
    """Return the generateName prefix of a Pod.

    >>> generate_name("report", None), generate_name("report", 3)
    ('report-', 'report-3-')
    """
    if index is None:
        prefix = f"{job}-"
        return job if dns_subdomain(as_prefix(prefix)) else prefix
    suffix = f"-{index}-"
    return job[: MAX_GENERATED_BASE - len(suffix)] + suffix


def _indexed_spec(spec: dict[str, Any], hostname: str) -> dict[str, Any]:
    containers = {
        field: [_with_index(container) for container in spec[field]]
        for field in ("initContainers", "containers")
        if spec.get(field)
    }
    return {**spec, **containers, "hostname": hostname}


def _with_index(container: dict[str, Any]) -> dict[str, Any]:
    """Return the container with its index in the environment, unless it sets that variable itself."""
    variables = container.get("env") or []
    if any(
        variable.get("name") == well_known_names.COMPLETION_INDEX_VARIABLE for variable in variables
    ):
        return container
    path = f"metadata.labels['{well_known_names.COMPLETION_INDEX}']"
    variable = {
        "name": well_known_names.COMPLETION_INDEX_VARIABLE,
        "valueFrom": {"fieldRef": {"fieldPath": path}},
    }
    return {**container, "env": [*variables, variable]}
