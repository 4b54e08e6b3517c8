"""Event: a report about another object, with the names of the fields in ``v1`` and ``events.k8s.io/v1``."""

from __future__ import annotations

from jobsworth.api.core.references import ObjectReference
from jobsworth.api.declare import Field, Int32, Pointer, String, Struct, Time
from jobsworth.api.meta.object_meta import ObjectMeta

EventSeries = Struct(
    "EventSeries",
    "The repetitions of an Event.",
    count=Field(Int32),
    lastObservedTime=Field(Time),
)
EventSource = Struct("EventSource", "The component.", component=Field(String), host=Field(String))
Event = Struct(
    "Event",
    "A report about another object.",
    apiVersion=Field(String),
    kind=Field(String),
    metadata=Field(ObjectMeta),
    involvedObject=Field(ObjectReference),
    regarding=Field(ObjectReference),
    related=Field(Pointer(ObjectReference)),
    type=Field(String),
    reason=Field(String),
    action=Field(String),
    message=Field(String),
    note=Field(String),
    source=Field(EventSource),
    deprecatedSource=Field(EventSource),
    reportingComponent=Field(String),
    reportingController=Field(String),
    reportingInstance=Field(String),
    count=Field(Int32),
    deprecatedCount=Field(Int32),
    firstTimestamp=Field(Time),
    deprecatedFirstTimestamp=Field(Time),
    lastTimestamp=Field(Time),
    deprecatedLastTimestamp=Field(Time),
    eventTime=Field(Time),
    series=Field(Pointer(EventSeries)),
)
