"""Keeps a cache up to date: a list, then a watch from there; a list again when that is too old.

Lists are consistent reads (no resourceVersion is given), a page at a time: what was written before one
was begun is in it, which the expectations rest on. A watch that ends is taken up where it ended.
"""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Any

from jobsworth.client.api import GONE, UNREACHABLE, Api, ApiError, resource_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.reconciler.informers import Cache

PAGE = 500
WATCH_SECONDS = 300  # to twice that: then the server ends a watch, so that load spreads anew
BACKOFF_BASE, BACKOFF_CAP = 0.8, 30.0
SHORTEST_WATCH = (
    1.0  # seconds; a proxy that ends every watch at once must not be asked without pause
)
STEADY_AFTER = 120.0  # seconds without an error after which the next one is the first again


class Backoff:
    """Delays that double, each drawn out at random to up to twice itself, so that clients spread.

    Args:
        base: the first, in seconds.
        cap: the longest, before it is drawn out.
        steady_after: seconds without an error after which the delays begin anew.
    """

    def __init__(
        self,
        base: float = BACKOFF_BASE,
        cap: float = BACKOFF_CAP,
        steady_after: float = STEADY_AFTER,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._base, self._cap, self._steady_after = base, cap, steady_after
        self._clock, self._chance = clock, chance
        self._errors = 0
        self._last = clock()

    def next(self) -> float:
        """The delay after one more error."""
        now = self._clock()
        if now - self._last > self._steady_after:
            self._errors = 0
        self._last = now
        delay = min(self._base * 2.0 ** min(self._errors, 30), self._cap)
        self._errors += 1
        return delay * (1 + self._chance())


class Watcher:
    """Lists and watches one resource for a cache.

    Args:
        path: of the resource, of one namespace or of all.
        cache: is kept up to date.
        stop: set when the process is to end.
        clock: that of the expectations.
        log: is told what went wrong.
    """

    def __init__(
        self,
        api: Api,
        path: str,
        cache: Cache[Any],
        *,
        stop: threading.Event,
        clock: Callable[[], float] = time.monotonic,
        backoff: Backoff | None = None,
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._api = api
        self._path = path
        self._cache = cache
        self._stop = stop
        self._clock = clock
        self._backoff = backoff or Backoff()
        self._log = log
        self._page = PAGE
        self._version = ""  # of the watch; empty when a list is needed

    def run(self) -> None:
        """List and watch until told to stop."""
        while not self._stop.is_set():
            try:
                self.once()
            except ApiError as error:
                self._log(f"cannot list or watch {self._path}: {error}")
                self._stop.wait(max(self._backoff.next(), error.retry_after or 0.0))

    def once(self) -> None:
        """List if need be, then watch until the watch ends.

        Raises:
            ApiError: to be tried again after a while.
        """
        if not self._version:
            self._list()
        try:
            self._watch()
        except ApiError as error:
            if error.code != GONE:
                raise
            self._version = ""

    def _list(self) -> None:
        begun = self._clock()
        pages = self._pages()
        version = next(pages)
        try:
            self._cache.replace(pages, int(version), begun)
        except ApiError as error:
            if error.code == GONE:
                # The list grew too old while it was read in pages: read it whole.
                self._page = 0
            raise
        self._version = str(version)

    def _pages(self) -> Iterator[Any]:
        """The resourceVersion of the list, then its items."""
        query = {"limit": str(self._page)} if self._page else {}
        answer = self._api.call("GET", self._path, query=query)
        yield resource_version(answer)
        while True:
            yield from answer.get("items") or ()
            following = (answer.get("metadata") or {}).get("continue")
            if not following:
                return
            answer = self._api.call("GET", self._path, query={**query, "continue": following})

    def _watch(self) -> None:
        query = {
            "resourceVersion": self._version,
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(int(WATCH_SECONDS * (1 + random.random()))),
        }
        begun, events = self._clock(), 0
        for event in self._api.watch(self._path, query):
            events += 1
            if self._stop.is_set():
                return
            kind, obj = event["type"], event["object"]
            if kind == "ERROR":
                code = obj.get("code") or UNREACHABLE
                raise ApiError(code, obj.get("reason") or "", obj.get("message") or "")
            self._cache.apply(kind, obj)
            self._version = obj["metadata"]["resourceVersion"]
        if not events and self._clock() - begun < SHORTEST_WATCH and not self._stop.is_set():
            raise ApiError(UNREACHABLE, "", "the server ended the watch at once")
