"""What came of looking at a Job once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jobsworth.controller import well_known_names

if TYPE_CHECKING:
    from jobsworth.client.errors import ApiError
    from jobsworth.controller.jobs import Job


@dataclass(slots=True)
class SyncOutcome:
    """What came of a sync.

    Attributes:
        errors: what went wrong; with any, the Job is to be looked at again, later each time.
        requeue_after: seconds until the Job is to be looked at whatever happens.
        stale: the resource whose cache was behind our own writes: nothing was done, try again soon.
        action: what was done, as the metrics name it.
        job: that was synced; None if there was none.
    """

    errors: list[ApiError] = field(default_factory=list)
    requeue_after: float | None = None
    stale: str | None = None
    action: well_known_names.SyncAction = well_known_names.RECONCILING
    job: Job | None = None

    @property
    def retry_at_least(self) -> float:
        """Seconds that the server wants us to wait before we ask again."""
        return max((error.retry_after or 0.0 for error in self.errors), default=0.0)
