"""Read a Job, its Pods, its Events and the ends of logs, in a bounded number of calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jobsworth.api.batch.job import CONTROLLER_UID_LABEL
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import events_path, jobs_path, pods_path
from jobsworth.client.paging import PAGE_SIZE
from jobsworth.following.reading.log_reading import read_logs
from jobsworth.following.reading.object_reading import Listed, read_list, read_object
from jobsworth.whatif.explanation.pod_document import pod_problem
from jobsworth.whatif.replay.recorded_events import event_problem
from jobsworth.whatif.replay.recording_reader import job_problem
from jobsworth.whatif.replay.stored_manifest import stored_manifest
from jobsworth.whatif.why.diagnosis import diagnose
from jobsworth.whatif.why.job_snapshot import read_snapshot
from jobsworth.whatif.why.unfinished_job import pending_reasons

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.api.api_server import ApiServer
    from jobsworth.findings.finding import Finding
    from jobsworth.following.job_reference import JobReference
    from jobsworth.following.requests import Reading
    from jobsworth.whatif.why.diagnosis import Diagnosis
    from jobsworth.whatif.why.job_snapshot import JobSnapshot

    Object = dict[str, Any]

MOST_FAILED, MOST_OTHERS, MOST_EVENTS, MOST_POD_NAMES = 2000, 500, 500, 10
"""Bounds of what is read of a Job with more than PAGE_SIZE Pods: failed Pods; Pending and Running ones each;
Events of a list; Pods whose Events are read one by one."""
_PHASES = (("Failed", MOST_FAILED), ("Pending", MOST_OTHERS), ("Running", MOST_OTHERS))


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """Options of a reading.

    Attributes:
        server: whose defaults fill the stored Job.
        clock: returns the seconds since 1970.
        log_lines: of the log of a failed container; 0 for no logs.
        note: receives what cannot be read, in a sentence.
        findings: returns the lint findings about a Job, for the advice; None for no such advice.
        cluster: its name, for messages.
    """

    server: ApiServer
    clock: Callable[[], float]
    log_lines: int = 20
    note: Callable[[str], None] = lambda text: None
    findings: Callable[[Object], Sequence[Finding]] | None = None
    cluster: str = "the cluster"


def read_job(reference: JobReference, options: ReadingOptions) -> Reading[Diagnosis]:
    """Read a Job, and return its diagnosis.

    Raises:
        ApiError: the API server rejects a request, or cannot be reached; not found if there is no such Job.
        MalformedObject, BadRecording: it sends something else than a Job with its Pods and Events.
    """
    path = jobs_path(reference.namespace, reference.name)
    job = yield from read_object(path, "Job", job_problem)
    return (yield from read_job_parts(job, options))


def read_job_parts(job: Object, options: ReadingOptions) -> Reading[Diagnosis]:
    """Read the Pods, Events and logs of a Job, and return its diagnosis.

    Raises: as `read_job`.
    """
    meta = job["metadata"]
    namespace = meta.get("namespace") or ""
    denied: list[str] = []
    pods = yield from _pods(namespace, meta.get("uid") or "", options, denied)
    manifest = stored_manifest({**job, "apiVersion": "batch/v1", "kind": "Job"}, options.server)
    events = yield from _events(namespace, manifest, pods.items, options, denied)
    snapshot = read_snapshot(
        manifest,
        pods.items,
        events,
        file=options.cluster,
        now=int(options.clock()),
        partial=pods.more,
        denied=denied,
    )
    findings = [] if options.findings is None else options.findings(job)
    found = diagnose(snapshot, findings)
    if options.log_lines:
        logs = yield from read_logs(found, options.log_lines)
        found = replace(found, snapshot=replace(snapshot, logs=logs))
    return found


def _pods(namespace: str, uid: str, options: ReadingOptions, denied: list[str]) -> Reading[Listed]:
    """Read all Pods of a Job if they are few; else failed, Pending and Running ones, up to the bounds.

    Args:
        denied: receives ``Pods`` if they cannot be listed.
    """
    path = pods_path(namespace)
    selector = {"labelSelector": f"{CONTROLLER_UID_LABEL}={uid}"}
    try:
        listed = yield from read_list(path, "Pod", pod_problem, selector, most=PAGE_SIZE)
        if not listed.more:
            return listed
        items: list[Object] = []
        for phase, most in _PHASES:
            chosen = {**selector, "fieldSelector": f"status.phase={phase}"}
            part = yield from read_list(path, "Pod", pod_problem, chosen, most=most)
            items += part.items
    except ApiError as error:
        if error.code != 403:
            raise
        options.note(f"{options.cluster} denies the list of Pods: {error}")
        denied.append("Pods")
        return Listed([], more=True)
    return Listed(items, more=True)


def _events(
    namespace: str,
    manifest: Object,
    pods: Sequence[Object],
    options: ReadingOptions,
    denied: list[str],
) -> Reading[list[Object]]:
    """Read the Events about a Job and its Pods; if the namespace has many, those about a few of the Pods.

    Args:
        denied: receives ``Events`` if they cannot be listed.
    """
    name = manifest["metadata"].get("name") or ""
    try:
        of_job = yield from events_about(namespace, "Job", name)
        of_pods = yield from events_about(namespace, "Pod")
        if not of_pods.more:
            return [*of_job.items, *of_pods.items]
        events = of_job.items
        for pod in _undecided(read_snapshot(manifest, pods, events)):
            about = yield from events_about(namespace, "Pod", pod)
            events += about.items
    except ApiError as error:
        if error.code != 403:
            raise
        options.note(
            f"{options.cluster} denies the list of Events: Pods that are gone cannot be seen"
        )
        denied.append("Events")
        return []
    return events


def events_about(namespace: str, kind: str, name: str = "") -> Reading[Listed]:
    """Read the Events about the objects of a kind, or about one of them, up to MOST_EVENTS.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: an Event has a field of another type.
    """
    selector = f"involvedObject.kind={kind}" + (f",involvedObject.name={name}" if name else "")
    path, chosen = events_path(namespace), {"fieldSelector": selector}
    return (yield from read_list(path, "Event", event_problem, chosen, most=MOST_EVENTS))


def _undecided(snapshot: JobSnapshot) -> list[str]:
    """Return the names of the Pods of which Events say most: those that are gone or do not start."""
    recording = snapshot.recording
    gone = sorted(recording.unseen, key=lambda each: each.created or 0, reverse=True)
    names = [each.name for each in gone] + list(pending_reasons(snapshot))
    return names[:MOST_POD_NAMES]
