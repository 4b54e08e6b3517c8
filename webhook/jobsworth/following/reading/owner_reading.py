"""Read a CronJob or a JobSet with its Jobs, and the one of them that decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.jobset.labels import JOB_SET_NAME
from jobsworth.api.jobset.versions import API_VERSION
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import BATCH, jobs_path, resource_path
from jobsworth.controller.times import write_time
from jobsworth.following.errors import JobNotFound
from jobsworth.following.job_reference import CRON_JOB, JOB, JOB_SET
from jobsworth.following.reading.job_reading import events_about, read_job, read_job_parts
from jobsworth.following.reading.object_reading import MalformedObject, read_list, read_object
from jobsworth.printable import printable
from jobsworth.whatif.replay.recorded_events import events_near, read_event
from jobsworth.whatif.replay.recording_reader import job_problem
from jobsworth.whatif.why.owners.cron_job_diagnosis import diagnose_cron_job, read_runs
from jobsworth.whatif.why.owners.job_set_diagnosis import (
    decisive_child,
    diagnose_job_set,
    read_children,
)
from jobsworth.whatif.why.owners.owner_shapes import cron_job_problem, job_set_problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.following.job_reference import JobReference
    from jobsworth.following.reading.job_reading import ReadingOptions
    from jobsworth.following.requests import Reading
    from jobsworth.whatif.why.owners.cron_job_diagnosis import CronJobDiagnosis
    from jobsworth.whatif.why.owners.job_set_diagnosis import JobSetDiagnosis
    from jobsworth.whatif.why.saved_objects import AnyDiagnosis

    Object = dict[str, Any]

MOST_JOBS = 5000
MAX_EVENT_LENGTH = 300
JOB_SETS = f"/apis/{API_VERSION}"


def read_any(reference: JobReference, options: ReadingOptions) -> Reading[AnyDiagnosis]:
    """Read the object that a reference names, and return its diagnosis.

    Raises:
        JobNotFound: there is no such object.
        ApiError: the API server rejects a request, or cannot be reached.
        MalformedObject, BadRecording: it sends something else than such objects.
    """
    try:
        found: AnyDiagnosis = yield from _READERS[reference.kind](reference, options)
    except ApiError as error:
        if not error.not_found:
            raise
    else:
        return found
    last_event = yield from _last_event(reference)
    raise JobNotFound(f"there is no {reference.title}", last_event)


def _last_event(reference: JobReference) -> Reading[str]:
    """Return a sentence about the last Event of an object that is gone; empty if there is none."""
    try:
        listed = yield from events_about(reference.namespace, reference.kind, reference.name)
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


def _read_cron_job(reference: JobReference, options: ReadingOptions) -> Reading[CronJobDiagnosis]:
    path = resource_path(BATCH, "cronjobs", reference.namespace, reference.name)
    cron_job = yield from read_object(path, CRON_JOB, cron_job_problem)
    jobs = yield from read_list(jobs_path(reference.namespace), JOB, job_problem, most=MOST_JOBS)
    if jobs.more:
        options.note(f"the namespace has more than {MOST_JOBS} Jobs: not all were read")
    try:
        events = yield from events_about(reference.namespace, CRON_JOB, reference.name)
        found = events_near(events.items, CRON_JOB, cron_job["metadata"])
    except ApiError as error:
        if error.code != 403:
            raise
        options.note(f"{options.cluster} denies the list of Events")
        found = []
    runs = read_runs(jobs.items, cron_job["metadata"].get("uid") or "")
    job = None
    if runs and runs[0].state != "complete":
        (stored,) = [each for each in jobs.items if each["metadata"].get("uid") == runs[0].uid]
        job = yield from read_job_parts(stored, options)
    return diagnose_cron_job(cron_job, runs, found, job, int(options.clock()))


def _read_job_set(reference: JobReference, options: ReadingOptions) -> Reading[JobSetDiagnosis]:
    path = resource_path(JOB_SETS, "jobsets", reference.namespace, reference.name)
    job_set = yield from read_object(path, JOB_SET, job_set_problem)
    selector = {"labelSelector": f"{JOB_SET_NAME}={reference.name}"}
    jobs = yield from read_list(
        jobs_path(reference.namespace), JOB, job_problem, selector, most=MOST_JOBS
    )
    children = read_children(jobs.items)
    chosen = decisive_child(job_set, children)
    job = None
    if chosen is not None:
        (stored,) = [each for each in jobs.items if each["metadata"].get("name") == chosen.name]
        job = yield from read_job_parts(stored, options)
    return diagnose_job_set(job_set, children, job)


_READERS: dict[str, Callable[[JobReference, ReadingOptions], Reading[Any]]] = {
    JOB: read_job,
    CRON_JOB: _read_cron_job,
    JOB_SET: _read_job_set,
}
