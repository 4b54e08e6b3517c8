"""``jobsworth.why`` and its async variant: a diagnosis for programs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.following.cluster_errors import cluster_errors
from jobsworth.following.drivers import run_reading, run_reading_async
from jobsworth.following.job_reference import read_reference
from jobsworth.following.reading.job_findings import job_findings
from jobsworth.following.reading.job_reading import ReadingOptions
from jobsworth.following.reading.owner_reading import read_any
from jobsworth.following.sources import source_of

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
        TypeError: the client is none of these, or the reference or the namespace is not a str.
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
