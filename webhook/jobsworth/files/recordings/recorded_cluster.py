"""Recordings in a cluster: a Job, its Pods and its Events as the API server has them now."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import events_path, jobs_path, pods_path
from jobsworth.client.paging import resumed_pages
from jobsworth.files.recordings.recording_files import completed_job
from jobsworth.usage_error import InputError
from jobsworth.whatif.explanation.pod_document import pod_problem
from jobsworth.whatif.replay.recorded_events import event_problem
from jobsworth.whatif.replay.recording_reader import BadRecording, job_problem, read_recording

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.api.api_server import ApiServer
    from jobsworth.client.api_interface import Api
    from jobsworth.whatif.replay.recording import Recording

    Object = dict[str, Any]

RIGHTS = "grant get on jobs, and list on pods and events"


def recording_of(
    api: Api,
    namespace: str,
    name: str,
    server: ApiServer,
    cluster: str,
    *,
    note: Callable[[str], None],
) -> Recording:
    """Read the recording of a Job; without the right to list Events, without them.

    Args:
        cluster: its name, for messages.
        note: reports that Events cannot be listed.

    Raises:
        InputError: there is no such Job, or the API server sends something else.
        ApiError: the API server rejects a request, or cannot be reached.
    """
    try:
        job = api.get(jobs_path(namespace, name))
    except ApiError as error:
        if error.not_found:
            raise InputError(f'{cluster} has no Job "{name}" in namespace {namespace}') from None
        raise
    _check(job, job_problem(job), cluster)
    uid = (job.get("metadata") or {}).get("uid") or ""
    pods = _listed(
        api,
        pods_path(namespace),
        {"labelSelector": f"batch.kubernetes.io/controller-uid={uid}"},
        lambda value: pod_problem({**cast("Object", value), "kind": "Pod"}),
        cluster,
    )
    events: list[Object] = []
    try:
        for about in (
            f"involvedObject.kind=Job,involvedObject.name={name}",
            "involvedObject.kind=Pod",
        ):
            selectors = {"fieldSelector": about}
            events += _listed(api, events_path(namespace), selectors, event_problem, cluster)
    except ApiError as error:
        if error.code != 403:
            raise
        note(f"note: {cluster} denies the list of Events: deleted Pods cannot be seen")
    manifest = completed_job({**job, "apiVersion": "batch/v1", "kind": "Job"}, server)
    try:
        return read_recording(manifest, pods, events, file=cluster, now=int(time.time()))
    except BadRecording as problem:
        raise InputError(str(problem)) from None


def _listed(
    api: Api,
    path: str,
    selectors: dict[str, str],
    problem: Callable[[object], str | None],
    cluster: str,
) -> list[Object]:
    found = []
    for page in resumed_pages(api, path, selectors=selectors):
        for item in page.items:
            _check(item, problem(item), cluster)
            found.append(item)
    return found


def _check(value: Object, problem: str | None, cluster: str) -> None:
    if problem is not None:
        name = (value.get("metadata") or {}).get("name") or ""
        raise InputError(f"{cluster} sent a malformed object {name}: {problem}")
