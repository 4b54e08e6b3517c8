"""Lists and watches over real HTTP: pages, bookmarks, breaks, and versions that are too old."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import pods_path
from jobsworth.client.list_watch import ListWatch
from jobsworth.client.retry import Backoff
from jobsworth.client.transport import Client
from jobsworth.controller.settings import ControllerSettings
from jobsworth.reconciler.informers import PodInformer
from support.api_server.fake_http_server import FakeHttpServer
from support.api_server.fake_job_api import Call, FakeJobApi
from support.polling import until

pytest.importorskip("kubernetes")


class Watched:
    """A Pod cache that a watcher keeps up to date, from an API server behind HTTP."""

    def __init__(self, server: FakeHttpServer) -> None:
        self.api = server.api
        self.stop = threading.Event()
        self.log: list[str] = []
        client = Client(server.config(), user_agent="test", stop=self.stop)
        self.cache = PodInformer(ControllerSettings())
        self.watcher = ListWatch(
            client,
            pods_path(""),
            apply=self.cache.apply,
            replace=self.cache.replace,
            failed=lambda error: self.log.append(str(error)),
            stop=self.stop,
            backoff=Backoff(base=0.01, cap=0.05),
        )
        self.thread = threading.Thread(target=self.watcher.run, daemon=True)

    def start(self) -> None:
        self.thread.start()
        assert self.cache.synced.wait(5)

    def names(self) -> list[str]:
        """The Pods in the cache."""
        return sorted(pod.name for pod in self.cache.all())

    def lists(self) -> int:
        """Return the number of lists (or pages of one) that were requested."""
        return sum(call.method == "GET" for call in self.api.calls)


@pytest.fixture
def watched() -> Iterator[Watched]:
    with FakeHttpServer(FakeJobApi(time.time)) as server:
        watched = Watched(server)
        yield watched
        watched.stop.set()
        until(lambda: _has_ended(watched))


def _has_ended(watched: Watched) -> bool:
    """End the watches again and again: the watcher may be about to open one."""
    watched.api.end_watches()
    watched.thread.join(0.01)
    return not watched.thread.is_alive()


def create(api: FakeJobApi, name: str) -> None:
    """Create an orphan Pod."""
    pod = {"metadata": {"name": name, "namespace": "ns"}, "spec": {}}
    api.request("POST", pods_path("ns"), pod)


def test_a_list_comes_in_pages_and_the_watch_goes_on_from_there(
    watched: Watched,
) -> None:
    watched.watcher._page_size = 2
    for name in "abcde":
        create(watched.api, name)
    watched.start()
    assert watched.names() == ["a", "b", "c", "d", "e"]
    assert watched.lists() == 3
    create(watched.api, "f")
    watched.api.request("DELETE", pods_path("ns", "a"))
    until(lambda: watched.names() == ["b", "c", "d", "e", "f"])
    assert watched.lists() == 3


def test_a_watch_that_ends_is_taken_up_where_it_ended(watched: Watched) -> None:
    watched.start()
    create(watched.api, "a")
    until(lambda: watched.names() == ["a"])
    watched.api.end_watches()
    create(watched.api, "b")
    until(lambda: watched.names() == ["a", "b"])
    assert watched.lists() == 1


def test_a_version_that_is_too_old_leads_to_a_list_that_finds_what_was_missed(
    watched: Watched,
) -> None:
    create(watched.api, "a")
    create(watched.api, "b")
    watched.start()
    with watched.api.changed:
        watched.api.request("DELETE", pods_path("ns", "a"))
        create(watched.api, "c")
        watched.api.forget_history()
    until(lambda: watched.names() == ["b", "c"])
    assert watched.lists() == 2


def test_a_bookmark_moves_the_version_on(watched: Watched) -> None:
    watched.start()
    before = watched.cache.seen.version
    watched.api.bookmark()
    until(lambda: watched.cache.seen.version > before)


def test_errors_are_logged_and_tried_again(watched: Watched) -> None:
    left = 2

    def fail(call: Call) -> None:
        nonlocal left
        if left and call.method == "GET":
            left -= 1
            raise ApiError(500, "InternalError", "etcd is away")

    watched.api.before = fail
    create_later = threading.Timer(0.05, create, (watched.api, "a"))
    create_later.start()
    watched.start()
    until(lambda: watched.names() == ["a"])
    assert any("etcd is away" in line for line in watched.log)


def test_an_old_version_is_not_taken_again() -> None:
    cache = PodInformer(ControllerSettings())
    api = FakeJobApi(time.time)
    create(api, "a")
    api.request("DELETE", pods_path("ns", "a"))
    added, deleted = api.changes
    for change in (added, deleted, added, deleted, added):
        cache.apply(change.kind, change.object)
    assert len(cache) == 0
