"""Read a Job, its Pods, its Events and the ends of logs, in a bounded number of calls.

Logs are those that show why the Job fails: of few containers, few lines, few bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import CONTROLLER_UID_LABEL
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import Api
from jobsworth.client.api_resources import events_path, jobs_path, pods_path
from jobsworth.client.paging import PAGE_SIZE
from jobsworth.findings.finding import Finding
from jobsworth.live.job_reference import JobReference
from jobsworth.live.object_reading import BoundedList, read_list, read_object, read_queue
from jobsworth.runs.recorded.pod_facts import CRASH_LOOP, read_pod_facts
from jobsworth.runs.recorded.recorded_events import CLAIM
from jobsworth.runs.recorded.recording import LogTail, Recording
from jobsworth.runs.recorded.recording_reader import read_recording, stored_manifest
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose, no_findings
from jobsworth.runs.why.unfinished_job import pending_reasons

Object = dict[str, Any]

_MAX_LOGS = 2
"""Containers whose log is read: one for each of the most frequent causes."""
_MAX_BYTES = 64 * 1024
_MAX_LINE = 500
"""Characters of a line."""


class _LoggedContainer(NamedTuple):
    pod: str
    container: str
    previous: bool


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
        findings: returns the findings of some lint rules about a Job, for the advice; None for no such
            advice.
        cluster: its name, for messages.
    """

    server: ApiServer
    clock: Callable[[], float]
    log_lines: int = 20
    note: Callable[[str], None] = lambda text: None
    findings: Callable[[Object, frozenset[str]], Sequence[Finding]] | None = None
    cluster: str = "the cluster"


def read_job(api: Api, reference: JobReference, options: ReadingOptions) -> Diagnosis:
    """Read a Job, and return its diagnosis.

    Raises:
        ApiError: the API server rejects a request, or cannot be reached; not found if there is no such Job.
        MalformedObject, BadRecording: it sends something else than a Job with its Pods and Events.
    """
    path = jobs_path(reference.namespace, reference.name)
    job = read_object(api, path, "Job")
    return read_job_parts(api, job, options)


def read_job_parts(api: Api, job: Object, options: ReadingOptions) -> Diagnosis:
    """Read the Pods, Events and logs of a Job, and return its diagnosis.

    Raises: as `read_job`.
    """
    meta = job["metadata"]
    namespace = meta.get("namespace") or ""
    denied: list[str] = []
    pods = _pods(api, namespace, meta.get("uid") or "", options, denied)
    manifest = stored_manifest({**job, "apiVersion": "batch/v1", "kind": "Job"}, options.server)
    events = _events(api, namespace, manifest, pods.items, options, denied=denied)
    recording = read_recording(
        manifest,
        pods.items,
        events,
        queue=read_queue(api, job, pods.items, options.note),
        file=options.cluster,
        now=int(options.clock()),
        partial=pods.more,
        denied=denied,
    )
    findings = no_findings if options.findings is None else partial(options.findings, job)
    found = diagnose(recording, findings)
    if options.log_lines:
        logs = _read_logs(api, found, options.log_lines)
        found = replace(found, recording=replace(recording, logs=logs))
    return found


def _pods(
    api: Api, namespace: str, uid: str, options: ReadingOptions, denied: list[str]
) -> BoundedList:
    """Read all Pods of a Job if they are few; else failed, Pending and Running ones, up to the bounds.

    Args:
        denied: receives ``Pods`` if they cannot be listed.
    """
    path = pods_path(namespace)
    selector = {"labelSelector": f"{CONTROLLER_UID_LABEL}={uid}"}
    try:
        listed = read_list(api, path, "Pod", selector, most=PAGE_SIZE)
        if not listed.more:
            return listed
        items: list[Object] = []
        for phase, most in _PHASES:
            chosen = {**selector, "fieldSelector": f"status.phase={phase}"}
            part = read_list(api, path, "Pod", chosen, most=most)
            items += part.items
    except ApiError as error:
        if error.code != 403:
            raise
        options.note(f"{options.cluster} denies the list of Pods: {error}")
        denied.append("Pods")
        return BoundedList([], more=True)
    return BoundedList(items, more=True)


