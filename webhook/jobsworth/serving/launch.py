"""Start the webhook under gunicorn, whose workers run uvicorn, and clean up when it stops."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from gunicorn.app.base import BaseApplication
from prometheus_client import CollectorRegistry
from prometheus_client.multiprocess import mark_process_dead
from uvicorn_worker import UvicornWorker

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
from jobsworth.serving.active_policies import ReleasePoll, StateMaker
from jobsworth.serving.http_protocol import http_settings
from jobsworth.serving.monitor import Check, Monitor, StateMetrics
from jobsworth.serving.policy_files import PolicyFiles
from jobsworth.serving.reloaded_files import ServedFiles
from jobsworth.serving.request_limits import allow_descriptors
from jobsworth.serving.settings import ServingSettings, after_fork, gunicorn_settings
from jobsworth.serving.tls_context import reloaded_context
from jobsworth.serving.worker_process import WorkerProcess


class Worker(UvicornWorker):  # type: ignore[misc]
    """A gunicorn worker that runs uvicorn."""

    def handle_exit(self, sig: int, frame: object) -> None:
        """Stop at once: uvicorn-worker calls this for SIGQUIT, which the arbiter sends on SIGINT."""
        os._exit(0)


class WebhookServer(BaseApplication):  # type: ignore[misc]
    """The webhook as a gunicorn application.

    Args:
        settings: the settings of the server.
        process: the ASGI application of each worker.
        listener: the listening socket of the webhook.
        uvicorn_settings: the settings of uvicorn.
        metrics_folder: the folder of prometheus_client for the values of all processes.
        on_bound: called in the arbiter when the server accepts connections.
    """

    def __init__(
        self,
        settings: ServingSettings,
        process: WorkerProcess,
        listener: socket.socket,
        *,
        uvicorn_settings: dict[str, Any],
        metrics_folder: Path,
        on_bound: Callable[[], object],
    ) -> None:
        self._settings = settings
        self._process = process
        self._descriptor = listener.detach()  # gunicorn duplicates and closes it
        self._uvicorn_settings = uvicorn_settings
        self._metrics_folder = metrics_folder
        self._on_bound = on_bound
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn."""
        worker_class = type("Worker", (Worker,), {"CONFIG_KWARGS": self._uvicorn_settings})
        hooks = {
            "worker_class": worker_class,
            "bind": f"fd://{self._descriptor}",
            "when_ready": lambda _arbiter: self._on_bound(),
            "post_fork": lambda _arbiter, _worker: self._start(),
            "child_exit": lambda _arbiter, worker: mark_process_dead(
                worker.pid, str(self._metrics_folder)
            ),
        }
        for name, value in {**gunicorn_settings(self._settings), **hooks}.items():
            self.cfg.set(name, value)

    def load(self) -> WorkerProcess:
        """Return the ASGI application."""
        return self._process

    def _start(self) -> None:
        after_fork()
        self._process.begin()


STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT})


def lose_no_stop_signal() -> None:
    """Let a signal end a worker even right after its fork, when it still has the handlers of the arbiter.

    These put the signal into a queue, of which the worker has a copy that nothing reads.
    """

    def start_child() -> None:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_DFL)  # until uvicorn sets its own handlers
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    os.register_at_fork(
        before=lambda: signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS),
        after_in_parent=lambda: signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS),
        after_in_child=start_child,
    )


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
        lose_no_stop_signal()
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
