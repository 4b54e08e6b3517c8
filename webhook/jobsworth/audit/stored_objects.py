"""What a cluster stores: its Jobs and CronJobs in pages, its release, the labels of its namespaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from jobsworth.client.errors import ApiError
from jobsworth.client.paging import PAGE_SIZE, Page, resumed_pages
from jobsworth.client.resources import BATCH, namespaces_path, resource_path

if TYPE_CHECKING:
    from jobsworth.client.api import Api

_RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}
_IDENTITY = ("name", "namespace", "uid")


class StoredObjects:
    """Reads what a cluster stores.

    Args:
        page_size: how many objects are asked for at once.
    """

    def __init__(self, api: Api, page_size: int = PAGE_SIZE) -> None:
        self._api = api
        self._page_size = page_size

    def release(self) -> str:
        """The server's release such as ``1.36``.

        Raises:
            ApiError: it cannot be asked, or does not tell.
        """
        version = self._api.get("/version")
        major, minor = str(version.get("major", "")), str(version.get("minor", ""))
        # Some distributions write "29+".
        digits = "".join(character for character in minor if character.isdigit())
        if not (major.isdigit() and digits):
            raise ApiError(200, "", "the API server does not tell its version at /version")
        return f"{major}.{digits}"

    def batch_objects(self, kind: str, namespace: str | None = None) -> Iterator[Page]:
        """Yield all objects of a kind, in pages, each with its ``apiVersion`` and ``kind``.

        Args:
            kind: ``Job`` or ``CronJob``.
            namespace: only those of this one; None for all.

        Raises:
            ApiError: the server refuses, or cannot be asked.
        """
        path = resource_path(BATCH, _RESOURCES[kind], namespace or "")
        for page in resumed_pages(self._api, path, self._page_size):
            for each in page.items:
                if not all(isinstance(each["metadata"].get(key), str) for key in _IDENTITY):
                    raise ApiError(200, "", f"the list of {path} holds a {kind} without a name")
                each["apiVersion"], each["kind"] = "batch/v1", kind
            yield page

    def namespace_labels(self, namespace: str | None = None) -> dict[str, Mapping[str, str]]:
        """The labels of namespaces by name: of one, or of all.

        Raises:
            ApiError: the server refuses, cannot be asked, or has no such namespace.
        """
        if namespace is not None:
            found = [self._api.get(namespaces_path(namespace))]
        else:
            read = resumed_pages(self._api, namespaces_path(), self._page_size)
            found = [each for page in read for each in page.items]
        return {each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in found}
