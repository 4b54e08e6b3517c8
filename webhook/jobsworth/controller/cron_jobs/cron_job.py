"""A CronJob and its Jobs as the CronJob controller sees them; times are seconds since 1970."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from jobsworth.api.formats import cron
from jobsworth.api.formats.cron import Schedule

ALLOW, FORBID, REPLACE = "Allow", "Forbid", "Replace"
INSTANTIATE = "cronjob.kubernetes.io/instantiate"
"""The annotation of ``kubectl create job --from`` and of dashboards on a Job that a user creates."""


@dataclass(frozen=True, slots=True)
class CronJobStatus:
    """The status of a CronJob.

    Attributes:
        active: names of its Jobs that the controller created and has not seen finished.
        last_schedule: lastScheduleTime; None before the first run.
        last_successful: lastSuccessfulTime; None before the first success.
    """

    active: tuple[str, ...] = ()
    last_schedule: int | None = None
    last_successful: int | None = None


@dataclass(frozen=True, slots=True)
class CronJob:
    """A stored CronJob.

    Attributes:
        written: spec.schedule.
        schedule: the schedule in its time zone; without spec.timeZone, UTC stands for that of the controller.
        starting_deadline: seconds; None without one.
        successful_limit, failed_limit: successfulJobsHistoryLimit, failedJobsHistoryLimit; None for no limit.
    """

    name: str
    written: str
    schedule: Schedule
    created: int
    concurrency: str = ALLOW
    time_zone: str | None = None
    starting_deadline: int | None = None
    suspended: bool = False
    successful_limit: int | None = None
    failed_limit: int | None = None
    status: CronJobStatus = CronJobStatus()

    @property
    def earliest(self) -> int:
        """The time after which scheduled times count: the last one that was handled, or the creation."""
        last = self.status.last_schedule
        return self.created if last is None else last

    def job_name(self, scheduled: int) -> str:
        """Return the name of the Job of a scheduled time: with the minutes since 1970."""
        return f"{self.name}-{scheduled // 60}"


@dataclass(frozen=True, slots=True)
class OwnedJob:
    """A Job whose controller reference names the CronJob.

    Attributes:
        finished: the type of its terminal condition; empty without one.
        started: status.startTime; None before.
        completed: status.completionTime; None unless it is complete.
    """

    name: str
    finished: Literal["", "Complete", "Failed"] = ""
    started: int | None = None
    completed: int | None = None


def read_cron_job(name: str, spec: dict[str, Any], created: int, status: CronJobStatus) -> CronJob:
    """Read a CronJob from a spec with the API server's defaults.

    Raises:
        BadSchedule: its schedule cannot be parsed.
    """
    zone, written = spec.get("timeZone"), spec["schedule"]
    return CronJob(
        name=name,
        written=written,
        schedule=cron.parse(f"TZ={zone} {written}" if zone and "TZ" not in written else written),
        created=created,
        concurrency=spec.get("concurrencyPolicy") or ALLOW,
        time_zone=zone,
        starting_deadline=spec.get("startingDeadlineSeconds"),
        suspended=bool(spec.get("suspend")),
        successful_limit=spec.get("successfulJobsHistoryLimit"),
        failed_limit=spec.get("failedJobsHistoryLimit"),
        status=status,
    )
