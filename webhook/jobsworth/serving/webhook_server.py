"""The gunicorn application: an arbiter and workers, which reload changed files.

docs/decisions/0015-own-worker.md lists the parts of gunicorn that this package relies on.
"""

from __future__ import annotations

import gc
import mmap
import signal
import socket
from collections.abc import Callable

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter

from jobsworth.admission.application import Application
from jobsworth.admission.review_metrics import WebhookMetrics
from jobsworth.serving.probes import Check, Probes
from jobsworth.serving.served_files import ServedFiles
from jobsworth.serving.serving_settings import ServingSettings, after_fork, gunicorn_settings
from jobsworth.serving.state_metrics import StateMetrics
from jobsworth.serving.worker import STOPS, Worker

FREE, SERVING, LEAVING = range(3)


class WebhookServer(BaseApplication):  # type: ignore[misc]
    """The webhook as a gunicorn application.

    Args:
        settings: the settings of the server.
        application: answers the requests.
        files: the policies and the certificate.
        listeners: the listening sockets of the webhook and of the probes.
        metrics: get the number of the process that counts.
        on_bound: called in the arbiter when the server accepts connections.
    """

    def __init__(
        self,
        settings: ServingSettings,
        application: Application,
        files: ServedFiles,
        listeners: tuple[socket.socket, socket.socket],
        *,
        metrics: WebhookMetrics,
        on_bound: Callable[[], object],
    ) -> None:
        self.settings = settings
        state = StateMetrics(lambda: files.state)
        self.probes = Probes(self._checks, lambda: metrics.exposition(state))
        self.files = files
        self._application = application
        self._metrics = metrics
        self._workers = mmap.mmap(-1, mmap.PAGESIZE)  # shared by all processes: a byte a worker
        webhook, self.probe_listener = listeners
        self._webhook_descriptor = webhook.detach()  # gunicorn duplicates and closes it
        self._on_bound = on_bound
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn."""
        hooks = {
            "worker_class": Worker,
            "bind": f"fd://{self._webhook_descriptor}",
            "when_ready": lambda arbiter: self._on_bound(),
            "pre_fork": lambda arbiter, worker: self._before_fork(worker),
            "post_fork": lambda arbiter, worker: self._start(worker),
            "child_exit": lambda arbiter, worker: self._note(worker, FREE),
        }
        for name, value in {**gunicorn_settings(self.settings), **hooks}.items():
            self.cfg.set(name, value)

    def load(self) -> Application:
        """Return the WSGI application."""
        return self._application

    def run(self) -> None:
        """Serve until a signal stops the server."""
        self.files.reload_state()
        if self.files.state is None:
            raise SystemExit(1)  # the log has the error
        _Arbiter(self).run()

    def leave(self, worker: Worker) -> None:
        """Record that a worker leaves: the server is ready while another one serves."""
        self._note(worker, LEAVING)

    def _note(self, worker: Worker, state: int) -> None:
        self._workers[worker.slot] = state

    def _checks(self) -> dict[str, Check]:
        serves = SERVING in self._workers[:]
        problem = "" if serves else "no worker serves, or the server is draining"
        return {**self.files.checks(), "workers": Check(problem)}

    def _before_fork(self, worker: Worker) -> None:
        gc.freeze()  # so that the processes share the pages of permanent objects
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
        worker.slot = self._workers.find(FREE.to_bytes(), 1)
        # It serves from now on: the kernel queues its connections while it starts.
        self._note(worker, SERVING)

    def _start(self, worker: Worker) -> None:
        after_fork()
        self._metrics.slot = worker.slot
        self.files.follow()


class _Arbiter(Arbiter):  # type: ignore[misc]
    """gunicorn's arbiter, which also reloads files, so that a new worker starts with valid ones."""

    def manage_workers(self) -> None:
        """Reload files and manage workers; gunicorn calls this about once a second."""
        self.app.files.reload()
        super().manage_workers()
        # A new worker unblocks them when it can handle them; otherwise it could miss one.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
