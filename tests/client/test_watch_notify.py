"""Changes of single objects wake a loop; a watch that fails is tried again."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.list_watch import notify
from jobsworth.client.retry import Backoff
from support.api_server.hostile_watches import HOSTILE, HostileServer, VirtualStop, requests_in

SECRETS = "/api/v1/namespaces/ns/secrets"


class Watched(Api):
    """An API server whose watches yield, or fail with, what the test gives in turn."""

    def __init__(self, *watches: list[dict[str, Any]] | ApiError) -> None:
        self.asked: list[tuple[str, Mapping[str, str]]] = []
        self._watches = list(watches)
        self.ended = threading.Event()

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        self.asked.append((path, query))
        if not self._watches:
            self.ended.wait(10)
            return
        watch = self._watches.pop(0)
        if isinstance(watch, ApiError):
            raise watch
        yield from watch


ADDED = {"type": "ADDED", "object": {"metadata": {"resourceVersion": "1"}}}


def notified(api: Watched) -> tuple[threading.Event, list[str]]:
    changed, stop, logged = threading.Event(), threading.Event(), list[str]()
    backoff = Backoff(base=0.01)
    notify(api, [(SECRETS, "tls")], changed, stop, logged.append, new_backoff=lambda: backoff)
    assert changed.wait(10)
    while len(api.asked) < 2 and not stop.wait(0.01):
        pass
    stop.set()
    api.ended.set()
    return changed, logged


def test_one_object_is_watched_and_its_events_set_the_event() -> None:
    api = Watched([ADDED])
    notified(api)
    path, query = api.asked[0]
    assert path == SECRETS
    assert query["fieldSelector"] == "metadata.name=tls"
    assert query["resourceVersion"] == ""


def test_an_interrupted_watch_is_started_again() -> None:
    _, logged = notified(Watched(ApiError(UNREACHABLE, "", "interrupted")))
    assert logged == []


def test_a_watch_that_is_not_allowed_is_logged_once() -> None:
    forbidden = [ApiError(403, "Forbidden", "may not watch") for _ in range(2)]
    _, logged = notified(Watched(*forbidden))
    assert logged == ["cannot watch tls: may not watch; changes are noticed later"]


@pytest.mark.parametrize("events", HOSTILE.values(), ids=HOSTILE)
def test_no_server_is_hammered_whatever_becomes_of_its_watches(events: Any) -> None:
    server, changed = HostileServer(*events), threading.Event()

    def run(stop: VirtualStop) -> None:
        threads = notify(
            server,
            [(SECRETS, "tls")],
            changed,
            stop,
            lambda message: None,
            new_backoff=lambda: Backoff(clock=stop.clock),
        )
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()

    requests, stop = requests_in(server, 600, run)
    assert stop.is_set()
    assert requests <= 30
    assert changed.is_set()  # what it has missed may be a change
