"""The interface of an observer of all Jobs in the controller's watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from prometheus_client.registry import Collector


class JobObserver(Protocol):
    """Receives all Jobs, also those of other controllers, and processes them in its own thread."""

    def observe(self, job: dict[str, Any]) -> None:
        """Note a Job from the watch. Return quickly: the call blocks the watch."""

    def forget(self, uid: str) -> None:
        """Note that a Job was deleted."""

    def run(self) -> None:
        """Process the noted Jobs until closed."""

    def close(self) -> None:
        """Make :meth:`run` return."""

    def collector(self) -> Collector:
        """Return the metrics of the observer."""
