"""Watch a resource from a resourceVersion."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from jobsworth.client.api_errors import UNREACHABLE, ApiError, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the events after a resourceVersion, until the server ends the watch.

    Args:
        api: the API server.
        path: of the collection.
        version: the resourceVersion; empty to begin with an event for each existing object.
        clock: returns the seconds of a monotonic clock.
        name: watch only the object with this name, for which RBAC can allow a watch by name.

    Yields:
        ``ADDED``, ``MODIFIED`` or ``DELETED`` and the object; ``BOOKMARK`` and an object with the
        resourceVersion only.

    Raises:
        ApiError: like any stream; ``expired`` if the resourceVersion is too old. Also if the server ends the
            watch at once, or sends anything but events.
    """
    query = {
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
