"""A kubelet's server for logs: the API server asks it for them, as for the log of any container."""

from __future__ import annotations

import contextlib
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from cluster.bed import TestBed

NODE = "node-0"


@contextlib.contextmanager
def log_server(bed: TestBed, folder: Path, logs: dict[str, str]) -> Iterator[None]:
    """Serve logs by name of the Pod, as the node on which the Pods of failures run."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path).path.split("/")  # /containerLogs/NAMESPACE/POD/CONTAINER
            text = logs.get(parts[3], "").encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            return

    pair = bed.ca.server("127.0.0.1")
    certificate, key = folder / "kubelet.crt", folder / "kubelet.key"
    certificate.write_bytes(pair.certificate)
    key.write_bytes(pair.key)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    bed.create({"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}})
    status = {
        "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
        "daemonEndpoints": {"kubeletEndpoint": {"Port": server.server_address[1]}},
    }
    path = f"/api/v1/nodes/{NODE}/status"
    merge = "application/merge-patch+json"
    bed.request("PATCH", path, {"status": status}, content_type=merge)
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
