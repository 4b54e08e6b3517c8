"""The update of a CronJob in words: the run that it starts, when, and a way to avoid it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jobsworth.api.formats.cron import BadSchedule
from jobsworth.controller.cron_jobs.cron_job import CronJob, CronJobStatus, read_cron_job
from jobsworth.controller.cron_jobs.edited_cron_job import (
    EditEffect,
    NextRun,
    Window,
    effect_of_edit,
    safe_window,
    unsafe_window,
)
from jobsworth.controller.cron_jobs.schedule_times import local_time, zone_of
from jobsworth.controller.times import read_time
from jobsworth.lint.linted_job import LintedJob
from jobsworth.validation.engine import engine_for
from jobsworth.wording import duration

FIELDS = ("suspend", "schedule", "timeZone", "startingDeadlineSeconds", "concurrencyPolicy")
"""The fields of a CronJob that decide which runs start, in the order in which a finding names one."""
SHORT_DEADLINE = 300
"""The startingDeadlineSeconds that messages propose: no run starts more than five minutes late."""
_AN_HOUR, _A_DAY = 3600, 86_400


def edited_schedule(job: LintedJob) -> EditedSchedule | None:
    """Return the edit of a CronJob; None without one, and if a schedule cannot be parsed."""
    if job.edit is None or job.cron is None:
        return None
    old = engine_for(job.server).decode_object(job.edit.old)
    stored, now = old.filled, job.edit.now
    status, created = stored.get("status") or {}, read_time(_created(stored))
    last = read_time(status.get("lastScheduleTime"))
    active = tuple(each.get("name", "") for each in status.get("active") or ())
    known = last is not None or created is not None
    begin = created if created is not None else last if last is not None else int(now)
    at = CronJobStatus(active, last)
    try:
        before = read_cron_job(job.name, stored["spec"], begin, at)
        after = read_cron_job(job.name, job.cron, begin, at)
    except (BadSchedule, KeyError):
        return None
    if not known and None in (before.schedule.every, after.schedule.every) != (None, None):
        return None
    changed = [field for field in FIELDS if stored["spec"].get(field) != job.cron.get(field)]
    if not changed:
        return None
    written = job.written["spec"]
    field = next((field for field in changed if field in written), "schedule")
    return EditedSchedule(before, after, now, known, f"spec.{field}")


def _created(stored: dict[str, Any]) -> str | None:
    created: str | None = stored["metadata"].get("creationTimestamp")
    return created


@dataclass(frozen=True, slots=True)
class EditedSchedule:
    """The update of a CronJob.

    Attributes:
        before, after: the CronJob before and after it, with the same status.
        now: the time of the update, in seconds since 1970.
        known: True if the status or the creation is known, as of a stored CronJob.
        field: the field path of a changed field.
    """

    before: CronJob
    after: CronJob
    now: float
    known: bool
    field: str

    @property
    def effect(self) -> EditEffect:
        """The effect of the update now; for a known status."""
        return effect_of_edit(self.before, self.after, self.now)

    @property
    def window(self) -> Window | None:
        """The first period in which the update starts a run; for an unknown status."""
        return unsafe_window(self.before, self.after, self.now)

    def local(self, time: float) -> str:
        """Return a time in the zone of the CronJob after the update."""
        return local_time(time, zone_of(self.after))

    def gap(self, following: NextRun) -> int:
        """Return the seconds from the last run to the first one after the update."""
        return following.scheduled - self.before.earliest

    def start(self, run: NextRun) -> str:
        """Return when a run starts whose time has passed, or passes before the update, as a sentence."""
        late = _rounded(run.at - run.scheduled)
        if self.before.suspended:
            if self._is_coming(run):
                return (
                    f"The run of {self.local(run.scheduled)} is missed if the CronJob is still suspended "
                    "then, and starts within seconds of an update after that time."
                )
            return (
                f"The run of {self.local(run.scheduled)} was missed while the CronJob was suspended, and "
                f"starts within seconds of the update, {late} late."
            )
        if self._waits(run):
            passed = (
                "if the update is applied after that time"
                if self._is_coming(run)
                else "which has passed"
            )
            return (
                f"The run of {self.local(run.scheduled)}, {passed}, starts {late} late: at the next "
                f"time of the old schedule, {self.local(run.at)}, or earlier if the CronJob or one of its "
                "Jobs changes."
            )
        return f"The run of {self.local(run.scheduled)} starts within seconds of the update, {late} late."

    def advice(self, run: NextRun) -> str:
        """Return what avoids that a run starts, as a sentence."""
        least = self.now - run.scheduled if self.known else _AN_HOUR
        deadline = (
            f"set startingDeadlineSeconds: {SHORT_DEADLINE}" if least > SHORT_DEADLINE else ""
        )
        safe = ""
        if self._is_coming(run):
            safe = f"apply the update before {self.local(run.scheduled)}"
        elif self.known and self._waits(run):
            window = safe_window(self.before, self.after, run.at)
            if window is not None:
                safe = (
                    f"apply the update between {self.local(window[0])} and {self.local(window[1])}"
                )
        ways = [way for way in (safe, deadline) if way] or [
            "delete the CronJob and create it again, which forgets missed runs"
        ]
        return f"To avoid it, {' or '.join(ways)}."

    def condition(self, window: Window) -> str:
        """Return the assumptions under which the update starts a run, as a sentence."""
        if self.before.suspended:
            return (
                "Assumed, because the status is unknown: the suspension is why that run is missed."
            )
        begin, end = self.local(window.begin), window.end and self.local(window.end)
        if end is None:
            when = f"after {begin}"
        elif window.begin <= self.now:
            when = f"before {end}"
        else:
            when = f"between {begin} and {end}"
        return (
            f"Assumed, because the status is unknown: the update is applied {when}, and each run of the old "
            "schedule starts on time."
        )

    def _is_coming(self, run: NextRun) -> bool:
        """Return True for a run whose time has not passed at the time of the update."""
        return run.scheduled > self.now

    def _waits(self, run: NextRun) -> bool:
        """Return True for a run that does not start within seconds of the update."""
        return (self.before.written, self.before.time_zone) != (
            self.after.written,
            self.after.time_zone,
        ) and run.at - self.now > 1


def _rounded(seconds: float) -> str:
    """Return a duration in whole units, downwards.

    >>> [_rounded(seconds) for seconds in (119, 5_400, 64_800.1, 90_000)]
    ['1 min', '90 min', '18 h', '25 h']
    """
    whole = int(seconds)
    unit = 60 if whole < 2 * _AN_HOUR else _AN_HOUR if whole < 2 * _A_DAY else _A_DAY
    return duration(whole // unit * unit) if whole >= unit else f"{whole} s"
