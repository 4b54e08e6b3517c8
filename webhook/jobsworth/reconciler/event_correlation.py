"""Correlate Kubernetes events as client-go does, to limit the number of API calls.

A repeated event increments the count of the existing one. After ten similar events in ten minutes the
rest are combined into one. An object with still more events gets one every five minutes. Without this,
a Job with 1,000 Pods would cost 1,000 more API calls.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from jobsworth.client.rate_limit import TokenBucket

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
