"""Stored CronJobs and their Jobs, as values. Times are seconds since 1970."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from jobsworth.controller.cron_jobs.cron_job import CronJob
from jobsworth.runs.recorded.recording import RecordedEvent

Object = dict[str, Any]

Outcome = Literal["", "Complete", "Failed"]


class StoredEvent(NamedTuple):
    """An Event about a Job or CronJob.

    Attributes:
        uid: that of the object.
        recorded: the Event.
        value: as the API server has it.
    """

    namespace: str
    uid: str
    recorded: RecordedEvent
    value: Object


class StoredJob(NamedTuple):
    """A stored Job.

    Attributes:
        cron_job: the UID of the CronJob that controls it; empty without one.
        owner: ``Kind/name`` of the controller reference; empty without one.
        owner_uid: the UID in it.
        generate_name: metadata.generateName; empty for a Job that was created with a name.
        scheduled: the scheduled time that it was created for; None if a user created it.
        outcome: the type of its terminal condition; empty while it has not finished.
        ended: when it got that condition.
        reason: that of the condition.
        message: that of the condition.
        deleting: it has a deletionTimestamp.
        manifest: the object; None for a finished Job of which no Pod is stored.
    """

    namespace: str
    name: str
    uid: str
    cron_job: str
    owner: str
    scheduled: int | None
    created: int
    outcome: Outcome = ""
    ended: int | None = None
    reason: str = ""
    message: str = ""
    deleting: bool = False
    owner_uid: str = ""
    generate_name: str = ""
    manifest: Object | None = None


class StartedRun(NamedTuple):
    """A scheduled time for which a Job was created, as the Job or an Event shows it.

    Attributes:
        created: None if only an Event shows that the Job existed.
        ended: when it finished; for a deleted Job, when the controller saw that.
        stored: the Job still exists.
    """

    name: str
    created: int | None
    outcome: Outcome
    ended: int | None
    reason: str = ""
    stored: bool = True


@dataclass(frozen=True, slots=True)
class CronJobEvidence:
    """A stored CronJob with what is known of its runs.

    Attributes:
        cron_job: the CronJob, whose schedule, suspension and policies are those of now.
        uid: that of the CronJob.
        settled: since when its spec is as it is now; None if that is unknown.
        deleting: it has a deletionTimestamp.
        ttl: ttlSecondsAfterFinished of its Jobs; None without one.
        runs: its Jobs that are known, by the minute of the scheduled time.
        manual: Jobs that a user has created from it.
        oldest: by outcome, when the oldest stored Job with this outcome was created.
        stored: by outcome, how many Jobs with it are stored.
        missed: scheduled times that Events MissSchedule name.
        rejections: Events that report a rejected Job.
        too_many: the controller has warned of too many missed times.
        replaced: how many runs were deleted for the next one, as a clause; empty if some ended, or there were
            none.
        unreadable: Events that report a schedule or time zone that the controller does not know.
    """

    namespace: str
    cron_job: CronJob
    uid: str
    settled: int | None
    deleting: bool
    ttl: int | None
    runs: dict[int, StartedRun]
    manual: tuple[StoredJob, ...]
    oldest: dict[Outcome, int]
    stored: dict[Outcome, int]
    missed: frozenset[int]
    rejections: tuple[StoredEvent, ...]
    too_many: bool
    unreadable: tuple[StoredEvent, ...] = ()
    replaced: str = ""

    @property
    def name(self) -> str:
        """Its name."""
        return self.cron_job.name

    def run_at(self, scheduled: int) -> StartedRun | None:
        """Return the run of a scheduled time; None if no Job of it is known."""
        return self.runs.get(scheduled // 60)
