"""The gunicorn application: an arbiter and workers, which reload changed files."""

from __future__ import annotations

import gc
import mmap
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from prometheus_client import CollectorRegistry

from jobsworth.admission.application import Application
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.request_log import GunicornLog, Log
from jobsworth.admission.review_metrics import WebhookMetrics, retire
from jobsworth.admission.webhook import Webhook
from jobsworth.listen_address import format_address
from jobsworth.serving.file_reload import Reloading, follow
from jobsworth.serving.probes import Probes
from jobsworth.serving.serving_settings import ServingSettings, after_fork, gunicorn_settings
from jobsworth.serving.tls_context import ServingCertificate, load_certificate
from jobsworth.serving.worker import Worker

POLICY, CERTIFICATE = "policy", "certificate"


class WebhookServer(BaseApplication):  # type: ignore[misc]
    """The webhook as a gunicorn application.

    Every process reloads changed files itself. Only the arbiter logs and counts the loads. A new worker
    starts with the files that the arbiter has loaded.

    Args:
        settings: the settings of the server.
        reviewer: creates a reviewer from the policy files.
        listeners: the listening sockets of the webhook and of the probes.
        folder: the folder for the metrics of all processes.
        on_bound: called in the arbiter when the server accepts connections.
    """

    def __init__(
        self,
        settings: ServingSettings,
        reviewer: Callable[[], Reviewer],
        listeners: tuple[socket.socket, socket.socket],
        folder: Path,
        on_bound: Callable[[], object],
    ) -> None:
        self.settings = settings
        self._serving = mmap.mmap(-1, mmap.PAGESIZE)  # shared by all processes, a byte a worker
        self._log = Log(requests=settings.log_requests)
        self._metrics = WebhookMetrics(CollectorRegistry())
        webhook, self.probe_listener = listeners
        self._bound_to = format_address(*webhook.getsockname()[:2])
        self._webhook_descriptor = webhook.detach()  # gunicorn duplicates and closes it
        self._folder = folder
        self._on_bound = on_bound
        files = settings.files
        self._reviewer = Reloading(POLICY, reviewer, files.policies)
        self._certificate = Reloading(CERTIFICATE, self._load_certificate, files.of_certificate)
        self.probes = Probes(self._checks, folder)
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn."""
        hooks = {
            "worker_class": Worker,
            "logger_class": GunicornLog,
            "bind": f"fd://{self._webhook_descriptor}",
            "when_ready": lambda arbiter: self._bound(),
            "post_fork": lambda arbiter, worker: self._follow_files(),
            "pre_fork": lambda arbiter, worker: self._before_fork(worker),
            "child_exit": lambda arbiter, worker: self._forget(worker),
        }
        for name, value in {**gunicorn_settings(self.settings), **hooks}.items():
            self.cfg.set(name, value)

    def load(self) -> Application:
        """Return the WSGI application."""
        return Application(Webhook(self._active_reviewer, self._observe))

    def run(self) -> None:
        """Serve until a signal stops the server."""
        self._reviewer.check(self)
        if self._reviewer.value is None:
            raise SystemExit(1)  # the log has the error in the policy
        _Arbiter(self).run()

    def reload_changed_files(self) -> None:
        """Load files that have changed, and log and count that."""
        self._reviewer.check(self)
        self._certificate.check(self)

    def active_certificate(self) -> ServingCertificate | None:
        """Return the serving certificate for new connections; None if none is loaded."""
        return self._certificate.value

    def set_serving(self, age: int, *, serving: bool) -> None:
        """Record whether a worker serves, by its age: the number that gunicorn gives it."""
        self._serving[age % len(self._serving)] = serving

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Log and count that changed files are active."""
        self._metrics.loaded(what, seconds, success=True)
        facts: dict[str, Any] = {"milliseconds": round(seconds * 1000, 3)}
        if isinstance(value, Reviewer):
            facts["policies"] = [policy.name for policy in value.policies.policies]
            self._metrics.activated(policies=len(value.policies.policies))
        elif isinstance(value, ServingCertificate):
            facts["expires"] = value.expires
            self._metrics.activated(expiry=value.expires)
        self._log.event("info", f"{what} loaded", **facts)

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log and count that changed files are invalid."""
        self._metrics.loaded(what, seconds, success=False)
        self._log.event(
            "error",
            f"{what} rejected: the previous one stays active; fix the files",
            error=str(error),
        )

    def _bound(self) -> None:
        self._log.event(
            "info",
            "serving",
            bind=self._bound_to,
            monitor=format_address(*self.probe_listener.getsockname()[:2]),
            workers=self.settings.workers,
            threads=self.settings.threads,
        )
        self._on_bound()

    def _before_fork(self, worker: Worker) -> None:
        gc.freeze()  # so that the processes share the pages of permanent objects
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        # It serves from now on: the kernel queues its connections while it starts.
        self.set_serving(worker.age, serving=True)

    def _forget(self, worker: Worker) -> None:
        self.set_serving(worker.age, serving=False)
        retire(self._folder, worker.pid)

    def _follow_files(self) -> None:
        after_fork()
        self._reload_unlogged()
        follow(self._reload_unlogged)

    def _reload_unlogged(self) -> None:
        self._reviewer.check()
        self._certificate.check()

    def _load_certificate(self) -> ServingCertificate:
        files = self.settings.files
        return load_certificate(files.certificate, files.key, files.client_ca)

    def _active_reviewer(self) -> Reviewer:
        reviewer = self._reviewer.value
        assert reviewer is not None  # the server does not start without one
        return reviewer

    def _observe(self, outcome: ReviewOutcome) -> None:
        self._metrics.observe(outcome)
        self._log.request(outcome)

    def _checks(self) -> dict[str, str]:
        certificate = self._certificate.value is not None
        return {
            POLICY: "" if self._reviewer.value is not None else "not compiled",
            CERTIFICATE: "" if certificate else "not loaded",
            "workers": ""
            if any(self._serving[:])
            else "no worker serves, or the server is draining",
        }


class _Arbiter(Arbiter):  # type: ignore[misc]
    """gunicorn's arbiter, which also reloads files, so that a new worker starts with valid ones."""

    def manage_workers(self) -> None:
        """Reload files and manage workers; gunicorn calls this about once a second."""
        self.app.reload_changed_files()
        super().manage_workers()
        # A new worker unblocks it when it can handle it; otherwise it could miss the signal.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
