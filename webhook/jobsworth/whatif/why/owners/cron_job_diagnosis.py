"""The reason for which the last run of a CronJob failed, or none started."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from jobsworth.api.formats.cron import BadSchedule
from jobsworth.controller.cron_jobs.cron_job import (
    INSTANTIATE,
    CronJobStatus,
    OwnedJob,
    read_cron_job,
)
from jobsworth.controller.cron_jobs.cron_job_sync import sync_cron_job
from jobsworth.controller.cron_jobs.schedule_times import (
    NEVER,
    most_recent_schedule_time,
    next_time,
)
from jobsworth.controller.status import read_status
from jobsworth.controller.times import read_time, write_time
from jobsworth.whatif.miss_reasons import WORDS
from jobsworth.whatif.virtual_time import SECOND, spoken
from jobsworth.whatif.why.numbers_in_words import finalizers, number_of

if TYPE_CHECKING:
    from jobsworth.controller.cron_jobs.cron_job import CronJob
    from jobsworth.controller.cron_jobs.cron_job_sync import Withheld
    from jobsworth.controller.status import Status
    from jobsworth.whatif.miss_reasons import MissReason
    from jobsworth.whatif.replay.recording import RecordedEvent
    from jobsworth.whatif.why.diagnosis import Diagnosis

    Object = dict[str, Any]

SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""The annotation of a Job with the time for which it was created (Kubernetes 1.28)."""
GRACE = 60
"""Seconds after a scheduled time until the run counts as missing: the controller may be busy."""
FAILED_RUN, ACTIVE_RUN, COMPLETE_RUN = "failed", "active", "complete"
_FAILURES = (
    "FailedCreate",
    "FailedGet",
    "UnparseableSchedule",
    "InvalidSchedule",
    "UnknownTimeZone",
)
"""Reasons of Warning Events with which the CronJob controller reports that it starts nothing (1.36)."""
_MISSES: dict[Withheld, MissReason] = {
    "MissSchedule": "StartingDeadline",
    "JobAlreadyActive": "JobAlreadyActive",
    "NothingFound": "NothingFound",
    "Suspended": "Suspended",
}


class CronRun(NamedTuple):
    """A Job of a CronJob.

    Attributes:
        scheduled: the time for which it was created, if its annotation has it; else its creation.
        by_hand: a user created it from the CronJob, for no scheduled time.
        state: ``failed``, ``active`` or ``complete``.
        reason: of its terminal condition; empty while it is active.
        ended: when it got that condition.
    """

    name: str
    uid: str
    scheduled: int
    state: str
    reason: str
    ended: int | None
    by_hand: bool = False

    @property
    def title(self) -> str:
        """The run with its time, as a noun phrase after "run"."""
        return f"{'created by hand' if self.by_hand else 'due'} at {write_time(self.scheduled)}"


@dataclass(frozen=True, slots=True)
class CronJobDiagnosis:
    """The reason for the state of a CronJob.

    Attributes:
        cause: stable: ``failed``, ``complete``, ``active``, ``none-due``, ``not-started``, ``deleting``,
            ``InvalidSchedule``, or a reason of :mod:`jobsworth.whatif.miss_reasons`.
        runs: the last Jobs, newest first.
        missed: the last scheduled time that has no Job although it has passed; None without one.
        next_run: the next scheduled time; None if there is none.
        job: the diagnosis of the Job that decides; None without one.
        events: about the CronJob.
    """

    namespace: str
    name: str
    uid: str
    cause: str
    sentence: str
    runs: tuple[CronRun, ...]
    missed: int | None
    next_run: int | None
    job: Diagnosis | None
    events: tuple[RecordedEvent, ...]


def read_runs(jobs: Sequence[Object], uid: str) -> list[CronRun]:
    """Return the Jobs that a CronJob owns, newest first.

    Args:
        jobs: Jobs whose shape was checked, also those of others.
    """
    runs = [_run(each) for each in jobs if _owned(each, uid)]
    return sorted(runs, key=lambda run: (run.scheduled, run.name), reverse=True)


