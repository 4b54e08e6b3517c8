"""Read from a cluster: its Jobs and CronJobs in pages, its release, its namespace labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import BATCH, namespaces_path, resource_path
from jobsworth.client.paging import PAGE_SIZE, Page, resumed_pages
from jobsworth.client.server_release import server_release
from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet

_RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}
_IDENTITY = ("name", "namespace", "uid")


class StoredObjects:
    """Reads objects that a cluster stores.

    Args:
        page_size: number of objects per request.
    """

    def __init__(self, api: Api, page_size: int = PAGE_SIZE) -> None:
        self._api = api
        self._page_size = page_size

    def release(self) -> str:
        """Return the release of the API server, such as ``1.36``.

        Raises:
            ApiError: the API server cannot be reached, or does not report its version.
        """
        return server_release(self._api)

    def batch_objects(self, kind: str, namespace: str | None = None) -> Iterator[Page]:
        """Yield all objects of a kind, in pages, each with its ``apiVersion`` and ``kind``.

        Args:
            kind: ``Job`` or ``CronJob``.
            namespace: only those of this one; None for all.

        Raises:
            ApiError: the API server rejects the request, or cannot be reached.
        """
        path = resource_path(BATCH, _RESOURCES[kind], namespace or "")
        for page in resumed_pages(self._api, path, self._page_size):
            for each in page.items:
                if not all(isinstance(each["metadata"].get(key), str) for key in _IDENTITY):
                    raise ApiError(
                        200,
                        "",
                        f"the list at {path} contains a {kind} without name, namespace or uid",
                    )
                each["apiVersion"], each["kind"] = "batch/v1", kind
            yield page

    def admission_policies(self, release: str, note: Callable[[str], None]) -> AdmissionPolicySet:
        """Return the cluster's admission policies: see :func:`cluster_admission_policies`.

        Raises:
            ApiError: the API server rejects the request, or cannot be reached.
        """
        from jobsworth.audit.cluster_admission_policies import cluster_admission_policies

        return cluster_admission_policies(self._api, release, note)

    def namespace_labels(self, namespace: str | None = None) -> dict[str, Mapping[str, str]]:
        """Return the labels of one namespace or of all namespaces, by namespace name.

        Raises:
            ApiError: the API server rejects the request, cannot be reached, or has no such namespace.
        """
        if namespace is not None:
            found = [self._api.get(namespaces_path(namespace))]
        else:
            read = resumed_pages(self._api, namespaces_path(), self._page_size)
            found = [each for page in read for each in page.items]
        try:
            return {
                each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in found
            }
        except (KeyError, TypeError):
            path = namespaces_path(namespace or "")
            raise ApiError(200, "", f"{path} does not hold namespaces with names") from None
