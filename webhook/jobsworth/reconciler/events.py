"""Write Kubernetes events about Jobs in a separate thread, so that no sync waits for them.

They are correlated as in client-go, to limit the number of API calls. A repeated event increments the count
of the existing one. After ten similar events in ten minutes the rest are combined into one. An object with
still more events gets one every five minutes. Without this, a Job with 1,000 Pods would cost 1,000 more API
calls.
"""

from __future__ import annotations

import hashlib
import queue
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import MERGE, Api
from jobsworth.client.api_resources import events_path
from jobsworth.client.rate_limit import TokenBucket
from jobsworth.controller.jobs import API_VERSION, KIND
from jobsworth.controller.signals import Count, Event
from jobsworth.controller.times import write_time
from jobsworth.reconciler.prometheus_metrics import ReconcilerMetrics

COMPONENT = "job-controller"
WAITING = 4096  # queue length; further events are dropped
MAX_MESSAGE_LENGTH = 1024  # limit of the API


class EventRecorder:
    """Queues events, and writes them in a thread.

    Args:
        clock: seconds since 1970.
        component: source component of the events.
        log: logs events that could not be written.
    """

    def __init__(
        self,
        api: Api,
        clock: Callable[[], float],
        *,
        component: str = COMPONENT,
        log: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._api = api
        self._clock = clock
        self._correlator = EventCorrelator(clock)
        self._component = component
        self._log = log
        self._waiting: queue.Queue[tuple[dict[str, Any], Event] | None] = queue.Queue(WAITING)
        self._thread = threading.Thread(target=self._run, name="events", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def record(self, metadata: dict[str, Any], event: Event) -> None:
        """Enqueue an event about the Job with this metadata."""
        try:
            self._waiting.put_nowait((metadata, event))
        except queue.Full:
            self._log(
                f"dropped event {event.reason} of Job {metadata.get('name')}: the event queue is full"
            )

    def stop(self, seconds: float) -> None:
        """Write the queued events, for at most `seconds`, and stop the thread."""
        if not self._thread.is_alive():
            return
        try:
            self._waiting.put(None, timeout=seconds)
        except queue.Full:
            return
        self._thread.join(seconds)

    def _run(self) -> None:
        while (item := self._waiting.get()) is not None:
            metadata, event = item
            try:
                self.write(metadata, event)
            except ApiError as error:
                self._log(f"cannot write event {event.reason}: {error}")

    def write(self, metadata: dict[str, Any], event: Event) -> None:
        """Create an event, increment an existing one, or drop it, as correlation decides.

        Raises:
            ApiError: the write failed.
        """
        message = event.message[:MAX_MESSAGE_LENGTH]
        series = self._correlator.take(
            Occurrence(metadata["uid"], event.type, event.reason, message)
        )
        if series is None:
            return
        if series.name and self._count_up(metadata, series):
            return
        body = self._body(metadata, event, series)
        self._api.create(events_path(metadata["namespace"]), body)
        series.name = body["metadata"]["name"]

    def write_once(self, metadata: dict[str, Any], event: Event, kind: str = KIND) -> bool:
        """Create an event unless it exists; return False if that failed.

        The event's name is a digest of its content, so that a restarted process does not repeat it.
        """
        now = self._clock()
        series = EventSeries(event.message[:MAX_MESSAGE_LENGTH], count=1, first=now, last=now)
        body = self._body(metadata, event, series)
        content = f"{metadata['uid']} {event.reason} {event.message}"
        digest = hashlib.sha256(content.encode()).hexdigest()[:16]
        body["metadata"]["name"] = f"{metadata['name'][:220]}.{digest}"
        body["involvedObject"]["kind"] = kind
        try:
            self._api.create(events_path(metadata["namespace"]), body)
        except ApiError as error:
            if error.reason == "AlreadyExists" or error.namespace_terminating:
                return True
            self._log(f"cannot write event {event.reason}: {error}")
            return False
        return True

    def _count_up(self, metadata: dict[str, Any], series: EventSeries) -> bool:
        """Increment the count of an event; return False if it no longer exists."""
        patch = {
            "count": series.count,
            "lastTimestamp": write_time(int(series.last)),
            "message": series.message[:MAX_MESSAGE_LENGTH],
        }
        try:
            self._api.patch(events_path(metadata["namespace"], series.name), patch, MERGE)
        except ApiError as error:
            if not error.not_found:
                raise
            return False
        return True

    def _body(self, metadata: dict[str, Any], event: Event, series: EventSeries) -> dict[str, Any]:
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                "name": f"{metadata['name'][:220]}.{uuid.uuid4().hex[:16]}",
                "namespace": metadata["namespace"],
            },
            "involvedObject": {
                "apiVersion": API_VERSION,
                "kind": KIND,
                "namespace": metadata["namespace"],
                "name": metadata["name"],
                "uid": metadata["uid"],
                "resourceVersion": metadata.get("resourceVersion", ""),
            },
            "type": event.type,
            "reason": event.reason,
            "message": series.message[:MAX_MESSAGE_LENGTH],
            "source": {"component": self._component},
            "reportingComponent": self._component,
            "count": series.count,
            "firstTimestamp": write_time(int(series.first)),
            "lastTimestamp": write_time(int(series.last)),
        }


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


