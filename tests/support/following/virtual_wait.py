"""A wait in virtual time: what happens is scripted, and the answers come from a cluster in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.following.job_reference import JobReference
from jobsworth.following.procedures import run
from jobsworth.following.requests import Changed, Ended, Get, Next, Report, TimePassed, Watch
from jobsworth.following.sources import as_api_error, path_of
from jobsworth.following.waiting.job_following import follow_job
from jobsworth.following.waiting.wait_options import Progress, WaitEnd, WaitOptions
from jobsworth.whatif.why.standstill import Bounds
from support.following.answering_cluster import AnsweringCluster

Object = dict[str, Any]
BOUNDS = Bounds(stuck_after=60, unschedulable_after=600)
MOST_STEPS = 10_000


class VirtualWait:
    """Follows the Job ``train`` of the namespace ``batch``.

    Attributes:
        now: the time, in seconds.
        notes, progress, watched: what the procedure has reported and watched.
        calls: the number of lists that it read.
    """

    def __init__(self, cluster: AnsweringCluster) -> None:
        self.cluster = cluster
        self.now = 0.0
        self.notes: list[str] = []
        self.progress: list[Progress] = []
        self.watched: list[Watch] = []
        self.calls = 0
        self._steps = 0
        self._script: list[tuple[float, Callable[[], Any]]] = []

    def at(self, time: float, happens: Callable[[], Any]) -> None:
        """Let something happen: a Changed or Ended that the procedure learns, or None."""
        self._script.append((time, happens))
        self._script.sort(key=lambda each: each[0])

    def changes(self, time: float, key: str, value: Object, kind: str = "MODIFIED") -> None:
        """Let an object change, in the cluster and in the watch."""

        def happens() -> Changed:
            self.store(value, kind)
            return Changed(key, kind, value)

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
        self.at(time, lambda: Ended(key, error))

    def run(self, bounds: Bounds = BOUNDS, **options: Any) -> WaitEnd:
        """Run the procedure to its end."""
        given: Mapping[str, Any] = {
            "timeout": None, "for_creation": None, "unreachable_after": 300.0, **options,
        }  # fmt: skip
        procedure = follow_job(
            JobReference("Job", "batch", "train"),
            WaitOptions(lambda: self.now, bounds, note=self.notes.append, **given),
        )
        return run(procedure, self._answer)

    def _answer(self, request: object) -> Any:
        self._steps += 1
        assert self._steps < MOST_STEPS, f"the procedure asks without end; the time is {self.now}"
        if isinstance(request, Get):
            self.calls += 1
            try:
                return self.cluster(path_of(request))
            except Exception as error:
                raise as_api_error(error) from None
        if isinstance(request, Watch):
            self.watched.append(request)
        elif isinstance(request, Report):
            self.progress.append(request.progress)
        elif isinstance(request, Next):
            return self._next(request.until)
        return None

    def _next(self, until: float | None) -> Any:
        while self._script and (until is None or self._script[0][0] <= until):
            time, happens = self._script.pop(0)
            self.now = max(self.now, time)
            happening = happens()
            if happening is not None:
                return happening
        assert until is not None, f"nothing more happens, and the wait goes on at {self.now}"
        self.now = max(self.now, until)
        return TimePassed()
