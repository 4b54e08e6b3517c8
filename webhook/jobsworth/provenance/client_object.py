"""An object as its author had it, as far as that can be told: for lint rules, which ask what was written.

At admission an object arrives with what the API server has filled in and made up. A rule about a
``backoffLimit`` that somebody wrote must not speak about the 6 that nobody did.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.batch.cron_job import CronJobSpec
from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.validation_request import Request
from jobsworth.provenance.field_ownership import written
from jobsworth.provenance.generated_fields import IGNORED_METADATA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jobsworth.api.server import ApiServer
    from jobsworth.provenance.field_ownership import Written

_DROPPED_METADATA = frozenset((*IGNORED_METADATA, "resourceVersion"))
_POD_DEFAULTS = {"terminationGracePeriodSeconds": 30}
_JOB_DEFAULTS = {
    name: field.default for name, field in JobSpec.fields.items() if field.default is not None
}
_CRON_JOB_DEFAULTS = {
    name: field.default for name, field in CronJobSpec.fields.items() if field.default is not None
}
_BY_RULE = ("backoffLimit", "podReplacementPolicy", "completions")
"""Fields of a JobSpec whose default depends on others."""


def authored(
    value: dict[str, Any], server: ApiServer, manifest: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The object without what the API server adds, unless somebody is known to have written it.

    Args:
        value: the object, with defaults; it stays as it is.
        server: whose defaults they are.
        manifest: what somebody wrote, where that is at hand.
    """
    known = written(value if manifest is None else manifest)
    metadata = {
        name: part for name, part in value["metadata"].items() if name not in _DROPPED_METADATA
    }
    spec = value["spec"]
    if "jobTemplate" in spec:
        spec = _without(spec, _CRON_JOB_DEFAULTS.items(), known, ("spec",))
        template = spec["jobTemplate"]
        inner = _authored_pod(template["spec"], known, ("spec", "jobTemplate", "spec"))
        spec["jobTemplate"] = {**template, "spec": inner}
    else:
        spec = _authored_job(spec, known, server)
    bare = {name: part for name, part in value.items() if name != "status"}
    return {**bare, "metadata": metadata, "spec": spec}


def _authored_job(spec: dict[str, Any], known: Written, server: ApiServer) -> dict[str, Any]:
    path = ("spec",)
    bare = _without(spec, _JOB_DEFAULTS.items(), known, path)
    ruled = {name: bare.pop(name) for name in _BY_RULE if name in bare}
    filled = dict(bare)
    for defaulter in JobSpec.defaulters:
        defaulter(filled, Request(server, "Job"))
    bare |= {
        name: part
        for name, part in ruled.items()
        if filled.get(name) != part or known.has((*path, name))
    }
    if not spec.get("manualSelector"):
        bare.pop("selector", None)
        bare["template"] = _without_generated_labels(bare["template"])
    return _authored_pod(bare, known, path)


def _authored_pod(spec: dict[str, Any], known: Written, path: tuple[str, ...]) -> dict[str, Any]:
    template = spec["template"]
    pod = _without(template["spec"], _POD_DEFAULTS.items(), known, (*path, "template", "spec"))
    return {**spec, "template": {**template, "spec": pod}}


def _without_generated_labels(template: dict[str, Any]) -> dict[str, Any]:
    metadata = template.get("metadata") or {}
    labels = {
        key: label
        for key, label in (metadata.get("labels") or {}).items()
        if key not in GENERATED_LABELS
    }
    return {**template, "metadata": {**metadata, "labels": labels}}


def _without(
    holder: dict[str, Any],
    defaults: Iterable[tuple[str, Any]],
    known: Written,
    path: tuple[str, ...],
) -> dict[str, Any]:
    """A copy without the fields that have the server's default and that nobody is known to have written."""
    dropped = {
        name
        for name, default in defaults
        if holder.get(name) == default and not known.has((*path, name))
    }
    return {name: part for name, part in holder.items() if name not in dropped}
