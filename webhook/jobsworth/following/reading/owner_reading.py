"""Read a CronJob or a JobSet with its Jobs, and the one of them that decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.jobset.versions import API_VERSION
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import BATCH, events_path, jobs_path, resource_path
from jobsworth.following.job_reference import CRON_JOB, JOB, JOB_SET
from jobsworth.following.reading.job_reading import MOST_EVENTS, read_job, read_job_parts
from jobsworth.following.reading.object_reading import read_list, read_object
from jobsworth.whatif.replay.recorded_events import event_problem, events_near
from jobsworth.whatif.replay.recording_reader import job_problem
from jobsworth.whatif.why.owners.cron_job_diagnosis import diagnose_cron_job, read_runs
from jobsworth.whatif.why.owners.job_set_diagnosis import (
    JOB_SET_LABEL,
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
JOB_SETS = f"/apis/{API_VERSION}"


def read_any(reference: JobReference, options: ReadingOptions) -> Reading[AnyDiagnosis]:
    """Read the object that a reference names, and return its diagnosis.

    Raises:
        ApiError: the API server rejects a request, or cannot be reached; not found without such an object.
        MalformedObject, BadRecording: it sends something else than such objects.
    """
    found: AnyDiagnosis = yield from _READERS[reference.kind](reference, options)
    return found


def _read_cron_job(reference: JobReference, options: ReadingOptions) -> Reading[CronJobDiagnosis]:
    path = resource_path(BATCH, "cronjobs", reference.namespace, reference.name)
    cron_job = yield from read_object(path, CRON_JOB, cron_job_problem)
    jobs = yield from read_list(jobs_path(reference.namespace), JOB, job_problem, most=MOST_JOBS)
    if jobs.more:
        options.note(f"the namespace has more than {MOST_JOBS} Jobs: not all were read")
    about = f"involvedObject.kind=CronJob,involvedObject.name={reference.name}"
    try:
        events = yield from read_list(
            events_path(reference.namespace),
            "Event",
            event_problem,
            {"fieldSelector": about},
            most=MOST_EVENTS,
        )
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
    selector = {"labelSelector": f"{JOB_SET_LABEL}={reference.name}"}
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