def _events(
    api: Api,
    namespace: str,
    manifest: Object,
    pods: Sequence[Object],
    options: ReadingOptions,
    *,
    denied: list[str],
) -> list[Object]:
    """Read the Events about a Job and its Pods; if the namespace has many, those about a few of the Pods.

    Args:
        denied: receives ``Events`` if they cannot be listed.
    """
    name = manifest["metadata"].get("name") or ""
    try:
        of_job = events_about(api, namespace, "Job", name)
        waiting = any(_waits_for_claims(each) for each in pods)
        of_claims = events_about(api, namespace, CLAIM).items if waiting else []
        of_pods = events_about(api, namespace, "Pod")
        if not of_pods.more:
            return [*of_job.items, *of_claims, *of_pods.items]
        events = [*of_job.items, *of_claims]
        for pod in _undecided(read_recording(manifest, pods, events)):
            about = events_about(api, namespace, "Pod", pod)
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


def _waits_for_claims(pod: Object) -> bool:
    """Return True for a Pod without a node that uses claims."""
    facts = read_pod_facts(pod)
    return bool(facts.claims) and not facts.node


def events_about(api: Api, namespace: str, kind: str, name: str = "") -> BoundedList:
    """Read the Events about the objects of a kind, or about one of them, up to MOST_EVENTS.

    Raises:
        ApiError: the API server rejects the request, or cannot be reached.
        MalformedObject: an Event has a field of another type.
    """
    selector = f"involvedObject.kind={kind}" + (f",involvedObject.name={name}" if name else "")
    path, chosen = events_path(namespace), {"fieldSelector": selector}
    return read_list(api, path, "Event", chosen, most=MOST_EVENTS)


def _undecided(recording: Recording) -> list[str]:
    """Return the names of the Pods of which Events say most: those that are gone or do not start."""
    gone = sorted(recording.unseen, key=lambda each: each.created or 0, reverse=True)
    names = [each.name for each in gone] + list(pending_reasons(recording))
    return names[:MOST_POD_NAMES]


def _read_logs(api: Api, diagnosis: Diagnosis, lines: int) -> tuple[LogTail, ...]:
    """Read the last lines of the logs of failed containers; a log that cannot be read has a problem instead.

    Args:
        lines: of each log.
    """
    tails = []
    namespace = diagnosis.recording.job.namespace
    for chosen in _chosen(diagnosis):
        query = {
            "container": chosen.container,
            "tailLines": str(lines),
            "limitBytes": str(_MAX_BYTES),
            **({"previous": "true"} if chosen.previous else {}),
        }
        path = f"{pods_path(namespace, chosen.pod)}/log"
        try:
            text = api.text(path, query)
        except ApiError as error:
            tails.append(LogTail(chosen.pod, chosen.container, problem=_problem(error)))
        else:
            tails.append(LogTail(chosen.pod, chosen.container, _last_lines(text, lines)))
    return tuple(tails)


def _problem(error: ApiError) -> str:
    if error.not_found:
        return "the Pod or its log is gone"
    return f"it cannot be read: {error}"


def _last_lines(text: str, number: int) -> tuple[str, ...]:
    lines = text[:_MAX_BYTES].splitlines()[-number:]
    return tuple(line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]}…" for line in lines)


def _chosen(diagnosis: Diagnosis) -> list[_LoggedContainer]:
    return list(_with_log(diagnosis))[:_MAX_LOGS]


def _with_log(diagnosis: Diagnosis) -> Iterator[_LoggedContainer]:
    """Yield the containers that failed, one for each cause that counts, then those that fail in place."""
    recording = diagnosis.recording
    for group in diagnosis.groups:
        failed = [
            _LoggedContainer(pod.name, container.name, previous=False)
            for pod in reversed(group.pods)
            for container in pod.containers
            if container.exit_code
        ]
        if group.counts and failed:
            yield failed[0]
    for pod in recording.pods:
        for waiting in pod.facts.waiting:
            if waiting.reason == CRASH_LOOP:
                yield _LoggedContainer(pod.name, waiting.name, previous=True)
