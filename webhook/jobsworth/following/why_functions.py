"""``jobsworth.why`` and its variants: a diagnosis for programs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.following.cluster_errors import cluster_errors
from jobsworth.following.drivers import run_reading, run_reading_async
from jobsworth.following.job_reference import read_reference
from jobsworth.following.reading.job_findings import job_findings
from jobsworth.following.reading.job_reading import ReadingOptions
from jobsworth.following.reading.owner_reading import read_any
from jobsworth.following.sources import source_of
from jobsworth.whatif.replay.recording_reader import BadRecording
from jobsworth.whatif.why.saved_objects import SavedObjects

if TYPE_CHECKING:
    from jobsworth.following.sources import Source
    from jobsworth.whatif.why.saved_objects import AnyDiagnosis

DEFAULT_LOG_LINES = 20


def why(
    reference: str,
    *,
    namespace: str | None = None,
    client: Any = None,
    context: str | None = None,
    log_lines: int = DEFAULT_LOG_LINES,
) -> AnyDiagnosis:
    """Return why a Job, CronJob or JobSet failed, or what it waits for; ``sentence`` says it in one sentence.

    Args:
        reference: such as ``job/train``, ``cronjob/nightly`` or ``jobset/pretrain``; a name alone is a Job.
        namespace: by default that of the context, or of the Pod that this runs in.
        client: an ``ApiClient`` of the kubernetes package or one of its APIs, such as ``BatchV1Api()``; or a
            function ``get(path)`` that returns the JSON of a path as a dict (of a log: a str). By default the
            cluster of the kubeconfig, or of the service account of the Pod.
        context: of the kubeconfig, without a client.
        log_lines: of the log of a failed container; 0 for no logs.

    Raises:
        ValueError: the reference names no such kind.
        JobNotFound: there is no such object.
        ClusterError: the cluster cannot be read.
        TypeError: the client is none of these.
    """
    with source_of(client, context=context) as source:
        asked = read_reference(reference, namespace or source.namespace)
        with cluster_errors(asked, source.name):
            return run_reading(read_any(asked, reading_options(source, log_lines)), source)


async def why_async(
    reference: str,
    *,
    namespace: str | None = None,
    client: Any = None,
    context: str | None = None,
    log_lines: int = DEFAULT_LOG_LINES,
) -> AnyDiagnosis:
    """Return the same as :func:`jobsworth.why`, without blocking the event loop.

    Args:
        client: also a coroutine function ``get(path)``.
    """
    with source_of(client, context=context) as source:
        asked = read_reference(reference, namespace or source.namespace)
        with cluster_errors(asked, source.name):
            return await run_reading_async(
                read_any(asked, reading_options(source, log_lines)), source
            )


def why_recorded(
    objects: Iterable[Mapping[str, Any]], reference: str | None = None
) -> AnyDiagnosis:
    """Return the same as :func:`jobsworth.why`, from objects that were saved.

    Args:
        objects: a Job with its Pods and Events, as ``kubectl get job,pods,events -o json`` lists them.
        reference: which of several to explain, such as ``job/train``; None if there is one.

    Raises:
        ValueError: an object is malformed, or there is not exactly one to explain.
    """
    saved = SavedObjects()
    for each in objects:
        if not isinstance(each, Mapping):
            raise ValueError(f"each object must be a dict, not {type(each).__name__}")
        problem = saved.add(dict(each))
        if problem is not None:
            raise ValueError(f"{each.get('kind')} {_name(each)}: {problem}")
    only = None if reference is None else read_reference(reference, "")
    chosen = list(saved.explained(None if only is None else (only.kind, only.name)))
    if len(chosen) != 1:
        names = ", ".join(f"{each['kind']} {_name(each)}" for each in chosen[:5]) or "none"
        raise ValueError(f"there must be one object to explain; there are {len(chosen)}: {names}")
    server = ApiServer(NEWEST_RELEASE)
    try:
        return saved.diagnosis(chosen[0], server, job_findings(server))
    except BadRecording as error:
        raise ValueError(str(error)) from None


def reading_options(source: Source, log_lines: int) -> ReadingOptions:
    """Return what to read of a cluster for a diagnosis."""
    server = ApiServer(NEWEST_RELEASE)
    return ReadingOptions(
        server,
        time.time,
        log_lines,
        findings=job_findings(server),
        cluster=source.name,
    )


def _name(value: Mapping[str, Any]) -> str:
    meta = value.get("metadata")
    return str(meta.get("name")) if isinstance(meta, Mapping) else "(unnamed)"
