"""Watches of an API server, each in a thread that hands over what it sees."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.client.watch import watch
from jobsworth.following.requests import Changed, Ended

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.client.api_interface import Api
    from jobsworth.following.requests import Happening, Watch


class WatchThreads:
    """Starts watches, and hands over their changes.

    A thread that is not needed any more ends with the next event of its watch: a bookmark comes about once a
    minute. It is a daemon, so that it does not delay the end of the process.

    Args:
        put: receives what happens, in any thread.
    """

    def __init__(self, api: Api, put: Callable[[Happening], None]) -> None:
        self._api = api
        self._put = put
        self._running: dict[str, threading.Event] = {}

    def start(self, request: Watch) -> None:
        """Start a watch in place of an earlier one with its key."""
        self.stop(request.key)
        stop = self._running[request.key] = threading.Event()
        name = f"watch {request.path}"
        threading.Thread(target=self._follow, args=(request, stop), name=name, daemon=True).start()

    def stop(self, key: str | None = None) -> None:
        """Stop a watch, or all: nothing more of it is handed over."""
        for each in [key] if key is not None else list(self._running):
            stop = self._running.pop(each, None)
            if stop is not None:
                stop.set()

    def _follow(self, request: Watch, stop: threading.Event) -> None:
        error: ApiError | None = None
        try:
            seen = watch(self._api, request.path, request.version, selectors=request.selectors)
            for kind, value in seen:
                if stop.is_set():
                    return
                if kind != "BOOKMARK":
                    self._put(Changed(request.key, kind, value))
        except ApiError as failed:
            error = failed
        except Exception as failed:
            # The procedure must learn of any end: it would wait for ever.
            error = ApiError(UNREACHABLE, "", f"the watch of {request.path} failed: {failed}")
        if not stop.is_set():
            self._put(Ended(request.key, error))
