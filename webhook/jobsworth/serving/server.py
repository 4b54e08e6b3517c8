"""The gunicorn application: arbiter, monitor and workers, which reload changed files."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from prometheus_client import CollectorRegistry

from jobsworth.admission.application import Application
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.request_log import GunicornLog, Log
from jobsworth.admission.review_metrics import WebhookMetrics
from jobsworth.admission.webhook import Webhook
from jobsworth.serving.arbiter import Arbiter
from jobsworth.serving.file_reload import Reloading, follow
from jobsworth.serving.probes import Monitor
from jobsworth.serving.scoreboard import Scoreboard
from jobsworth.serving.serving_settings import (
    Settings,
    after_fork,
    before_fork,
    gunicorn_settings,
)
from jobsworth.serving.tls_context import Certificate, load_certificate
from jobsworth.serving.worker import Worker

POLICY, CERTIFICATE = "policy", "certificate"


class Server(BaseApplication):  # type: ignore[misc]
    """The webhook as a gunicorn application.

    Every process reloads changed files itself. Only the arbiter logs and counts the loads. A new worker
    starts with the files that the arbiter has loaded.

    Args:
        settings: the settings of the server.
        reviewer: creates a reviewer from the policy files.
        listener: the socket of the monitor.
        folder: the folder for the metrics of all processes.
        on_bound: called in the arbiter when the server accepts connections.
    """

    def __init__(
        self,
        settings: Settings,
        reviewer: Callable[[], Reviewer],
        listener: socket.socket,
        folder: Path,
        on_bound: Callable[[], object],
    ) -> None:
        self.settings = settings
        self.scoreboard = Scoreboard()
        self._log = Log(requests=settings.log_requests)
        self._metrics = WebhookMetrics(CollectorRegistry())
        self._listener = listener
        self._folder = folder
        self._on_bound = on_bound
        files = settings.files
        self._reviewer = Reloading(POLICY, reviewer, files.policies)
        self._certificate = Reloading(CERTIFICATE, self._load_certificate, files.of_certificate)
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn."""
        for name, value in gunicorn_settings(self.settings).items():
            self.cfg.set(name, value)
        certificate = self.settings.files.certificate
        if certificate.exists():
            # The connection sets up TLS itself; gunicorn uses this only to report the URL scheme.
            self.cfg.set("certfile", str(certificate))
        self.cfg.set("worker_class", Worker)
        self.cfg.set("logger_class", GunicornLog)
        self.cfg.set("pre_fork", _before_fork)
        self.cfg.set("post_fork", _after_fork)
        self.cfg.set("child_exit", _forget)
        self.cfg.set("when_ready", _ready)

    def load(self) -> Application:
        """Return the WSGI application."""
        return Application(Webhook(self._active_reviewer, self._observe))

    def run(self) -> None:
        """Serve until a signal stops the server."""
        self.reload_changed_files()
        if self._reviewer.value is None:
            raise SystemExit(1)  # the log has the error in the policy
        Arbiter(self).run()

    def reload_changed_files(self) -> None:
        """Load files that have changed; the arbiter calls this about once a second."""
        self._reviewer.check(self)
        self._certificate.check(self)

    def follow_files(self) -> None:
        """Start to load files when they change; each worker calls this once."""
        self._reload_unlogged()
        follow(self._reload_unlogged)

    def active_certificate(self) -> Certificate | None:
        """Return the serving certificate for new connections; None if none is loaded."""
        return self._certificate.value

    def monitor(self, parent: int) -> None:
        """Answer probes and scrapes until the arbiter ends."""
        Monitor(
            self._listener, checks=self._checks, tick=self._reload_unlogged, folder=self._folder
        ).run(parent)

    def bound(self) -> None:
        """Log that the server accepts connections."""
        self._log.event(
            "info",
            "serving",
            bind="{}:{}".format(*self.settings.bind),
            monitor="{}:{}".format(*self._listener.getsockname()[:2]),
            workers=self.settings.workers,
            threads=self.settings.threads,
        )
        self._on_bound()

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Log and count that changed files are active."""
        self._metrics.loaded(what, seconds, success=True)
        facts: dict[str, Any] = {"milliseconds": round(seconds * 1000, 3)}
        if isinstance(value, Reviewer):
            facts["policies"] = [policy.name for policy in value.policies.policies]
            self._metrics.policies.set(len(value.policies.policies))
        elif isinstance(value, Certificate):
            facts["expires"] = value.expires
            self._metrics.expiry.set(value.expires)
        self._log.event("info", f"{what} loaded", **facts)

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log and count that changed files are invalid."""
        self._metrics.loaded(what, seconds, success=False)
        self._log.event(
            "error",
            f"{what} rejected: the previous one stays active; fix the files",
            error=str(error),
        )

    def _reload_unlogged(self) -> None:
        self._reviewer.check()
        self._certificate.check()

    def _load_certificate(self) -> Certificate:
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
        serving, wanted = self.scoreboard.serving(), self.settings.workers
        return {
            POLICY: "" if self._reviewer.value is not None else "not compiled",
            CERTIFICATE: "" if certificate else "not loaded",
            "workers": "" if serving else f"0 of {wanted} workers serve",
            "draining": "the server is about to stop" if self.scoreboard.draining else "",
        }


def _before_fork(arbiter: Any, worker: Any) -> None:
    before_fork()


def _after_fork(arbiter: Any, worker: Any) -> None:
    after_fork()
    worker.app.follow_files()


def _forget(arbiter: Any, worker: Any) -> None:
    worker.app.scoreboard.set_state(worker.age, 0)


def _ready(arbiter: Any) -> None:
    arbiter.app.bound()
