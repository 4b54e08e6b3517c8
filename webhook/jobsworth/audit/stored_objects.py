"""What a cluster stores: its Jobs and CronJobs in pages, its release, the labels of its namespaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from jobsworth.client.unreachable import ClusterError, Refused

if TYPE_CHECKING:
    from jobsworth.client.access import ApiAccess

PAGE_SIZE = 500
RESTARTS = 5
"""How often a list is begun anew before it is given up."""

EXPIRED = 410

_RESOURCES = {"Job": "jobs", "CronJob": "cronjobs"}


class Page(NamedTuple):
    """Some objects of a list.

    Attributes:
        objects: each with its ``apiVersion`` and ``kind``.
        left: how many come after them, as the server estimates.
    """

    objects: list[dict[str, Any]]
    left: int


class Inventory:
    """Reads what a cluster stores.

    Args:
        access: to its API server.
        page_size: how many objects are asked for at once.
    """

    def __init__(self, access: ApiAccess, page_size: int = PAGE_SIZE) -> None:
        self._access = access
        self._page_size = page_size

    def release(self) -> str:
        """The server's release such as ``1.36``.

        Raises:
            ClusterError: it does not tell.
        """
        version = self._access.get("/version")
        major, minor = str(version.get("major", "")), str(version.get("minor", ""))
        # Some distributions write "29+".
        digits = "".join(character for character in minor if character.isdigit())
        if not (major.isdigit() and digits):
            raise ClusterError(f"{self._access.url} does not tell its version at /version")
        return f"{major}.{digits}"

    def batch_objects(self, kind: str, namespace: str | None = None) -> Iterator[Page]:
        """All objects of a kind, in pages.

        Where a list has become too old while it was read (410), it goes on from the same place in what
        is stored now, if the server offers that; otherwise from the beginning, leaving out what has
        been given. So no object is given twice, and none is left out that was there all the time.

        Args:
            kind: ``Job`` or ``CronJob``.
            namespace: only those of this one; None for all.

        Raises:
            Refused: the server does not let us; ``code`` tells why.
            ClusterError: it cannot be asked.
        """
        where = f"namespaces/{quote(namespace, safe='')}/" if namespace else ""
        for page in self._pages(f"/apis/batch/v1/{where}{_RESOURCES[kind]}"):
            for each in page.objects:
                each["apiVersion"], each["kind"] = "batch/v1", kind
            yield page

    def namespace_labels(self, namespace: str | None = None) -> dict[str, Mapping[str, str]]:
        """The labels of namespaces by name: of one, or of all.

        Raises:
            Refused: the server does not let us, or (404) there is no such namespace.
            ClusterError: it cannot be asked.
        """
        if namespace is not None:
            found = [self._access.get(f"/api/v1/namespaces/{quote(namespace, safe='')}")]
        else:
            found = [each for page in self._pages("/api/v1/namespaces") for each in page.objects]
        return {each["metadata"]["name"]: each["metadata"].get("labels") or {} for each in found}

    def _pages(self, path: str) -> Iterator[Page]:
        given: set[str] = set()
        resume, restarts = "", 0
        while True:
            query: dict[str, str | int] = {"limit": self._page_size}
            if resume:
                query["continue"] = resume
            try:
                answer = self._access.get(path, **query)
            except Refused as refused:
                if refused.code != EXPIRED:
                    raise
                restarts += not refused.resume
                if restarts > RESTARTS:
                    raise ClusterError(
                        f"the list of {path} expires faster than it can be read, {RESTARTS} times: "
                        "audit single namespaces with -n"
                    ) from None
                resume = refused.resume
                continue
            meta = answer.get("metadata") or {}
            objects = [
                each
                for each in answer.get("items") or ()
                if each["metadata"].get("uid") not in given
            ]
            given.update(each["metadata"].get("uid", "") for each in objects)
            yield Page(objects, int(meta.get("remainingItemCount") or 0))
            resume = meta.get("continue") or ""
            if not resume:
                return
