"""The reason for which the last run of a CronJob failed, or none started."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from jobsworth.api.formats.cron import BadSchedule
from jobsworth.controller.cron_jobs.cron_job import (
    INSTANTIATE,
    CronJob,
    CronJobStatus,
    OwnedJob,
    read_cron_job,
)
from jobsworth.controller.cron_jobs.cron_job_sync import Withheld, sync_cron_job
from jobsworth.controller.cron_jobs.schedule_times import (
    NEVER,
    count_times,
    most_recent_schedule_time,
    next_time,
)
from jobsworth.controller.pods import ACTIVE
from jobsworth.controller.status import Status, read_status
from jobsworth.controller.times import read_time, write_time
from jobsworth.runs.cause import MAX_MISSED, MISSED, Cause, missed_runs
from jobsworth.runs.recorded.recorded_events import completed_job
from jobsworth.runs.recorded.recording import RecordedEvent
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.why.clauses import finalizers
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.fixes import NO_FIX, Fix, kubectl
from jobsworth.runs.why.owners.cron_job_fixes import (
    AT_ONCE,
    DEADLINE,
    SCHEDULE,
    SILENT,
    TOO_OFTEN,
    deadline_advice,
    edit_of,
    fix_of_blocking,
    fix_of_long_runs,
    fix_of_rejection,
    of_template,
    rerun,
    see_events,
)
from jobsworth.runs.why.summary import FOREVER, Summary, owner_summary
from jobsworth.wording import count

Object = dict[str, Any]

_NO_EVENT = "no Event says why: see if the CronJob controller (kube-controller-manager) runs"
_IT_RUNS = "no Event says why, but the CronJob controller runs"
SHORTEST_DEADLINE = 10
"""Seconds below which the documentation of Kubernetes says that a CronJob may not be scheduled."""
_MANY = 2
"""The number of deleted runs from which a CronJob that replaces its runs has a problem."""
SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""The annotation of a Job with the time for which it was created (Kubernetes 1.28)."""
GRACE = 60
"""Seconds after a scheduled time until the run counts as missing: the controller may be busy."""
FAILED_RUN, ACTIVE_RUN, COMPLETE_RUN = Cause.FAILED, Cause.RUNNING, Cause.COMPLETE
_FAILURES = (
    "FailedCreate",
    "FailedGet",
    "UnparseableSchedule",
    "InvalidSchedule",
    "UnknownTimeZone",
)
"""Reasons of Warning Events with which the CronJob controller reports that it starts nothing (1.36)."""
UNREADABLE = {
    "UnparseableSchedule": "schedule",
    "InvalidSchedule": "schedule",
    "UnknownTimeZone": "time zone",
}
"""Those about the spec, with what the controller does not know, such as a zone that its own data lacks."""
_MISSES: dict[Withheld, Cause] = {
    "MissSchedule": Cause.STARTING_DEADLINE,
    "JobAlreadyActive": Cause.JOB_ALREADY_ACTIVE,
    "NothingFound": Cause.NOTHING_FOUND,
    "Suspended": Cause.SUSPENDED,
}


class CronRun(NamedTuple):
    """A Job of a CronJob.

    Attributes:
        scheduled: the time for which it was created, if its annotation has it; else its creation.
        by_hand: a user created it from the CronJob, for no scheduled time.
        state: FAILED_RUN, ACTIVE_RUN or COMPLETE_RUN.
        reason: of its terminal condition; empty while it is active.
        ended: when it got that condition.
    """

    name: str
    uid: str
    scheduled: int
    state: Cause
    reason: str
    ended: int | None
    by_hand: bool = False

    @property
    def title(self) -> str:
        """The run with its time, as a noun phrase after "run"."""
        return f"{'created by hand' if self.by_hand else 'due'} at {write_time(self.scheduled)}"


def replaced_runs(cron_job: CronJob, events: Iterable[RecordedEvent]) -> str:
    """Return how many runs of a CronJob without ended Jobs were deleted for the next one, as a clause.

    Empty if there were none. An Event about the deletion of a Job also comes from the history limits, which
    only delete Jobs that have ended, and keep some of them.
    """
    number = sum(each.times for each in events if each.reason == "SuccessfulDelete")
    kept = 0 not in (cron_job.successful_limit, cron_job.failed_limit)
    if cron_job.concurrency != "Replace" or number < _MANY or not kept:
        return ""
    return f"concurrencyPolicy: Replace deleted {number} runs before they ended"


