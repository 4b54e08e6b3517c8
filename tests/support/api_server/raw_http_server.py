"""A server at a free port that answers every request with the same bytes, right or wrong."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from socketserver import StreamRequestHandler, ThreadingTCPServer

from jobsworth.client.rest_config import RestConfig


class RawHttpServer:
    """Serves until it is closed; use it with ``with``. It closes each connection after its answer.

    Attributes:
        parts: the answer, sent part by part.
        requests: the heads of the requests so far.
    """

    def __init__(self) -> None:
        self.parts: Sequence[bytes] = ()
        self.requests: list[bytes] = []
        outer = self

        class Handler(StreamRequestHandler):
            disable_nagle_algorithm = True

            def handle(self) -> None:
                lines = list(iter(self.rfile.readline, b"\r\n"))
                outer.requests.append(b"".join(lines))
                for part in outer.parts:
                    self.wfile.write(part)
                self.connection.shutdown(socket.SHUT_WR)

        self._server = ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> RawHttpServer:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def config(self) -> RestConfig:
        """The configuration of a client for it."""
        from kubernetes import client

        configuration = client.Configuration()
        configuration.host = self.url
        return RestConfig(configuration, "the test")
