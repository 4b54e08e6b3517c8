"""The labels of namespaces, for policies that look at them: asked of the cluster, and remembered a while.

A request must not wait for long, nor be decided otherwise, because the cluster does not answer just now:
what was known last stays known until there is something newer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING

from jobsworth.client.configuration import Target, rest_config
from jobsworth.client.errors import ApiError
from jobsworth.client.resources import namespaces_path
from jobsworth.client.retry import Retry

if TYPE_CHECKING:
    from jobsworth.client.api import Api

Labels = Mapping[str, str]
Fetch = Callable[[str], Labels | None]
"""The labels of a namespace; None where there is no such namespace. Raises what it likes."""

Failed = Callable[[str, Exception], None]

FRESH_SECONDS = 30.0
RETRY_SECONDS = 5.0
REQUEST_SECONDS = 2.0
MOST_NAMESPACES = 10_000
"""More than a cluster has: so many are remembered at once."""


class NamespaceLabels:
    """Remembers the labels of namespaces; any number of threads may ask.

    Args:
        fetch: asks the cluster.
        clock: seconds that only go forward.
        failed: is told of which namespace the labels could not be had, and why.
    """

    def __init__(
        self,
        fetch: Fetch,
        clock: Callable[[], float] = time.monotonic,
        failed: Failed = lambda namespace, error: None,
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._failed = failed
        self._lock = threading.Lock()
        self._known: dict[str, tuple[float, Labels | None]] = {}

    def __call__(self, namespace: str) -> Labels | None:
        """The labels of a namespace; None where they are not known."""
        until, labels = self._known.get(namespace, (0.0, None))
        if self._clock() < until:
            return labels
        with self._lock:
            until, labels = self._known.get(namespace, (0.0, None))
            if self._clock() < until:
                return labels
            try:
                labels, lasts = self._fetch(namespace), FRESH_SECONDS
            except Exception as error:
                # Whatever it is, the request goes on; what was known last is the best there is.
                lasts = RETRY_SECONDS
                self._failed(namespace, error)
            if len(self._known) >= MOST_NAMESPACES:
                self._known.clear()
            self._known[namespace] = (self._clock() + lasts, labels)
            return labels


def fetch_from(api: Api) -> Fetch:
    """Return what asks an API server."""

    def fetch(namespace: str) -> Labels | None:
        try:
            found = api.get(namespaces_path(namespace))
        except ApiError as error:
            if error.not_found:
                return None
            raise
        labels: Labels = found["metadata"].get("labels") or {}
        return labels

    return fetch


def labels_from_cluster(failed: Failed) -> NamespaceLabels:
    """Return what asks the cluster that this process runs in, or that the kubeconfig names.

    The connection is made when it is first needed: in the worker, after it was forked.

    Raises:
        ImportError: the kubernetes package is not installed.
    """
    import kubernetes  # noqa: F401  (told here, not in a worker)

    from jobsworth.client.transport import Client

    made: list[Fetch] = []
    until_the_end = ExitStack()

    def fetch(namespace: str) -> Labels | None:
        if not made:
            config = until_the_end.enter_context(rest_config(Target()))
            made.append(
                fetch_from(
                    Client(config, user_agent="jobsworth", timeout=REQUEST_SECONDS, retry=Retry(1))
                )
            )
        return made[0](namespace)

    return NamespaceLabels(fetch, failed=failed)
