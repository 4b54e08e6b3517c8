"""List-watches of an API server, each in a thread, whose news arrive at one place."""

from __future__ import annotations

import contextvars
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.list_watch import ListWatch
from jobsworth.client.paging import PAGE_SIZE
from jobsworth.client.retry import Backoff

Object = dict[str, Any]

FIRST_PAUSE, LAST_PAUSE = 0.25, 5.0
"""Seconds, before jitter, until the next call after a failure: the pause doubles up to the last."""
STEADY_AFTER = 30.0
"""Seconds without an error after which the pauses start from the first again."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A list was read: its first objects, at most PAGE_SIZE; `more`: there are further ones."""

    key: str
    items: list[Object]
    more: bool


@dataclass(frozen=True, slots=True)
class Changed:
    """A watched object changed: ``ADDED``, ``MODIFIED`` or ``DELETED``, with its last state."""

    key: str
    kind: str
    value: Object


@dataclass(frozen=True, slots=True)
class Failed:
    """A list or a watch failed; the list is read again after a pause."""

    key: str
    error: ApiError


News = Listed | Changed | Failed


class Threads:
    """Threads, and the means by which they wait; tests replace it by virtual time."""

    def clock(self) -> float:
        """Return the seconds of a monotonic clock."""
        return time.monotonic()

    def event(self) -> threading.Event:
        """Return an event that is not set."""
        return threading.Event()

    def queue(self) -> queue.SimpleQueue[Any]:
        """Return an empty queue."""
        return queue.SimpleQueue()

    def start(self, work: Callable[[], None], name: str) -> None:
        """Run a function in a thread, which does not delay the end of the process."""
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(work,), name=name, daemon=True).start()


class Watches:
    """Starts and stops list-watches, and hands over what they see.

    A thread that is not needed any more ends with the next event of its watch: a bookmark comes about once a
    minute.
    """

    def __init__(self, api: Api, threads: Threads | None = None) -> None:
        self._api = api
        self._threads = threads or Threads()
        self.clock = self._threads.clock
        self._running: dict[str, threading.Event] = {}
        self._arrived = self._threads.queue()

    def start(self, key: str, path: str, selectors: Mapping[str, str]) -> None:
        """List and watch a collection, in place of an earlier one with this key."""
        self.stop(key)
        stop = self._running[key] = self._threads.event()
        put = partial(self._put, stop)
        list_watch = ListWatch(
            self._api,
            path,
            apply=lambda kind, value: put(Changed(key, kind, value)),
            replace=lambda items, version, begun: put(_first_page(key, items)),
            failed=lambda error: put(Failed(key, error)),
            stop=stop,
            clock=self.clock,
            backoff=Backoff(FIRST_PAUSE, LAST_PAUSE, STEADY_AFTER, self.clock),
            selectors=selectors,
            resumes=False,
        )

        def run() -> None:
            try:
                list_watch.run()
            except Exception as error:  # a bug: without it, next() would wait forever
                put(error)

        self._threads.start(run, f"watch {path}")

    def stop(self, key: str) -> None:
        """Stop a list-watch: nothing more of it is handed over."""
        stop = self._running.pop(key, None)
        if stop is not None:
            stop.set()

    def close(self) -> None:
        """Stop all list-watches."""
        for key in list(self._running):
            self.stop(key)

    def interrupt(self, error: Exception) -> None:
        """Raise an error in the thread that waits for news."""
        self._put(self._threads.event(), error)

    def next(self, until: float | None) -> News | None:
        """Wait for news.

        Args:
            until: the time of the clock at which to stop waiting; None to wait without a limit.

        Returns:
            None if that time was reached.
        """
        while True:
            timeout = None if until is None else max(0.0, until - self.clock())
            try:
                stop, news = self._arrived.get(timeout=timeout)
            except queue.Empty:
                return None
            if stop.is_set():
                continue
            if isinstance(news, Exception):
                raise news
            found: News = news
            return found

    def _put(self, stop: threading.Event, news: News | Exception) -> None:
        if not (isinstance(news, Changed) and news.kind == "BOOKMARK"):
            self._arrived.put((stop, news))


def _first_page(key: str, items: Iterator[Object]) -> Listed:
    """Return the first objects of a list, without reading all of its pages."""
    first = list(islice(items, PAGE_SIZE))
    return Listed(key, first, more=next(items, None) is not None)
