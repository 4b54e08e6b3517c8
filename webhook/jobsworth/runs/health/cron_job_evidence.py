"""Read CronJobs, Jobs and Events of an API server as evidence about the runs of each CronJob."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from jobsworth.controller.cron_jobs.cron_job import INSTANTIATE, CronJobStatus, read_cron_job
from jobsworth.controller.times import read_time
from jobsworth.runs.health.evidence import (
    CronJobEvidence,
    Object,
    Outcome,
    StartedRun,
    StoredEvent,
    StoredJob,
)
from jobsworth.runs.recorded.recorded_events import completed_job, read_event
from jobsworth.runs.why.owners.cron_job_diagnosis import UNREADABLE, replaced_runs

_CREATED, _DELETED = "Created job ", "Deleted job "
_MISSED = "Missed scheduled time to start a job: "
_RFC_1123 = "%a, %d %b %Y %H:%M:%S %z"
_OUTCOMES: dict[str, Outcome] = {"Complete": "Complete", "Failed": "Failed"}

SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""The annotation of KEP-3140 on Jobs of a CronJob; always set since Kubernetes 1.32."""
MAX_MINUTES = 2**31
_ENDS: tuple[Outcome, ...] = ("Complete", "Failed")
_MINUTES = re.compile(r"[0-9]{1,10}")


def gather_evidence(
    stored: Object, jobs: Sequence[StoredJob], events: Sequence[StoredEvent]
) -> CronJobEvidence:
    """Gather the evidence about a CronJob.

    Args:
        stored: the CronJob.
        jobs: the Jobs that it controls.
        events: the Events about it.

    Raises:
        BadSchedule: its schedule cannot be parsed.
    """
    meta, spec = stored["metadata"], stored["spec"]
    created = read_time(meta.get("creationTimestamp")) or 0
    name = meta.get("name") or ""
    template = (spec.get("jobTemplate") or {}).get("spec") or {}
    scheduled = [job for job in jobs if job.scheduled is not None]
    cron_job = read_cron_job(name, spec, created, _status(stored))
    ended = any(job.outcome for job in jobs)
    return CronJobEvidence(
        namespace=meta.get("namespace") or "",
        cron_job=cron_job,
        uid=meta.get("uid") or "",
        settled=settled_since(meta),
        deleting=meta.get("deletionTimestamp") is not None,
        ttl=template.get("ttlSecondsAfterFinished"),
        runs={**_runs_in_events(name, events), **_runs_of(scheduled)},
        manual=tuple(job for job in jobs if job.scheduled is None),
        oldest=_oldest(jobs),
        stored={
            outcome: sum(job.outcome == outcome for job in jobs) for outcome in _OUTCOMES.values()
        },
        missed=frozenset(_missed(events)),
        rejections=tuple(each for each in events if each.recorded.reason == "FailedCreate"),
        unreadable=tuple(each for each in events if each.recorded.reason in UNREADABLE),
        replaced="" if ended else replaced_runs(cron_job, [each.recorded for each in events]),
        too_many=any(each.recorded.reason == "TooManyMissedTimes" for each in events),
    )


def _status(stored: Object) -> CronJobStatus:
    status = stored.get("status") or {}
    return CronJobStatus(
        tuple(each.get("name") or "" for each in status.get("active") or ()),
        read_time(status.get("lastScheduleTime")),
        read_time(status.get("lastSuccessfulTime")),
    )


def settled_since(meta: Object) -> int | None:
    """Return since when the spec of an object is as it is now; None if the object does not show it.

    The API server counts changes of the spec in ``metadata.generation``, and notes in ``managedFields`` when
    each manager last changed one of its fields.
    """
    if meta.get("generation") == 1:
        return read_time(meta.get("creationTimestamp"))
    latest = None
    for entry in meta.get("managedFields") or ():
        fields = entry.get("fieldsV1")
        if entry.get("subresource") or not (isinstance(fields, dict) and "f:spec" in fields):
            continue
        at = read_time(entry.get("time"))
        if at is None:
            return None
        latest = at if latest is None else max(latest, at)
    return latest


def _runs_of(jobs: Iterable[StoredJob]) -> dict[int, StartedRun]:
    return {
        (job.scheduled or 0) // 60: StartedRun(
            job.name, job.created, job.outcome, job.ended, job.reason
        )
        for job in jobs
    }


