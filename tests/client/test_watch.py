"""Events of a watch, and its failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.list_watch import WATCH_SECONDS, watch


class Events(Api):
    """A watch that brings these events."""

    def __init__(self, *events: Any) -> None:
        self.events = events
        self.query: Mapping[str, str] = {}

    def stream(self, path: str, query: Mapping[str, str]) -> Iterator[Any]:
        self.query = query
        yield from self.events


def event(kind: str, version: str) -> dict[str, Any]:
    return {"type": kind, "object": {"metadata": {"resourceVersion": version}}}


def test_events_come_in_order_from_a_version_on() -> None:
    api = Events(event("ADDED", "8"), event("BOOKMARK", "9"))
    times = iter([0.0, 300.0])
    seen = watch(api, "/pods", "7", lambda: next(times))
    found = [(kind, obj["metadata"]["resourceVersion"]) for kind, obj in seen]
    assert found == [("ADDED", "8"), ("BOOKMARK", "9")]
    assert (api.query["resourceVersion"], api.query["allowWatchBookmarks"]) == ("7", "true")
    assert WATCH_SECONDS <= int(api.query["timeoutSeconds"]) < 2 * WATCH_SECONDS


def test_a_version_that_is_too_old_is_an_error() -> None:
    gone = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
    with pytest.raises(ApiError, match="too old") as caught:
        list(watch(Events({"type": "ERROR", "object": gone}), "/pods", "7"))
    assert caught.value.expired


@pytest.mark.parametrize("events", [[], [event("BOOKMARK", "9")]], ids=["", "after an event"])
def test_a_watch_that_ends_at_once_is_an_error(events: list[Any]) -> None:
    seen: list[Any] = []
    with pytest.raises(ApiError, match="ended the watch at once"):
        seen.extend(watch(Events(*events), "/pods", "7"))
    assert len(seen) == len(events)


def test_a_watch_in_which_nothing_happens_is_none() -> None:
    times = iter([0.0, 300.0])
    assert list(watch(Events(), "/pods", "7", lambda: next(times))) == []


@pytest.mark.parametrize(
    "wrong",
    [3, [], {}, {"type": "ADDED"}, {"type": "ADDED", "object": 3},
     {"type": "ADDED", "object": {"metadata": {}}}, {"type": "ERROR", "object": "away"}],
)  # fmt: skip
def test_something_else_than_events_is_an_error(wrong: Any) -> None:
    with pytest.raises(ApiError):
        list(watch(Events(wrong), "/pods", "7"))
