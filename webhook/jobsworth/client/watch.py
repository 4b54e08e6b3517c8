"""Watch a collection: one call, until the API server ends it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jobsworth.client.api_errors import UNREACHABLE, ApiError, error_of
from jobsworth.client.api_interface import Api

WATCH_SECONDS = 300  # the server ends a watch after one to two times this, so that load spreads
MIN_WATCH = 1.0
"""Seconds that a watch lasts if all is well; a proxy that ends each at once must not be hammered."""


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
