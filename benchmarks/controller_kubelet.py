"""Simulate all kubelets: each new Pod succeeds immediately.

The process watches the metadata of pending Pods, and patches their status over a few connections without
waiting for the responses: it uses one thread and about a tenth of a millisecond of CPU per Pod, so that it
hardly affects the measurement. Run it as a separate process:

    python benchmarks/controller_kubelet.py FOLDER_OF_THE_BED https://127.0.0.1:PORT
"""

from __future__ import annotations

import asyncio
import json
import re
import ssl
import sys
from pathlib import Path
from urllib.parse import urlsplit

CONNECTIONS = 8
STATUS = json.dumps({
    "status": {
        "phase": "Succeeded",
        "startTime": "2026-01-01T00:00:00Z",
        "conditions": [
            {"type": "Ready", "status": "False", "reason": "PodCompleted",
             "lastTransitionTime": "2026-01-01T00:00:01Z"}
        ],
        "containerStatuses": [
            {"name": "main", "image": "busybox", "imageID": "", "ready": False, "restartCount": 0,
             "state": {"terminated": {
                 "exitCode": 0, "reason": "Completed",
                 "startedAt": "2026-01-01T00:00:00Z", "finishedAt": "2026-01-01T00:00:01Z"}}}
        ],
    }
}).encode()  # fmt: skip
METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
AGENT = "benchmark-kubelet"
_ANSWER = re.compile(rb"HTTP/1\.1 (\d\d\d) ")


class Patches(asyncio.Protocol):
    """A connection to which patches are written; only the status codes of the responses are read."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        data = self._rest + data
        for code in _ANSWER.findall(data):
            if code not in (b"200", b"404"):
                print(f"the API server rejected a status with {code.decode()}", flush=True)
        self._rest = data[-12:] if not _ANSWER.search(data[-12:]) else b""

    def connection_lost(self, error: Exception | None) -> None:
        raise SystemExit(f"the API server closed the connection: {error}")

    def succeed(self, host: str, namespace: str, name: str) -> None:
        """Set the status of a Pod to succeeded."""
        assert self.transport is not None
        head = (
            f"PATCH /api/v1/namespaces/{namespace}/pods/{name}/status HTTP/1.1\r\n"
            f"Host: {host}\r\nUser-Agent: {AGENT}\r\nAccept: {METADATA_ONLY}\r\n"
            f"Content-Type: application/merge-patch+json\r\nContent-Length: {len(STATUS)}\r\n\r\n"
        )
        self.transport.write(head.encode() + STATUS)


async def play(folder: Path, url: str) -> None:
    """Let every Pod succeed, until the process is terminated."""
    tls = ssl.create_default_context(cafile=folder / "ca.crt")
    tls.load_cert_chain(folder / "admin.crt", folder / "admin.key")
    address = urlsplit(url)
    host, port = address.hostname or "", address.port
    loop = asyncio.get_running_loop()
    connections = [
        (await loop.create_connection(Patches, host, port, ssl=tls))[1] for _ in range(CONNECTIONS)
    ]
    number = 0
    while True:
        # Without a resourceVersion a watch starts with all existing objects; the API server ends a watch that
        # does not keep up.
        reader, writer = await asyncio.open_connection(host, port, ssl=tls, limit=1 << 22)
        writer.write(
            "GET /api/v1/pods?watch=true&fieldSelector=status.phase%3DPending HTTP/1.0\r\n"
            f"Host: {host}\r\nUser-Agent: {AGENT}\r\nAccept: {METADATA_ONLY}\r\n\r\n".encode()
        )
        while line := await reader.readline():
            # HTTP/1.0 has no chunks: after the headers, each line is an event.
            if not line.startswith(b'{"type":"ADDED"'):
                continue
            meta = json.loads(line)["object"]["metadata"]
            connections[number % CONNECTIONS].succeed(host, meta["namespace"], meta["name"])
            number += 1
        writer.close()
        print("the API server ended the watch", flush=True)


if __name__ == "__main__":
    asyncio.run(play(Path(sys.argv[1]), sys.argv[2]))
