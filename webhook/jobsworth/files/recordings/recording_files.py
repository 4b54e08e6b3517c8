"""Recordings in files: a Job, its Pods and its Events, in one file or several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from jobsworth.files.manifest_reading import read_documents
from jobsworth.manifests import ManifestError
from jobsworth.usage_error import InputError
from jobsworth.validation.engine import engine_for
from jobsworth.whatif.explanation.pod_document import pod_problem
from jobsworth.whatif.replay.policy_comparison import as_new
from jobsworth.whatif.replay.recorded_events import event_problem
from jobsworth.whatif.replay.recording_reader import BadRecording, job_problem, read_recording
from jobsworth.whatif.replay.stored_manifest import UnreadableSpec, stored_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.api.api_server import ApiServer
    from jobsworth.manifests import Document
    from jobsworth.whatif.replay.recording import Recording

    Object = dict[str, Any]


def recordings_in(
    paths: Sequence[str], server: ApiServer, only: str | None = None
) -> Iterator[Recording]:
    """Yield the recording of each Job in some files.

    Args:
        only: the name of the Job to read; None for all.

    Raises:
        InputError: a file cannot be read, an object is malformed, or there is no such Job.
    """
    jobs: dict[object, Document] = {}
    pods: list[Object] = []
    events: list[Object] = []
    for document in read_documents(paths):
        if isinstance(document, ManifestError):
            raise InputError(str(document))
        value = cast("Object", document.value) if isinstance(document.value, dict) else {}
        kind = value.get("kind")
        if kind == "Job" and value.get("apiVersion") == "batch/v1":
            _check(document, job_problem(value))
            meta = value.get("metadata") or {}
            # Of several versions of a Job the last counts.
            jobs[meta.get("uid") or (meta.get("namespace"), meta.get("name"))] = document
        elif kind == "Pod":
            _check(document, pod_problem(value))
            pods.append(value)
        elif kind == "Event":
            _check(document, event_problem(value))
            events.append(value)
    chosen = [each for each in jobs.values() if only in (None, _name(each))]
    if not chosen:
        names = ", ".join(_name(each) for each in jobs.values())
        if names:
            raise InputError(f'no Job "{only}" in these files; they have {names}')
        raise InputError(
            "no Job in these files: record it with kubectl get job,pods,events -o yaml, or name a Job of a "
            "cluster with --namespace"
        )
    for document in chosen:
        manifest = completed_job(cast("Object", document.value), server, f"{document.file}: ")
        try:
            yield read_recording(
                manifest, pods, events, file=document.file, line=document.position("").line
            )
        except BadRecording as problem:
            raise InputError(f"{document.file}: {problem}") from None


def completed_job(value: Object, server: ApiServer, place: str = "") -> Object:
    """Return a recorded Job with the defaults of its spec, without fields of later releases.

    Raises:
        InputError: the API server would not have such a Job.
    """
    try:
        manifest = stored_manifest(value, server)
    except UnreadableSpec as unreadable:
        problems = unreadable.problems
    else:
        found = engine_for(server).validate(as_new(manifest))
        problems = [f"{each.field}: {each.message}" for each in found if each.severity == "error"]
    if problems:
        raise InputError(f"{place}this Job cannot be one of an API server:", *problems)
    return manifest


def _name(document: Document) -> str:
    meta: Object = cast("Object", document.value).get("metadata") or {}
    return meta.get("name") or "(unnamed)"


def _check(document: Document, problem: str | None) -> None:
    if problem is not None:
        raise InputError(f"{document.file}:{document.position('').line}: {problem}")
