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
from jobsworth.serving.probes import Check, Probes
from jobsworth.serving.release_poll import ReleasePoll
from jobsworth.serving.served_state import ServedState, StateLoader, broken_notes
from jobsworth.serving.serving_settings import ServingSettings, after_fork, gunicorn_settings
from jobsworth.serving.state_metrics import StateMetrics
from jobsworth.serving.tls_context import ServingCertificate, load_certificate
from jobsworth.serving.worker import Worker

POLICY, CERTIFICATE = "policy", "certificate"
STATE_FILE = "served-state.json"
WORKER_POLL_SECONDS = 0.3
"""The time between two looks of a worker at the state; the arbiter looks at the files about once a second."""
MOST_NOTES = 20
"""The largest number of broken policies that the readiness text names."""


class WebhookServer(BaseApplication):  # type: ignore[misc]
    """The webhook as a gunicorn application.

    The arbiter reloads changed policies and hands them to the workers; each process reloads changed
    certificates itself. Only the arbiter logs and counts the loads. A new worker starts with what the arbiter
    has loaded.

    Args:
        settings: the settings of the server.
        states: loads the policies.
        listeners: the listening sockets of the webhook and of the probes.
        folder: the folder for the metrics of all processes.
        on_bound: called in the arbiter when the server accepts connections.
        releases: asks the API server for its release; None if another process does.
    """

    def __init__(
        self,
        settings: ServingSettings,
        states: StateLoader,
        listeners: tuple[socket.socket, socket.socket],
        folder: Path,
        *,
        on_bound: Callable[[], object],
        releases: ReleasePoll | None = None,
    ) -> None:
        self.settings = settings
        self._releases = releases
        self._serving = mmap.mmap(-1, mmap.PAGESIZE)  # shared by all processes, a byte a worker
        self._log = Log(requests=settings.log_requests)
        self._metrics = WebhookMetrics(CollectorRegistry())
        webhook, self.probe_listener = listeners
        self._bound_to = format_address(*webhook.getsockname()[:2])
        self._webhook_descriptor = webhook.detach()  # gunicorn duplicates and closes it
        self._folder = folder
        self._on_bound = on_bound
        files = settings.files
        self._state_file = folder / STATE_FILE
        self._loaded = Reloading(POLICY, states.load, states.watched)
        self._served = Reloading(
            POLICY, lambda: states.restored(self._state_file.read_text()), [self._state_file]
        )
        self._certificate = Reloading(CERTIFICATE, self._load_certificate, files.of_certificate)
        self.probes = Probes(self._checks, folder, StateMetrics(lambda: self._served.value))
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
        self._load_state()
        if self._served.value is None:
            raise SystemExit(1)  # the log has the error
        _Arbiter(self).run()

    def reload_changed_files(self) -> None:
        """Load files that have changed, and log and count that."""
        self._load_state()
        self._certificate.check(self)

    def active_certificate(self) -> ServingCertificate | None:
        """Return the serving certificate for new connections; None if none is loaded."""
        return self._certificate.value

    def set_serving(self, age: int, *, serving: bool) -> None:
        """Record whether a worker serves, by its age: the number that gunicorn gives it."""
        self._serving[age % len(self._serving)] = serving

    def loaded(self, what: str, seconds: float, value: object) -> None:
        """Log and count that changed files are active."""
        errors = value.policies.errors if isinstance(value, ServedState) else ()
        self._metrics.loaded(what, seconds, success=not errors)
        facts: dict[str, Any] = {"milliseconds": round(seconds * 1000, 3)}
        if isinstance(value, ServedState):
            active = value.policies.policies.policies
            facts["policies"] = [policy.name for policy in active]
            facts["hash"] = value.policies.digest
            facts["kubernetesVersion"] = value.reviewer.server.release
            self._metrics.activated(policies=len(active))
            self._metrics.expect_violations((one.name, one.enforcement) for one in active)
        elif isinstance(value, ServingCertificate):
            facts["expires"] = value.expires
            self._metrics.activated(expiry=value.expires)
        self._log.event("info", f"{what} loaded", **facts)
        if isinstance(value, ServedState):
            self._log_flaws(value)

    def rejected(self, what: str, seconds: float, error: Exception) -> None:
        """Log and count that changed files are invalid."""
        self._metrics.loaded(what, seconds, success=False)
        self._log.event(
            "error",
            f"{what} rejected: the previous one stays active; fix the files",
            error=str(error),
        )

    def _log_flaws(self, state: ServedState) -> None:
        policies = state.policies
        if policies.errors:
            self._log.event(
                "error",
                "policy rejected: the last valid version of each broken policy is active; fix the files",
                broken=broken_notes(policies.broken),
                error="\n".join(policies.errors),
            )
        if state.is_skewed:
            self._log.event(
                "warning",
                "the API server runs another Kubernetes release than the one whose rules apply",
                server=state.release,
                kubernetesVersion=state.reviewer.server.release,
            )

    def _load_state(self) -> None:
        """Load changed files in the arbiter, and hand the state to the workers."""
        if self._releases is not None:
            self._releases.poll(lambda text: self._log.event("error", text))
        if self._loaded.check(self) and self._loaded.value is not None:
            new = self._state_file.with_suffix(".new")
            new.write_text(self._loaded.value.to_json())
            new.replace(self._state_file)
            self._served.adopt(self._loaded.value)

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
        follow(self._reload_unlogged, WORKER_POLL_SECONDS)

    def _reload_unlogged(self) -> None:
        self._served.check()
        self._certificate.check()

    def _load_certificate(self) -> ServingCertificate:
        files = self.settings.files
        return load_certificate(files.certificate, files.key, files.client_ca)

    def _active_reviewer(self) -> Reviewer:
        state = self._served.value
        assert state is not None  # the server does not start without one
        return state.reviewer

    def _observe(self, outcome: ReviewOutcome) -> None:
        self._metrics.observe(outcome)
        self._log.request(outcome)

    def _checks(self) -> dict[str, Check]:
        state = self._served.value
        certificate = self._certificate.value is not None
        serving = any(self._serving[:])
        return {
            POLICY: Check("not compiled") if state is None else Check(note=_policy_note(state)),
            CERTIFICATE: Check("" if certificate else "not loaded"),
            "workers": Check("" if serving else "no worker serves, or the server is draining"),
        }


def _policy_note(state: ServedState) -> str:
    notes = broken_notes(state.policies.broken)
    shown = [f"{name} is invalid, {note}" for name, note in sorted(notes.items())[:MOST_NOTES]]
    more = len(notes) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more else shown)


class _Arbiter(Arbiter):  # type: ignore[misc]
    """gunicorn's arbiter, which also reloads files, so that a new worker starts with valid ones."""

    def manage_workers(self) -> None:
        """Reload files and manage workers; gunicorn calls this about once a second."""
        self.app.reload_changed_files()
        super().manage_workers()
        # A new worker unblocks it when it can handle it; otherwise it could miss the signal.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])
