"""Parts that several reports share, declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Generic, Literal, TypeVar

from jobsworth.controller.times import write_time
from jobsworth.documents.declared import Meta, Report, doc
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.recording import RecordedEvent
from jobsworth.runs.waiting import Waiting

T = TypeVar("T")
Time = Annotated[str, Meta(more={"format": "date-time"})]
Count = Annotated[int, Meta(ge=0)]
Action = Literal["FailJob", "FailIndex", "Ignore", "Count"]
"""An action of a rule of spec.podFailurePolicy (KEP-3329)."""


def among(causes: Iterable[Cause]) -> Meta:
    """Return the keyword for a field that has one of some causes."""
    return Meta(more={"enum": [each.value for each in causes]})


class EventReport(Report):
    """An Event about a Job or Pod."""

    at: Annotated[Time | None, doc("When it happened last.")]
    type: Annotated[str, doc("Normal or Warning.")]
    reason: str
    message: str
    count: Annotated[Count, doc("How often it happened.")]


class WaitingReport(Report, Generic[T]):
    """The wait of an unfinished Job; its times are those of the report."""

    cause: Annotated[Cause, doc("The cause of the wait.")]
    waits_for: Annotated[str, doc("What the Job waits for, as a noun phrase.")]
    detail: Annotated[str | None, doc("The Pod, field or condition that shows it.")]
    since: Annotated[T | None, doc("When the wait began.")]
    ends: Annotated[str, doc("What ends it, as a clause after when.")]
    ends_at: Annotated[T | None, doc("When that happens at the latest.")]
    deadline: Annotated[T | None, doc("When activeDeadlineSeconds fails the Job.")]
    hangs: Annotated[bool, doc("True if no timer of the controller ends the wait.")]
    heals: Annotated[
        bool | None,
        doc("True if time may end the wait, false if a user has to; null if the Job can go on."),
    ]


def event_report(event: RecordedEvent) -> EventReport:
    """Return an Event as reports have it."""
    return EventReport(
        at=time_text(event.at),
        type=event.type,
        reason=event.reason,
        message=event.message,
        count=event.times,
    )


def waiting_report(waiting: Waiting, time: Callable[[float], T]) -> WaitingReport[T]:
    """Return a wait.

    Args:
        time: returns a time, in seconds since 1970, as the report has it.
    """
    return WaitingReport(
        cause=waiting.cause,
        waits_for=waiting.waiting_for,
        detail=waiting.details or None,
        since=None if waiting.since is None else time(waiting.since),
        ends=waiting.ended_by,
        ends_at=None if waiting.ends_at is None else time(waiting.ends_at),
        deadline=None if waiting.deadline is None else time(waiting.deadline),
        hangs=waiting.hangs,
        heals=waiting.cause.heals,
    )


def rounded(at: float) -> str:
    """Return a time in seconds since 1970 as the API writes it."""
    return write_time(round(at))


def time_text(at: float | None) -> str | None:
    """Return a time in seconds since 1970 as the API writes it; None for None."""
    return None if at is None else rounded(at)
