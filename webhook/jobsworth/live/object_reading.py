"""Read objects, bounded lists and what queues say of a Job, and check their shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jobsworth.api.stored import stored_problem
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import resource_path
from jobsworth.client.paging import PAGE_SIZE, pages
from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.runs.recorded.queue_facts import KUEUE, named_groups

Object = dict[str, Any]

VERSIONS: dict[str, tuple[str, ...]] = {
    KUEUE: ("v1beta2", "v1beta1"),
    "scheduling.k8s.io": ("v1beta1", "v1alpha3", "v1alpha2"),
    "scheduling.x-k8s.io": ("v1alpha1",),
    "scheduling.volcano.sh": ("v1beta1",),
}
"""The versions of each API group that have Workloads or PodGroups, the newest first.

Sources: Kueue 0.15; the storage of scheduling.k8s.io in Kubernetes 1.36 and 1.37.
"""


class BoundedList(NamedTuple):
    """The items of a list; `more`: there are further ones, which were not read."""

    items: list[Object]
    more: bool = False


class MalformedObject(Exception):
    """The API server sent something that is not an object of the kind that was asked for."""


def read_object(api: Api, path: str, kind: str) -> Object:
    """Read an object.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: the object has a field of another type.
    """
    return checked({**api.get(path), "kind": kind})


def read_list(
    api: Api,
    path: str,
    kind: str,
    selectors: Mapping[str, str] | None = None,
    *,
    most: int,
) -> BoundedList:
    """Read at most so many objects of a list, page by page.

    A list that expires while it is read ends there, like one with more objects than that.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: an object has a field of another type.
    """
    items: list[Object] = []
    try:
        for page in pages(api, path, min(PAGE_SIZE, most), selectors=selectors):
            items += [checked({**each, "kind": kind}) for each in page.items]
            if page.token and len(items) >= most:
                return BoundedList(items, more=True)
    except ApiError as error:
        if not error.expired or not items:
            raise
        return BoundedList(items, more=True)
    return BoundedList(items)


def checked(value: Object) -> Object:
    """Return an object that can be read.

    Raises:
        MalformedObject: it is not.
    """
    found = stored_problem(value["kind"], value)
    if found is not None:
        meta = value.get("metadata")
        name = meta.get("name") if isinstance(meta, dict) else ""
        raise MalformedObject(f"the API server sent a malformed {value['kind']} {name}: {found}")
    return value


def read_queue(
    api: Api, owner: Object, pods: Sequence[Object], note: Callable[[str], None]
) -> list[Object]:
    """Read the Workloads and queues of a suspended Job or JobSet, or the PodGroups of Pending Pods.

    Args:
        pods: those of the Job.
        note: receives what cannot be read, in a sentence.
    """
    meta = owner["metadata"]
    namespace = meta.get("namespace") or ""
    found: list[Object] = []
    try:
        if queued_by_kueue(owner):
            for each in _kueue(api, namespace, meta["labels"][QUEUE_LABEL]):
                found += each
        for group, name in dict.fromkeys(named_groups(_pending(pods))):
            found += _served(api, group, "PodGroup", namespace, name)
    except ApiError as error:
        if error.code not in (403, 404):
            raise
        note(f"the queue of {meta.get('name')} cannot be read: {error}")
    return found


def queued_by_kueue(job: Object) -> bool:
    """Return True for a suspended Job in a queue of Kueue."""
    labels = job["metadata"].get("labels") or {}
    return bool(labels.get(QUEUE_LABEL) and (job.get("spec") or {}).get("suspend"))


def read_workloads(api: Api, namespace: str) -> list[Object]:
    """Read at most PAGE_SIZE Workloads of a namespace; none where Kueue is not installed, or denies them.

    Raises:
        ApiError: the API server rejects the request for another reason, or cannot be reached.
        MalformedObject: it sends something else.
    """
    try:
        return _served(api, KUEUE, "Workload", namespace)
    except ApiError as error:
        if error.code not in (403, 404):
            raise
        return []


def _pending(pods: Sequence[Object]) -> Iterator[Object]:
    return (each for each in pods if (each.get("status") or {}).get("phase") == "Pending")


def _kueue(api: Api, namespace: str, queue: str) -> Iterator[list[Object]]:
    yield _served(api, KUEUE, "Workload", namespace)
    local = _served(api, KUEUE, "LocalQueue", namespace, queue)
    yield local
    name = (local[0].get("spec") or {}).get("clusterQueue")
    if name:
        yield _served(api, KUEUE, "ClusterQueue", "", name)


def _served(api: Api, group: str, kind: str, namespace: str, name: str = "") -> list[Object]:
    """Read an object, or a list without a name, in the first version in which it is found.

    Raises:
        ApiError: no version has it, or the API server rejects the request, or cannot be reached.
    """
    for number, version in enumerate(VERSIONS[group], 1):
        path = resource_path(f"/apis/{group}/{version}", f"{kind.lower()}s", namespace, name)
        try:
            items = (
                [read_object(api, path, kind)]
                if name
                else read_list(api, path, kind, most=PAGE_SIZE).items
            )
        except ApiError as error:
            if not error.not_found or number == len(VERSIONS[group]):
                raise
        else:
            return [{**each, "apiVersion": f"{group}/{version}"} for each in items]
    return []
