"""Watch objects, and notify of changes to single ones, so that a loop need not wait for its next turn."""

from __future__ import annotations

import random
import threading
import time
from typing import TYPE_CHECKING, Any

from jobsworth.client.api_errors import UNREACHABLE, ApiError, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from jobsworth.client.api_interface import Api


WATCH_SECONDS = 300  # the server ends a watch after one to two times this, so that load spreads
MIN_WATCH = 1.0  # seconds; a proxy may end every watch at once, so do not retry without a pause


def watch(
    api: Api,
    path: str,
    version: str,
    clock: Callable[[], float] = time.monotonic,
    *,
    name: str = "",
    selectors: Mapping[str, str] | None = None,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events after a resourceVersion, until the server ends the watch.

    Args:
        api: the API server.
        path: of the collection.
        version: the resourceVersion; empty to begin with an event for each existing object.
        clock: returns the seconds of a monotonic clock.
        name: watch only the object with this name, for which RBAC can allow a watch by name.
        selectors: ``labelSelector`` and ``fieldSelector``; None for all objects.

    Yields:
        ``ADDED``, ``MODIFIED`` or ``DELETED`` and the object; ``BOOKMARK`` and an object with the
        resourceVersion only.

    Raises:
        ApiError: like any stream; ``expired`` if the resourceVersion is too old. Also if the server ends the
            watch at once, or sends anything but events.
    """
    query = {
        **(selectors or {}),
        "resourceVersion": version,
        "allowWatchBookmarks": "true",
        "timeoutSeconds": str(int(WATCH_SECONDS * (1 + random.random()))),
    }
    if name:
        query["fieldSelector"] = f"metadata.name={name}"
    begun, events = clock(), 0
    for event in api.stream(path, query):
        events += 1
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
    if not events and clock() - begun < MIN_WATCH:
        raise ApiError(UNREACHABLE, "", "the server ended the watch at once")


RETRY_SECONDS = 1.0
FORBIDDEN_SECONDS = 60.0
"""Seconds until the next attempt if RBAC does not allow the watch."""


def notify(
    api: Api,
    objects: Iterable[tuple[str, str]],
    changed: threading.Event,
    stop: threading.Event,
    log: Callable[[str], None],
) -> None:
    """Set an event whenever one of some objects may have changed, in a thread for each.

    Args:
        api: the API server; it needs a connection for each object.
        objects: the path of the collection and the name of each object; it need not exist.
        changed: the event to set.
        stop: set to end the threads after their watch.
        log: receives an error that is not transient.
    """

    def follow(path: str, name: str) -> None:
        logged = False
        while not stop.is_set():
            pause = 0.0
            try:
                for _ in watch(api, path, "", name=name):
                    changed.set()
            except ApiError as error:
                pause = RETRY_SECONDS
                if error.code == 403:
                    pause = FORBIDDEN_SECONDS
                    if not logged:
                        log(f"{error.while_trying_to(f'watch {name}')}; changes are noticed later")
                        logged = True
            changed.set()  # an event may have been missed
            stop.wait(pause)

    for path, name in objects:
        threading.Thread(
            target=follow, args=(path, name), name=f"watch {name}", daemon=True
        ).start()
