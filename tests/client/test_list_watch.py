"""Lists and watches in turn: where each begins, and the pauses after errors."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.list_watch import ListWatch
from support.api_server.hostile_watches import HOSTILE, HostileServer, VirtualStop, requests_in

PODS = "/api/v1/namespaces/batch/pods"
Object = dict[str, Any]


def event(kind: str, version: str) -> Object:
    return {"type": kind, "object": {"metadata": {"resourceVersion": version}}}


class Server(Api):
    """Answers each list with a version, and each watch with the events that the test gives in turn.

    Attributes:
        calls: ``list``, or ``watch`` with the version, in order.
    """

    def __init__(self, *watches: list[Object] | ApiError) -> None:
        self.calls: list[str] = []
        self.queries: list[Mapping[str, str]] = []
        self._watches = list(watches)

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        self.calls.append("list")
        self.queries.append(query or {})
        return {"metadata": {"resourceVersion": "7"}, "items": []}

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        self.calls.append(f"watch {query['resourceVersion']}")
        self.queries.append(query)
        watch = self._watches.pop(0)
        if isinstance(watch, ApiError):
            raise watch
        yield from watch


def follow(server: Server, times: int, **options: Any) -> None:
    """Let so many watches end."""
    seconds = iter(range(0, 10_000, 100))
    follows = ListWatch(
        server,
        PODS,
        **{"apply": lambda kind, value: None, "replace": lambda items, version, begun: None}
        | options,
        failed=lambda error: None,
        stop=threading.Event(),
        clock=lambda: float(next(seconds)),
    )
    for _ in range(times):
        with contextlib.suppress(ApiError):
            follows.once()


EXPIRED = ApiError(410, "Expired", "too old")
BROKEN = ApiError(0, "", "connection reset")


def test_a_watch_is_resumed_from_its_last_version() -> None:
    server = Server([event("ADDED", "8"), event("BOOKMARK", "9")], BROKEN, [])
    follow(server, 3)
    assert server.calls == ["list", "watch 7", "watch 9", "watch 9"]


def test_a_version_that_is_too_old_leads_to_a_list() -> None:
    server = Server(EXPIRED, [])
    follow(server, 2)
    assert server.calls == ["list", "watch 7", "list", "watch 7"]


def test_on_request_each_watch_is_followed_by_a_list() -> None:
    server = Server([event("ADDED", "8")], BROKEN, [])
    follow(server, 3, resumes=False)
    assert server.calls == ["list", "watch 7"] * 3


def test_without_a_list_the_watch_begins_with_all_objects() -> None:
    server = Server([event("ADDED", "8")], EXPIRED, [])
    follow(server, 3, replace=None)
    assert server.calls == ["watch ", "watch 8", "watch "]


def test_selectors_are_those_of_the_list_and_of_the_watch() -> None:
    server = Server([])
    follow(server, 1, selectors={"labelSelector": "a=b"})
    assert [query["labelSelector"] for query in server.queries] == ["a=b", "a=b"]


@pytest.mark.parametrize("events", HOSTILE.values(), ids=HOSTILE)
def test_no_server_is_hammered_whatever_becomes_of_its_watches(events: Any) -> None:
    server = HostileServer(*events)

    def run(stop: VirtualStop) -> None:
        ListWatch(
            server,
            PODS,
            apply=lambda kind, value: None,
            replace=lambda items, version, begun: None,
            failed=lambda error: None,
            stop=stop,
            clock=stop.clock,
        ).run()

    requests, stop = requests_in(server, 600, run)
    assert requests <= 60  # pauses of 0.8 s, doubled up to 30 s
    assert stop.pauses[0] >= 0.8
    assert max(stop.pauses) >= 30
