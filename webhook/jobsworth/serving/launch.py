"""Start the webhook under gunicorn, and clean up when it stops."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from jobsworth.admission.decision import NamespaceLabels, Reviewer
from jobsworth.api.api_server import ApiServer
from jobsworth.listen_address import listen
from jobsworth.policy.policy_set import PolicySet
from jobsworth.serving.serving_settings import ServingSettings


def serve(
    settings: ServingSettings,
    server: ApiServer,
    load_policies: Callable[[], PolicySet],
    namespace_labels: NamespaceLabels | None = None,
    on_bound: Callable[[], object] = lambda: None,
) -> NoReturn:
    """Serve until a signal stops the server, then exit the process.

    Args:
        settings: the settings of the server.
        server: the API server that will call the webhook.
        load_policies: reads the policies; any exception rejects the changed files.
        namespace_labels: returns the labels of a namespace, in a worker; None if they are not available.
        on_bound: called when the server accepts connections.

    Raises:
        CannotListen: an address is in use or not one of this machine.
        SystemExit: the server has stopped.
    """
    folder = Path(tempfile.mkdtemp(prefix="jobsworth-metrics-"))
    owner = os.getpid()
    # prometheus_client reads this variable when the import of the server below imports it.
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    try:
        from jobsworth.serving.webhook_server import WebhookServer

        listeners = listen(*settings.bind), listen(*settings.monitor_bind)
        labels = namespace_labels or (lambda name: None)

        def reviewer() -> Reviewer:
            policies, verdict = load_policies(), settings.api_verdict
            return Reviewer(server, policies, namespace_labels=labels, api_verdict=verdict)

        WebhookServer(settings, reviewer, listeners, folder, on_bound).run()
        raise SystemExit(0)
    finally:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)
