"""Jobs and CronJobs with some fields of their spec, their errors, and their stored form."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from support.validation.engine_errors import defaulted, errors_of, job_with

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer

Errors = dict[str, str]
"""The message about each field; fields are relative to the spec, several messages are sorted."""

INDEXED = {"completionMode": "Indexed", "completions": 3}
PER_INDEX = {**INDEXED, "backoffLimitPerIndex": 1}


def job(pod: dict[str, Any] | None = None, name: str = "sample", **spec: Any) -> dict[str, Any]:
    """Return a valid Job, but for these fields of its Pod and its spec."""
    value = job_with(pod)
    value["metadata"]["name"] = name
    value["spec"].update(copy.deepcopy(spec))
    return value


def cron_job(
    inner: dict[str, Any] | None = None, name: str = "sample", **spec: Any
) -> dict[str, Any]:
    """Return a valid CronJob, but for these fields of its Job's spec and its own spec."""
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "schedule": "0 3 * * *",
            **copy.deepcopy(spec),
            "jobTemplate": {"spec": job(**(inner or {}))["spec"]},
        },
    }


def job_errors(
    value: dict[str, Any], old: dict[str, Any] | None = None, *, at: ApiServer | None = None
) -> Errors:
    """Return the errors of a create, or of an update if there is an old object."""
    found: Errors = {}
    for field, message in sorted(errors_of(value, old, at=at)):
        name = field.removeprefix("spec.")
        found[name] = f"{found[name]}; {message}" if name in found else message
    return found


def stored(value: dict[str, Any], *, at: ApiServer | None = None) -> dict[str, Any]:
    """Return the spec of an object as the server stores it."""
    spec: dict[str, Any] = defaulted(value, at=at)["spec"]
    return spec
