"""The rules of JobSet's validating webhook ``vjobset.kb.io`` for updates.

The rules for creates are not applied again. Source: ``ValidateUpdate`` in
``pkg/webhooks/jobset_webhook.go``, JobSet 0.8 to 0.12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from jobsworth.api.equality import equal
from jobsworth.api.field_errors import (
    WEBHOOK,
    FieldError,
    Printed,
    forbidden,
    go_json,
    immutable,
    invalid,
)

MUTABLE_METADATA = ("annotations", "labels")
MUTABLE_POD_FIELDS = ("nodeSelector", "tolerations", "schedulingGates")
"""The fields of a Pod template that may change while the JobSet is suspended, before or after the update."""

ELASTIC_SINCE = "0.12"
"""The first version with the feature gate ElasticJobSet."""
ELASTIC_FIELDS = ("parallelism", "completions")
"""The fields of an Indexed Job that the gate lets users change."""
FINAL = ("Completed", "Failed")


def update_errors(
    new: dict[str, Any],
    old: dict[str, Any],
    printed_jobs: Callable[[list[Any] | None], Any],
    *,
    elastic: bool = False,
) -> Iterator[FieldError]:
    """Yield the errors of the validating webhook for an update.

    Args:
        new: the decoded JobSet.
        old: the decoded JobSet that is stored.
        printed_jobs: returns ReplicatedJobs as JSON in the order of their Go types, for a message.
        elastic: the feature gate ElasticJobSet is on.
    """
    jobs, stored = new["spec"].get("replicatedJobs"), old["spec"].get("replicatedJobs")
    if elastic and jobs and stored:
        yield from _scaling_errors(jobs, stored, old.get("status", {}).get("conditions", []))
        jobs = _scaled_back(jobs, stored)
    if new["spec"].get("suspend") or old["spec"].get("suspend"):
        jobs = None if jobs is None else _masked(jobs, stored or [])
    if not equal(jobs, stored):
        value = Printed(go_json(printed_jobs(jobs), sort_keys=False))
        yield immutable("spec.replicatedJobs", value)
    manager = new["spec"].get("managedBy")
    if manager != old["spec"].get("managedBy"):
        yield immutable("spec.managedBy", Printed(go_json(manager)))


def _scaling_errors(
    jobs: list[dict[str, Any]], stored: list[dict[str, Any]], conditions: list[dict[str, Any]]
) -> Iterator[FieldError]:
    """Yield the errors of changes to the parallelism and completions of Indexed Jobs."""
    ended = any(each.get("type") in FINAL and each.get("status") == "True" for each in conditions)
    for index, spec, former in _elastic_jobs(jobs, stored):
        path = f"spec.replicatedJobs[{index}].template.spec"
        changed = [name for name in ELASTIC_FIELDS if spec.get(name) != former.get(name)]
        if changed and ended:
            detail = (
                "Cannot mutate parallelism or completions when JobSet is in a terminal state "
                "(Completed or Failed)"
            )
            yield forbidden(path, detail, WEBHOOK)
            continue
        for name in changed:
            if spec.get(name, 1) < 1:
                yield invalid(f"{path}.{name}", spec[name], f"{name} must be >= 1", WEBHOOK)
        values = [spec[name] for name in ELASTIC_FIELDS if name in spec]
        if changed and len(values) == 2 and values[0] != values[1]:
            detail = "completions must be equal to parallelism for Elastic Indexed Jobs"
            yield invalid(f"{path}.completions", values[1], detail, WEBHOOK)


def _scaled_back(jobs: list[dict[str, Any]], stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ReplicatedJobs with the parallelism and completions of the stored ones of the same names."""
    jobs = deepcopy(jobs)
    for _, spec, former in _elastic_jobs(jobs, stored):
        _take(spec, former, ELASTIC_FIELDS)
    return jobs


def _elastic_jobs(
    jobs: list[dict[str, Any]], stored: list[dict[str, Any]]
) -> Iterator[tuple[int, dict[str, Any], dict[str, Any]]]:
    """Yield the index and the spec of each Indexed Job, with the stored spec of the same name."""
    by_name = {job.get("name", ""): job["template"]["spec"] for job in stored}
    for index, job in enumerate(jobs):
        spec, former = job["template"]["spec"], by_name.get(job.get("name", ""))
        if former is not None and spec.get("completionMode") == "Indexed":
            yield index, spec, former


def _masked(jobs: list[dict[str, Any]], stored: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ReplicatedJobs with the mutable parts of the stored ones of the same names."""
    by_name = {job.get("name", ""): job["template"]["spec"]["template"] for job in stored}
    masked = []
    for job in deepcopy(jobs):
        former = by_name.get(job.get("name", ""))
        if former is not None:
            template = job["template"]["spec"]["template"]
            _take(template["metadata"], former["metadata"], MUTABLE_METADATA)
            _take(template["spec"], former["spec"], MUTABLE_POD_FIELDS)
        masked.append(job)
    return masked


def _take(value: dict[str, Any], former: dict[str, Any], names: tuple[str, ...]) -> None:
    for name in names:
        value.pop(name, None)
        if name in former:
            value[name] = former[name]
