"""``jobsworth.why`` and its async variant: a diagnosis for programs."""

from __future__ import annotations

import time
from typing import Any

from jobsworth.api.api_server import NEWEST_RELEASE, ApiServer
from jobsworth.evaluation.stored_findings import job_findings
from jobsworth.live.connection import Connection, connect
from jobsworth.live.errors import cluster_errors
from jobsworth.live.event_loop import run_in_thread
from jobsworth.live.job_reading import ReadingOptions
from jobsworth.live.job_reference import read_reference
from jobsworth.live.owner_reading import read_any
from jobsworth.runs.why.saved_objects import AnyDiagnosis

Object = dict[str, Any]

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
    return _why(reference, namespace, connect(client, context=context), log_lines)


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
    return await run_in_thread(
        lambda task: _why(
            reference, namespace, connect(client, context=context, task=task), log_lines
        )
    )


def _why(
    reference: str, namespace: str | None, connection: Connection, log_lines: int
) -> AnyDiagnosis:
    with connection as cluster:
        asked = read_reference(reference, namespace or cluster.namespace)
        with cluster_errors(asked, cluster.name):
            return read_any(cluster.api, asked, reading_options(cluster.name, log_lines))


def reading_options(cluster: str, log_lines: int) -> ReadingOptions:
    """Return the options of a diagnosis.

    Args:
        cluster: its name, for messages.
    """
    server = ApiServer(NEWEST_RELEASE)
    return ReadingOptions(
        server, time.time, log_lines, findings=job_findings(server), cluster=cluster
    )
