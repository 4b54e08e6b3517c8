"""Endpoints ``/healthz``, ``/livez``, ``/readyz`` and ``/metrics`` for the kubelet and Prometheus."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from jobsworth.listen_address import listen


class HealthServer:
    """An HTTP server for probes and metrics.

    Args:
        host: address to listen on; empty for every one of IPv4 and IPv6.
        port: port to listen on; 0 for any free port.
        healthy: returns None, or the reason why the process must be restarted.
        ready: returns None, or the reason why the process is not ready.

    Attributes:
        port: the port it listens on.

    Raises:
        CannotListen: the address is in use or not available.
    """

    def __init__(
        self,
        host: str,
        port: int,
        registry: CollectorRegistry,
        *,
        healthy: Callable[[], str | None],
        ready: Callable[[], str | None],
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                if path == "/metrics":
                    self._answer(200, CONTENT_TYPE_LATEST, generate_latest(registry))
                elif path in ("/healthz", "/livez", "/readyz"):
                    wrong = ready() if path == "/readyz" else healthy()
                    code = 200 if wrong is None else 503
                    self._answer(code, "text/plain; charset=utf-8", (wrong or "ok").encode())
                else:
                    self._answer(404, "text/plain; charset=utf-8", b"not found")

            def _answer(self, code: int, content_type: str, body: bytes) -> None:
                self.send_response(code)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        listener = listen(host, port)
        self.port: int = listener.getsockname()[1]
        self._server = ThreadingHTTPServer((host, self.port), Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = listener
        self._server.daemon_threads = True

    def start(self) -> None:
        """Start serving in a thread."""
        threading.Thread(target=self._server.serve_forever, name="health", daemon=True).start()

    def stop(self) -> None:
        """Stop serving, and close the socket."""
        self._server.shutdown()
        self._server.server_close()
