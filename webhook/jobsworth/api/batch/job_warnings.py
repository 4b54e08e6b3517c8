"""The API server's warnings about a valid Job or CronJob, in its words and by release.

Source: ``pkg/api/job/warnings.go`` and the strategies in ``pkg/registry/batch``, Kubernetes 1.25 to 1.37;
``dedupOwnerReferences`` in ``pkg/endpoints/handlers`` of ``k8s.io/apiserver``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.core.pod_warnings import pod_template_warnings
from jobsworth.api.declare import ServerWarning
from jobsworth.api.validation_request import Request

NAME_NO_LABEL = "Job.name_is_no_dns_label"
TOO_MANY_INDEXES = "JobSpec.too_many_indexes"
"""Keys of the warnings for which there is a lint rule too."""

NAMES_SINCE = 27
INDEXES_SINCE = 28
MAX_COMPLETIONS, MAX_PARALLELISM = 100_000, 10_000
"""More indexes and Pods than these may not fit in status.completedIndexes (KEP-3850)."""


def job_spec_warnings(spec: dict[str, Any], path: str, request: Request) -> Iterator[ServerWarning]:
    """Yield the warnings about a JobSpec.

    Args:
        spec: a valid JobSpec with the defaults that its object has.
        path: its field path.
        request: the request; the release of its server decides.
    """
    if request.server.minor >= INDEXES_SINCE and has_too_many_indexes(spec):
        yield ServerWarning(
            path,
            "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than "
            "10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
            TOO_MANY_INDEXES,
        )
    yield from pod_template_warnings(spec["template"], f"{path}.template", request)


def has_too_many_indexes(spec: dict[str, Any]) -> bool:
    """Return True if the status of an Indexed Job may not have room for the completed indexes."""
    return (
        spec.get("completionMode") == "Indexed"
        and spec.get("completions", 0) > MAX_COMPLETIONS
        and spec.get("parallelism", 0) > MAX_PARALLELISM
    )


def job_name_warnings(value: dict[str, Any], request: Request) -> Iterator[ServerWarning]:
    """Yield a warning about the name of a new Job or CronJob that is not a DNS label."""
    if request.old is not None or request.server.minor < NAMES_SINCE:
        return
    from kube_cel.formats.names import dns_label

    details = dns_label(value["metadata"].get("name", ""))
    if details:
        yield ServerWarning(
            "metadata.name",
            "this is used in Pod names and hostnames, which can result in surprising behavior; "
            f"a DNS label is recommended: [{' '.join(details)}]",
            NAME_NO_LABEL,
        )


def owner_warnings(value: dict[str, Any], request: Request) -> Iterator[ServerWarning]:
    """Yield a warning about owner references that the server removes, because they repeat others."""
    owners = value["metadata"].get("ownerReferences", ())
    if len(owners) < 2:
        return
    seen: set[tuple[tuple[str, Any], ...]] = set()
    repeated = []
    for owner in owners:
        key = tuple(sorted(owner.items()))
        if key in seen:
            repeated.append(owner.get("uid", ""))
        seen.add(key)
    if repeated:
        yield ServerWarning(
            "metadata.ownerReferences",
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
            "1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate "
            f"UID(s) observed: {', '.join(repeated)}",
            names_field=False,
        )
