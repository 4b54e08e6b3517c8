"""Watch a resource from a version on."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from jobsworth.client.errors import UNREACHABLE, ApiError, error_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jobsworth.client.api import Api

WATCH_SECONDS = 300  # to twice that: then the server ends a watch, so that load spreads anew
SHORTEST_WATCH = (
    1.0  # seconds; a proxy that ends every watch at once must not be asked without pause
)


def watch(
    api: Api, path: str, version: str, clock: Callable[[], float] = time.monotonic
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield what happens after a version, until the server ends the watch.

    Yields:
        ``ADDED``, ``MODIFIED`` or ``DELETED`` and the object; ``BOOKMARK`` and what has the version.

    Raises:
        ApiError: as any stream; ``expired`` when the version is too old; or the watch was ended before
            anything could happen, or brings something else than events.
    """
    query = {
        "resourceVersion": version,
        "allowWatchBookmarks": "true",
        "timeoutSeconds": str(int(WATCH_SECONDS * (1 + random.random()))),
    }
    begun, events = clock(), 0
    for event in api.stream(path, query):
        events += 1
        try:
            kind, obj = event["type"], event["object"]
            if kind != "ERROR":
                obj["metadata"]["resourceVersion"]
        except (KeyError, TypeError):
            raise ApiError(
                UNREACHABLE, "", f"the watch of {path} brings something else than events"
            ) from None
        if kind == "ERROR":
            raise error_of((isinstance(obj, dict) and obj.get("code")) or UNREACHABLE, obj)
        yield kind, obj
    if not events and clock() - begun < SHORTEST_WATCH:
        raise ApiError(UNREACHABLE, "", "the server ended the watch at once")
