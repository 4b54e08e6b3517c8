"""Serve ``/healthz``, ``/readyz`` and ``/metrics`` without TLS from a separate process.

The process reviews no requests, so it answers even if all workers are busy.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from jobsworth.admission import review_metrics

Checks = Callable[[], dict[str, str]]
"""Returns the readiness checks by name: an empty text if the check passes, otherwise the problem."""

TIMEOUT_SECONDS = 5.0
TICK_SECONDS = 1.0
PLAIN = "text/plain; charset=utf-8"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


class Monitor:
    """Answer probes and scrapes.

    Args:
        listener: a bound, listening socket.
        checks: returns the readiness checks; called for each probe.
        tick: called about once a second.
        folder: the folder with the metrics of all processes.
    """

    def __init__(
        self, listener: socket.socket, *, checks: Checks, tick: Callable[[], object], folder: Path
    ) -> None:
        self._listener = listener
        self._checks = checks
        self._tick = tick
        self._folder = folder
        self._lock = threading.Lock()

    def run(self, parent: int) -> None:
        """Serve until the parent process ends or SIGTERM arrives."""
        stop = threading.Event()
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        server = _Server(self._listener, self._answer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        while os.getppid() == parent and not stop.wait(TICK_SECONDS):
            self._tick()
            with self._lock:
                review_metrics.retire(self._folder)

    def _answer(self, path: str) -> tuple[int, str, bytes]:
        if path in ("/healthz", "/livez"):
            return 200, PLAIN, b"ok\n"
        if path == "/readyz":
            return self._readiness()
        if path == "/metrics":
            with self._lock:
                return 200, PROMETHEUS, review_metrics.exposition(self._folder)
        return 404, PLAIN, b"not found: use /healthz, /readyz or /metrics\n"

    def _readiness(self) -> tuple[int, str, bytes]:
        checks = self._checks()
        lines = [
            f"[-]{name} failed: {missing}" if missing else f"[+]{name} ok"
            for name, missing in checks.items()
        ]
        ready = not any(checks.values())
        text = "\n".join([*lines, "ready" if ready else "not ready", ""])
        return (200 if ready else 503), PLAIN, text.encode()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self, listener: socket.socket, answer: Callable[[str], tuple[int, str, bytes]]
    ) -> None:
        self.answer = answer
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener


class _Handler(BaseHTTPRequestHandler):
    timeout = TIMEOUT_SECONDS
    server_version, sys_version = "jobsworth", ""
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        """Answer a probe or a scrape."""
        code, media_type, body = self.server.answer(self.path.partition("?")[0])
        self.send_response(code)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Log nothing: probes arrive every few seconds."""


def listen(address: str, port: int) -> socket.socket:
    """Return a listening socket for the monitor.

    Raises:
        OSError: the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((address, port))
    listener.listen(64)
    return listener
