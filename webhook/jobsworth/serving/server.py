"""What gunicorn runs: one application in an arbiter, a monitor and workers, that follow their files."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from prometheus_client import CollectorRegistry

from jobsworth.admission.application import Application
from jobsworth.admission.decision import Judge
from jobsworth.admission.outcome import Outcome
from jobsworth.admission.request_log import GunicornLog, Log
from jobsworth.admission.review_metrics import Metrics
from jobsworth.admission.webhook import Webhook
from jobsworth.serving.arbiter import Arbiter
from jobsworth.serving.file_reload import Reloading, follow
from jobsworth.serving.probes import Monitor
from jobsworth.serving.scoreboard import Board
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
    """The webhook as gunicorn sees it.

    Every process follows the files by itself; the arbiter is the one that logs and counts it, and what
    it has loaded is what a new worker begins with.

    Args:
        settings: how to serve.
        judge: makes a judge of the policies' files.
        listener: the monitor's socket.
        folder: for the processes' metrics.
        on_bound: called in the arbiter once connections are accepted.
    """

    def __init__(
        self,
        settings: Settings,
        judge: Callable[[], Judge],
        listener: socket.socket,
        folder: Path,
        on_bound: Callable[[], object],
    ) -> None:
        self.settings = settings
        self.board = Board()
        self._log = Log(requests=settings.log_requests)
        self._metrics = Metrics(CollectorRegistry())
        self._listener = listener
        self._folder = folder
        self._on_bound = on_bound
        files = settings.files
        self._judge = Reloading(POLICY, judge, files.policies)
        self._certificate = Reloading(CERTIFICATE, self._load_certificate, files.of_certificate)
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn."""
        for name, value in gunicorn_settings(self.settings).items():
            self.cfg.set(name, value)
        certificate = self.settings.files.certificate
        if certificate.exists():
            # TLS is the connection's own affair; this is for what gunicorn says of the scheme.
            self.cfg.set("certfile", str(certificate))
        self.cfg.set("worker_class", Worker)
        self.cfg.set("logger_class", GunicornLog)
        self.cfg.set("pre_fork", _before_fork)
        self.cfg.set("post_fork", _after_fork)
        self.cfg.set("child_exit", _forget)
        self.cfg.set("when_ready", _ready)

    def load(self) -> Application:
        """The WSGI application."""
        return Application(Webhook(self._judge_in_force, self._observe))

    def run(self) -> None:
        """Serve until a signal says to stop."""
        self.look_at_files()
        if self._judge.value is None:
            raise SystemExit(1)  # the log says what is wrong with the policy
        Arbiter(self).run()

    def look_at_files(self) -> None:
        """Load the files that have changed; called by the arbiter, about once a second."""
        self._judge.check(self)
        self._certificate.check(self)

    def follow_files(self) -> None:
        """Load the files when they change; called by each worker, once."""
        self._look_quietly()
        follow(self._look_quietly)

    def certificate_in_force(self) -> Certificate | None:
        """The certificate that a new connection is served with."""
        return self._certificate.value

    def monitor(self, parent: int) -> None:
        """Answer probes and Prometheus until the arbiter has ended."""
        Monitor(
            self._listener, checks=self._checks, tick=self._look_quietly, folder=self._folder
        ).run(parent)

    def bound(self) -> None:
        """Say that connections are accepted."""
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
        """Log and count that changed files are in force."""
        self._metrics.loaded(what, seconds, success=True)
        facts: dict[str, Any] = {"milliseconds": round(seconds * 1000, 3)}
        if isinstance(value, Judge):
            facts["policies"] = [policy.name for policy in value.policies.policies]
            self._metrics.policies.set(len(value.policies.policies))
        elif isinstance(value, Certificate):
            facts["expires"] = value.expires
            self._metrics.expiry.set(value.expires)
        self._log.event("info", f"{what} loaded", **facts)

    def refused(self, what: str, seconds: float, error: Exception) -> None:
        """Log and count that changed files are broken."""
        self._metrics.loaded(what, seconds, success=False)
        self._log.event("error", f"{what} refused: what was in force stays", error=str(error))

    def _look_quietly(self) -> None:
        self._judge.check()
        self._certificate.check()

    def _load_certificate(self) -> Certificate:
        files = self.settings.files
        return load_certificate(files.certificate, files.key, files.client_ca)

    def _judge_in_force(self) -> Judge:
        judge = self._judge.value
        assert judge is not None  # a server does not start without
        return judge

    def _observe(self, outcome: Outcome) -> None:
        self._metrics.observe(outcome)
        self._log.request(outcome)

    def _checks(self) -> dict[str, str]:
        certificate = self._certificate.value is not None
        serving, wanted = self.board.serving(), self.settings.workers
        return {
            POLICY: "" if self._judge.value is not None else "not compiled",
            CERTIFICATE: "" if certificate else "not loaded",
            "workers": "" if serving else f"0 of {wanted} serve",
            "draining": "the server is about to stop" if self.board.draining else "",
        }


def _before_fork(arbiter: Any, worker: Any) -> None:
    before_fork()


def _after_fork(arbiter: Any, worker: Any) -> None:
    after_fork()
    worker.app.follow_files()


def _forget(arbiter: Any, worker: Any) -> None:
    worker.app.board.set_state(worker.age, 0)


def _ready(arbiter: Any) -> None:
    arbiter.app.bound()
