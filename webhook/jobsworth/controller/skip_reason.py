"""Whether a Job is to be synced at all."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from jobsworth.controller.well_known_names import INDEXED, NON_INDEXED

if TYPE_CHECKING:
    from jobsworth.controller.controller_settings import ControllerSettings
    from jobsworth.controller.jobs import Job


class SyncDecision(Enum):
    """What to do with a Job that has come up."""

    SYNC = "sync"
    NOT_OURS = "another controller manages it"
    FINISHED = "it is finished: forget what is remembered of it"
    UNKNOWN_MODE = "its completion mode is unknown: send signals.UNKNOWN_COMPLETION_MODE"


def decide_sync(job: Job, settings: ControllerSettings) -> SyncDecision:
    """Whether a Job is to be synced.

    To be asked at each sync, not only when the Job is queued: a Job of the same name with another
    ``spec.managedBy`` may have taken its place.
    """
    if not settings.manages(job.managed_by):
        return SyncDecision.NOT_OURS
    if job.finished:
        return SyncDecision.FINISHED
    if job.completion_mode not in (INDEXED, NON_INDEXED):
        return SyncDecision.UNKNOWN_MODE
    return SyncDecision.SYNC
