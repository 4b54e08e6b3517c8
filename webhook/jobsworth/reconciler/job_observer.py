"""The interface for whoever wants to see every Job that the controller's watch brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from prometheus_client.registry import Collector


class JobObserver(Protocol):
    """Sees Jobs, whoever manages them, and works on them in a thread of its own."""

    def look(self, job: dict[str, Any]) -> None:
        """Take note of a Job that the watch shows; its thread waits meanwhile."""

    def forget(self, uid: str) -> None:
        """Take note that a Job has gone."""

    def run(self) -> None:
        """Work on what was noted, until closed."""

    def close(self) -> None:
        """Have :meth:`run` return."""

    def collector(self) -> Collector:
        """Return the metrics of the observer."""
