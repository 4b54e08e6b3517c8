"""News of several list-watches arrive at one place, and those of a stopped one do not."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from jobsworth.client.api_interface import Api
from jobsworth.live.watches import Changed, Listed, Watches

Object = dict[str, Any]


class Served(Api):
    """Lists nothing, and watches one object; fails with an error that is not one of an API server, if given."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error
        self.ended = threading.Event()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Object:
        if self._error is not None:
            raise self._error
        return {"metadata": {"resourceVersion": "7"}, "items": []}

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Object]:
        for kind in ("BOOKMARK", "ADDED"):
            yield {"type": kind, "object": {"metadata": {"resourceVersion": "8"}}}
        self.ended.wait(10)


def test_a_list_is_followed_by_its_changes_without_bookmarks() -> None:
    api = Served()
    watches = Watches(api)
    watches.start("pods", "/pods", {})
    assert watches.next(None) == Listed("pods", [], more=False)
    assert watches.next(None) == Changed("pods", "ADDED", {"metadata": {"resourceVersion": "8"}})
    watches.close()
    api.ended.set()


def test_nothing_arrives_of_a_list_watch_that_was_stopped() -> None:
    api = Served()
    watches = Watches(api)
    watches.start("pods", "/pods", {})
    assert watches.next(None) is not None
    watches.stop("pods")
    assert watches.next(watches.clock() + 0.05) is None
    api.ended.set()


def test_a_bug_in_a_thread_is_raised_where_the_news_arrive() -> None:
    watches = Watches(Served(ZeroDivisionError("a bug")))
    watches.start("pods", "/pods", {})
    with pytest.raises(ZeroDivisionError, match="a bug"):
        watches.next(None)
