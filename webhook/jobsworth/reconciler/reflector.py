"""Keep an informer up to date: list, watch from there, and list again when the version has expired.

Lists are consistent reads (without resourceVersion), page by page: a list contains every write made
before it began, and the expectations depend on that. A watch that ends is resumed from its last
version.
"""

from __future__ import annotations

import threading
import time
from itertools import chain
from typing import TYPE_CHECKING, Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.paging import PAGE_SIZE, pages
from jobsworth.client.retry import Backoff
from jobsworth.client.watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.client.api_interface import Api
    from jobsworth.reconciler.informers import Informer


class Reflector:
    """Lists and watches one resource for an informer.

    Args:
        path: API path of the resource, of one namespace or of all.
        cache: the informer to update.
        stop: set to stop the reflector.
        clock: the clock of the expectations.
        log: logs errors.
    """

    def __init__(
        self,
        api: Api,
        path: str,
        cache: Informer[Any],
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
                self._log(f"cannot list or watch {self._path}, retrying: {error}")
                self._stop.wait(max(self._backoff.next(), error.retry_after or 0.0))

    def once(self) -> None:
        """List if needed, then watch until the watch ends.

        Raises:
            ApiError: the call failed; retry it with backoff.
        """
        if not self._version:
            self._list()
        try:
            self._watch()
        except ApiError as error:
            if not error.expired:
                raise
            self._version = ""

    def _list(self) -> None:
        begun = self._clock()
        read = pages(self._api, self._path, self._page_size)
        try:
            first = next(read)
            items = chain.from_iterable(page.items for page in chain([first], read))
            self._cache.replace(items, first.version, begun)
        except ApiError as error:
            if error.expired:
                # The continue token expired between pages: read the list in one page.
                self._page_size = 0
            raise
        self._version = str(first.version)

    def _watch(self) -> None:
        for kind, obj in watch(self._api, self._path, self._version, self._clock):
            if self._stop.is_set():
                return
            self._cache.apply(kind, obj)
            self._version = obj["metadata"]["resourceVersion"]
