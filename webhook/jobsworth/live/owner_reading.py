"""Read a CronJob or a JobSet with its Jobs, and the one of them that decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobsworth.api.jobset.names import JOB_SET_NAME
from jobsworth.api.jobset.versions import API_VERSION
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import BATCH, jobs_path, resource_path
from jobsworth.controller.times import write_time
from jobsworth.live.errors import JobNotFound
from jobsworth.live.job_reading import (
    ReadingOptions,
    events_about,
    read_job,
    read_job_parts,
)
from jobsworth.live.job_reference import CRON_JOB, JOB, JOB_SET, JobReference
from jobsworth.live.object_reading import MalformedObject, read_list, read_object, read_queue
from jobsworth.printable import printable
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.queue_facts import read_queue_facts
from jobsworth.runs.recorded.recorded_events import events_near, read_event
from jobsworth.runs.why.owners.cron_job_diagnosis import (
    CronJobDiagnosis,
    diagnose_cron_job,
    read_runs,
)
from jobsworth.runs.why.owners.job_set_diagnosis import (
    JobSetDiagnosis,
    decisive_child,
    diagnose_job_set,
    read_children,
)
from jobsworth.runs.why.saved_objects import AnyDiagnosis

Object = dict[str, Any]

MOST_JOBS = 5000
MAX_EVENT_LENGTH = 300
JOB_SETS = f"/apis/{API_VERSION}"


def read_any(api: Api, reference: JobReference, options: ReadingOptions) -> AnyDiagnosis:
    """Read the object that a reference names, and return its diagnosis.

    Raises:
        JobNotFound: there is no such object.
        ApiError: the API server rejects a request, or cannot be reached.
        MalformedObject, BadRecording: it sends something else than such objects.
    """
    try:
        found: AnyDiagnosis = _READERS[reference.kind](api, reference, options)
    except ApiError as error:
        if not error.not_found:
            raise
    else:
        return found
    last_event = _last_event(api, reference)
    raise JobNotFound(f"there is no {reference.title}", last_event)


def _last_event(api: Api, reference: JobReference) -> str:
    """Return a sentence about the last Event of an object that is gone; empty if there is none."""
    try:
        listed = events_about(api, reference.namespace, reference.kind, reference.name)
    except (ApiError, MalformedObject):
        return ""
    events = [read_event(each) for each in listed.items]
    last = max(events, key=lambda each: each.at or 0, default=None)
    if last is None or last.at is None:
        return ""
    words = printable(f"{last.reason}: {last.message}"[:MAX_EVENT_LENGTH])
    return (
        f"One of this name is gone; the last Event about it, of {write_time(last.at)}, is {words}"
    )


def _read_cron_job(api: Api, reference: JobReference, options: ReadingOptions) -> CronJobDiagnosis:
    path = resource_path(BATCH, "cronjobs", reference.namespace, reference.name)
    cron_job = read_object(api, path, CRON_JOB)
    jobs = read_list(api, jobs_path(reference.namespace), JOB, most=MOST_JOBS)
    if jobs.more:
        options.note(f"the namespace has more than {MOST_JOBS} Jobs: not all were read")
    try:
        events = events_about(api, reference.namespace, CRON_JOB, reference.name)
        found = events_near(events.items, CRON_JOB, cron_job["metadata"])
    except ApiError as error:
        if error.code != 403:
            raise
        options.note(f"{options.cluster} denies the list of Events")
        found = []
    runs = read_runs(jobs.items, cron_job["metadata"].get("uid") or "")
    job = None
    if runs and runs[0].state != Cause.COMPLETE:
        (stored,) = [each for each in jobs.items if each["metadata"].get("uid") == runs[0].uid]
        job = read_job_parts(api, stored, options)
    return diagnose_cron_job(cron_job, runs, found, job, int(options.clock()), jobs=jobs.items)


def _read_job_set(api: Api, reference: JobReference, options: ReadingOptions) -> JobSetDiagnosis:
    path = resource_path(JOB_SETS, "jobsets", reference.namespace, reference.name)
    job_set = read_object(api, path, JOB_SET)
    selector = {"labelSelector": f"{JOB_SET_NAME}={reference.name}"}
    jobs = read_list(api, jobs_path(reference.namespace), JOB, selector, most=MOST_JOBS)
    children = read_children(jobs.items)
    chosen = decisive_child(job_set, children)
    job = None
    if chosen is not None:
        (stored,) = [each for each in jobs.items if each["metadata"].get("name") == chosen.name]
        job = read_job_parts(api, stored, options)
    queue = read_queue_facts(read_queue(api, job_set, (), options.note), job_set, (), ())
    return diagnose_job_set(job_set, children, job, queue)


_READERS: dict[str, Callable[[Api, JobReference, ReadingOptions], Any]] = {
    JOB: read_job,
    CRON_JOB: _read_cron_job,
    JOB_SET: _read_job_set,
}
