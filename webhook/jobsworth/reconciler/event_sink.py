"""Sinks for the events and metrics that a sync emits."""

from __future__ import annotations

from typing import Any

from jobsworth.controller.jobs import KIND
from jobsworth.controller.signals import Count, Event
from jobsworth.reconciler.events import EventRecorder
from jobsworth.reconciler.prometheus_metrics import ReconcilerMetrics


class EventSink:
    """A sink that discards everything."""

    def event(self, metadata: dict[str, Any], event: Event) -> None:
        """Emit a Kubernetes event about the Job with this metadata."""

    def write(self, metadata: dict[str, Any], event: Event, kind: str = KIND) -> bool:
        """Emit an event about an object of a kind before returning; the same event again is not a second one.

        Return False if the event could not be written.
        """
        return True

    def count(self, count: Count) -> None:
        """Increment a counter."""


class ApiEventSink(EventSink):
    """Forwards events to the API server and counts to Prometheus."""

    def __init__(self, recorder: EventRecorder, metrics: ReconcilerMetrics) -> None:
        self._recorder, self._metrics = recorder, metrics

    def event(self, metadata: dict[str, Any], event: Event) -> None:
        self._recorder.record(metadata, event)

    def write(self, metadata: dict[str, Any], event: Event, kind: str = KIND) -> bool:
        return self._recorder.write_once(metadata, event, kind)

    def count(self, count: Count) -> None:
        self._metrics.count(count)
