"""Start the webhook under gunicorn, and clean up when it stops."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from prometheus_client import CollectorRegistry

from jobsworth.admission.application import ENDPOINT_BY_PATH, create_application
from jobsworth.admission.decision import NamespaceLabels
from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.request_log import Log
from jobsworth.admission.review import BadReview
from jobsworth.admission.review_metrics import WebhookMetrics, serving_workers
from jobsworth.admission.webhook import Webhook
from jobsworth.api.api_server import ApiServer
from jobsworth.api.declared_types import import_types
from jobsworth.listen_address import format_address, listen
from jobsworth.policy.policy_set import PolicySet
from jobsworth.serving.active_policies import StateMaker
from jobsworth.serving.connection_limits import allow_descriptors
from jobsworth.serving.http_protocol import http_settings
from jobsworth.serving.monitor import Check, Monitor
from jobsworth.serving.policy_files import PolicyFiles
from jobsworth.serving.release_poll import ReleasePoll
from jobsworth.serving.reloaded_files import ServedFiles
from jobsworth.serving.settings import ServingSettings
from jobsworth.serving.state_metrics import StateMetrics
from jobsworth.serving.tls_context import reloaded_context
from jobsworth.serving.webhook_server import WebhookServer
from jobsworth.serving.worker_process import WorkerProcess

RELEASE_FILE = "kubernetes-version"


def serve(
    settings: ServingSettings,
    server_of: Callable[[str], ApiServer],
    policies: PolicyFiles,
    namespace_labels: NamespaceLabels = lambda name: None,
    *,
    on_bound: Callable[[PolicySet], object] = lambda policies: None,
    ask_release: Callable[[], str] | None = None,
) -> NoReturn:
    """Serve until a signal stops the server, then exit the process.

    Args:
        settings: the settings of the server.
        server_of: returns the API server that will call the webhook, for the release that it reports; for an
            empty text if that is unknown.
        policies: the policies, which are reloaded when their files change.
        namespace_labels: returns the labels of a namespace, in a worker.
        on_bound: called with the policies when the server accepts connections.
        ask_release: asks the API server for its release, OSError if it does not report it; None if another
            process does, or none.

    Raises:
        CannotListen: an address is in use or not one of this machine.
        SystemExit: the server has stopped.
    """
    folder = Path(tempfile.mkdtemp(prefix="jobsworth-metrics-"))
    owner = os.getpid()
    try:
        listeners = listen(*settings.bind), listen(*settings.monitor_bind)
        bind, monitor = (format_address(*one.getsockname()[:2]) for one in listeners)
        files, releases = settings.files, None
        if ask_release is not None:
            files = replace(files, release=folder / RELEASE_FILE)
            releases = ReleasePoll(ask_release, folder / RELEASE_FILE)
        states = StateMaker(server_of, namespace_labels, settings.api_verdict, settings.exports)
        log = Log(requests=settings.log_requests, readable=settings.readable_log)
        metrics = WebhookMetrics(folder)
        served = ServedFiles(files, policies, states, log=log, metrics=metrics, releases=releases)
        with log.without_infos() if settings.readable_log else nullcontext():
            served.load()
        if served.state is None:
            raise SystemExit(1)  # the log has the error

        def bound() -> None:
            if not settings.readable_log:
                sizes = {"workers": settings.workers, "threads": settings.threads}
                log.event("info", "serving", bind=f"https://{bind}", monitor=monitor, **sizes)
            on_bound(served.reviewer().policies)

        def observe(outcome: ReviewOutcome) -> None:
            metrics.observe(outcome)
            log.request(outcome)

        def rejected(path: str, error: BadReview) -> None:
            if (endpoint := ENDPOINT_BY_PATH.get(path)) is not None:
                webhook.reject(endpoint, error)

        webhook = Webhook(served.reviewer, observe)
        all_metrics = metrics.of_all_processes(StateMetrics(lambda: served.state))
        process = WorkerProcess(
            create_application(webhook),
            served,
            Monitor(lambda: _checks(served, all_metrics), all_metrics),
            listeners[1],
            metrics=metrics,
            log=log,
            threads=settings.threads,
            drain_seconds=settings.drain_seconds,
            rejected=rejected,
        )
        context = reloaded_context(
            lambda: served.certificate, verifies_clients=files.client_ca is not None
        )
        import_types()
        allow_descriptors()
        WebhookServer(
            settings,
            process,
            listeners[0],
            uvicorn_settings={
                **http_settings(),
                "lifespan": "on",
                "log_level": "warning",  # gunicorn logs the start and the end of a worker
                "ssl_context_factory": lambda config, default: context,
            },
            metrics_folder=folder,
            on_bound=bound,
        ).run()
        raise SystemExit(0)
    finally:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)


def _checks(files: ServedFiles, metrics: CollectorRegistry) -> dict[str, Check]:
    serves = serving_workers(metrics) > 0
    problem = "" if serves else "no worker serves, or the server is draining"
    return {**files.checks(), "workers": Check(problem)}
