"""Read Events, and choose those about an object and its Pods: they name objects only by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jobsworth.controller.times import read_time
from jobsworth.runs.recorded.recording import RecordedEvent

Object = dict[str, Any]

CLAIM = "PersistentVolumeClaim"
ROUTINE_CLAIM_REASONS = (
    "ExternalProvisioning", "Provisioning", "WaitForFirstConsumer", "WaitForPodScheduled",
)  # fmt: skip
"""Reasons of Events that are repeated about any claim that is not bound, whatever the cause."""


def read_event(value: Object) -> RecordedEvent:
    """Read an Event of ``v1`` or ``events.k8s.io/v1``."""
    about: Object = value.get("involvedObject") or value.get("regarding") or {}
    series: Object = value.get("series") or {}
    times = (
        series.get("lastObservedTime"),
        value.get("lastTimestamp"),
        value.get("deprecatedLastTimestamp"),
        value.get("eventTime"),
        value.get("firstTimestamp"),
        (value.get("metadata") or {}).get("creationTimestamp"),
    )
    return RecordedEvent(
        next((time for text in times if (time := read_time(text)) is not None), None),
        about.get("kind") or "",
        about.get("name") or "",
        value.get("type") or "",
        value.get("reason") or "",
        value.get("message") or value.get("note") or "",
        series.get("count") or value.get("count") or value.get("deprecatedCount") or 1,
        read_time(
            value.get("firstTimestamp")
            or value.get("deprecatedFirstTimestamp")
            or value.get("eventTime")
        ),
    )


def events_near(events: Iterable[Object], kind: str, meta: Object) -> list[RecordedEvent]:
    """Return the Events that may be about an object or its Pods, although Events name objects only by name.

    Those of other namespaces are left out, and those about another object of the same name: a Job that is
    deleted and created again has another UID.

    Args:
        kind, meta: kind and metadata of the object.
    """
    name, uid = meta.get("name") or "", meta.get("uid")
    found = []
    for each in events:
        about: Object = each.get("involvedObject") or each.get("regarding") or {}
        written: Object = each.get("metadata") or {}
        namespace = about.get("namespace") or written.get("namespace")
        if namespace and not same_namespace(meta, namespace):
            continue
        named = (about.get("kind"), about.get("name")) == (kind, name)
        if named and uid and about.get("uid") not in (None, "", uid):
            continue
        found.append(read_event(each))
    return found


def same_namespace(meta: Object, namespace: str | None) -> bool:
    """Return True if an object is in a namespace; without one it is in ``default``.

    Args:
        meta: its metadata, or a reference to it.
    """
    found: str = meta.get("namespace") or "default"
    return found == (namespace or "default")


_SEEN, _CONDITION = "Saw completed job: ", ", condition: "


def completed_job(event: RecordedEvent) -> tuple[str, str]:
    """Return the Job whose end an Event reports, and its condition; empty for another Event."""
    if event.reason != "SawCompletedJob" or not event.message.startswith(_SEEN):
        return "", ""
    name, _, condition = event.message.removeprefix(_SEEN).partition(_CONDITION)
    return name, condition
