"""List the objects that the health of CronJobs and Jobs is derived from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from jobsworth.api.batch.job import LEGACY_JOB_NAME_LABEL
from jobsworth.api.stored import stored_problem
from jobsworth.audit.audited_objects import AuditScope
from jobsworth.audit.stored_objects import StoredObjects
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import (
    COORDINATION,
    events_path,
    pods_path,
    resource_path,
)
from jobsworth.client.paging import resumed_pages
from jobsworth.controller.times import read_time
from jobsworth.live.object_reading import MalformedObject, queued_by_kueue, read_workloads
from jobsworth.runs.health.cluster_health import ListedObjects
from jobsworth.runs.recorded.pending_pods import CLAIM_REASONS, EVENT_REASONS
from jobsworth.runs.recorded.recorded_events import CLAIM

Object = dict[str, Any]

MOST_QUEUED_NAMESPACES = 50
"""Namespaces whose Workloads are listed: one call each."""
LEASE = ("kube-system", "kube-controller-manager")
UNENDED = {
    # Every release sets this label; batch.kubernetes.io/job-name exists since 1.27.
    "labelSelector": LEGACY_JOB_NAME_LABEL,
    "fieldSelector": "status.phase!=Succeeded,status.phase!=Failed",
}
ABOUT = (
    "involvedObject.kind=CronJob",
    "involvedObject.kind=Job,reason=FailedCreate",
    *(f"involvedObject.kind=Pod,reason={reason}" for reason in EVENT_REASONS),
    *(f"involvedObject.kind={CLAIM},reason={reason}" for reason in CLAIM_REASONS),
)


def list_health_objects(
    stored_objects: StoredObjects, api: Api, scope: AuditScope, note: Callable[[str], None]
) -> ListedObjects:
    """List CronJobs, Jobs, the Pods of Jobs that have not ended, Events and the controller's Lease.

    Without the right to list Pods or Events, or to read the Lease, the result is without them.

    Args:
        note: reports what cannot be listed.

    Raises:
        ApiError: the API server rejects another request, cannot be reached, or sends malformed objects.
    """

    def all_of(path: Callable[[str], str], selectors: dict[str, str]) -> list[Object]:
        return [
            item
            for namespace in scope.namespaces
            for page in resumed_pages(api, path(namespace or ""), selectors=selectors)
            for item in page.items
            if item["metadata"].get("namespace") not in scope.exempt_namespaces
        ]

    pods = _unless_denied(
        lambda: _checked("Pod", all_of(pods_path, UNENDED)),
        note,
        "Pods cannot be listed: why Jobs do not finish is not shown; grant list on pods",
    )
    events = _unless_denied(
        lambda: _checked(
            "Event",
            [each for about in ABOUT for each in all_of(events_path, {"fieldSelector": about})],
        ),
        note,
        "Events cannot be listed: more runs are unknown; grant list on events",
    )
    queued: set[str] = set()
    return ListedObjects(
        cron_jobs=list(stored_cron_jobs(stored_objects, scope)),
        jobs=_noting_queued(_stored(stored_objects, "Job", scope), queued),
        workloads=_workloads(api, queued),
        pods=pods,
        events=events,
        controller_renewed=_controller_renewed(api),
    )


def _noting_queued(jobs: Iterable[Object], namespaces: set[str]) -> Iterator[Object]:
    """Yield Jobs, and add the namespaces of those that wait in a queue of Kueue."""
    for job in jobs:
        if queued_by_kueue(job):
            namespaces.add(job["metadata"]["namespace"])
        yield job


def _workloads(api: Api, namespaces: set[str]) -> Iterator[Object]:
    """Yield the Workloads of namespaces, which are complete when the first one is asked for."""
    for namespace in sorted(namespaces)[:MOST_QUEUED_NAMESPACES]:
        try:
            yield from read_workloads(api, namespace)
        except MalformedObject as error:
            raise ApiError(200, "", str(error)) from error


def stored_cron_jobs(stored_objects: StoredObjects, scope: AuditScope) -> Iterator[Object]:
    """Yield the CronJobs.

    Raises:
        ApiError: the API server rejects the request, cannot be reached, or sends malformed objects.
    """
    return _stored(stored_objects, "CronJob", scope)


def _stored(stored_objects: StoredObjects, kind: str, scope: AuditScope) -> Iterator[Object]:
    for namespace in scope.namespaces:
        for page in stored_objects.batch_objects(kind, namespace):
            for stored in page.items:
                if stored["metadata"]["namespace"] not in scope.exempt_namespaces:
                    yield from _checked(kind, [stored])


def _checked(kind: str, found: Iterable[Object]) -> Sequence[Object]:
    checked = list(found)
    for each in checked:
        wrong = stored_problem(kind, each)
        if wrong is not None:
            name = (each.get("metadata") or {}).get("name") or ""
            raise ApiError(200, "", f"the API server sent a malformed object {name}: {wrong}")
    return checked


def _unless_denied(
    listed: Callable[[], Sequence[Object]], note: Callable[[str], None], message: str
) -> Sequence[Object] | None:
    try:
        return listed()
    except ApiError as error:
        if error.code != 403:
            raise
        note(message)
        return None


def _controller_renewed(api: Api) -> int | None:
    """Return when kube-controller-manager renewed its Lease; None where no user may know it."""
    namespace, name = LEASE
    try:
        lease = api.get(resource_path(COORDINATION, "leases", namespace, name))
    except ApiError as error:
        if error.code in (403, 404):
            return None
        raise
    spec = lease.get("spec")
    renewed = spec.get("renewTime") if isinstance(spec, dict) else None
    return read_time(renewed) if isinstance(renewed, str) else None