def diagnose_cron_job(
    manifest: Object,
    runs: Sequence[CronRun],
    events: Sequence[RecordedEvent],
    job: Diagnosis | None,
    now: int,
) -> CronJobDiagnosis:
    """Diagnose a CronJob.

    Args:
        manifest: the CronJob as the API server has it; its shape was checked.
        runs: its Jobs, newest first.
        events: about the CronJob.
        job: the diagnosis of the decisive run.
        now: seconds since 1970.
    """
    meta = manifest["metadata"]
    name = meta.get("name") or ""
    found = _Found(name, tuple(runs), tuple(events), job, now)
    cause, words, missed, following = found.explained(manifest)
    return CronJobDiagnosis(
        meta.get("namespace") or "",
        name,
        meta.get("uid") or "",
        cause,
        f"CronJob {name}: {words}.",
        found.runs,
        missed,
        following,
        job,
        found.events,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    name: str
    runs: tuple[CronRun, ...]
    events: tuple[RecordedEvent, ...]
    job: Diagnosis | None
    now: int

    def explained(self, manifest: Object) -> tuple[str, str, int | None, int | None]:
        """Return the cause, the words, the missed and the next scheduled time."""
        try:
            cron_job = self._cron_job(manifest)
        except BadSchedule as error:
            spec = manifest["spec"]
            zone = f" in time zone {spec['timeZone']!r}" if spec.get("timeZone") else ""
            words = (
                f"no run starts: its schedule {spec.get('schedule')!r}{zone} is invalid: {error}"
            )
            return "InvalidSchedule", words, None, None
        if manifest["metadata"].get("deletionTimestamp"):
            names = manifest["metadata"].get("finalizers") or ()
            held = f" (held by {finalizers(names)})" if names else ""
            words = f"it is being deleted{held}, so no run starts"
            words += f"; {self._last(cron_job)}" if self.runs else ""
            return "deleting", words, None, None
        following = next_time(cron_job.schedule, self.now)
        if following == NEVER:
            return (
                "InvalidSchedule",
                "its schedule matches no date in the next five years",
                None,
                None,
            )
        cause, words, missed = self._state(cron_job)
        if cron_job.suspended:
            return cause, words, missed, None
        return cause, f"{words}; the next run is due at {write_time(following)}", missed, following

    def _cron_job(self, manifest: Object) -> CronJob:
        meta, status = manifest["metadata"], manifest.get("status") or {}
        created = read_time(meta.get("creationTimestamp")) or self.now
        stored = CronJobStatus(
            tuple(each.get("name") or "" for each in status.get("active") or ()),
            read_time(status.get("lastScheduleTime")),
            read_time(status.get("lastSuccessfulTime")),
        )
        return read_cron_job(self.name, manifest["spec"], created, stored)

    def _state(self, cron_job: CronJob) -> tuple[str, str, int | None]:
        owned = [
            OwnedJob(run.name, _finished(run.state), run.scheduled, run.ended) for run in self.runs
        ]
        at = self.now - GRACE
        sync = sync_cron_job(cron_job, owned, at)
        missed = sync.scheduled if sync.start is None else sync.start
        withheld = sync.withheld
        beyond = self._beyond_deadline(cron_job, at)
        if missed is None and beyond is not None:
            missed, withheld = beyond, "MissSchedule"
        failure = self._failure(cron_job)
        if cron_job.suspended:
            return (
                "Suspended",
                f"it is suspended (spec.suspend), so no run starts; {self._last(cron_job)}",
                None,
            )
        if missed is not None:
            if failure:
                return (
                    "not-started",
                    f"the run due at {write_time(missed)} did not start: {failure}",
                    missed,
                )
            reason = _MISSES.get(withheld)
            if reason is None:
                why = "no Event says why: see if the CronJob controller (kube-controller-manager) runs"
                return (
                    "not-started",
                    f"the run due at {write_time(missed)} did not start; {why}",
                    missed,
                )
            blocking = f", {self._sentence()}" if reason == "JobAlreadyActive" else ""
            words = f"the run due at {write_time(missed)} did not start: {WORDS[reason]}{blocking}"
            return reason, words, missed
        if not self.runs:
            if failure:
                return "not-started", f"no run has started: {failure}", None
            return "none-due", self._last(cron_job), None
        return self.runs[0].state, self._last(cron_job), None

    def _beyond_deadline(self, cron_job: CronJob, at: int) -> int | None:
        """Return the last scheduled time whose startingDeadlineSeconds were over at a time; None without."""
        deadline = cron_job.starting_deadline
        if deadline is None:
            return None
        recent = most_recent_schedule_time(cron_job.schedule, cron_job.earliest, at, None)
        scheduled = recent.scheduled
        return scheduled if scheduled is not None and scheduled + deadline < at else None

    def _failure(self, cron_job: CronJob) -> str:
        """Return the last Event that says why no Job was created; empty if a Job was created after it."""
        failures = [
            each for each in self.events if each.reason in _FAILURES and each.at is not None
        ]
        if not failures:
            return ""
        last = max(failures, key=lambda each: each.at or 0)
        started = cron_job.status.last_schedule
        if started is not None and started > (last.at or 0):
            return ""
        return f"{last.reason}: {last.message}"

    def _last(self, cron_job: CronJob) -> str:
        """Return how the last run ended, in a clause."""
        if not self.runs:
            last = cron_job.status.last_schedule
            if last is None:
                age = spoken(max(0, self.now - cron_job.created) * SECOND)
                verb = "has started" if cron_job.suspended else "was due"
                return f"no run {verb} since it was created {age} ago"
            return f"the Job of the last run, due at {write_time(last)}, is gone; {self._success(cron_job)}"
        run = self.runs[0]
        words = f"the last run, {run.title}"
        if run.state == COMPLETE_RUN:
            return f"{words}, completed"
        failures = 0
        for each in self.runs:
            if each.state != FAILED_RUN:
                break
            failures += 1
        also = f" ({number_of(failures, 'run')} failed one after the other)" if failures > 1 else ""
        verb = "failed" if run.state == FAILED_RUN else "has not finished"
        sentence = self._sentence()
        text = f"{words}, {verb}{also}" + (f": {sentence}" if sentence else "")
        return f"{text}; {self._success(cron_job)}" if run.state == FAILED_RUN else text

    def _sentence(self) -> str:
        return "" if self.job is None else self.job.sentence.rstrip(".")

    def _success(self, cron_job: CronJob) -> str:
        last = cron_job.status.last_successful
        return (
            "no run has succeeded"
            if last is None
            else f"the last success was at {write_time(last)}"
        )


def _finished(state: str) -> Any:
    return {FAILED_RUN: "Failed", COMPLETE_RUN: "Complete"}.get(state, "")


def _owned(job: Object, uid: str) -> bool:
    owners: Sequence[Mapping[str, Any]] = job["metadata"].get("ownerReferences") or ()
    return any(each.get("controller") and each.get("uid") == uid for each in owners)


def _run(job: Object) -> CronRun:
    meta = job["metadata"]
    status = read_status(job.get("status") or {})
    annotations = meta.get("annotations") or {}
    annotated = read_time(annotations.get(SCHEDULED))
    state, reason, ended = _terminal(status)
    scheduled = annotated or read_time(meta.get("creationTimestamp")) or 0
    return CronRun(
        meta.get("name") or "",
        meta.get("uid") or "",
        scheduled,
        state,
        reason,
        ended,
        by_hand=INSTANTIATE in annotations,
    )


def _terminal(status: Status) -> tuple[str, str, int | None]:
    for kind, state in (("Failed", FAILED_RUN), ("Complete", COMPLETE_RUN)):
        condition = status.condition(kind)
        if condition is not None and condition.holds:
            return state, condition.reason, condition.changed
    return ACTIVE_RUN, "", None