SIMILAR, SIMILAR_WITHIN = 10, 600.0
BURST, RATE = 25, 1 / 300
REMEMBERED = 4096
COMBINED = "(combined from similar events): "

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One occurrence of an event.

    Attributes:
        about: UID of the involved object.
    """

    about: str
    type: str
    reason: str
    message: str


@dataclass(slots=True)
class EventSeries:
    """A series of occurrences, stored as one Event object.

    Attributes:
        message: message of the event.
        name: name of the Event object; empty until it has been created.
        count: number of occurrences.
        first: time of the first occurrence, in seconds since 1970.
        last: time of the last occurrence.
    """

    message: str
    name: str = ""
    count: int = 0
    first: float = 0.0
    last: float = 0.0


@dataclass(slots=True)
class _Similar:
    messages: set[str] = field(default_factory=set)
    last: float = 0.0


class EventCorrelator:
    """Aggregates and rate-limits occurrences.

    Args:
        clock: seconds since 1970.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._series: OrderedDict[tuple[str, ...], EventSeries] = OrderedDict()
        self._similar: OrderedDict[tuple[str, ...], _Similar] = OrderedDict()
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, occurrence: Occurrence) -> EventSeries | None:
        """Return the series to write: create it if it has no name, else update it; None to drop it."""
        kind = (occurrence.about, occurrence.type, occurrence.reason)
        combined = self._has_many_like(kind, occurrence.message)
        message = COMBINED + occurrence.message if combined else occurrence.message
        key = kind if combined else (*kind, occurrence.message)
        if not self._bucket(occurrence.about).take():
            return None
        now = self._clock()
        series = _remembered(self._series, key, lambda: EventSeries(message, first=now))
        series.message = message
        series.count += 1
        series.last = now
        return series

    def _has_many_like(self, kind: tuple[str, ...], message: str) -> bool:
        now = self._clock()
        similar = _remembered(self._similar, kind, _Similar)
        if now - similar.last > SIMILAR_WITHIN:
            similar.messages.clear()
        similar.last = now
        if len(similar.messages) < SIMILAR:
            similar.messages.add(message)
            return len(similar.messages) >= SIMILAR
        return True

    def _bucket(self, about: str) -> TokenBucket:
        return _remembered(
            self._buckets, about, lambda: TokenBucket(RATE, BURST, clock=self._clock)
        )


K = TypeVar("K")


def _remembered(memory: OrderedDict[K, V], key: K, new: Callable[[], V]) -> V:
    """Return the value of a key, created if missing; evict the least recently used key."""
    value = memory.get(key)
    if value is None:
        value = memory[key] = new()
        if len(memory) > REMEMBERED:
            memory.popitem(last=False)
    memory.move_to_end(key)
    return value
