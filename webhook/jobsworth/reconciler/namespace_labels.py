"""The labels of namespaces, read when they are asked for, and again after a while."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jobsworth.reconciler.unreachable import ClusterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jobsworth.reconciler.access import ApiAccess

FOR_SECONDS = 60.0


class NamespaceLabels:
    """See above.

    Args:
        access: to the API server.
        clock: seconds that never go back.
    """

    def __init__(self, access: ApiAccess, clock: Callable[[], float] = time.monotonic) -> None:
        self._access = access
        self._clock = clock
        self._known: dict[str, tuple[float, Mapping[str, str] | None]] = {}

    def of(self, namespace: str) -> Mapping[str, str] | None:
        """The labels of a namespace; None where they cannot be read."""
        known = self._known.get(namespace)
        if known is not None and self._clock() < known[0] + FOR_SECONDS:
            return known[1]
        labels: Mapping[str, str] | None
        try:
            found: Any = self._access.get(f"/api/v1/namespaces/{quote(namespace, safe='')}")
            labels = found["metadata"].get("labels") or {}
        except ClusterError:
            labels = None
        self._known[namespace] = (self._clock(), labels)
        return labels
