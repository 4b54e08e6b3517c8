"""API servers whose lists are answered at once, and whose watches all fail in the same way: none must be hammered."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.api_interface import Api

EXPIRED = ApiError(410, "Expired", "too old resource version")
EXPIRED_EVENT = {
    "type": "ERROR",
    "object": {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"},
}
BOOKMARK = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "9"}}}
ADDED = {
    "type": "ADDED",
    "object": {"metadata": {"resourceVersion": "8", "name": "a", "namespace": "ns", "uid": "a"}},
}

HOSTILE: dict[str, list[dict[str, Any] | ApiError]] = {
    "410": [EXPIRED],
    "410 as an event": [EXPIRED_EVENT],
    "410 after an event": [ADDED, EXPIRED_EVENT],
    "ends at once": [],
    "ends after a bookmark": [BOOKMARK],
    "ends after an event": [ADDED],
    "breaks after an event": [ADDED, ApiError(UNREACHABLE, "", "connection reset")],
    "closes at once": [ApiError(UNREACHABLE, "", "connection reset")],
    "429": [ApiError(429, "TooManyRequests", "busy")],
    "429 with Retry-After": [ApiError(429, "TooManyRequests", "busy", retry_after=20)],
    "500": [ApiError(500, "InternalError", "etcd is away")],
    "no events": [{"kind": "Status"}],
}
"""The events of each watch; an error is raised."""

MAX_CALLS = 5_000


class HostileServer(Api):
    """Answers lists with nothing, and watches with the same events each time.

    Attributes:
        lists, watches: how many were requested.
    """

    def __init__(self, *events: dict[str, Any] | ApiError) -> None:
        self._events = events
        self.lists = self.watches = 0

    def request(self, method: str, path: str, body: Any = None, **_: Any) -> dict[str, Any]:
        self.lists += 1
        self._check()
        return {"metadata": {"resourceVersion": "7"}, "items": []}

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Any]:
        self.watches += 1
        self._check()
        for event in self._events:
            if isinstance(event, ApiError):
                raise event
            yield event

    def _check(self) -> None:
        # Not an ApiError: whoever calls without a pause must not catch it.
        assert self.lists + self.watches < MAX_CALLS, "the API server is hammered"


class VirtualStop(threading.Event):
    """An Event to wait for, in virtual time; it is set at the end of that time.

    Attributes:
        now: seconds.
        pauses: how long each wait was to take.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._end = seconds
        self.now = 0.0
        self.pauses: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.pauses.append(timeout)
        self.now += timeout
        if self.now >= self._end:
            self.set()
        return self.is_set()

    def clock(self) -> float:
        """Return the virtual time."""
        return self.now


def requests_in(
    server: HostileServer, seconds: float, run: Callable[[VirtualStop], None]
) -> tuple[int, VirtualStop]:
    """Return how many requests a loop makes in so many seconds of virtual time, and its pauses."""
    stop = VirtualStop(seconds)
    run(stop)
    return server.lists + server.watches, stop