def _runs_in_events(cron_job: str, events: Sequence[StoredEvent]) -> dict[int, StartedRun]:
    """Return the runs whose Jobs Events name: their creation, deletion or end."""
    found: dict[int, StartedRun] = {}
    for event in sorted(events, key=lambda each: each.recorded.at or 0):
        message, at = event.recorded.message, event.recorded.at
        named, condition = completed_job(event.recorded)
        created = ended = None
        outcome: Outcome = ""
        if named:
            outcome = _OUTCOMES.get(condition, "")
            ended = at if outcome else None
        elif event.recorded.reason == "SuccessfulCreate" and message.startswith(_CREATED):
            named, created = message.removeprefix(_CREATED), at
        elif event.recorded.reason == "SuccessfulDelete" and message.startswith(_DELETED):
            named = message.removeprefix(_DELETED)
        else:
            continue
        scheduled = scheduled_in(named, cron_job)
        if scheduled is not None:
            before = found.get(scheduled // 60, StartedRun(named, None, "", None, "", stored=False))
            found[scheduled // 60] = before._replace(
                created=before.created if created is None else created,
                outcome=outcome or before.outcome,
                ended=before.ended if ended is None else ended,
            )
    return found


def _oldest(jobs: Iterable[StoredJob]) -> dict[Outcome, int]:
    oldest: dict[Outcome, int] = {}
    for job in jobs:
        if job.outcome:
            oldest[job.outcome] = min(oldest.get(job.outcome, job.created), job.created)
    return oldest


def _missed(events: Iterable[StoredEvent]) -> Iterable[int]:
    """Yield the scheduled times that Events MissSchedule name."""
    for event in events:
        message = event.recorded.message
        if event.recorded.reason != "MissSchedule" or not message.startswith(_MISSED):
            continue
        try:
            yield int(datetime.strptime(message.removeprefix(_MISSED), _RFC_1123).timestamp())
        except (ValueError, OverflowError):
            continue


def read_stored_job(job: Object) -> StoredJob:
    """Read a Job."""
    meta = job["metadata"]
    owner = next(
        (each for each in meta.get("ownerReferences") or () if each.get("controller")), None
    )
    kind = "" if owner is None else owner.get("kind") or ""
    name = "" if owner is None else owner.get("name") or ""
    of_cron_job = owner is not None and kind == "CronJob"
    uid = "" if owner is None else owner.get("uid") or ""
    outcome, ended, reason, message = _end(job)
    return StoredJob(
        namespace=meta.get("namespace") or "",
        name=meta.get("name") or "",
        uid=meta.get("uid") or "",
        cron_job=uid if of_cron_job else "",
        owner=f"{kind}/{name}" if owner else "",
        scheduled=_scheduled(meta, name) if of_cron_job else None,
        created=read_time(meta.get("creationTimestamp")) or 0,
        outcome=outcome,
        ended=ended,
        reason=reason,
        message=message,
        deleting=bool(meta.get("deletionTimestamp")),
        owner_uid=uid,
        generate_name=meta.get("generateName") or "",
        manifest=job,
    )


def _end(job: Object) -> tuple[Outcome, int | None, str, str]:
    for outcome in _ENDS:
        for condition in (job.get("status") or {}).get("conditions") or ():
            if (condition.get("type"), condition.get("status")) == (outcome, "True"):
                at = read_time(condition.get("lastTransitionTime"))
                return outcome, at, condition.get("reason") or "", condition.get("message") or ""
    return "", None, "", ""


def _scheduled(meta: Object, cron_job: str) -> int | None:
    """Return the scheduled time by the annotation, or else by the name."""
    annotations = meta.get("annotations") or {}
    if INSTANTIATE in annotations:
        return None
    written = read_time(annotations.get(SCHEDULED_AT))
    return scheduled_in(meta.get("name") or "", cron_job) if written is None else written


def scheduled_in(job: str, cron_job: str) -> int | None:
    """Return the scheduled time in the name of a Job, to the minute; None if it has another form.

    >>> scheduled_in("nightly-29000000", "nightly"), scheduled_in("nightly-by-hand", "nightly")
    (1740000000, None)
    """
    minutes = job.removeprefix(f"{cron_job}-")
    if minutes == job or not _MINUTES.fullmatch(minutes) or int(minutes) >= MAX_MINUTES:
        return None
    return int(minutes) * 60


def read_stored_event(event: Object) -> StoredEvent:
    """Read an Event."""
    about = event.get("involvedObject") or event.get("regarding") or {}
    namespace = about.get("namespace") or event["metadata"].get("namespace") or ""
    return StoredEvent(namespace, about.get("uid") or "", read_event(event), event)
