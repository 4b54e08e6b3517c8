"""Follow a collection: list, watch from there, and list again when the version has expired.

Lists are consistent reads (without resourceVersion), page by page: a list contains every write made
before it began, and the expectations of the reconciler depend on that. A watch that ends is resumed from its
last version. After an error, an expired version included, there is a pause before the next call.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from jobsworth.client.api_errors import UNREACHABLE, ApiError, error_of
from jobsworth.client.api_interface import Api
from jobsworth.client.paging import PAGE_SIZE, pages
from jobsworth.client.retry import Backoff

Object = dict[str, Any]

WATCH_SECONDS = 300  # the server ends a watch after one to two times this, so that load spreads
MIN_WATCH = 1.0
"""Seconds that a watch lasts if all is well; a proxy that ends each at once must not be hammered."""


class ListWatch:
    """Lists and watches one collection.

    Args:
        path: API path of the collection, of one namespace or of all.
        apply: receives each event of a watch, ``BOOKMARK`` included, and its object.
        replace: receives the objects of a list, its resourceVersion, and the time at which the list began.
            None to watch without a list: the watch begins with an event for each existing object.
        failed: receives each error, before the pause.
        stop: set to stop.
        clock: seconds of a monotonic clock, also of `replace`.
        selectors: ``labelSelector`` and ``fieldSelector``; None for all objects.
        resumes: False to list again after each watch, so that each of its ends brings an answer soon.
    """

    def __init__(
        self,
        api: Api,
        path: str,
        *,
        apply: Callable[[str, Object], None],
        replace: Callable[[Iterator[Object], int, float], None] | None,
        failed: Callable[[ApiError], None],
        stop: threading.Event,
        clock: Callable[[], float] = time.monotonic,
        backoff: Backoff | None = None,
        selectors: Mapping[str, str] | None = None,
        resumes: bool = True,
    ) -> None:
        self._api = api
        self._path = path
        self._apply = apply
        self._replace = replace
        self._failed = failed
        self._stop = stop
        self._clock = clock
        self._backoff = backoff or Backoff(clock=clock)
        self._selectors = selectors
        self._resumes = resumes
        self._page_size = PAGE_SIZE
        self._version = ""  # resourceVersion of the watch; empty when a list is needed

    def run(self) -> None:
        """List and watch until stopped."""
        while not self._stop.is_set():
            try:
                self.once()
            except ApiError as error:
                if self._stop.is_set():
                    return
                self._failed(error)
                self._stop.wait(self._backoff.after(error))

    def once(self) -> None:
        """List if needed, then watch until the watch ends.

        Raises:
            ApiError: the call failed, or the version of the watch has expired; retry with backoff.
        """
        if not self._version and self._replace is not None:
            self._list(self._replace)
        try:
            self._watch()
        except ApiError as error:
            if error.expired:
                self._version = ""
            raise
        finally:
            if not self._resumes:
                self._version = ""

    def _list(self, replace: Callable[[Iterator[Object], int, float], None]) -> None:
        begun = self._clock()
        read = pages(self._api, self._path, self._page_size, selectors=self._selectors)
        try:
            first = next(read)
            items = chain.from_iterable(page.items for page in chain([first], read))
            replace(items, first.version, begun)
        except ApiError as error:
            if error.expired:
                # The continue token expired between pages: read the list in one page.
                self._page_size = 0
            raise
        self._version = str(first.version)

    def _watch(self) -> None:
        for kind, value in watch(
            self._api, self._path, self._version, self._clock, selectors=self._selectors
        ):
            if self._stop.is_set():
                return
            self._apply(kind, value)
            self._version = value["metadata"]["resourceVersion"]


def notify(
    api: Api,
    objects: Iterable[tuple[str, str]],
    changed: threading.Event,
    stop: threading.Event,
    log: Callable[[str], None],
    *,
    new_backoff: Callable[[], Backoff] = Backoff,
) -> list[threading.Thread]:
    """Set an event whenever one of some objects may have changed, in a thread for each.

    The objects are not listed: RBAC need allow only to watch them, by name.

    Args:
        api: the API server; it needs a connection for each object.
        objects: the path of the collection and the name of each object; it need not exist.
        changed: the event to set.
        stop: set to end the threads after their watch.
        log: receives, once for each object, that it may not be watched.
        new_backoff: returns the delays of a watch after errors.

    Returns:
        The threads.
    """

    def follow(path: str, name: str) -> None:
        logged = False

        def failed(error: ApiError) -> None:
            nonlocal logged
            changed.set()  # an event may have been missed
            if error.code == 403 and not logged:
                logged = True
                log(f"{error.while_trying_to(f'watch {name}')}; changes are noticed later")

        ListWatch(
            api,
            path,
            apply=lambda kind, value: changed.set(),
            replace=None,
            failed=failed,
            stop=stop,
            backoff=new_backoff(),
            selectors={"fieldSelector": f"metadata.name={name}"},
        ).run()

    threads = [
        threading.Thread(target=follow, args=each, name=f"watch {each[1]}", daemon=True)
        for each in objects
    ]
    for thread in threads:
        thread.start()
    return threads


def watch(
    api: Api,
    path: str,
    version: str,
    clock: Callable[[], float] = time.monotonic,
    *,
    selectors: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events after a resourceVersion, until the server ends the watch.

    Args:
        api: the API server.
        path: of the collection.
        version: the resourceVersion; empty to begin with an event for each existing object.
        clock: returns the seconds of a monotonic clock.
        selectors: ``labelSelector`` and ``fieldSelector``; None for all objects.

    Yields:
        ``ADDED``, ``MODIFIED`` or ``DELETED`` and the object; ``BOOKMARK`` and an object with the
        resourceVersion only.

    Raises:
        ApiError: like any stream; ``expired`` if the resourceVersion is too old. Also if the server ends the
            watch at once, even after events, or sends anything but events.
    """
    query = {
        **(selectors or {}),
        "resourceVersion": version,
        "allowWatchBookmarks": "true",
        "timeoutSeconds": str(int(WATCH_SECONDS * (1 + random.random()))),
    }
    begun = clock()
    for event in api.stream(path, query):
        try:
            kind, obj = event["type"], event["object"]
            if kind != "ERROR":
                obj["metadata"]["resourceVersion"]
        except (KeyError, TypeError):
            raise ApiError(
                UNREACHABLE,
                "",
                f"the watch of {path} does not return watch events; check for a proxy",
            ) from None
        if kind == "ERROR":
            raise error_of((isinstance(obj, dict) and obj.get("code")) or UNREACHABLE, obj)
        yield kind, obj
    if clock() - begun < MIN_WATCH:
        raise ApiError(UNREACHABLE, "", "the server ended the watch at once")
