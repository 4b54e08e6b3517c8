"""The API server in memory behind real HTTP."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from jobsworth.client.api_errors import ApiError
from jobsworth.client.rest_config import RestConfig
from support.api_server.fake_job_api import FakeJobApi


class FakeHttpServer:
    """Serves a :class:`FakeApi` at a free port until it is closed; use it with ``with``.

    Attributes:
        headers: those of the last request.
        path: its path and query, as they came.
        peers: the addresses of the connections so far.
        busy: answers 429 with ``Retry-After: 0`` so many more times.
    """

    def __init__(self, api: FakeJobApi) -> None:
        self.api = api
        self.headers: dict[str, str] = {}
        self.path = ""
        self.busy = 0
        self.peers: set[object] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # or each answer waits 40 ms for a delayed ACK

            def _serve(self) -> None:
                outer.headers, outer.path = dict(self.headers), self.path
                outer.peers.add(self.client_address)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                address = urlsplit(self.path)
                query = dict(parse_qsl(address.query))
                if outer.busy:
                    outer.busy -= 1
                    self._answer(429, {"kind": "Status", "message": "busy"}, {"Retry-After": "0"})
                elif query.get("watch"):
                    self._watch(address.path, query)
                else:
                    self._call(address.path, query, body)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815

            def _call(self, path: str, query: dict[str, str], body: bytes) -> None:
                try:
                    answer = outer.api.request(
                        self.command,
                        path,
                        json.loads(body) if body else None,
                        query=query,
                        content_type=self.headers.get("Content-Type") or "",
                    )
                except ApiError as error:
                    if not error.code:
                        self.close_connection = True
                        self.connection.close()
                        return
                    self._answer(error.code, _status(error), {})
                else:
                    self._answer(201 if self.command == "POST" else 200, answer, {})

            def _watch(self, path: str, query: dict[str, str]) -> None:
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for event in outer.api.stream(path, query):
                    line = json.dumps(event).encode() + b"\n"
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                self.wfile.write(b"0\r\n\r\n")

            def _answer(self, code: int, answer: Any, headers: dict[str, str]) -> None:
                body = json.dumps(answer).encode()
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FakeHttpServer:
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.api.end_watches()
        self._server.shutdown()
        self._server.server_close()

    def config(self) -> RestConfig:
        """The configuration of a client for it."""
        from kubernetes import client

        settings = client.Configuration()
        settings.host = self.url
        settings.api_key = {"authorization": "Bearer secret"}
        return RestConfig(settings, "the test")


def _status(error: ApiError) -> dict[str, Any]:
    causes = [{"reason": cause} for cause in error.causes]
    return {
        "kind": "Status",
        "code": error.code,
        "reason": error.reason,
        "message": error.message,
        "details": {"causes": causes},
    }
