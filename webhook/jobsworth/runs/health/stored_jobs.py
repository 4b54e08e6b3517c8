"""Read Jobs and Events of an API server as evidence."""

from __future__ import annotations

import re

from jobsworth.controller.cron_jobs.cron_job import INSTANTIATE
from jobsworth.controller.times import read_time
from jobsworth.runs.health.evidence import Object, Outcome, StoredEvent, StoredJob
from jobsworth.runs.recorded.recorded_events import read_event

SCHEDULED_AT = "batch.kubernetes.io/cronjob-scheduled-timestamp"
"""The annotation of KEP-3140 on Jobs of a CronJob; always set since Kubernetes 1.32."""
MAX_MINUTES = 2**31
_OUTCOMES: tuple[Outcome, ...] = ("Complete", "Failed")
_MINUTES = re.compile(r"[0-9]{1,10}")


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
        manifest=None if outcome else job,
    )


def _end(job: Object) -> tuple[Outcome, int | None, str, str]:
    for outcome in _OUTCOMES:
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
