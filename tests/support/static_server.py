"""A web server for the files of a folder, on a free port of this machine."""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class StaticServer:
    """Serves a folder until it is stopped.

    Attributes:
        address: of the folder, without a slash at its end.
        requests: the paths that were asked for.
    """

    def __init__(self, folder: Path) -> None:
        self.requests: list[str] = []
        requests = self.requests

        class Handler(SimpleHTTPRequestHandler):
            extensions_map = {  # noqa: RUF012  (an attribute of the base class)
                **SimpleHTTPRequestHandler.extensions_map,
                ".mjs": "text/javascript",
                ".wasm": "application/wasm",
            }

            def log_message(self, format: str, *args: Any) -> None:
                requests.append(self.path)

        handler = partial(Handler, directory=str(folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Close the port."""
        self._server.shutdown()
        self._server.server_close()
