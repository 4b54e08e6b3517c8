"""The scheduled times of a CronJob that have passed, and why those without a Job have none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jobsworth.controller.cron_jobs.cron_job import CronJob
from jobsworth.controller.cron_jobs.schedule_times import (
    NEXT_SCHEDULE_DELTA,
    next_time,
    next_unpassed_time,
)
from jobsworth.runs.cause import MISSED, Cause


class SkippedRun(NamedTuple):
    """A scheduled time that starts no Job; `why` is the reason in words."""

    scheduled: int
    reason: Cause
    why: str


@dataclass(slots=True)
class _DueRun:
    """A scheduled time that has passed without a Job.

    Attributes:
        hindrance: what kept it from starting at its time; None if nothing has yet.
        barrier: what keeps it from starting late, once the hindrance is gone.
        deadline: the startingDeadlineSeconds that was over.
    """

    hindrance: Cause | None = None
    barrier: Cause | None = None
    deadline: int | None = None

    @property
    def reason(self) -> Cause:
        return self.barrier or self.hindrance or Cause.SCHEDULE_EDITED

    @property
    def why(self) -> str:
        if self.barrier is None:
            return MISSED[self.reason]
        words = MISSED[self.barrier]
        if self.barrier == Cause.STARTING_DEADLINE:
            words = words.replace(" was", f" ({self.deadline}) was")
        return words if self.hindrance is None else f"{words}: {MISSED[self.hindrance]}"


class DueRuns:
    """Keeps the scheduled times that have passed until a Job starts for them or for a later one.

    A time is due if the schedule that is stored then has it, whether or not the controller looks at it. Times
    are seconds since 1970.
    """

    def __init__(self, cron_job: CronJob) -> None:
        self._waiting: dict[int, _DueRun] = {}
        self._next = next_time(cron_job.schedule, cron_job.created)

    def pass_time(
        self, cron_job: CronJob, now: float, hindrance: Callable[[int], Cause | None]
    ) -> int:
        """Note the times that have become due.

        Args:
            hindrance: returns what keeps a time from starting, as far as it does not depend on a sync.

        Returns:
            how many.
        """
        number = 0
        while self._next <= now:
            self._waiting[self._next] = _DueRun(hindrance(self._next))
            self._next = next_time(cron_job.schedule, self._next)
            number += 1
        return number

    def edit_schedule(self, cron_job: CronJob, now: float) -> None:
        """Go on with another schedule; call `pass_time` before."""
        self._next = next_unpassed_time(cron_job.schedule, cron_job.earliest, int(now))
        for run in self._waiting.values():
            if run.hindrance is None:
                run.hindrance = Cause.SCHEDULE_EDITED

    def hold(self, scheduled: int, hindrance: Cause) -> None:
        """Note that a sync did not start a time."""
        run = self._waiting.get(scheduled)
        if run is not None and run.hindrance is None:
            run.hindrance = hindrance

    def pass_over(self, cron_job: CronJob, now: float) -> None:
        """Note that a sync found no time to start, although nothing keeps Jobs from starting."""
        if not self._waiting:
            return
        scheduled = max(self._waiting)
        run, deadline = self._waiting[scheduled], cron_job.starting_deadline
        if run.barrier is not None or run.hindrance == Cause.SCHEDULE_EDITED:
            return
        over = deadline is not None and scheduled + deadline < now
        run.barrier, run.deadline = (
            Cause.STARTING_DEADLINE if over else Cause.NOTHING_FOUND,
            deadline,
        )

    def start(self, scheduled: int) -> tuple[bool, str]:
        """Take a time for which a Job starts.

        Returns:
            True if it was due at its time, not by a later edit; and what kept it from starting then.
        """
        run = self._waiting.pop(scheduled, None)
        if run is None:
            return False, "the schedule was edited to a time that had passed"
        return True, "" if run.hindrance is None else MISSED[run.hindrance]

    def skip(self, before: float, now: float) -> Iterator[SkippedRun]:
        """Take the times before another one, which start no Job any more.

        A time whose sync would come after now is left out.
        """
        for scheduled in sorted(self._waiting):
            if scheduled < before:
                run = self._waiting.pop(scheduled)
                if scheduled + NEXT_SCHEDULE_DELTA <= now:
                    yield SkippedRun(scheduled, run.reason, run.why)
