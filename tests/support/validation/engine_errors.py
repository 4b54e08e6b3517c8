"""The engine's findings for Jobs and Pods, in a short form for tables of cases."""

from __future__ import annotations

import copy
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for

Errors = set[tuple[str, str]]
"""Field paths and their messages."""

TEMPLATE = "spec.template."
POD = "spec.template.spec."


def server(
    release: str = "1.36", gates: dict[str, bool] | None = None, *, allow_privileged: bool = False
) -> ApiServer:
    """An API server; where a test names none, it is the one that this makes of no arguments."""
    return ApiServer(release, gates, allow_privileged=allow_privileged)


def job_with(
    pod: dict[str, Any] | None = None, metadata: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return a valid Job, except for these fields of its Pod and this metadata of its template."""
    spec = {
        "restartPolicy": "Never",
        "containers": [{"name": "main", "image": "busybox:1.36"}],
        **(pod or {}),
    }
    template = {"metadata": metadata or {}, "spec": spec}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "sample", "namespace": "default"},
        "spec": {"template": copy.deepcopy(template)},
    }


def errors_of(
    job: dict[str, Any], old: dict[str, Any] | None = None, *, at: ApiServer | None = None
) -> Errors:
    """Return the errors of a create, or of an update if there is an old object."""
    findings = engine_for(at or server()).validate(job, old)
    return {(finding.field, finding.message) for finding in findings if finding.severity == "error"}


def defaulted(job: dict[str, Any], *, at: ApiServer | None = None) -> dict[str, Any]:
    """Return an object with the defaults of the server."""
    return engine_for(at or server()).default(job)


def pod_errors(
    pod: dict[str, Any], old: dict[str, Any] | None = None, *, at: ApiServer | None = None
) -> Errors:
    """The errors of a Job with this Pod, less that it may not change; paths start at the Pod."""
    errors = errors_of(job_with(pod), None if old is None else job_with(old), at=at)
    return {
        (field.removeprefix(POD), message)
        for field, message in errors
        if not message.endswith("field is immutable")
    }


def template_errors(
    metadata: dict[str, Any], pod: dict[str, Any] | None = None, *, at: ApiServer | None = None
) -> Errors:
    """The errors of a Job with this metadata of its template; paths start at the template."""
    errors = errors_of(job_with(pod, metadata), at=at)
    return {(field.removeprefix(TEMPLATE), message) for field, message in errors}


def defaulted_pod(pod: dict[str, Any], *, at: ApiServer | None = None) -> dict[str, Any]:
    """Return a Pod with the defaults of the server."""
    stored: dict[str, Any] = defaulted(job_with(pod), at=at)["spec"]["template"]["spec"]
    return stored


def invalid(value: str, detail: str) -> str:
    """Return the message about a malformed string."""
    return f'Invalid value: "{value}": {detail}'
