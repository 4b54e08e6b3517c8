"""The outcome of one sync of a Job."""

from __future__ import annotations

from dataclasses import dataclass, field

from jobsworth.client.api_errors import ApiError
from jobsworth.controller import well_known_names
from jobsworth.controller.jobs import Job
from jobsworth.controller.status import Status


@dataclass(slots=True)
class SyncOutcome:
    """The outcome of one sync of a Job.

    Attributes:
        errors: errors of API calls; with any, retry the sync with exponential backoff.
        requeue_after: seconds until the next sync, also without a watch event.
        stale: resource whose cache was older than our writes: the sync was skipped, retry it soon.
        action: the ``action`` label of the sync metrics.
        job: the synced Job, as it was before; None if it does not exist.
        finished: the status with which this sync has finished the Job.
        seconds: duration of the sync, without the wait for the queue.
    """

    errors: list[ApiError] = field(default_factory=list)
    requeue_after: float | None = None
    stale: str | None = None
    action: well_known_names.SyncAction = well_known_names.RECONCILING
    job: Job | None = None
    finished: Status | None = None
    seconds: float = 0.0

    @property
    def retry_at_least(self) -> float:
        """The longest Retry-After of the API server, in seconds."""
        return max((error.retry_after or 0.0 for error in self.errors), default=0.0)
