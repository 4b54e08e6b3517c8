"""Who is told what syncs do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jobsworth.controller.signals import Count, Event
    from jobsworth.reconciler.events import EventRecorder
    from jobsworth.reconciler.prometheus_metrics import Metrics


class EventSink:
    """Who is told of a sync: by itself, nobody."""

    def event(self, metadata: dict[str, Any], event: Event) -> None:
        """A Kubernetes event about the Job with this metadata."""

    def count(self, count: Count) -> None:
        """A counter goes up."""


class ApiEventSink(EventSink):
    """Passes on what syncs tell: Kubernetes events and metrics."""

    def __init__(self, recorder: EventRecorder, metrics: Metrics) -> None:
        self._recorder, self._metrics = recorder, metrics

    def event(self, metadata: dict[str, Any], event: Event) -> None:
        self._recorder.record(metadata, event)

    def count(self, count: Count) -> None:
        self._metrics.count(count)
