"""Notify of changes to single objects, so that a loop need not wait for its next turn."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from jobsworth.client.api_errors import ApiError
from jobsworth.client.watch import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from jobsworth.client.api_interface import Api

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