@dataclass(frozen=True, slots=True)
class CronJobDiagnosis:
    """The reason for the state of a CronJob.

    Attributes:
        cause: the state of the last run, or why none started.
        summary: the same as `sentence`, in four parts.
        runs: the last Jobs, newest first.
        missed: the last scheduled time that has no Job although it has passed; None without one.
        next_run: the next scheduled time; None if there is none.
        job: the diagnosis of the Job that decides; None without one.
        events: about the CronJob.
    """

    namespace: str
    name: str
    uid: str
    cause: Cause
    sentence: str
    runs: tuple[CronRun, ...]
    missed: int | None
    next_run: int | None
    job: Diagnosis | None
    events: tuple[RecordedEvent, ...]
    summary: Summary


class _State(NamedTuple):
    """The state of a CronJob.

    Attributes:
        words: the state in full.
        brief: the headline after "CronJob NAME".
        why: its cause, apart from that of a Job; empty if the headline says it.
        fix: what removes the cause; empty if it is that of the Job, or that of a suspension.
        missed: the last scheduled time without a Job; None without one.
        following: the next scheduled time; None without one.
    """

    cause: Cause
    words: str
    brief: str
    why: str = ""
    missed: int | None = None
    following: int | None = None
    fix: Fix = NO_FIX


def read_runs(jobs: Sequence[Object], uid: str) -> list[CronRun]:
    """Return the Jobs that a CronJob owns, newest first.

    Args:
        jobs: Jobs whose shape was checked, also those of others.
    """
    runs = [_run(each) for each in jobs if _owned(each, uid)]
    return sorted(runs, key=lambda run: (run.scheduled, run.name), reverse=True)


def _newest_of_others(jobs: Iterable[Object], uid: str) -> tuple[int, str]:
    """Return when the newest Job of another CronJob was created, and its name; 0 without one."""
    found = [
        (read_time(meta.get("creationTimestamp")) or 0, meta.get("name") or "")
        for meta in (each["metadata"] for each in jobs)
        if any(
            owner.get("kind") == "CronJob" and owner.get("controller") and owner.get("uid") != uid
            for owner in meta.get("ownerReferences") or ()
        )
        and INSTANTIATE not in (meta.get("annotations") or {})
    ]
    return max(found, default=(0, ""))


def diagnose_cron_job(
    manifest: Object,
    runs: Sequence[CronRun],
    events: Sequence[RecordedEvent],
    job: Diagnosis | None,
    now: int,
    *,
    jobs: Sequence[Object] = (),
) -> CronJobDiagnosis:
    """Diagnose a CronJob.

    Args:
        manifest: the CronJob as the API server has it; its shape was checked.
        runs: its Jobs, newest first.
        events: about the CronJob.
        job: the diagnosis of the decisive run.
        now: seconds since 1970.
        jobs: all Jobs that are known: the creation of one by another CronJob shows that the controller runs.
    """
    meta = manifest["metadata"]
    name = meta.get("name") or ""
    of_others = _newest_of_others(jobs, meta.get("uid") or "")
    template = (manifest["spec"].get("jobTemplate") or {}).get("spec") or {}
    found = _Found(
        meta.get("namespace") or "",
        name,
        tuple(runs),
        tuple(events),
        job,
        now,
        of_others,
        template.get("ttlSecondsAfterFinished"),
    )
    state = found.state(manifest)
    return CronJobDiagnosis(
        meta.get("namespace") or "",
        name,
        meta.get("uid") or "",
        state.cause,
        f"CronJob {name}: {state.words}.",
        found.runs,
        state.missed,
        state.following,
        job,
        found.events,
        _summary(manifest, state, job),
    )


def _summary(manifest: Object, state: _State, job: Diagnosis | None) -> Summary:
    """Return the short answer; what to change in the Job is to be changed in the template of the CronJob."""
    meta = manifest["metadata"]
    name = meta.get("name") or ""
    headline, failed = f"CronJob {name} {state.brief}", state.cause == FAILED_RUN
    replaced = manifest["spec"].get("concurrencyPolicy") == "Replace" and state.following
    again = f" {rerun(meta.get('namespace') or '', name)}" if failed and state.following else ""
    found = owner_summary(
        headline,
        state.why,
        job,
        _following(state, "startingDeadlineSeconds" in manifest["spec"]) + again,
        failed_run=failed,
        otherwise="the next run replaces it" if replaced else FOREVER,
    )
    if state.cause == Cause.SUSPENDED and not found.command:
        resumed = (name, "--type=merge", "-p", '{"spec":{"suspend":false}}')
        command = kubectl(meta.get("namespace") or "", "patch cronjob", *resumed)
        # https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-suspension
        starts = "" if "startingDeadlineSeconds" in manifest["spec"] else AT_ONCE
        return replace(found, fix=f"Resume it{starts}:", command=command)
    if state.fix.text:
        return replace(found, fix=state.fix.text, command=state.fix.command)
    if state.cause == Cause.JOB_ALREADY_ACTIVE and job is not None and not found.command:
        active = [pod.name for pod in job.recording.pods if pod.view.state == ACTIVE]
        held = job.recording.job
        late = "startingDeadlineSeconds" in manifest["spec"]
        fix = fix_of_blocking(held.namespace, held.name, next(iter(active), ""), late=late)
        advice = (*found.advice, *deadline_advice(job))
        return replace(found, fix=fix.text, command=fix.command, advice=advice)
    return replace(
        found,
        fix=of_template(found.fix),
        advice=tuple(
            each._replace(field=of_template(each.field), text=of_template(each.text))
            for each in found.advice
        ),
    )


