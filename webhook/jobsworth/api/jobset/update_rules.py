"""The rules of JobSet's validating webhook ``vjobset.kb.io`` for updates.

The rules for creates are not applied again. Source: ``ValidateUpdate`` in
``pkg/webhooks/jobset_webhook.go``, JobSet 0.8 to 0.12, with its feature gate ElasticJobSet off.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from jobsworth.api.equality import equal
from jobsworth.api.field_errors import Printed, go_json, immutable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from jobsworth.api.field_errors import FieldError

MUTABLE_METADATA = ("annotations", "labels")
MUTABLE_POD_FIELDS = ("nodeSelector", "tolerations", "schedulingGates")
"""The fields of a Pod template that may change while the JobSet is suspended, before or after the update."""


def update_errors(
    new: dict[str, Any], old: dict[str, Any], printed_jobs: Callable[[list[Any] | None], Any]
) -> Iterator[FieldError]:
    """Yield the errors of the validating webhook for an update.

    Args:
        new: the decoded JobSet.
        old: the decoded JobSet that is stored.
        printed_jobs: returns ReplicatedJobs as JSON in the order of their Go types, for a message.
    """
    jobs, stored = new["spec"].get("replicatedJobs"), old["spec"].get("replicatedJobs")
    if new["spec"].get("suspend") or old["spec"].get("suspend"):
        jobs = None if jobs is None else _masked(jobs, stored or [])
    if not equal(jobs, stored):
        value = Printed(go_json(printed_jobs(jobs), sort_keys=False))
        yield immutable("spec.replicatedJobs", value)
    manager = new["spec"].get("managedBy")
    if manager != old["spec"].get("managedBy"):
        yield immutable("spec.managedBy", manager)


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
