"""A cache of namespace labels, for policies with a namespaceSelector.

An API server that does not respond must neither delay an admission request nor change its result: the last
known labels stay valid until there are newer ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import namespaces_path
from jobsworth.client.rest_config import Target, rest_config
from jobsworth.client.retry import Retry

Labels = Mapping[str, str]
Fetch = Callable[[str], Labels | None]
"""Returns the labels of a namespace; None if there is no such namespace. May raise any exception."""

Failed = Callable[[str, Exception], None]

FRESH_SECONDS = 30.0
RETRY_SECONDS = 5.0
REQUEST_SECONDS = 2.0
MAX_NAMESPACES = 10_000
"""The largest number of cached namespaces: more than a cluster has."""


class NamespaceLabels:
    """A cache of namespace labels. Safe to share between threads.

    Args:
        fetch: reads the labels from the cluster.
        clock: returns monotonic seconds.
        failed: called with the namespace and the error if the labels cannot be read.
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
        """Return the labels of a namespace; None if they are unknown."""
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
                # Any error: use the last known labels, so that the admission request goes on.
                lasts = RETRY_SECONDS
                self._failed(namespace, error)
            if len(self._known) >= MAX_NAMESPACES:
                self._known.clear()
            self._known[namespace] = (self._clock() + lasts, labels)
            return labels


def fetch_from(api: Api) -> Fetch:
    """Return a function that reads namespace labels from an API server."""

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
    """Return a cache for the cluster that this process runs in, or that the kubeconfig names.

    The first use opens the connection: in a worker, after the fork.

    Raises:
        ImportError: the kubernetes package is not installed.
    """
    import kubernetes  # noqa: F401  (fail here, not in a worker)

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