def _following(state: _State, deadline: bool) -> str:
    """Return when the next run starts: one that is due already, as soon as nothing holds it back."""
    if state.following is None:
        return ""
    following = f"The next run is due at {write_time(state.following)}"
    held = state.cause in (Cause.JOB_ALREADY_ACTIVE, Cause.NOT_STARTED) and state.why != _NO_EVENT
    if state.missed is None or deadline or not held:
        return f"{following}."
    return f"The last missed run starts as soon as nothing holds it back. {following}."


@dataclass(frozen=True, slots=True)
class _Found:
    namespace: str
    name: str
    runs: tuple[CronRun, ...]
    events: tuple[RecordedEvent, ...]
    job: Diagnosis | None
    now: int
    of_others: tuple[int, str]
    ttl: int | None = None

    def state(self, manifest: Object) -> _State:
        """Return the state."""
        try:
            cron_job = self._cron_job(manifest)
        except BadSchedule as error:
            spec = manifest["spec"]
            zone = f" in time zone {spec['timeZone']!r}" if spec.get("timeZone") else ""
            words = (
                f"no run starts: its schedule {spec.get('schedule')!r}{zone} is invalid: {error}"
            )
            what = "time zone" if "time zone" in str(error) else "schedule"
            brief = f"starts no run: its {what} is invalid"
            return _State(
                Cause.INVALID_SCHEDULE, words, brief, str(error), fix=self._edit(SCHEDULE)
            )
        if manifest["metadata"].get("deletionTimestamp"):
            names = manifest["metadata"].get("finalizers") or ()
            held = f" (held by {finalizers(names)})" if names else ""
            words = f"it is being deleted{held}, so no run starts"
            words += f"; {self._last(cron_job)}" if self.runs else ""
            return _State(Cause.DELETING, words, f"is being deleted{held}: no run starts")
        following = next_time(cron_job.schedule, self.now)
        if following == NEVER:
            words = "its schedule matches no date in the next five years"
            return _State(
                Cause.INVALID_SCHEDULE, words, "starts no run", words, fix=self._edit(SCHEDULE)
            )
        state = self._state(cron_job)
        if cron_job.suspended or state.cause == Cause.INVALID_SCHEDULE:
            return state
        words = f"{state.words}; the next run is due at {write_time(following)}"
        return state._replace(words=words, following=following)

    def _edit(self, what: str) -> Fix:
        return edit_of(what, self.namespace, self.name)

    def _cron_job(self, manifest: Object) -> CronJob:
        meta, status = manifest["metadata"], manifest.get("status") or {}
        created = read_time(meta.get("creationTimestamp")) or self.now
        stored = CronJobStatus(
            tuple(each.get("name") or "" for each in status.get("active") or ()),
            read_time(status.get("lastScheduleTime")),
            read_time(status.get("lastSuccessfulTime")),
        )
        return read_cron_job(self.name, manifest["spec"], created, stored)

    def _state(self, cron_job: CronJob) -> _State:
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
        if withheld == "MissSchedule" and not self._reported_late(missed):
            withheld = ""  # any run that was missed for long enough is past its deadline
        event = self._failure(cron_job)
        failure = "" if event is None else f"{event.reason}: {' '.join(event.message.split())}"
        last, brief = self._last(cron_job), self._last_briefly(cron_job)
        if cron_job.suspended:
            words = f"it is suspended (spec.suspend), so no run starts; {last}"
            return _State(Cause.SUSPENDED, words, "is suspended: no run starts", last)
        if event is not None and event.reason in UNREADABLE:
            brief = f"starts no run: its controller does not know the {UNREADABLE[event.reason]}"
            words = f"no run starts: {failure}"
            return _State(
                Cause.INVALID_SCHEDULE, words, brief, failure, missed, fix=self._edit(SCHEDULE)
            )
        if missed is not None:
            found = self._missed(cron_job, missed, _MISSES.get(withheld), failure)
            return found if event is None else self._rejected(found, event)
        if not self.runs:
            if failure:
                words = f"no run has started: {failure}"
                return _State(Cause.NOT_STARTED, words, "has started no run", failure)
            return _State(Cause.NONE_DUE, last, brief, last)
        if self.runs[0].state == ACTIVE_RUN and (replaced := self._replaced(cron_job)):
            brief = "replaces its runs before they end"
            why = f"{replaced}; {self._success(cron_job)}"
            waiting = None if self.job is None else self.job.waiting
            runs = waiting is None or waiting.cause in (Cause.RUNNING, Cause.INITIALIZING)
            fix = self._edit(TOO_OFTEN) if runs else NO_FIX
            return _State(ACTIVE_RUN, f"{last}; {why}", brief, why, fix=fix)
        why = self._success(cron_job) if self.runs[0].state == FAILED_RUN else ""
        return _State(self.runs[0].state, last, brief, why)

    def _rejected(self, found: _State, event: RecordedEvent) -> _State:
        """Return a state with what the message of the API server means that rejects the Job."""
        if event.reason != "FailedCreate":
            return found
        waits_for, fix = fix_of_rejection(event.message, self.namespace)
        if not waits_for:
            return found
        return found._replace(brief=f"{found.brief}: it waits for {waits_for}", fix=fix)

    def _replaced(self, cron_job: CronJob) -> str:
        """Return how many runs were deleted for the next one, as a clause; empty if some ended."""
        ended = any(run.state != ACTIVE_RUN for run in self.runs)
        return "" if ended else replaced_runs(cron_job, self.events)

    def _missed(self, cron_job: CronJob, missed: int, reason: Cause | None, failure: str) -> _State:
        """Return the state of a CronJob whose last scheduled time has no Job."""
        since = cron_job.status.last_schedule
        begin, until = since or cron_job.created, self.now - GRACE
        number = count_times(cron_job.schedule, begin, until, MAX_MISSED + 1)
        brief = "has never run" if since is None else f"has not run since {write_time(since)}"
        brief += f" ({missed_runs(number)})"
        also = f" and {number - 1} before it" if 1 < number <= MAX_MISSED else ""
        words = f"the run due at {write_time(missed)}{also} did not start"
        if failure or reason is None:
            silence = self._silence(cron_job, missed)
            why = failure or silence.why
            late = missed == self._beyond_deadline(cron_job, until)
            if late and (failure or silence.fix in (NO_FIX, SILENT)):
                why += "; startingDeadlineSeconds is over, so that it does not start later"
            words = f"{words}{': ' if failure else '; '}{why}"
            found = _State(Cause.NOT_STARTED, words, brief, why, missed)
            return found if failure else found._replace(fix=silence.fix)
        if reason == Cause.JOB_ALREADY_ACTIVE:
            why = f"{MISSED[reason]}{self._usual()}"
            words = f"{words}: {why}, {self._sentence()}"
            begun = (each.scheduled for each in self.runs if each.state == ACTIVE_RUN)
            age = self.now - next(begun, 0)
            fix = fix_of_long_runs(self.namespace, self.name, self._took(), age)
            return _State(reason, words, brief, why, missed, fix=fix)
        fix = self._edit(DEADLINE) if reason == Cause.STARTING_DEADLINE else NO_FIX
        return _State(reason, f"{words}: {MISSED[reason]}", brief, MISSED[reason], missed, fix=fix)

    def _usual(self) -> str:
        """Return how long the runs before took, as the end of a clause; empty if none of them completed."""
        took = self._took()
        return f"; runs that completed took at most {spoken(max(took) * SECOND)}" if took else ""

    def _took(self) -> list[int]:
        return [
            each.ended - each.scheduled
            for each in self.runs
            if each.state == COMPLETE_RUN and each.ended is not None and not each.by_hand
        ]

    def _silence(self, cron_job: CronJob, missed: int) -> _State:
        """Return what is known where no Event says why a run did not start."""
        found = _State(Cause.NOT_STARTED, "", "")
        deadline = cron_job.starting_deadline
        if deadline is not None and deadline < SHORTEST_DEADLINE:
            why = f"startingDeadlineSeconds {deadline} may be over before the controller acts"
            return found._replace(why=why, fix=self._edit(DEADLINE))
        last = max(self.events, key=lambda each: each.at or 0, default=None)
        at, other = self.of_others
        if last is not None and (last.at or 0) >= missed:
            said = f"{last.reason} at {write_time(last.at or 0)}: {last.message}"
            return found._replace(why=f"{_IT_RUNS}: its last Event is {said}")
        if at >= missed:
            why = f"{_IT_RUNS}: it created Job {other} at {write_time(at)}"
            return found._replace(why=why, fix=see_events(self.namespace, self.name))
        return found._replace(why=_NO_EVENT, fix=SILENT)

    def _reported_late(self, scheduled: int | None) -> bool:
        """Return True if the controller has reported that a scheduled time was past its deadline."""
        return any(
            each.reason == "MissSchedule" and (each.at or 0) >= (scheduled or 0)
            for each in self.events
        )

    def _beyond_deadline(self, cron_job: CronJob, at: int) -> int | None:
        """Return the last scheduled time whose startingDeadlineSeconds were over at a time; None without."""
        deadline = cron_job.starting_deadline
        if deadline is None:
            return None
        recent = most_recent_schedule_time(cron_job.schedule, cron_job.earliest, at, None)
        scheduled = recent.scheduled
        return scheduled if scheduled is not None and scheduled + deadline < at else None

    def _failure(self, cron_job: CronJob) -> RecordedEvent | None:
        """Return the last Event that says why no Job was created; None if a Job was created after it."""
        failures = [
            each for each in self.events if each.reason in _FAILURES and each.at is not None
        ]
        if not failures:
            return None
        last = max(failures, key=lambda each: each.at or 0)
        started = cron_job.status.last_schedule
        return None if started is not None and started > (last.at or 0) else last

    def _last_briefly(self, cron_job: CronJob) -> str:
        """Return how the last run ended, as the end of a headline."""
        if not self.runs:
            last = cron_job.status.last_schedule
            if last is None:
                return "has started no run"
            ended = self._gone_end(cron_job)
            verb = {"Failed": "failed", "Complete": "is well", "": "has no Job any more"}[ended]
            which = f": its run due at {write_time(last)}" if ended else ""
            return f"{verb}{which}{' completed' if ended == 'Complete' else ''}"
        run, failures = self.runs[0], self._failures()
        if run.state == COMPLETE_RUN:
            return f"is well: the run {run.title} completed"
        if run.state == ACTIVE_RUN:
            return f"runs since {write_time(run.scheduled)}"
        return (
            f"failed in its last {failures} runs"
            if failures > 1
            else f"failed: its run {run.title}"
        )

    def _gone_end(self, cron_job: CronJob) -> str:
        """Return Complete or Failed for a last run whose Job is gone, by the Event about its end."""
        started = cron_job.status.last_schedule or 0
        ends = [
            condition
            for each in self.events
            if (condition := completed_job(each)[1]) and (each.at or 0) >= started
        ]
        return ends[-1] if ends and ends[-1] in ("Complete", "Failed") else ""

    def _failures(self) -> int:
        """Return how many of the last runs failed one after the other."""
        states = [each.state == FAILED_RUN for each in self.runs]
        return states.index(False) if False in states else len(states)

    def _last(self, cron_job: CronJob) -> str:
        """Return how the last run ended, in a clause."""
        if not self.runs:
            last = cron_job.status.last_schedule
            if last is None:
                age = spoken(max(0, self.now - cron_job.created) * SECOND)
                verb = "has started" if cron_job.suspended else "was due"
                return f"no run {verb} since it was created {age} ago"
            ttl = "" if self.ttl is None else f" (ttlSecondsAfterFinished: {self.ttl})"
            gone = f"the Job of the last run, due at {write_time(last)}, is gone{ttl}"
            end = {"Failed": "it failed", "Complete": "it completed"}.get(self._gone_end(cron_job))
            return "; ".join(filter(None, (gone, end, self._success(cron_job))))
        run = self.runs[0]
        words = f"the last run, {run.title}"
        if run.state == COMPLETE_RUN:
            return f"{words}, completed"
        failures = self._failures()
        also = f" ({count(failures, 'run')} failed one after the other)" if failures > 1 else ""
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


def _finished(state: Cause) -> Any:
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


def _terminal(status: Status) -> tuple[Cause, str, int | None]:
    for kind, state in (("Failed", FAILED_RUN), ("Complete", COMPLETE_RUN)):
        condition = status.condition(kind)
        if condition is not None and condition.holds:
            return state, condition.reason, condition.changed
    return ACTIVE_RUN, "", None
