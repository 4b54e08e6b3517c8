"""A wait in virtual time: what happens is scripted, and the answers come from a cluster in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.live.connection import as_api_error
from jobsworth.live.job_reference import JobReference
from jobsworth.live.job_waiting import wait_for_end
from jobsworth.live.standstill import Bounds
from jobsworth.live.wait_options import Progress, WaitEnd, WaitOptions
from jobsworth.live.watches import Watches
from support.live.answering_cluster import AnsweringCluster
from support.live.virtual_time import NEVER, VirtualTime

Object = dict[str, Any]
BOUNDS = Bounds(stuck_after=60, unschedulable_after=600)
_End = tuple[ApiError | None]
"""The end of a watch, with its error."""


class VirtualWait(Api):
    """Waits for the Job ``train`` of the namespace ``batch``, of an API server whose watches are scripted.

    Attributes:
        notes, progress: what the wait has reported.
        calls: the number of lists that it read.
    """

    def __init__(self, cluster: AnsweringCluster) -> None:
        self.cluster = cluster
        self.notes: list[str] = []
        self.progress: list[Progress] = []
        self.calls = 0
        self._time = VirtualTime()
        self._watches: dict[str, list[deque[Object | _End]]] = {}

    @property
    def now(self) -> float:
        """The time, in seconds."""
        return self._time.now

    def at(self, time: float, happens: Callable[[], None]) -> None:
        """Let something happen."""
        self._time.at(time, happens)

    def changes(self, time: float, key: str, value: Object, kind: str = "MODIFIED") -> None:
        """Let an object change, in the cluster and in its watch."""

        def happens() -> None:
            self.store(value, kind)
            metadata = {"resourceVersion": "8", **value["metadata"]}
            self._send(key, {"type": kind, "object": {**value, "metadata": metadata}})

        self.at(time, happens)

    def store(self, value: Object, kind: str = "MODIFIED") -> None:
        """Change an object in the cluster alone."""
        stored = self.cluster.objects.setdefault(f"{value['kind'].lower()}s", [])
        name = value["metadata"]["name"]
        stored[:] = [each for each in stored if each["metadata"]["name"] != name]
        if kind != "DELETED":
            stored.append(value)

    def ends(self, time: float, key: str, error: ApiError | None = None) -> None:
        """Let a watch end."""
        self.at(time, lambda: self._send(key, (error,)))

    def run(self, bounds: Bounds = BOUNDS, **options: Any) -> WaitEnd:
        """Wait for the end."""
        given: Mapping[str, Any] = {
            "timeout": None, "for_creation": None, "unreachable_after": 300.0, **options,
        }  # fmt: skip
        wait = WaitOptions(bounds, note=self.notes.append, report=self.progress.append, **given)
        watches = Watches(self, self._time)
        try:
            return wait_for_end(self, JobReference("Job", "batch", "train"), wait, watches)
        finally:
            watches.close()
            self._time.end()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        self.calls += 1
        try:
            answer: Object = self.cluster(f"{path}?{urlencode(query or {})}")
        except Exception as error:
            raise as_api_error(error) from None
        return answer

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        key = {"jobs": "job"}.get(path.rpartition("/")[2], path.rpartition("/")[2])
        arrived: deque[Object | _End] = deque()
        open_watches = self._watches.setdefault(key, [])
        open_watches.append(arrived)
        try:
            while True:
                self._time.wait(NEVER, lambda: bool(arrived))
                if not arrived:
                    return
                event = arrived.popleft()
                if isinstance(event, dict):
                    yield event
                elif event[0] is not None:
                    raise event[0]
                else:
                    return
        finally:
            open_watches.remove(arrived)

    def _send(self, key: str, event: Object | _End) -> None:
        for each in self._watches.get(key, ()):
            each.append(event)
