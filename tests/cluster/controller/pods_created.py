"""How many Pods of each Job ever existed, as the API server's watch tells: an account that no controller keeps."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from cluster.bed.connection import Connection


class PodsCreated:
    """Notes every Pod of a bed from now on.

    Args:
        bed: with few Pods; they are listed first.
    """

    def __init__(self, bed: TestBed) -> None:
        self._connection: Connection = bed.connection
        self._version = bed.get("/api/v1/pods")["metadata"]["resourceVersion"]
        self._pods: dict[str, set[str]] = {}  # the UIDs of a Job's Pods, by the UID of the Job
        self._failure: BaseException | None = None
        threading.Thread(target=self._follow, name="pods created", daemon=True).start()

    def of_job(self, uid: str) -> int:
        """Return the number of a Job's Pods until now; the watch may be a moment behind."""
        if self._failure is not None:
            raise self._failure
        return len(self._pods.get(uid, ()))

    def of_all_jobs(self) -> int:
        """Return the number of Pods of all Jobs until now."""
        return sum(map(len, list(self._pods.values())))

    def _follow(self) -> None:
        try:
            while True:  # the API server ends a watch after half an hour or later
                self._watch()
        except BaseException as error:
            self._failure = error

    def _watch(self) -> None:
        path = f"/api/v1/pods?watch=true&resourceVersion={self._version}"
        for event in self._connection.watch(path):
            metadata = event["object"]["metadata"]
            assert event["type"] != "ERROR", event
            if event["type"] == "ADDED":
                for owner in metadata.get("ownerReferences") or ():
                    self._pods.setdefault(owner["uid"], set()).add(metadata["uid"])
            self._version = metadata["resourceVersion"]
