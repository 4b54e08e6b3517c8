"""Server defaults: the values that the API server sets in a spec, and the removal of those no client wrote.

The fields and their defaults come from the declarations in :mod:`jobsworth.api`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.cron_job import CronJobSpec
from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.core.pod_template import PodSpec
from jobsworth.api.declare import Struct
from jobsworth.api.validation_request import Request
from jobsworth.provenance.field_ownership import UNKNOWN, FieldOwnership

Steps = tuple[str, ...]
Fill = Callable[[Mapping[str, Any], ApiServer], dict[str, Any]]


def job_spec_with_defaults(spec: Mapping[str, Any], server: ApiServer) -> dict[str, Any]:
    """Return a JobSpec with the defaults of its own fields; what lies below them is shared."""
    return _filled_job_spec(spec, server)


def server_default(name: str, spec: Mapping[str, Any], server: ApiServer) -> Any:
    """Return the server's default for an unset field of a JobSpec; None if there is none."""
    others = {key: part for key, part in spec.items() if key != name}
    return _filled_job_spec(others, server).get(name)


def strip_defaults(
    value: dict[str, Any], server: ApiServer, owned: FieldOwnership = UNKNOWN
) -> dict[str, Any]:
    """Return an object without those fields of its specs that the server would set to the same value.

    The server sets no defaults in the JobSpec of a CronJob, so a client wrote all of it.

    Args:
        value: a Job or CronJob that can be decoded; not modified, and parts are shared with the result.
        server: the API server that sets the defaults.
        owned: the fields that a client is known to have written, which are kept.
    """
    spec, path = value.get("spec") or {}, ("spec",)
    if value.get("kind") != "CronJob":
        bare = _bare(spec, _filled_job_spec, path, server, owned)
        return {**value, "spec": _with_bare_pod(bare, path, server, owned)}
    bare = _bare(spec, _filled_cron_job_spec, path, server, owned)
    template = spec.get("jobTemplate") or {}
    inner = template.get("spec") or {}
    job = _with_bare_pod(inner, (*path, "jobTemplate", "spec"), server, owned)
    return {**value, "spec": {**bare, "jobTemplate": {**template, "spec": job}}}


def _with_bare_pod(
    spec: dict[str, Any], path: Steps, server: ApiServer, owned: FieldOwnership
) -> dict[str, Any]:
    template = spec.get("template") or {}
    pod_path = (*path, "template", "spec")
    pod = _bare(template.get("spec") or {}, _filled_pod_spec, pod_path, server, owned)
    return {**spec, "template": {**template, "spec": pod}}


def _bare(
    spec: dict[str, Any], fill: Fill, path: Steps, server: ApiServer, owned: FieldOwnership
) -> dict[str, Any]:
    """Return a spec without the fields that have the server's default and are not owned."""
    names = _names(fill, server)
    kept = {
        name: part for name, part in spec.items() if name not in names or owned.has((*path, name))
    }
    defaults = fill(kept, server)
    return {name: part for name, part in spec.items() if name in kept or part != defaults.get(name)}


@cache
def _names(fill: Fill, server: ApiServer) -> frozenset[str]:
    """Return the fields of an empty spec that the server sets."""
    return frozenset(fill({}, server))


def _filled_job_spec(spec: Mapping[str, Any], server: ApiServer) -> dict[str, Any]:
    filled = {name: part for name, part in spec.items() if part is not None}
    request = Request(server, "Job")
    for defaulter in JobSpec.defaulters:
        defaulter(filled, request)
    return _JOB_SPEC | filled


def _filled_cron_job_spec(spec: Mapping[str, Any], server: ApiServer) -> dict[str, Any]:
    return _CRON_JOB_SPEC | dict(spec)


def _filled_pod_spec(spec: Mapping[str, Any], server: ApiServer) -> dict[str, Any]:
    return _POD_SPEC | dict(spec)


def _constants(struct: Struct) -> dict[str, Any]:
    """Return the fields with a constant default that does not depend on a feature gate."""
    return {
        name: field.default
        for name, field in struct.fields.items()
        if field.default is not None and field.default != {} and not field.gate
    }


_JOB_SPEC, _CRON_JOB_SPEC, _POD_SPEC = map(_constants, (JobSpec, CronJobSpec, PodSpec))
