"""Options of a wait for a Job, its progress, and its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from jobsworth.live.standstill import Bounds
from jobsworth.runs.cause import Cause

Outcome = Literal["Complete", "Failed", "Stuck", "Timeout"]


@dataclass(frozen=True, slots=True)
class WaitOptions:
    """Options of a wait.

    Attributes:
        timeout: seconds; None for no limit.
        for_creation: seconds that a Job which does not exist, or was deleted, may take to be created; None:
            it must exist, and is not followed beyond its deletion.
        unreachable_after: seconds without any answer of the API server.
        note: receives what a user should know, in a sentence.
        report: receives the progress whenever the status changes.
    """

    bounds: Bounds
    timeout: float | None
    for_creation: float | None
    unreachable_after: float
    note: Callable[[str], None] = lambda text: None
    report: Callable[[Progress], None] = lambda progress: None


class Progress(NamedTuple):
    """The progress of a Job, by its status.

    Attributes:
        wanted: completions; None for a work queue.
        pending: Pods that are known to be Pending.
        seconds: since the wait began.
    """

    name: str
    indexed: bool
    wanted: int | None
    succeeded: int
    failed: int
    active: int
    pending: int
    terminating: int
    suspended: bool
    seconds: float


class WaitEnd(NamedTuple):
    """The end of a wait.

    Attributes:
        cause: why nothing more is to be expected.
        reason: that of the condition; empty if the Job has not ended.
        words: the same as a clause with the Job as its subject; empty if the Job has ended.
        exists: there is a Job of this UID to explain.
    """

    outcome: Outcome
    uid: str
    cause: Cause
    words: str
    exists: bool
    reason: str = ""
