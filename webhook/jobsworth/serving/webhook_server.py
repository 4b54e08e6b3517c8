"""The gunicorn application: an arbiter, and workers that run uvicorn."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gunicorn.app.base import BaseApplication
from prometheus_client.multiprocess import mark_process_dead
from uvicorn_worker import UvicornWorker

from jobsworth.serving.settings import ServingSettings, after_fork, gunicorn_settings
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
            "when_ready": lambda arbiter: self._on_bound(),
            "post_fork": lambda arbiter, worker: self._start(),
            "child_exit": lambda arbiter, worker: mark_process_dead(
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
