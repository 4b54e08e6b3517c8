"""Starts the webhook under gunicorn, and clears up after it."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from jobsworth.admission.decision import Judge, NamespaceLabels
from jobsworth.api.server import ApiServer
from jobsworth.policy.policy_set import PolicySet
from jobsworth.serving.serving_settings import Settings


def serve(
    settings: Settings,
    server: ApiServer,
    load_policies: Callable[[], PolicySet],
    namespace_labels: NamespaceLabels | None = None,
    on_bound: Callable[[], object] = lambda: None,
) -> NoReturn:
    """Serve until a signal says to stop, and exit the process.

    Args:
        settings: how.
        server: the API server that will ask.
        load_policies: reads the policies; whatever it raises refuses the change.
        namespace_labels: gives the labels of namespaces, in a worker; None where nobody knows.
        on_bound: called once connections are accepted.

    Raises:
        OSError: the monitor's address cannot be bound.
        SystemExit: the server has stopped.
    """
    folder = Path(tempfile.mkdtemp(prefix="jobsworth-metrics-"))
    owner = os.getpid()
    # Read when prometheus_client is imported, which the server below does.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    try:
        from jobsworth.serving.probes import listen
        from jobsworth.serving.server import Server

        listener: socket.socket = listen(*settings.monitor_bind)
        judge = _judges(settings, server, load_policies, namespace_labels)
        Server(settings, judge, listener, folder, on_bound).run()
        raise SystemExit(0)
    finally:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)


def _judges(
    settings: Settings,
    server: ApiServer,
    load_policies: Callable[[], PolicySet],
    namespace_labels: NamespaceLabels | None,
) -> Callable[[], Judge]:
    def judge() -> Judge:
        return Judge(
            server,
            load_policies(),
            namespace_labels=namespace_labels or (lambda name: None),
            api_verdict=settings.api_verdict,
        )

    return judge
