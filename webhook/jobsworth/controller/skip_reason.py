"""Decide if a Job is synced, or the reason to skip it."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from jobsworth.controller.well_known_names import INDEXED, NON_INDEXED

if TYPE_CHECKING:
    from jobsworth.controller.jobs import Job
    from jobsworth.controller.settings import ControllerSettings


class SyncDecision(Enum):
    """The decision on a Job taken from the queue: sync it, or the reason to skip it."""

    SYNC = "sync"
    NOT_OURS = "another controller manages it"
    FINISHED = "it is finished: forget its in-memory state"
    UNKNOWN_MODE = "its completion mode is unknown: emit signals.UNKNOWN_COMPLETION_MODE"


def decide_sync(job: Job, settings: ControllerSettings) -> SyncDecision:
    """Decide if a Job is synced.

    Decide at each sync, not only when the Job is enqueued: a Job of the same name with another
    ``spec.managedBy`` may have replaced it.
    """
    if not settings.manages(job.managed_by):
        return SyncDecision.NOT_OURS
    if job.finished:
        return SyncDecision.FINISHED
    if job.completion_mode not in (INDEXED, NON_INDEXED):
        return SyncDecision.UNKNOWN_MODE
    return SyncDecision.SYNC
